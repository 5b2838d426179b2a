#include "search/loop_detector.h"

#include <algorithm>

namespace latimer {

void LoopDetector::Add(const int32_t* tokens, size_t count) {
  const int32_t* const last = tokens + count - 1;
  const size_t periods = std::min(kLongestLoopPeriod, count - 1);
  for (size_t p = 1; p <= periods; ++p) {
    equal_[p - 1] = *last == *(last - p) ? equal_[p - 1] + 1 : 0;
  }
}

size_t LoopDetector::EndOfFirstCopy(size_t count, size_t allowance) const {
  for (size_t p = 1; p <= kLongestLoopPeriod; ++p) {
    const size_t repeated = equal_[p - 1] + p;
    if (repeated >= std::max(kLoopCopies * p, kLoopTokens) + allowance) {
      return count - equal_[p - 1];
    }
  }
  return 0;
}

size_t LoopDetector::RepeatedTokens() const {
  size_t most = 0;
  for (size_t p = 1; p <= kLongestLoopPeriod; ++p) {
    if (equal_[p - 1] >= p) most = std::max<size_t>(most, equal_[p - 1] + p);
  }
  return most;
}

size_t MostRepeatedTokens(std::span<const int32_t> tokens) {
  LoopDetector detector;
  size_t most = 0;
  for (size_t count = 1; count <= tokens.size(); ++count) {
    detector.Add(tokens.data(), count);
    most = std::max(most, detector.RepeatedTokens());
  }
  return most;
}

}  // namespace latimer
