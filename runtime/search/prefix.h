// The beginning of a translation that a search extends.
#ifndef LATIMER_SEARCH_PREFIX_H_
#define LATIMER_SEARCH_PREFIX_H_

#include <cstddef>
#include <cstdint>

namespace latimer {

// What the decoder has read: decoder_start, then the tokens generated.
struct Prefix {
  int32_t start;
  const int32_t* target;
  size_t size;  // decoder_start included

  int32_t operator[](size_t i) const { return i == 0 ? start : target[i - 1]; }
};

}  // namespace latimer

#endif  // LATIMER_SEARCH_PREFIX_H_
