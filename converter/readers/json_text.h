// JSON from an untrusted file.
#ifndef LATIMER_CONVERTER_READERS_JSON_TEXT_H_
#define LATIMER_CONVERTER_READERS_JSON_TEXT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace latimer {

// Copying and writing JSON recurse, so that what can be parsed may still be
// nested too deeply for them.
inline constexpr size_t kMaxJsonDepth = 100;

// Whether brackets are nested more deeply. `text` need not be JSON.
bool IsJsonTooDeep(std::string_view text);

// The value; discarded if `text` is not JSON or nested too deeply.
nlohmann::json ParseJsonText(std::string_view text);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_JSON_TEXT_H_
