// --attention, --alignment and --scores of `latimer translate`.
#ifndef LATIMER_CLI_INSIGHT_H_
#define LATIMER_CLI_INSIGHT_H_

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/attention.h"
#include "latimer/translator.h"

namespace latimer::cli {

// Collects what was asked for while lines are translated. Where the profile
// keeps no attention it does nothing, and the code behind it is left out.
class Insight {
 public:
  // Sets in `*options` what the arguments ask for. Prints a sentence and
  // returns kUsage where they contradict each other.
  int Prepare(const Arguments& arguments, TranslateOptions* options);

  // Takes what a translation, which may be a part of a line, shows.
  void Add(const Translator& translator, const Translation& translation);

  // What comes after the line's translation; the next line begins.
  std::string EndLine();

  // Writes the file of --attention, if any. Prints a sentence and returns false
  // where that fails.
  bool WriteFile() const;

 private:
  const Arguments* arguments_ = nullptr;
  AttentionFormat format_ = AttentionFormat::kHtml;
  std::vector<AttentionRecord> records_;
  std::string links_;
  std::string scores_;
  WordCounts words_;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_INSIGHT_H_
