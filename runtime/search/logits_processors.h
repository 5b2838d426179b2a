// Changes logits as the logits processors of Hugging Face's generate() do.
#ifndef LATIMER_SEARCH_LOGITS_PROCESSORS_H_
#define LATIMER_SEARCH_LOGITS_PROCESSORS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "search/prefix.h"
#include "search/search_options.h"

namespace latimer {

// The logit of a token that may not be produced.
inline constexpr float kBannedLogit = -std::numeric_limits<float>::infinity();

// The logits of tokens [first, first + size), or of those in `tokens` [size],
// which ascend.
struct LogitWindow {
  float* logits;
  size_t first;
  size_t size;
  const uint32_t* tokens = nullptr;

  // The token of logits[i].
  size_t token(size_t i) const {
    return tokens == nullptr ? first + i : tokens[i];
  }
  // The logit of a token; null if the window does not hold it, or for -1.
  float* Find(int32_t token) const {
    if (token < 0) return nullptr;
    size_t i = static_cast<size_t>(token) - first;
    if (tokens != nullptr) {
      const auto id = static_cast<uint32_t>(token);
      const uint32_t* found = std::lower_bound(tokens, tokens + size, id);
      if (found == tokens + size || *found != id) return nullptr;
      i = static_cast<size_t>(found - tokens);
    }
    return i < size ? logits + i : nullptr;
  }
};

// Processes the logits of the token that follows the prefix, in the order of
// generate(): repetition penalty, repeated n-grams, banned sequences, minimum
// length, suppressed tokens; the mask of phrases (constraint.h) comes last.
void ProcessLogits(const SearchOptions& options, const Prefix& prefix,
                   const LogitWindow& window);

}  // namespace latimer

#endif  // LATIMER_SEARCH_LOGITS_PROCESSORS_H_
