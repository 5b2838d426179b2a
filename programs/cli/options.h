// The table of all options but those of a translation (latimer/options.h). Both
// drive parsing and --help.
#ifndef LATIMER_CLI_OPTIONS_H_
#define LATIMER_CLI_OPTIONS_H_

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <variant>

#include "cli/arguments.h"
#include "named_options.h"

namespace latimer::cli {

// The headings of --help, in their order.
enum class OptionGroup : uint8_t {
  kInput,
  kLanguage,
  kWritten,
  kLimits,
  kTokens,
  kBuild,
  kMeasured,
  kMachine,
};

struct OptionInfo {
  using Flag = bool Arguments::*;  // Giving the option inverts its default.
  using Count = uint32_t Arguments::*;
  using Text = const char* Arguments::*;
  // A file, which the command reads or writes.
  struct Reads {
    Text path;
  };
  struct Writes {
    Text path;
  };

  uint32_t commands;  // Bits of Command.
  OptionGroup group;
  const char* name;
  const char* value;  // Its placeholder in --help; null: a flag.
  std::variant<Flag, Count, Text, Reads, Writes> member;
  const char* help;
  uint32_t minimum = 0, maximum = INT32_MAX;  // Of a count.
};

std::span<const OptionInfo> Options();

// Of an option of a translation: the commands that have it, and its name on the
// command line, such as "no-guards".
uint32_t CommandsOf(const NamedOption& option);
std::string FlagOf(const NamedOption& option);

// Lists the options of one command under headings, one a line.
void PrintOptions(Command command, std::FILE* file);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_OPTIONS_H_
