#include "cli/arguments.h"

#include <getopt.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/image.h"
#include "latimer/board_config.h"

namespace latimer::cli {
namespace {

using Flag = bool Arguments::*;  // Giving the option inverts its default.
using Count = uint32_t Arguments::*;
using Text = const char* Arguments::*;
using A = Arguments;

struct OptionInfo {
  uint32_t commands;
  const char* name;
  const char* value;  // Its placeholder in --help; null: a flag.
  std::variant<Flag, Count, Text> member;
  const char* help;
  uint32_t minimum = 0;  // Of a count.
};

constexpr OptionInfo kOptions[] = {
    {kTranslate, "text", "TEXT", &A::text,
     "translate TEXT instead of standard input"},
    {kTranslate | kTokenize, "output", "FILE", &A::output,
     "write to FILE instead of standard output (also -o)"},
    {kTranslate, "ids", nullptr, &A::ids,
     "read source token ids and write target token ids"},
    {kTranslate, "paragraphs", nullptr, &A::paragraphs,
     "read running text: blank lines separate paragraphs,\n"
     "sentences may span lines and are translated one by\n"
     "one; each paragraph is written on one line"},
    {kTranslate, "lanes", "N", &A::lanes,
     "translate up to N available lines at a time", 1},
    {kTranslate, "max-target-tokens", "N", &A::max_target_tokens,
     "end a translation after N tokens", 1},
    {kTranslate, "min-target-tokens", "N", &A::min_target_tokens,
     "do not end a translation before N tokens"},
    {kTranslate, "budget-tokens", "N", &A::budget_tokens,
     "spend at most N tokens on a line, or on a sentence\n"
     "of --paragraphs",
     1},
    {kTranslate, "budget-ms", "N", &A::budget_ms,
     "spend at most N milliseconds on it", 1},
    {kTranslate, "no-guards", nullptr, &A::guards,
     "do not stop a translation that repeats itself or\n"
     "outgrows its source (with --ids none is stopped).\n"
     "Standard error names what was stopped, and why; the\n"
     "exit code stays 0"},
    {kTranslate, "attention", "FILE", &A::attention,
     "draw what each token attends to; FILE ends in .html,\n"
     ".svg or .json"},
    {kTranslate, "attention-of", "KIND", &A::attention_of,
     "cross (default), encoder or decoder"},
    {kTranslate, "attention-layer", "N", &A::attention_layer,
     "the layer of an .svg file (default: the last) and of\n"
     "--alignment (default: the last but one, or the last of\n"
     "up to three)",
     1},
    {kTranslate, "alignment", nullptr, &A::alignment,
     "append \" ||| 0-0 1-1\": the source word that each\n"
     "target word comes from"},
    {kTranslate, "scores", nullptr, &A::scores,
     "append a line for each target token: log-probability,\n"
     "margin to the second best token, piece"},
    {kTranslate, "json", nullptr, &A::json_lines,
     "write a line of JSON for each line: text, score (the\n"
     "sum of its tokens' log-probabilities), stop reason,\n"
     "alignment and tokens"},
    {kTranslate, "source-lang", "CODE", &A::source_language,
     "source language of a multilingual model"},
    {kTranslate, "target-lang", "CODE", &A::target_language,
     "its target language"},
    {kTranslate, "task", "NAME", &A::task, "task of a T5 model"},
    {kTranslate, "prefix", "TEXT", &A::prefix, "put TEXT before each text"},
    {kTranslate, "forced-first-token", "ID", &A::forced_first_token,
     "begin each translation with this token"},
    {kTranslate, "suppress", "ID,ID...", &A::suppress,
     "never produce these tokens"},
    {kTranslate, "no-repeat-ngram", "N", &A::no_repeat_ngram,
     "produce no sequence of N tokens twice; 0: off"},
    {kTranslate, "repetition-penalty", "X", &A::repetition_penalty,
     "make tokens that were produced less likely; 1: off"},
    {kTokenize, "decode", nullptr, &A::decode,
     "turn lines of target token ids into text"},
    {kPlan, "board", "NAME", &A::board, "check whether it fits this board"},
    {kPlan, "ram", "BYTES", &A::ram,
     "check whether it fits this much RAM, as in 512M or 2G"},
    {kPlan, "max-source-tokens", "N", &A::max_source_tokens,
     "plan for sources of at most N tokens", 1},
    {kPlan, "max-target-tokens", "N", &A::max_target_tokens,
     "plan for translations of at most N tokens", 1},
    {kPlan, "f16-caches", nullptr, &A::f16_caches,
     "plan caches of f16 instead of f32"},
    {kPlan, "copy-image", nullptr, &A::copy_image,
     "plan RAM for the model file itself"},
    {kPlan, "insight", nullptr, &A::insight,
     "plan RAM for attention weights and token scores"},
    {kBench, "source-tokens", "S", &A::source_tokens,
     "length of the random source (default: 32)", 1},
    {kBench, "target-tokens", "T", &A::target_tokens,
     "generate exactly T tokens (default: 32; with --ids up\n"
     "to the end of the sentence)",
     1},
    {kBench, "ids", nullptr, &A::ids,
     "translate the token ids of each line of standard input"},
    {kBench, "repeat", "R", &A::repeat, "rounds (default: 20)", 1},
    {kBench, "profile", nullptr, &A::profile,
     "show the time of each operation beside the time that\n"
     "reading its weights takes"},
    {kDoctor, "report", "FILE", &A::report,
     "write the findings to FILE too, as JSON that can be\n"
     "sent to us: it names no person, folder or computer"},
    {kTranslate | kPlan | kBench | kDoctor, "threads", "N", &A::threads,
     "threads (default: those of the board)", 1},
    {kInspect | kPlan | kBench | kDoctor, "json", nullptr, &A::json,
     "write JSON"},
    {kEveryCommand, "skip-checksum", nullptr, &A::verify_checksum,
     "load without looking for damaged weights"},
    {kEveryCommand, "copy", nullptr, &A::copy,
     "read the model into memory instead of mapping it, so\n"
     "that the file may change or go"},
    {kEveryCommand, "require-signature", "KEY", &A::require_signature,
     "refuse a model that the owner of this public key\n"
     "(a PEM file) has not signed"},
    {kEveryCommand, "cpu", "NAME", &A::cpu,
     "use at most sse41, avx2, avxvnni or avx512 (ARM: neon,\n"
     "dotprod, i8mm)"},
};

// What getopt returns for the first of them; letters stand for themselves.
constexpr int kFirstOption = 256;

constexpr size_t PlaceOf(std::string_view name) {
  size_t i = 0;
  while (kOptions[i].name != name) ++i;
  return i;
}

// Parses a whole number in [minimum, 2^31).
bool ParseCount(const char* text, uint32_t minimum, uint32_t* out) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < minimum ||
      value > INT32_MAX) {
    return false;
  }
  *out = static_cast<uint32_t>(value);
  return true;
}

// False if optarg is not a value that the option takes.
bool Store(const OptionInfo& info, Arguments* out) {
  if (const Flag* flag = std::get_if<Flag>(&info.member)) {
    out->** flag = !(Arguments().**flag);
  } else if (const Text* text = std::get_if<Text>(&info.member)) {
    out->** text = optarg;
  } else if (const Count* count = std::get_if<Count>(&info.member)) {
    return ParseCount(optarg, info.minimum, &(out->**count));
  }
  return true;
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
  const bool reads_files = command == kTranslate || command == kTokenize;
  for (const char* file : rest) {
    if (reads_files && !std::string_view(file).ends_with(".ltm")) continue;
    return CarriesModel()
               ? UsageError(out->command,
                            "this program carries its model; leave out %s.",
                            file)
               : UsageError(out->command,
                            "give one model file, without %s; see latimer %s "
                            "--help.",
                            file, out->command);
  }
  out->files = rest;
  return kSuccess;
}

}  // namespace

int ParseArguments(Command command, int argc, char** argv, Arguments* out) {
  out->command = argv[0];
  option long_options[std::size(kOptions) + 2] = {};
  int count = 0;
  long_options[count++] = {"help", no_argument, nullptr, 'h'};
  constexpr size_t kOutput = PlaceOf("output");
  const bool has_output = (kOptions[kOutput].commands & command) != 0;
  bool given[std::size(kOptions)] = {};
  for (size_t i = 0; i < std::size(kOptions); ++i) {
    const OptionInfo& info = kOptions[i];
    if ((info.commands & command) == 0) continue;
    const int has_value =
        info.value != nullptr ? required_argument : no_argument;
    long_options[count++] = {info.name, has_value, nullptr,
                             kFirstOption + static_cast<int>(i)};
  }
  opterr = 0;
  // The leading ':' distinguishes a missing value from an unknown option.
  for (int c; (c = getopt_long(argc, argv, has_output ? ":ho:" : ":h",
                               long_options, nullptr)) != -1;) {
    if (c == 'h') {
      out->help = true;
      return kSuccess;
    }
    if (c == 'o') c = kFirstOption + static_cast<int>(kOutput);
    if (c == ':' || c == '?') {
      // optopt is set for an option of one letter.
      const char letter[] = {'-', static_cast<char>(optopt), '\0'};
      const bool short_option = optopt > 0 && optopt < 256;
      return UsageError(out->command, "%s %s; see latimer %s --help.",
                        c == ':' ? "a value is missing for" : "unknown option",
                        short_option ? letter : argv[optind - 1], out->command);
    }
    const OptionInfo& info = kOptions[c - kFirstOption];
    if (std::exchange(given[c - kFirstOption], true)) {
      return UsageError(out->command, "--%s was given twice; give it once.",
                        info.name);
    }
    if (!Store(info, out)) {
      return UsageError(out->command,
                        "--%s %s: give a whole number of at least %u.",
                        info.name, optarg, static_cast<unsigned>(info.minimum));
    }
  }
  if (out->threads == 0 && command != kPlan) {
    out->threads =
        kBoard.threads < kProfile.threads ? kBoard.threads : kProfile.threads;
  }
  return TakeFiles(command, {argv + optind, static_cast<size_t>(argc - optind)},
                   out);
}

void PrintOptions(Command command, std::FILE* file) {
  constexpr int kHelpColumn = 28;
  for (const bool own : {true, false}) {
    for (const OptionInfo& info : kOptions) {
      if ((info.commands & command) == 0 ||
          (info.commands == kEveryCommand) == own) {
        continue;
      }
      const bool has_value = info.value != nullptr;
      const int width =
          std::fprintf(file, "  --%s%s%s", info.name, has_value ? " " : "",
                       has_value ? info.value : "");
      std::fprintf(file, "%*s", kHelpColumn - width, "");
      for (const char* c = info.help; *c != '\0'; ++c) {
        std::fputc(*c, file);
        if (*c == '\n') std::fprintf(file, "%*s", kHelpColumn, "");
      }
      std::fputc('\n', file);
    }
  }
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

}  // namespace latimer::cli
