// What `latimer doctor` finds: lines of text as they come, or JSON at the end.
#ifndef LATIMER_CLI_REPORT_H_
#define LATIMER_CLI_REPORT_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "report/format.h"

namespace latimer::cli {

enum class Verdict : uint8_t { kOk, kWarning, kFail };

constexpr Verdict WarnIf(bool bad) {
  return bad ? Verdict::kWarning : Verdict::kOk;
}

class Report {
 public:
  explicit Report(bool json) : as_json_(json) {}

  // Begins the section that later findings belong to.
  void Section(const std::string& name);

  // Adds a finding: `value` for JSON, `text` for people. `advice` says what to
  // do unless the verdict is kOk.
  void Add(const std::string& name, const Json& value, const std::string& text,
           Verdict verdict = Verdict::kOk, const std::string& advice = "");

  // The JSON as text. Of `paths`, which may be null, only the name of the file
  // stays: folders may be named after a person.
  std::string TextWithoutFolders(
      std::initializer_list<const char*> paths) const;

  // Prints the verdict, or the JSON; returns the program's exit code.
  int Finish() const;

 private:
  // All findings so far, with the verdict.
  Json ToJson() const;

  bool as_json_;
  std::string section_;
  Json json_ = Json::object();
  Json findings_ = Json::array();
  Verdict worst_ = Verdict::kOk;
};

// "1.30 GB", "97.0 KB".
std::string BytesText(uint64_t bytes);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_REPORT_H_
