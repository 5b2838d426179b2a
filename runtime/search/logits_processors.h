// Changes logits as the logits processors of Hugging Face's generate() do.
#ifndef LATIMER_SEARCH_LOGITS_PROCESSORS_H_
#define LATIMER_SEARCH_LOGITS_PROCESSORS_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "search/prefix.h"
#include "search/search_options.h"

namespace latimer {

// The logit of a token that may not be produced.
inline constexpr float kBannedLogit = -std::numeric_limits<float>::infinity();

// The logits of tokens [first, first + size).
struct LogitWindow {
  float* logits;
  size_t first;
  size_t size;

  // The logit of a token; null if the window does not hold it, or for -1.
  float* Find(int32_t token) const {
    const size_t i = static_cast<size_t>(token) - first;
    return token >= 0 && i < size ? logits + i : nullptr;
  }
};

// Processes the logits of the token that follows the prefix, in the order of
// generate(): repetition penalty, repeated n-grams, banned sequences, minimum
// length, suppressed tokens; the mask of phrases (constraint.h) comes last.
void ProcessLogits(const SearchOptions& options, const Prefix& prefix,
                   const LogitWindow& window);

}  // namespace latimer

#endif  // LATIMER_SEARCH_LOGITS_PROCESSORS_H_
