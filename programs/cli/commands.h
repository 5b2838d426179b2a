// The commands of `latimer`. Each takes its parsed options, prints one sentence
// to standard error if something is wrong, and returns the exit code.
#ifndef LATIMER_CLI_COMMANDS_H_
#define LATIMER_CLI_COMMANDS_H_

#include "cli/arguments.h"

namespace latimer::cli {

int Translate(const Arguments& arguments);
int Tokenize(const Arguments& arguments);
int Transcribe(const Arguments& arguments);
int Inspect(const Arguments& arguments);
int Plan(const Arguments& arguments);
int Bench(const Arguments& arguments);
int Doctor(const Arguments& arguments);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_COMMANDS_H_
