// Generation rules from the command line: languages, task, and what limits the
// next token.
#ifndef LATIMER_CLI_RULES_H_
#define LATIMER_CLI_RULES_H_

#include <cstdint>
#include <vector>

#include "cli/arguments.h"
#include "latimer/translator.h"

namespace latimer::cli {

class Rules {
 public:
  // Sets `options`, which then borrow from this and from `arguments`. Prints
  // one sentence to standard error and returns kUsage where a value is none or
  // the model lacks what it names.
  int Prepare(const Arguments& arguments, const ModelInfo& model,
              TranslateOptions* options);

 private:
  std::vector<int32_t> suppressed_;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_RULES_H_
