#include "cli/arguments.h"

#include <getopt.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/files.h"
#include "cli/foreign_options.h"
#include "cli/image.h"
#include "cli/options.h"
#include "latimer/board_config.h"
#include "os/used_files.h"

namespace latimer::cli {
namespace {

// What getopt returns for the first of them; letters stand for themselves.
constexpr int kFirstOption = 256;

size_t PlaceOf(std::string_view name) {
  size_t i = 0;
  while (Options()[i].name != name) ++i;
  return i;
}

// Parses a whole number from `minimum` to `maximum`.
bool ParseCount(const char* text, uint32_t minimum, uint32_t maximum,
                uint32_t* out) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < minimum ||
      value > maximum) {
    return false;
  }
  *out = static_cast<uint32_t>(value);
  return true;
}

// False if optarg is not a value that the option takes.
bool Store(const OptionInfo& info, Arguments* out) {
  if (const auto* flag = std::get_if<OptionInfo::Flag>(&info.member)) {
    out->** flag = !(Arguments().**flag);
  } else if (const auto* text = std::get_if<OptionInfo::Text>(&info.member)) {
    out->** text = optarg;
  } else if (const auto* read = std::get_if<OptionInfo::Reads>(&info.member)) {
    out->*(read->path) = optarg;
  } else if (const auto* written =
                 std::get_if<OptionInfo::Writes>(&info.member)) {
    out->*(written->path) = optarg;
  } else if (const auto* count = std::get_if<OptionInfo::Count>(&info.member)) {
    return ParseCount(optarg, info.minimum, info.maximum, &(out->**count));
  }
  return true;
}

// The same of an option of a translation. Prints a sentence and returns kUsage
// if it does not take the value.
int Store(const NamedOption& option, Arguments* out) {
  const char* const flag = option.on_by_default ? "false" : "true";
  const Status status =
      SetOption(&out->options, option.name,
                option.kind == OptionKind::kFlag ? flag : optarg,
                OptionStyle::kCommandLine);
  if (status.ok()) return kSuccess;
  return UsageError(out->command, "%s", status.message());
}

// getopt has taken an option that it does not know, or that lacks its value.
int RefuseOption(Command of, const char* command, bool lacks_value,
                 const char* given) {
  if (const std::string now = NameNow(of, given); !now.empty()) {
    return UsageError(command, "%s", now.c_str());
  }
  // optopt is set for an option of one letter.
  const char letter[] = {'-', static_cast<char>(optopt), '\0'};
  const bool short_option = optopt > 0 && optopt < 256;
  const char* const own =
      std::strncmp(given, "--", 2) == 0 ? InsteadOf(given + 2) : nullptr;
  return UsageError(command, "%s %s%s%s; see latimer %s --help.",
                    lacks_value ? "a value is missing for" : "unknown option",
                    short_option ? letter : given,
                    own == nullptr || lacks_value ? "" : ": ",
                    own == nullptr || lacks_value ? "" : own, command);
}

// The name of a long option as it was given: getopt takes abbreviations.
std::string_view GivenName(char* const* argv) {
  const bool value_apart = optarg != nullptr && optarg == argv[optind - 1];
  std::string_view given = argv[optind - (value_apart ? 2 : 1)];
  if (given.starts_with("--")) given.remove_prefix(2);
  return given.substr(0, given.find('='));
}

// What is left of the command line: the model, and files to read.
int TakeFiles(Command command, std::span<char* const> rest, Arguments* out) {
  if (CarriesModel()) {
    out->model = "the model inside";
  } else if (!rest.empty()) {
    out->model = rest.front();
    rest = rest.subspan(1);
  } else if (command != kDoctor) {
    return UsageError(out->command,
                      "give one model file; see latimer %s --help.",
                      out->command);
  }
  if (command == kTranslate && !CarriesModel() && !rest.empty() &&
      IsModelFile(rest.front())) {
    out->second_model = rest.front();
    rest = rest.subspan(1);
  }
  const bool reads_files =
      (command & (kTranslate | kTokenize | kTranscribe)) != 0;
  for (const char* file : rest) {
    const bool is_model = std::string_view(file).ends_with(".ltm") ||
                          (out->second_model != nullptr && IsModelFile(file));
    if (reads_files && !is_model) continue;
    return CarriesModel()
               ? UsageError(out->command,
                            "this program carries its model; leave out %s.",
                            file)
               : UsageError(out->command,
                            "give one model file%s, without %s; see latimer %s "
                            "--help.",
                            command == kTranslate ? ", or two" : "", file,
                            out->command);
  }
  const bool is_input = rest.size() == 1 && IsStandardStream(rest.front());
  if (!is_input) out->files = rest;
  return kSuccess;
}

// Nothing that the command reads is written, through any of its options.
int CheckUsedFiles(Command command, const Arguments& arguments) {
  std::vector<UsedFile> used;
  const auto add = [&](const char* path, const char* option, bool written) {
    if (path == nullptr) return;
    used.push_back(
        {path, option == nullptr ? "" : std::string("--") + option, written});
  };
  if (!CarriesModel()) add(arguments.model, nullptr, false);
  add(arguments.second_model, nullptr, false);
  for (const char* path : arguments.files) {
    if (IsStandardStream(path)) {
      used.push_back({.stream = 0});
    } else {
      add(path, nullptr, false);
    }
  }
  for (const OptionInfo& info : Options()) {
    if ((info.commands & command) == 0) continue;
    if (const auto* read = std::get_if<OptionInfo::Reads>(&info.member)) {
      add(arguments.*(read->path), info.name, false);
    } else if (const auto* written =
                   std::get_if<OptionInfo::Writes>(&info.member)) {
      add(arguments.*(written->path), info.name, true);
    }
  }
  if (arguments.files.empty() && arguments.text == nullptr) {
    used.push_back({.stream = 0});
  }
  if (arguments.output == nullptr) {
    used.push_back({.written = true, .stream = 1});
  }
  const std::string refusal = RefuseToOverwrite(used);
  if (refusal.empty()) return kSuccess;
  return UsageError(arguments.command, "%s.", refusal.c_str());
}

// Of what was not given, but the lanes, which depend on the model, and the
// workers: their number may depend on the input, unless something else says how
// much to use of the machine.
void SetDefaults(Arguments* out) {
  if (out->workers == 0 && (out->threads != 0 || out->lanes != 0)) {
    out->workers = 1;
  }
  if (out->threads == 0) {
    out->threads =
        out->workers > 1 ? 1 : std::min(kBoard.threads, kProfile.threads);
  }
}

}  // namespace

int ParseArguments(Command command, int argc, char** argv, Arguments* out) {
  out->command = argv[0];
  const std::span<const OptionInfo> options = Options();
  std::vector<option> long_options = {{"help", no_argument, nullptr, 'h'}};
  const size_t output = PlaceOf("output");
  const bool has_output = (options[output].commands & command) != 0;
  const std::span<const NamedOption> named = NamedOptions();
  std::vector<std::string> names;  // Of both, the named ones last.
  for (const OptionInfo& info : options) names.emplace_back(info.name);
  for (const NamedOption& option : named) names.push_back(FlagOf(option));
  std::vector<bool> given(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_named = i >= options.size();
    const uint32_t commands =
        is_named ? CommandsOf(named[i - options.size()]) : options[i].commands;
    if ((commands & command) == 0) continue;
    const char* const value =
        is_named ? named[i - options.size()].value : options[i].value;
    long_options.push_back({names[i].c_str(),
                            value != nullptr ? required_argument : no_argument,
                            nullptr, kFirstOption + static_cast<int>(i)});
  }
  long_options.push_back({});
  opterr = 0;
  // The leading ':' distinguishes a missing value from an unknown option.
  for (int c; (c = getopt_long(argc, argv, has_output ? ":ho:" : ":h",
                               long_options.data(), nullptr)) != -1;) {
    if (c == 'h') {
      out->help = true;
      return kSuccess;
    }
    if (c == ':' || c == '?') {
      return RefuseOption(command, out->command, c == ':', argv[optind - 1]);
    }
    const size_t i = c == 'o' ? output : static_cast<size_t>(c - kFirstOption);
    if (const std::string_view name = GivenName(argv);
        c != 'o' && name != names[i]) {
      return UsageError(out->command, "--%.*s: give the whole name, --%s.",
                        static_cast<int>(name.size()), name.data(),
                        names[i].c_str());
    }
    if (given[i]) {
      return UsageError(out->command, "--%s was given twice; give it once.",
                        names[i].c_str());
    }
    given[i] = true;
    if (i >= options.size()) {
      const int code = Store(named[i - options.size()], out);
      if (code != kSuccess) return code;
      continue;
    }
    const OptionInfo& info = options[i];
    if (!Store(info, out)) {
      return UsageError(out->command,
                        "--%s %s: give a whole number from %u to %u.",
                        info.name, optarg, static_cast<unsigned>(info.minimum),
                        static_cast<unsigned>(info.maximum));
    }
  }
  if (out->output != nullptr && IsStandardStream(out->output)) {
    out->output = nullptr;  // Standard output.
  }
  if (command != kPlan) SetDefaults(out);
  const int code = TakeFiles(
      command, {argv + optind, static_cast<size_t>(argc - optind)}, out);
  return code == kSuccess ? CheckUsedFiles(command, *out) : code;
}

int UsageError(const char* command, const char* format, ...) {
  std::fprintf(stderr, "latimer %s: ", command);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  return kUsage;
}

int CheckProfile(const char* command, const char* option, uint32_t given,
                 uint32_t most) {
  if (given <= most) return kSuccess;
  return UsageError(
      command,
      "--%s %u exceeds the %u of profile \"%s\" of this build; "
      "build with one that latimer-convert --profile FILE.h %s%u "
      "writes.",
      option, static_cast<unsigned>(given), static_cast<unsigned>(most),
      kProfile.name,
      // Alternatives are searched as beams are.
      std::strcmp(option, "lanes") == 0 ? "--lanes " : "--room-for beams=",
      static_cast<unsigned>(given));
}

}  // namespace latimer::cli
