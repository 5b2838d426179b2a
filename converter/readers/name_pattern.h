// Names of tensors with choices and wildcards, as maps write them.
#ifndef LATIMER_CONVERTER_READERS_NAME_PATTERN_H_
#define LATIMER_CONVERTER_READERS_NAME_PATTERN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace latimer {

// `{a|b}` is a choice: "{x|y}.w" gives "x.w" and "y.w", in this order. {head},
// {layer} and what is computed of it, as {2*layer+1}, are kept. Throws
// ConversionError for any other use of braces.
std::vector<std::string> ExpandChoices(std::string_view pattern);

// Whether the pattern has {layer}, or what is computed of it.
bool HasLayerNumber(std::string_view pattern);

// Replaces {layer}, what is computed of it, and {head} by numbers.
std::string FillIn(std::string_view pattern, uint32_t layer, uint32_t head);

// The `variable` ({layer} or {head}) for which FillIn gives `name`, with 0 for
// the other.
std::optional<uint32_t> NumberIn(std::string_view name,
                                 std::string_view pattern,
                                 std::string_view variable);

// Whether `pattern` matches `text`; each `*` stands for any text, even none.
bool MatchesWildcard(std::string_view pattern, std::string_view text);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_NAME_PATTERN_H_
