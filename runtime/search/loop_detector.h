// Finds tokens that repeat themselves, in constant memory.
#ifndef LATIMER_SEARCH_LOOP_DETECTOR_H_
#define LATIMER_SEARCH_LOOP_DETECTOR_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/stop.h"

namespace latimer {

class LoopDetector {
 public:
  // No token has come.
  void Reset() { *this = LoopDetector(); }

  // tokens[count - 1] has come after those that were added before.
  void Add(const int32_t* tokens, size_t count);

  // Where the end is a loop, by kLoopCopies and kLoopTokens with `allowance`
  // tokens more, how many of `count` tokens there are up to the end of its
  // first copy; else 0.
  size_t EndOfFirstCopy(size_t count, size_t allowance) const;

  // Tokens at the end that are two or more copies of one sequence; 0: none.
  size_t RepeatedTokens() const;

 private:
  // [p - 1]: how many of the last tokens equal the one p before them.
  uint32_t equal_[kLongestLoopPeriod] = {};
};

// The most tokens in a row that are two or more copies of one sequence.
size_t MostRepeatedTokens(std::span<const int32_t> tokens);

}  // namespace latimer

#endif  // LATIMER_SEARCH_LOOP_DETECTOR_H_
