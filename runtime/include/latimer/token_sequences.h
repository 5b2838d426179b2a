// Several sequences of ids in one array.
#ifndef LATIMER_TOKEN_SEQUENCES_H_
#define LATIMER_TOKEN_SEQUENCES_H_

#include <cstdint>
#include <span>

namespace latimer {

// Sequence i is tokens[ends[i - 1], ends[i]), the first one begins at 0, and
// none is empty.
struct TokenSequences {
  std::span<const int32_t> tokens = {};
  std::span<const uint32_t> ends = {};
};

}  // namespace latimer

#endif  // LATIMER_TOKEN_SEQUENCES_H_
