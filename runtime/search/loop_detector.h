// Finds tokens that repeat themselves, in constant memory.
#ifndef LATIMER_SEARCH_LOOP_DETECTOR_H_
#define LATIMER_SEARCH_LOOP_DETECTOR_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer {

// The loop guard of a text (TranslateOptions::guards): a loop is a sequence of
// at most so many tokens that is produced so many times in a row and makes up
// so many tokens. The translation of a source that repeats itself may do so
// too: if S source tokens are two or more copies of a sequence, the loop must
// be kLoopTokensPerSource * S tokens longer.
inline constexpr size_t kLongestLoopPeriod = 16;
inline constexpr size_t kLoopCopies = 8;
inline constexpr size_t kLoopTokens = 32;
inline constexpr size_t kLoopTokensPerSource = 4;

class LoopDetector {
 public:
  // Forgets all tokens.
  void Reset() { *this = LoopDetector(); }

  // Adds tokens[count - 1]. Those before it have been added in order.
  void Add(const int32_t* tokens, size_t count);

  // If the last of the `count` tokens are a loop (kLoopCopies and kLoopTokens,
  // plus `allowance` tokens), returns the number of tokens up to the end of its
  // first copy, otherwise 0.
  size_t EndOfFirstCopy(size_t count, size_t allowance) const;

  // The number of tokens at the end that are two or more copies of one
  // sequence.
  size_t RepeatedTokens() const;

 private:
  // equal_[p - 1]: how many of the last tokens equal the token p before them.
  uint32_t equal_[kLongestLoopPeriod] = {};
};

// The largest number of tokens in a row that are two or more copies of one
// sequence.
size_t MostRepeatedTokens(std::span<const int32_t> tokens);

}  // namespace latimer

#endif  // LATIMER_SEARCH_LOOP_DETECTOR_H_
