// The subcommands of `latimer`. Each takes argv from its own name on and
// returns the exit code.
#ifndef LATIMER_CLI_COMMANDS_H_
#define LATIMER_CLI_COMMANDS_H_

namespace latimer::cli {

// Lines of text, or of ids, from standard input to standard output.
int Translate(int argc, char** argv);

// Lines of text to lines of ids; with --decode back.
int Tokenize(int argc, char** argv);

// What a model file holds and costs.
int Inspect(int argc, char** argv);

// Whether it fits a board.
int Plan(int argc, char** argv);

// How fast it runs here.
int Bench(int argc, char** argv);

// Whether this device, this program and a model fit together, and how fast they
// are; what to do where they do not.
int Doctor(int argc, char** argv);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_COMMANDS_H_
