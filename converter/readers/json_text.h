// JSON of a file that nobody vouches for.
#ifndef LATIMER_CONVERTER_READERS_JSON_TEXT_H_
#define LATIMER_CONVERTER_READERS_JSON_TEXT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace latimer {

// What can be parsed may still be too deep to be copied or written, which
// recurse.
inline constexpr size_t kMaxJsonDepth = 100;

// Whether brackets are nested deeper than that. `text` need not be JSON.
bool IsJsonTooDeep(std::string_view text);

// The value; discarded if it is none or too deep.
nlohmann::json ParseJsonText(std::string_view text);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_JSON_TEXT_H_
