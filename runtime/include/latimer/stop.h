// Why a translation ended, and what may end it.
#ifndef LATIMER_STOP_H_
#define LATIMER_STOP_H_

#include <cstddef>
#include <cstdint>

namespace latimer {

// From the least severe to the most: a text that was translated in parts has
// the most severe of theirs.
enum class StopReason : uint8_t {
  kEos,          // The model ended the sentence.
  kLengthLimit,  // max_target_tokens, the model's limit or that of a guard was
                 // reached, even if the model's rules then force EOS.
  kLoop,         // A guard found the same tokens many times in a row.
  kBudget,       // The call's tokens or its time were used up.
  kCancelled,    // The caller's flag or its callback ended it.
};

// Is told each generated token, EOS included, as soon as it is chosen; `index`
// is its place in its sentence. false ends the sentence. It must not call the
// translator that calls it, but for TargetPiece, and its stack is not counted
// in kStackBytes.
using TokenCallback = bool (*)(void* context, size_t index, int32_t token);

// ---- The guards of a text ----
//
// A model that does not find the end of a sentence repeats itself, or goes on
// up to its limit. Both guards are far from what translations are like, and
// neither holds for ids or without TranslateOptions::guards.

// A translation has at most 8 S + 64 tokens for S source tokens, and as many
// more as are forced by a minimum length.
inline constexpr uint64_t kTargetTokensPerSource = 8;
inline constexpr uint64_t kTargetTokensBeyond = 64;

// A loop is a sequence of 1 to 16 tokens that came 8 times in a row, and 32
// tokens in all. A source that repeats itself may be repeated: where S of its
// tokens are such a sequence, of two or more times, it takes 4 S tokens more.
// What is kept ends with the first copy.
inline constexpr size_t kLongestLoopPeriod = 16;
inline constexpr size_t kLoopCopies = 8;
inline constexpr size_t kLoopTokens = 32;
inline constexpr size_t kLoopTokensPerSource = 4;

}  // namespace latimer

#endif  // LATIMER_STOP_H_
