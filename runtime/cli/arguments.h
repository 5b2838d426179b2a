// Command line of one subcommand, parsed with getopt_long.
#ifndef LATIMER_CLI_ARGUMENTS_H_
#define LATIMER_CLI_ARGUMENTS_H_

#include <cstdint>

#include "latimer/board_config.h"
#include "latimer/profile_config.h"

namespace latimer::cli {

// Exit codes.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;  // The model, the input or the system.
inline constexpr int kUsage = 2;    // The command line.

// The board's threads, as far as the profile has room for them.
inline constexpr uint32_t kDefaultThreads =
    kBoard.threads < kProfile.threads ? kBoard.threads : kProfile.threads;

struct Arguments {
  const char* model = nullptr;  // Null only with kModelOptional.
  uint32_t threads = kDefaultThreads;
  bool verify_checksum = true;
  bool copy = false;
  const char* require_signature = nullptr;  // A file.
  const char* cpu = nullptr;
  bool json = false;

  // translate, tokenize
  const char* text = nullptr;
  bool ids = false;
  bool paragraphs = false;
  bool decode = false;
  uint32_t lanes = kProfile.lanes;
  uint32_t max_target_tokens = 0;
  uint32_t min_target_tokens = 0;
  bool guards = true;
  uint32_t max_tokens = 0;  // Of a line; 0: no limit.
  uint32_t max_ms = 0;
  const char* attention = nullptr;  // A file.
  const char* attention_of = nullptr;
  bool alignment = false;
  bool scores = false;
  const char* source_language = nullptr;
  const char* target_language = nullptr;
  const char* task = nullptr;
  const char* prefix = nullptr;
  const char* forced_first_token = nullptr;  // An id.
  const char* no_repeat_ngram = nullptr;     // A count.
  const char* repetition_penalty = nullptr;  // A number.
  const char* suppress = nullptr;            // Ids.

  // plan
  uint32_t max_source_tokens = 0;
  const char* board = nullptr;
  const char* ram = nullptr;
  bool copy_image = false;
  bool insight = false;

  // bench
  // 0: not given.
  uint32_t source_tokens = 0;
  uint32_t target_tokens = 0;
  uint32_t repeat = 20;
  bool profile = false;
};

// Options that a subcommand takes; each bit is one.
enum OptionBit : uint32_t {
  kThreads = 1,
  kJson = 2,
  kText = 4,
  kIds = 8,
  kTargetLimits = 16,
  kBench = 32,
  kDecode = 64,
  kPlan = 128,
  kModelOptional = 256,
  kInsight = 512,
  kRules = 1024,
  kLanes = 2048,
  kStops = 4096,
  kParagraphs = 8192,
};

// Parses argv[0] (the subcommand) and what follows. Prints one sentence to
// standard error and returns kUsage where something is wrong.
int ParseArguments(int argc, char** argv, uint32_t options, Arguments* out);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_ARGUMENTS_H_
