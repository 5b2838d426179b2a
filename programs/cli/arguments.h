// The command line of a command.
#ifndef LATIMER_CLI_ARGUMENTS_H_
#define LATIMER_CLI_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "latimer/profile_config.h"
#include "latimer/translation.h"

namespace latimer::cli {

// Exit codes.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;  // The model, the input or the system.
inline constexpr int kUsage = 2;    // The command line.

// The commands, one bit each.
enum Command : uint32_t {
  kTranslate = 1,
  kTokenize = 2,
  kInspect = 4,
  kPlan = 8,
  kBench = 16,
  kDoctor = 32,
  kTranscribe = 64,
  kEveryCommand = 127,
};

// The values of all options; the tables in options.cc and latimer/options.h
// document them. Texts live as long as argv. A text that was not given is null,
// and a limit is 0.
struct Arguments {
  const char* command = "";
  bool help = false;
  const char* model = nullptr;  // Null only for `latimer doctor`.
  // Of translate and transcribe: what translates the first model's output, or
  // null.
  const char* second_model = nullptr;
  // The board's threads, within the profile; of `latimer plan` 0.
  uint32_t threads = 0;
  bool verify_checksum = true;
  bool copy = false;
  const char* require_signature = nullptr;  // A file.
  const char* cpu = nullptr;
  bool json = false;

  // translate, tokenize, transcribe
  std::span<char* const> files = {};  // To read in place of standard input.
  const char* output = nullptr;       // A file.
  const char* text = nullptr;
  bool ids = false;
  bool paragraphs = false;
  bool html = false;
  bool decode = false;
  bool quiet = false;
  uint32_t lanes = 0;    // 0: see Session::LanesFor.
  uint32_t workers = 0;  // 0: as many as suit the input.
  uint32_t cache = 0;    // Of translate, in MiB.
  TranslateOptions options;
  uint32_t n_best = 0;
  // How many hypotheses are written; 0: only the translation.
  uint32_t hypotheses() const {
    return n_best > 0 ? n_best : options.alternatives.value_or(0);
  }
  const char* draw_attention = nullptr;  // A file.
  const char* draw_attention_of = nullptr;
  uint32_t draw_attention_layer = 0;
  bool alignment = false;
  bool scores = false;
  bool check_numbers = false;
  bool json_lines = false;               // --json of translate
  const char* pivot_language = nullptr;  // "CODE", or "CODE,CODE".
  // What to call the options of the languages where they are missing or wrong.
  const char* source_option = "source-lang";
  const char* target_option = "target-lang";
  const char* suppress = nullptr;      // Ids.
  const char* banned_words = nullptr;  // A file.
  const char* terms = nullptr;         // A file.
  const char* protect_also = nullptr;  // A file.

  // transcribe
  const char* language = nullptr;  // "en"
  const char* speech_task = nullptr;
  const char* window = nullptr;
  const char* prompt = nullptr;
  bool timestamps = true;
  bool previous_text = true;
  bool fallback = true;
  bool words = false;
  bool srt = false;
  bool vtt = false;
  uint32_t pcm_rate = 0;  // 0: the input is a WAV.

  // plan
  uint32_t max_source_tokens = 0;
  uint32_t max_target_tokens = 0;
  const char* board = nullptr;
  const char* ram = nullptr;
  bool f16_caches = false;
  bool copy_image = false;
  const char* room_for = nullptr;  // Words.

  // inspect
  bool print_license = false;

  // bench
  uint32_t beams = 0;
  uint32_t source_tokens = 0;
  uint32_t target_tokens = 0;
  uint32_t repeat = 20;
  bool profile = false;

  // doctor
  const char* report = nullptr;  // A file.
};

// Parses argv[0], the name of the command, and what follows it. Prints one
// sentence to standard error and returns kUsage if something is wrong. After
// -h or --help, only `help` counts.
int ParseArguments(Command command, int argc, char** argv, Arguments* out);

// Prints "latimer COMMAND: SENTENCE" to standard error; returns kUsage.
[[gnu::format(printf, 2, 3)]] int UsageError(const char* command,
                                             const char* format, ...);

// kSuccess if the profile of this build has room for what `--option` asks for;
// else a UsageError.
int CheckProfile(const char* command, const char* option, uint32_t given,
                 uint32_t most);

// A number of the arguments, of which 0 is not given.
inline std::optional<uint32_t> IfGiven(uint32_t number) {
  if (number == 0) return std::nullopt;
  return number;
}

}  // namespace latimer::cli

#endif  // LATIMER_CLI_ARGUMENTS_H_
