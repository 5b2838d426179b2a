#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "internals.h"
#include "named_options.h"
#include "option_list.h"
#include "text/slice.h"

namespace latimer {
namespace {

constexpr std::array kOptions =
    std::apply([](const auto&... rows) { return std::array{rows.named...}; },
               option_list::kRows);
constexpr std::array kHelp =
    std::apply([](const auto&... rows) { return std::array{rows.help...}; },
               option_list::kRows);

// A name in the words of a style.
struct Name {
  Name(const char* name, OptionStyle style) {
    const bool plain = style == OptionStyle::kPlain;
    FormatText(text, sizeof(text), "%s%s", plain ? "" : "--", name);
    for (char& c : text) {
      if (c == '_' && !plain) c = '-';
    }
  }
  char text[48];
};

// ---- Values ----

bool ParseCount(std::string_view text, uint64_t most, uint64_t* count) {
  *count = 0;
  for (const char c : text) {
    const auto digit = static_cast<uint64_t>(c - '0');
    if (c < '0' || c > '9' || *count > (most - digit) / 10 || digit > most) {
      return false;
    }
    *count = *count * 10 + digit;
  }
  return !text.empty();
}

// strtod() would read a comma in some locales.
bool ParseNumber(std::string_view text, float* number) {
  const auto take = [&text](std::string_view any) {
    const bool found = !text.empty() && any.find(text[0]) != any.npos;
    if (found) text.remove_prefix(1);
    return found;
  };
  const bool negative = text.starts_with('-');
  take("+-");
  double value = 0;
  int exponent = 0, digits = 0;
  for (bool fraction = false; !text.empty(); text.remove_prefix(1)) {
    if (text[0] == '.' && !fraction) {
      fraction = true;
    } else if (text[0] >= '0' && text[0] <= '9') {
      ++digits;
      // More than 15 digits would be rounded more than once.
      if (value < 1e15) {
        value = value * 10 + (text[0] - '0');
        exponent -= fraction ? 1 : 0;
      } else {
        exponent += fraction ? 0 : 1;
      }
    } else {
      break;
    }
  }
  if (digits > 0 && take("eE")) {
    const bool smaller = text.starts_with('-');
    take("+-");
    uint64_t power = 0;
    if (!ParseCount(text, 9999, &power)) return false;
    exponent += smaller ? -static_cast<int>(power) : static_cast<int>(power);
    text = {};
  }
  for (; exponent > 0 && value != 0 && value < 1e300; --exponent) value *= 10;
  double divisor = 1;
  for (; exponent < 0 && divisor < 1e300; ++exponent) divisor *= 10;
  value /= divisor;
  *number = static_cast<float>(negative ? -value : value);
  return digits > 0 && text.empty() && std::isfinite(*number);
}

Status Refuse(const NamedOption& option, const char* value, OptionStyle style,
              const char* takes) {
  const Name name(option.name, style);
  return Status::Error(StatusCode::kInvalidArgument, "%s %s: give %s.",
                       name.text, value, takes);
}

Status ParseChoice(const NamedOption& option, const char* value,
                   OptionStyle style, uint64_t* place) {
  const std::string_view given = value;
  std::string_view rest = option.choices;
  char takes[64] = {};
  size_t written = 0;
  for (*place = 0; !rest.empty(); ++*place) {
    const std::string_view choice = First(rest, rest.find('|'));
    if (choice == given) return Status();
    const bool is_last = choice.size() == rest.size();
    const char* const joint = *place == 0 ? "" : is_last ? " or " : ", ";
    written +=
        FormatText(takes + written, sizeof(takes) - written, "%s%.*s", joint,
                   static_cast<int>(choice.size()), choice.data());
    rest.remove_prefix(is_last ? rest.size() : choice.size() + 1);
  }
  return Refuse(option, value, style, takes);
}

Status ParseCountOf(const NamedOption& option, const char* value,
                    OptionStyle style, uint64_t* count) {
  const bool may_be_zero =
      !option.zero_is_default || style == OptionStyle::kPlain;
  if (ParseCount(value, option.most, count) && (*count > 0 || may_be_zero)) {
    return Status();
  }
  char takes[64];
  FormatText(takes, sizeof(takes), "a whole number from %d to %llu",
             may_be_zero ? 0 : 1, static_cast<unsigned long long>(option.most));
  return Refuse(option, value, style, takes);
}

Status ParseNumberOf(const NamedOption& option, const char* value,
                     OptionStyle style, float* number) {
  constexpr const char* kTakes[] = {"a number", "a number above 0",
                                    "a number above 0, up to 1"};
  const bool is_number = ParseNumber(value, number);
  const bool may_be_zero =
      option.range == OptionRange::kAny ||
      (option.zero_is_default && style == OptionStyle::kPlain);
  if (is_number && (*number != 0 || may_be_zero) &&
      (*number >= 0 || option.range == OptionRange::kAny) &&
      (*number <= 1 || option.range != OptionRange::kAboveZeroUpToOne)) {
    return Status();
  }
  return Refuse(option, value, style,
                kTakes[static_cast<size_t>(option.range)]);
}

Status ParseFlag(const NamedOption& option, const char* value,
                 OptionStyle style, uint64_t* flag) {
  const std::string_view given = value;
  *flag = given == "true" || given == "1" ? 1 : 0;
  if (*flag == 1 || given == "false" || given == "0") return Status();
  return Refuse(option, value, style, "true or false");
}

// ---- Members ----

// Whether a member is not what it is in TranslateOptions().
template <typename Row>
bool IsGiven(const TranslateOptions& options) {
  const TranslateOptions defaults;
  return Row::InCpp(options) != Row::InCpp(defaults);
}

// ---- What goes together ----

// How many beams a search has that leaves their number to the model.
uint32_t BeamsOf(const GenerationConfig& config, std::string_view task) {
  for (size_t i = 0; i < config.task_search.size(); ++i) {
    if (task == config.tasks[i].name && config.task_search[i].beams > 0) {
      return config.task_search[i].beams;
    }
  }
  return config.search.beams;
}

Status Lacks(const char* option, OptionNeeds needs, OptionStyle style) {
  const bool beams = needs == OptionNeeds::kBeams;
  const Name name(option, style), other(beams ? "beams" : "sample", style);
  return Status::Error(
      StatusCode::kInvalidArgument, "%s is for %s; give %s, too.", name.text,
      beams ? "a search with several beams" : "tokens that are drawn",
      other.text);
}

Status Excludes(const char* option, const char* other, OptionStyle style) {
  const Name one(option, style), two(other, style);
  return Status::Error(StatusCode::kInvalidArgument, "%s goes without %s.",
                       one.text, two.text);
}

}  // namespace

std::span<const NamedOption> NamedOptions() { return kOptions; }

const char* HelpOf(const NamedOption& option) {
  return kHelp[static_cast<size_t>(&option - kOptions.data())];
}

Status ParseOption(std::string_view name, const char* value, OptionStyle style,
                   size_t* place, OptionValue* out) {
  const std::span<const NamedOption> options = NamedOptions();
  const auto option = std::ranges::find(options, name, &NamedOption::name);
  if (option == options.end() || value == nullptr) {
    return Status::Error(
        StatusCode::kInvalidArgument, "%.*s %s.",
        static_cast<int>(std::min<size_t>(name.size(), 60)), name.data(),
        option == options.end() ? "is no option of a translation"
                                : "has no value");
  }
  *place = static_cast<size_t>(option - options.begin());
  *out = {.text = value};
  switch (option->kind) {
    case OptionKind::kFlag:
      return ParseFlag(*option, value, style, &out->count);
    case OptionKind::kCount:
      return ParseCountOf(*option, value, style, &out->count);
    case OptionKind::kNumber:
      return ParseNumberOf(*option, value, style, &out->number);
    case OptionKind::kChoice:
      return ParseChoice(*option, value, style, &out->count);
    case OptionKind::kText:
      return Status();
  }
  return Status();
}

Status SetOption(TranslateOptions* options, std::string_view name,
                 const char* value, OptionStyle style) {
  size_t place = 0;
  OptionValue parsed;
  LATIMER_RETURN_IF_ERROR(ParseOption(name, value, style, &place, &parsed));
  ForEachOption([&]<size_t kPlace>() {
    if (kPlace == place) PutOption<kPlace>(parsed, options);
  });
  return Status();
}

Status SetOption(TranslateOptions* options, std::string_view name,
                 const char* value) {
  return SetOption(options, name, value, OptionStyle::kPlain);
}

Status CheckOptions(const TranslateOptions& options,
                    const Translator& translator) {
  return CheckOptions(options, Internals::Describe(translator),
                      OptionStyle::kPlain);
}

Status CheckOptions(const TranslateOptions& options,
                    const ModelDescription& model, OptionStyle style) {
  const bool sample = options.sampling.enabled;
  if (sample && options.beams.value_or(1) > 1) {
    return Excludes("sample", "beams", style);
  }
  if (options.alternatives) {
    if (sample) return Excludes("alternatives", "sample", style);
    if (options.beams) return Excludes("alternatives", "beams", style);
  }
  const uint32_t beams =
      options.beams.value_or(BeamsOf(model.generation, options.task));
  const bool has[] = {true, sample,
                      !sample && !options.alternatives && beams > 1};
  const NamedOption* lacking = nullptr;
  ForEachOption([&]<size_t kPlace>() {
    if (lacking == nullptr &&
        !has[static_cast<size_t>(kOptions[kPlace].needs)] &&
        IsGiven<OptionAt<kPlace>>(options)) {
      lacking = &kOptions[kPlace];
    }
  });
  return lacking == nullptr ? Status()
                            : Lacks(lacking->name, lacking->needs, style);
}

}  // namespace latimer
