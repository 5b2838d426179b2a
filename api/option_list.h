// The options of a translation, once: for C++ and C, for the command line and
// the bindings. Visitors go through the list at compile time, so that what they
// do not use, such as the names, is not in the program.
#ifndef LATIMER_OPTION_LIST_H_
#define LATIMER_OPTION_LIST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "latimer/translation.h"
#include "named_options.h"

namespace latimer {

// What a member holds; an optional one may hold nothing.
template <typename Member>
struct HeldBy {
  using Value = Member;
  static constexpr bool is_optional = false;
};
template <typename Held>
struct HeldBy<std::optional<Held>> {
  using Value = Held;
  static constexpr bool is_optional = true;
};

// The member of `owner`, or of its sampling.
template <auto kMember, typename Owner>
constexpr auto& MemberOf(Owner& owner) {
  if constexpr (requires { owner.*kMember; }) {
    return owner.*kMember;
  } else {
    return owner.sampling.*kMember;
  }
}

// An option with its member of TranslateOptions or Sampling.
template <auto kMember>
struct OptionRow {
  static constexpr auto& InCpp(auto& options) {
    return MemberOf<kMember>(options);
  }

  NamedOption named;
  const char* help;  // A line of --help has 52 columns for it.
};

namespace option_list {

using T = TranslateOptions;
using enum OptionGroup;
using enum OptionRange;
using enum OptionNeeds;

constexpr NamedOption Text(const char* name, OptionGroup group,
                           const char* value) {
  return {name, OptionKind::kText, group, value};
}
constexpr NamedOption Flag(const char* name, OptionGroup group,
                           bool on_by_default = false) {
  return {.name = name,
          .kind = OptionKind::kFlag,
          .group = group,
          .on_by_default = on_by_default};
}
constexpr NamedOption Count(const char* name, OptionGroup group,
                            uint64_t most = INT32_MAX) {
  return {.name = name,
          .kind = OptionKind::kCount,
          .group = group,
          .value = "N",
          .most = most};
}
constexpr NamedOption Number(const char* name, OptionRange range) {
  return {.name = name,
          .kind = OptionKind::kNumber,
          .group = kTokens,
          .value = "X",
          .range = range};
}
constexpr NamedOption Choice(const char* name, OptionGroup group,
                             const char* value, const char* choices) {
  return {name, OptionKind::kChoice, group, value, choices};
}
// 0 stands for the default.
constexpr NamedOption OrDefault(NamedOption option) {
  option.zero_is_default = true;
  return option;
}
constexpr NamedOption Draws(NamedOption option) {
  option.draws = true;
  return option;
}
constexpr NamedOption Needs(OptionNeeds needs, NamedOption option) {
  option.needs = needs;
  return option;
}

// clang-format off
inline constexpr std::tuple kRows = {
    OptionRow<&T::source_language>{
        Text("source_lang", kLanguage, "CODE"),
        "source language of a multilingual model"},
    OptionRow<&T::target_language>{
        Text("target_lang", kLanguage, "CODE"),
        "its target language"},
    OptionRow<&T::language_code>{
        Text("language_code", kNowhere, "CODE"),
        "prepended to each text, such as >>deu<<"},
    OptionRow<&T::task>{
        Text("task", kLanguage, "NAME"),
        "task of a T5 model"},
    OptionRow<&T::prefix>{
        Text("prefix", kLanguage, "TEXT"),
        "prepend TEXT to each text"},

    OptionRow<&T::max_target_tokens>{
        OrDefault(Count("max_target_tokens", kLimits)),
        "end a translation after N tokens"},
    OptionRow<&T::min_target_tokens>{
        Count("min_target_tokens", kLimits),
        "do not end a translation before N tokens"},
    OptionRow<&T::budget_tokens>{
        OrDefault(Count("budget_tokens", kLimits)),
        "spend at most N tokens on a line or sentence"},
    OptionRow<&T::budget_ms>{
        OrDefault(Count("budget_ms", kLimits)),
        "spend at most N milliseconds on a line or sentence"},
    OptionRow<&T::guards>{
        Flag("guards", kLimits, /*on_by_default=*/true),
        "let a translation loop or become far too long"},

    OptionRow<&T::sentences>{
        Flag("sentences", kTokens, /*on_by_default=*/true),
        "translate all sentences of a line at once"},
    OptionRow<&T::protect>{
        Flag("protect", kTokens),
        "keep placeholders, URLs and the like as they are"},
    OptionRow<&T::fold>{
        Flag("fold", kTokens, /*on_by_default=*/true),
        "do not replace characters that the model lacks"},
    OptionRow<&T::keep_unknown>{
        Flag("keep_unknown", kTokens, /*on_by_default=*/true),
        "drop characters that the model cannot read"},
    OptionRow<&T::beams>{
        OrDefault(Count("beams", kTokens)),
        "search with N beams (default: the model's number)"},
    OptionRow<&T::alternatives>{
        OrDefault(Count("alternatives", kTokens)),
        "list N ways to continue --target-prefix"},
    OptionRow<&T::length_penalty>{
        Needs(kBeams, Number("length_penalty", kAny)),
        "with beams: above 0 prefers long translations"},
    OptionRow<&T::early_stopping>{
        Needs(kBeams, Choice("early_stopping", kTokens, "RULE",
                             "false|true|never")),
        "with beams: true, false or never, as in transformers"},
    OptionRow<&Sampling::enabled>{
        Draws(Flag("sample", kTokens)),
        "sample tokens by their probabilities"},
    OptionRow<&Sampling::temperature>{
        Draws(Number("temperature", kAboveZero)),
        "sample; above 1 makes unlikely tokens more likely"},
    OptionRow<&Sampling::top_k>{
        Draws(OrDefault(Count("top_k", kTokens))),
        "sample from the N most likely tokens"},
    OptionRow<&Sampling::top_p>{
        Draws(Number("top_p", kAboveZeroUpToOne)),
        "sample from the most likely tokens that add up to X"},
    OptionRow<&Sampling::min_p>{
        Draws(OrDefault(Number("min_p", kAboveZeroUpToOne))),
        "sample from tokens X times as likely as the best"},
    OptionRow<&Sampling::seed>{
        Needs(kSampling, Count("seed", kTokens, UINT64_MAX)),
        "seed of the sampling (default: 0)"},
    OptionRow<&T::target_prefix>{
        Text("target_prefix", kTokens, "TEXT"),
        "begin each translation with TEXT; with --ids, ids"},
    OptionRow<&T::forced_first_token>{
        Count("forced_first_token", kTokens),
        "begin each translation with token N"},
    OptionRow<&T::no_repeat_ngram>{
        Count("no_repeat_ngram", kTokens),
        "never repeat a sequence of N tokens; 0: off"},
    OptionRow<&T::repetition_penalty>{
        OrDefault(Number("repetition_penalty", kAboveZero)),
        "make repeated tokens less likely; 1: off"},

    OptionRow<&T::paragraphs>{
        Flag("paragraphs", kNowhere),
        "take the text for one whose lines are wrapped"},
    OptionRow<&T::attention>{
        Choice("attention", kNowhere, "KIND", "none|cross|encoder|decoder"),
        "return the weights of this attention"},
    OptionRow<&T::scores>{
        Flag("scores", kNowhere),
        "return the log-probability of each token"},
    OptionRow<&T::alignment>{
        Flag("alignment", kNowhere),
        "return the source of each token"},
};
// clang-format on

inline constexpr size_t kCount = std::tuple_size_v<decltype(kRows)>;

}  // namespace option_list

// The row at a place of the list, which is its type.
template <size_t kPlace>
using OptionAt = std::remove_cvref_t<
    std::tuple_element_t<kPlace, decltype(option_list::kRows)>>;
template <size_t kPlace>
inline constexpr NamedOption kOptionAt =
    std::get<kPlace>(option_list::kRows).named;

// Calls visit.operator()<kPlace>() for each option.
template <typename Visit>
constexpr void ForEachOption(Visit&& visit) {
  [&]<size_t... kPlaces>(std::index_sequence<kPlaces...>) {
    (visit.template operator()<kPlaces>(), ...);
  }
  (std::make_index_sequence<option_list::kCount>());
}

// The value of an option, of its kind: a count, which is 0 or 1 for a flag and
// the place among its choices, a number or a text.
struct OptionValue {
  uint64_t count = 0;
  float number = 0;
  const char* text = nullptr;
};

// Sets the option at a place; one that draws turns sampling on.
template <size_t kPlace>
void PutOption(const OptionValue& value, TranslateOptions* out) {
  constexpr NamedOption option = kOptionAt<kPlace>;
  auto& member = OptionAt<kPlace>::InCpp(*out);
  using Member = std::remove_reference_t<decltype(member)>;
  using Value = typename HeldBy<Member>::Value;
  const bool is_zero = value.count == 0 && value.number == 0;
  if (HeldBy<Member>::is_optional && option.zero_is_default && is_zero) {
    member = Member();
  } else if constexpr (option.kind == OptionKind::kNumber) {
    member = value.number;
  } else if constexpr (option.kind == OptionKind::kText) {
    member = value.text;
  } else {
    member = static_cast<Value>(value.count);
  }
  if (option.draws && !is_zero) out->sampling.enabled = true;
}

// Reads a value, and finds the place of its option. Errors: those of SetOption.
Status ParseOption(std::string_view name, const char* value, OptionStyle style,
                   size_t* place, OptionValue* out);

}  // namespace latimer

#endif  // LATIMER_OPTION_LIST_H_
