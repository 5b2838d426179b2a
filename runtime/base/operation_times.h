// The time of each operation of a translation: `latimer bench --profile`.
#ifndef LATIMER_BASE_OPERATION_TIMES_H_
#define LATIMER_BASE_OPERATION_TIMES_H_

#include <cstdint>

namespace latimer {

// The phases of a sentence; see "Data flow" in runtime/README.md.
enum class Phase : uint8_t {
  kEncoder,  // RunEncoder: once per sentence
  kCrossKv,  // FillCrossKv: once per sentence
  kDecoder,  // the greedy search: once per token
};
// Of the enumeration.
inline constexpr int kPhaseCount = 3;

// The operations of a phase. A projection includes the quantization of its
// input and its bias.
enum class Operation : uint8_t {
  kEmbedding,       // rows looked up, scaled, positions added
  kQkv,             // projections to queries, keys, values
  kSelfAttention,   // query times key, softmax, sums; the decoder's cache
  kCrossAttention,  // the same
  kAttentionOut,    // the output projection of attention
  kFeedForward,     // both projections and the activation between them
  kNorm,            // normalization and the residual sum
  kRecurrent,       // an SSRU, or the layers of GRUs or LSTMs
  kOutput,          // the logits
  kSearch,          // logits processors, choice of the token, shortlist
};
// Of the enumeration.
inline constexpr int kOperationCount = 10;

// Nanoseconds in the calling thread, including the wait for other threads. They
// add up to the whole translation without the tokenizer.
struct OperationTimes {
  uint64_t nanoseconds[kPhaseCount][kOperationCount] = {};
};

}  // namespace latimer

#endif  // LATIMER_BASE_OPERATION_TIMES_H_
