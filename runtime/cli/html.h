// `latimer translate --html`.
#ifndef LATIMER_CLI_HTML_H_
#define LATIMER_CLI_HTML_H_

#include "cli/arguments.h"
#include "latimer/translator.h"

namespace latimer::cli {

// kUsage if other options exclude --html.
int CheckHtml(const Arguments& arguments);

// Translates the HTML of standard input, of the files that follow it, or of
// --text, and writes HTML. Returns the exit code.
int TranslateHtml(const Arguments& arguments, Translator& translator,
                  const TranslateOptions& options);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_HTML_H_
