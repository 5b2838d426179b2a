// Why a translation ended, and what can end it.
#ifndef LATIMER_STOP_H_
#define LATIMER_STOP_H_

#include <cstddef>
#include <cstdint>

namespace latimer {

// In order of severity: a text that was translated in parts has the most severe
// reason of its parts.
enum class StopReason : uint8_t {
  kEos,          // The model ended the sentence.
  kLengthLimit,  // max_target_tokens, the model's limit or a guard's limit was
                 // reached, even if the generation config then forces EOS.
  kLoop,         // A guard found the same tokens many times in a row.
  kBudget,       // The call's tokens or time were used up.
  kCancelled,    // The caller's flag or callback ended it.
};

// Called for each generated token, including EOS, as soon as it is chosen;
// `index` is its place in the sentence. Return false to end the sentence. It
// must not call the translator except for TargetPiece; kStackBytes does not
// count its stack.
using TokenCallback = bool (*)(void* context, size_t index, int32_t token);

// ---- The guards of a text ----
//
// A model that does not find the end of a sentence repeats itself or goes on up
// to its limit. Two guards stop it, far beyond what proper translations reach.
// They do not apply to ids, or without TranslateOptions::guards.

// The length guard: at most 8 S + 64 tokens for S source tokens, and as many
// more as a minimum length, a target prefix, terms and protected spans force.
inline constexpr uint64_t kTargetTokensPerSource = 8;
inline constexpr uint64_t kTargetTokensBeyond = 64;

// The loop guard: a loop is a sequence of 1 to 16 tokens that is produced at
// least 8 times in a row and makes up at least 32 tokens. The translation of a
// source that repeats itself may do so too: if S source tokens are such a
// sequence, two or more times, the loop must be 4 S tokens longer. The
// translation is kept up to the first copy.
inline constexpr size_t kLongestLoopPeriod = 16;
inline constexpr size_t kLoopCopies = 8;
inline constexpr size_t kLoopTokens = 32;
inline constexpr size_t kLoopTokensPerSource = 4;

}  // namespace latimer

#endif  // LATIMER_STOP_H_
