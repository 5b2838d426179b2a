// `latimer translate --html`.
#ifndef LATIMER_CLI_HTML_H_
#define LATIMER_CLI_HTML_H_

#include <span>

#include "cli/arguments.h"
#include "latimer/translator.h"

namespace latimer::cli {

struct HtmlModel {
  const char* file;
  Translator& translator;
  const TranslateOptions& options;
};

// kUsage if other options exclude --html.
int CheckHtml(const Arguments& arguments);

// Translates the HTML of standard input, of the files that follow it, or of
// --text, and writes HTML. With two models, what the first one gives is the
// input of the second one. Returns the exit code.
int TranslateHtml(const Arguments& arguments,
                  std::span<const HtmlModel> models);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_HTML_H_
