#include "cli/arguments.h"

#include <getopt.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "cli/image.h"

namespace latimer::cli {
namespace {

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

struct OptionInfo {
  const char* name;
  uint32_t bit;  // 0: every subcommand
  bool has_value;
  uint32_t minimum;
  // Exactly one is set.
  uint32_t Arguments::*count;
  bool Arguments::*flag;
  const char* Arguments::*text;
  bool flag_value;
};

constexpr OptionInfo kOptions[] = {
    {"threads", kThreads, true, 1, &Arguments::threads, nullptr, nullptr, {}},
    {"lanes", kLanes, true, 1, &Arguments::lanes, nullptr, nullptr, {}},
    {"skip-checksum", 0, false, 0, nullptr, &Arguments::verify_checksum,
     nullptr, false},
    {"copy", 0, false, 0, nullptr, &Arguments::copy, nullptr, true},
    {"require-signature",
     0,
     true,
     0,
     nullptr,
     nullptr,
     &Arguments::require_signature,
     {}},
    {"cpu", 0, true, 0, nullptr, nullptr, &Arguments::cpu, {}},
    {"json", kJson, false, 0, nullptr, &Arguments::json, nullptr, true},
    {"text", kText, true, 0, nullptr, nullptr, &Arguments::text, {}},
    {"ids", kIds, false, 0, nullptr, &Arguments::ids, nullptr, true},
    {"paragraphs", kParagraphs, false, 0, nullptr, &Arguments::paragraphs,
     nullptr, true},
    {"decode", kDecode, false, 0, nullptr, &Arguments::decode, nullptr, true},
    {"max-target-tokens",
     kTargetLimits | kPlan,
     true,
     1,
     &Arguments::max_target_tokens,
     nullptr,
     nullptr,
     {}},
    {"min-target-tokens",
     kTargetLimits,
     true,
     0,
     &Arguments::min_target_tokens,
     nullptr,
     nullptr,
     {}},
    {"no-guards", kStops, false, 0, nullptr, &Arguments::guards, nullptr,
     false},
    {"max-tokens",
     kStops,
     true,
     1,
     &Arguments::max_tokens,
     nullptr,
     nullptr,
     {}},
    {"max-ms", kStops, true, 1, &Arguments::max_ms, nullptr, nullptr, {}},
    {"attention",
     kInsight,
     true,
     0,
     nullptr,
     nullptr,
     &Arguments::attention,
     {}},
    {"attention-of",
     kInsight,
     true,
     0,
     nullptr,
     nullptr,
     &Arguments::attention_of,
     {}},
    {"alignment", kInsight, false, 0, nullptr, &Arguments::alignment, nullptr,
     true},
    {"scores", kInsight, false, 0, nullptr, &Arguments::scores, nullptr, true},
    {"source-lang",
     kRules,
     true,
     0,
     nullptr,
     nullptr,
     &Arguments::source_language,
     {}},
    {"target-lang",
     kRules,
     true,
     0,
     nullptr,
     nullptr,
     &Arguments::target_language,
     {}},
    {"task", kRules, true, 0, nullptr, nullptr, &Arguments::task, {}},
    {"prefix", kRules, true, 0, nullptr, nullptr, &Arguments::prefix, {}},
    {"forced-first-token",
     kRules,
     true,
     0,
     nullptr,
     nullptr,
     &Arguments::forced_first_token,
     {}},
    {"no-repeat-ngram",
     kRules,
     true,
     0,
     nullptr,
     nullptr,
     &Arguments::no_repeat_ngram,
     {}},
    {"repetition-penalty",
     kRules,
     true,
     0,
     nullptr,
     nullptr,
     &Arguments::repetition_penalty,
     {}},
    {"suppress", kRules, true, 0, nullptr, nullptr, &Arguments::suppress, {}},
    {"max-source-tokens",
     kPlan,
     true,
     1,
     &Arguments::max_source_tokens,
     nullptr,
     nullptr,
     {}},
    {"copy-image", kPlan, false, 0, nullptr, &Arguments::copy_image, nullptr,
     true},
    {"insight", kPlan, false, 0, nullptr, &Arguments::insight, nullptr, true},
    {"board", kPlan, true, 0, nullptr, nullptr, &Arguments::board, {}},
    {"ram", kPlan, true, 0, nullptr, nullptr, &Arguments::ram, {}},
    {"source-tokens",
     kBench,
     true,
     1,
     &Arguments::source_tokens,
     nullptr,
     nullptr,
     {}},
    {"target-tokens",
     kBench,
     true,
     1,
     &Arguments::target_tokens,
     nullptr,
     nullptr,
     {}},
    {"repeat", kBench, true, 1, &Arguments::repeat, nullptr, nullptr, {}},
    {"profile", kBench, false, 0, nullptr, &Arguments::profile, nullptr, true},
};
constexpr int kOptionCount = sizeof(kOptions) / sizeof(kOptions[0]);

}  // namespace

int ParseArguments(int argc, char** argv, uint32_t options, Arguments* out) {
  option long_options[kOptionCount + 1] = {};
  int count = 0;
  for (int i = 0; i < kOptionCount; ++i) {
    const OptionInfo& info = kOptions[i];
    if (info.bit != 0 && (options & info.bit) == 0) continue;
    long_options[count++] = {info.name,
                             info.has_value ? required_argument : no_argument,
                             nullptr, 256 + i};
  }
  const char* command = argv[0];
  opterr = 0;
  // The leading ':' tells a missing value from an unknown option.
  for (int c;
       (c = getopt_long(argc, argv, ":", long_options, nullptr)) != -1;) {
    if (c == ':' || c == '?') {
      // optopt is set where the option is one letter, unknown to all commands.
      const char letter[] = {'-', static_cast<char>(optopt), '\0'};
      const bool short_option = optopt > 0 && optopt < 256;
      std::fprintf(stderr, "latimer %s: %s %s; see latimer --help.\n", command,
                   c == ':' ? "a value is missing for" : "unknown option",
                   short_option ? letter : argv[optind - 1]);
      return kUsage;
    }
    const OptionInfo& info = kOptions[c - 256];
    if (info.flag != nullptr) {
      out->*info.flag = info.flag_value;
    } else if (info.text != nullptr) {
      out->*info.text = optarg;
    } else if (!ParseCount(optarg, info.minimum, &(out->*info.count))) {
      std::fprintf(
          stderr, "latimer %s: --%s %s: give a whole number of at least %u.\n",
          command, info.name, optarg, static_cast<unsigned>(info.minimum));
      return kUsage;
    }
  }
  if (CarriesModel()) {
    if (argc != optind) {
      std::fprintf(stderr,
                   "latimer %s: this program carries its model; leave out "
                   "%s.\n",
                   command, argv[optind]);
      return kUsage;
    }
    out->model = "the model inside";
    return kSuccess;
  }
  if (optind == argc && (options & kModelOptional) != 0) return kSuccess;
  if (argc - optind != 1) {
    std::fprintf(stderr,
                 "latimer %s: give one model file; see latimer --help.\n",
                 command);
    return kUsage;
  }
  out->model = argv[optind];
  return kSuccess;
}

}  // namespace latimer::cli
