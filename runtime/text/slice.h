// Substrings without string_view::substr, which refers to the C++ library's
// exceptions even if it cannot fail, wherever it is not inlined (-Os).
#ifndef LATIMER_TEXT_SLICE_H_
#define LATIMER_TEXT_SLICE_H_

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/check.h"

namespace latimer {

// text[begin, begin + bytes), which must exist.
constexpr std::string_view Slice(std::string_view text, size_t begin,
                                 size_t bytes) {
  LATIMER_DCHECK(begin <= text.size() && bytes <= text.size() - begin);
  return {text.data() + begin, bytes};
}

// text[0, bytes), or all of it if it is shorter.
constexpr std::string_view First(std::string_view text, size_t bytes) {
  return {text.data(), std::min(bytes, text.size())};
}

// text[begin, text.size()); begin must not exceed text.size().
constexpr std::string_view From(std::string_view text, size_t begin) {
  LATIMER_DCHECK(begin <= text.size());
  return {text.data() + begin, text.size() - begin};
}

}  // namespace latimer

#endif  // LATIMER_TEXT_SLICE_H_
