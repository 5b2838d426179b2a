// Names of tensors with choices and wildcards, as maps write them.
#ifndef LATIMER_CONVERTER_READERS_NAME_PATTERN_H_
#define LATIMER_CONVERTER_READERS_NAME_PATTERN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace latimer {

// `{a|b}` is a choice: "{x|y}.w" gives "x.w" and "y.w", in this order; {layer}
// and {head} stay. Throws ConversionError at any other use of braces.
std::vector<std::string> ExpandChoices(std::string_view pattern);

// Puts numbers in the place of {layer} and {head}.
std::string FillIn(std::string_view pattern, uint32_t layer, uint32_t head);

// The number that stands in `name` where `pattern` has {layer} (or {head}, as
// `variable` says), if all else is equal; numbers are written as FillIn does.
// The other variable is 0.
std::optional<uint32_t> NumberIn(std::string_view name,
                                 std::string_view pattern,
                                 std::string_view variable);

// Whether each `*` of `pattern` can stand for something, or nothing, such that
// it is `text`.
bool MatchesWildcard(std::string_view pattern, std::string_view text);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_NAME_PATTERN_H_
