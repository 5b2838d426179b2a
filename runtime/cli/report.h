// What `latimer doctor` finds: lines of text as they come, or JSON at the end.
#ifndef LATIMER_CLI_REPORT_H_
#define LATIMER_CLI_REPORT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace latimer::cli {

using Json = nlohmann::ordered_json;

enum class Verdict : uint8_t { kOk, kWarning, kFail };

class Report {
 public:
  explicit Report(bool json) : as_json_(json) {}

  // What follows belongs to `name`.
  void Section(const std::string& name);

  // `value` is for JSON, `text` for people; all but good ones come with advice.
  void Add(const std::string& name, const Json& value, const std::string& text,
           Verdict verdict = Verdict::kOk, const std::string& advice = "");

  // Prints the summary or the JSON; returns the program's exit code.
  int Finish() const;

 private:
  bool as_json_;
  std::string section_;
  Json json_ = Json::object();
  Json findings_ = Json::array();
  Verdict worst_ = Verdict::kOk;
};

// For people: "1.3 GB", "97 KB".
std::string BytesText(uint64_t bytes);

// `value` with so many decimals.
std::string NumberText(double value, int decimals);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_REPORT_H_
