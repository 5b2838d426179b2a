// `latimer translate --html`.
#ifndef LATIMER_CLI_HTML_H_
#define LATIMER_CLI_HTML_H_

#include <cstdint>
#include <span>

#include "cli/arguments.h"
#include "latimer/translator.h"

namespace latimer::cli {

struct HtmlModel {
  const char* file;
  std::span<Translator* const> translators;  // One for each worker.
  const TranslateOptions& options;
};

// kUsage if other options exclude --html.
int CheckHtml(const Arguments& arguments);

// Translates the HTML of standard input, of the files that follow it, or of
// --text, and writes HTML. Up to `lanes` sentences are under way in each
// translator. With two models, what the first one gives is the input of the
// second one, and each has one translator. Returns the exit code.
int TranslateHtml(const Arguments& arguments, std::span<const HtmlModel> models,
                  uint32_t lanes);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_HTML_H_
