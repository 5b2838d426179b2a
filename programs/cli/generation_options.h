// The options of a translation that depend on the model, or on files.
#ifndef LATIMER_CLI_GENERATION_OPTIONS_H_
#define LATIMER_CLI_GENERATION_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "internals.h"
#include "latimer/translator.h"

namespace latimer::cli {

class GenerationOptions {
 public:
  // Checks `options`, which are those of `arguments`, and completes them; they
  // then borrow from this object. Prints one sentence to standard error and
  // returns kUsage if they contradict each other, or for what is malformed, or
  // names something the model lacks.
  int Prepare(const Arguments& arguments, const ModelDescription& model,
              TranslateOptions* options);

  // The same for the targets of --terms, after Prepare.
  int CheckTerms(const Arguments& arguments, Translator& translator) const;

  // The same for --banned-words: a word, or with --ids the ids of a sequence,
  // in each line.
  int ReadBannedWords(const Arguments& arguments, Translator& translator,
                      TranslateOptions* options);

 private:
  int ReadTerms(const Arguments& arguments, const ModelDescription& model,
                TranslateOptions* options);

  std::vector<std::string> term_lines_, pattern_lines_;
  std::vector<Term> terms_;
  std::vector<std::string_view> patterns_;
  std::vector<int32_t> banned_;
  std::vector<uint32_t> banned_ends_;
  std::vector<int32_t> target_prefix_;
  std::vector<int32_t> suppressed_;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_GENERATION_OPTIONS_H_
