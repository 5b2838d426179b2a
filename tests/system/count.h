// How often a text contains another one.
#ifndef LATIMER_TESTS_SYSTEM_COUNT_H_
#define LATIMER_TESTS_SYSTEM_COUNT_H_

#include <cstddef>
#include <string_view>

namespace latimer {

// `part` is not empty; occurrences that overlap count once.
inline size_t Count(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_COUNT_H_
