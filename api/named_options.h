// What there is to know about each option of a translation: for programs that
// list them, and for bindings. latimer/options.h has what users need.
#ifndef LATIMER_NAMED_OPTIONS_H_
#define LATIMER_NAMED_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/options.h"
#include "latimer/status.h"
#include "model/model_description.h"

namespace latimer {

// What the value of an option is.
enum class OptionKind : uint8_t {
  kFlag,    // "true" or "1", "false" or "0".
  kCount,   // A whole number, in digits.
  kNumber,  // "0.5", "-1e-3"; with a point, whatever the locale.
  kChoice,  // One of NamedOption::choices.
  kText,    // Any; the options borrow it.
};

// Where `latimer translate --help` lists an option.
enum class OptionGroup : uint8_t { kNowhere, kLanguage, kLimits, kTokens };

// What numbers an option takes; all are finite.
enum class OptionRange : uint8_t { kAny, kAboveZero, kAboveZeroUpToOne };

// What an option needs to have any effect.
enum class OptionNeeds : uint8_t { kNothing, kSampling, kBeams };

// What there is to know about an option.
struct NamedOption {
  const char* name;
  OptionKind kind;
  OptionGroup group;
  const char* value = nullptr;    // What --help calls its value: "N".
  const char* choices = nullptr;  // "false|true|never"
  uint64_t most = 0;              // Of a count.
  OptionRange range = OptionRange::kAny;
  bool zero_is_default = false;  // 0: the model's own, or no limit.
  bool on_by_default = false;    // Of a flag.
  bool draws = false;            // It turns sampling on.
  OptionNeeds needs = OptionNeeds::kNothing;
};

// All of them, in the order of --help.
std::span<const NamedOption> NamedOptions();
// What an option does, in a line of --help. Precondition: it is one of these.
const char* HelpOf(const NamedOption& option);

// How names and values are spelt: "top_p", or "--top-p" as on a command line,
// where --no-guards turns a flag off, and 0 is not what stands for the default.
enum class OptionStyle : uint8_t { kPlain, kCommandLine };

// As without a style, in the words of one.
Status SetOption(TranslateOptions* options, std::string_view name,
                 const char* value, OptionStyle style);
Status CheckOptions(const TranslateOptions& options,
                    const ModelDescription& model, OptionStyle style);

}  // namespace latimer

#endif  // LATIMER_NAMED_OPTIONS_H_
