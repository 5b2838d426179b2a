// How long a translation may get: all limits and what the model forces there.
#ifndef LATIMER_SEARCH_LENGTH_LIMIT_H_
#define LATIMER_SEARCH_LENGTH_LIMIT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace latimer {

inline constexpr uint64_t kNoLimit = UINT64_MAX;

// Limits in tokens, EOS included.
struct LengthLimits {
  // The model's, or its task's, and the token that it forces as the last of
  // that many; -1: none.
  uint64_t model;
  int32_t forced_last_token;
  // The caller's, which goes before the model's; 0: none.
  uint64_t caller = 0;
  // What the profile and the model's position table hold.
  uint64_t room = kNoLimit;
  // What the caches hold of one sentence with as many beams.
  uint64_t caches = kNoLimit;
  // The length guard of a text.
  uint64_t guard = kNoLimit;
};

struct TargetLength {
  size_t max_tokens;
  int32_t forced_last_token;  // Of max_tokens; -1: none.

  bool operator==(const TargetLength&) const = default;
};

// The lowest limit. Only the model's own forces a last token.
constexpr TargetLength LimitLength(const LengthLimits& limits) {
  const uint64_t asked =
      std::min(limits.caller != 0 ? limits.caller : limits.model, limits.room);
  const uint64_t most = std::min({asked, limits.caches, limits.guard});
  const bool is_models = asked == limits.model && most == asked;
  return {static_cast<size_t>(most), is_models ? limits.forced_last_token : -1};
}

// The length guard of a text (TranslateOptions::guards): so many tokens for
// each of the source, and these beyond.
inline constexpr uint64_t kTargetTokensPerSource = 8;
inline constexpr uint64_t kTargetTokensBeyond = 64;

// `forced_tokens` are those that must come: a minimum length, a target prefix,
// phrases.
constexpr uint64_t LengthGuard(uint64_t source_tokens, uint64_t forced_tokens) {
  return kTargetTokensPerSource * source_tokens + kTargetTokensBeyond +
         forced_tokens;
}

}  // namespace latimer

#endif  // LATIMER_SEARCH_LENGTH_LIMIT_H_
