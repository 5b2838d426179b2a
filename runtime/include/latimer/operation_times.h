// Where the time of a translation goes: `latimer bench --profile`.
#ifndef LATIMER_OPERATION_TIMES_H_
#define LATIMER_OPERATION_TIMES_H_

#include <cstdint>

namespace latimer {

// What a sentence passes through; see "Data flow" in runtime/README.md.
enum class Phase : uint8_t {
  kEncoder,  // RunEncoder: once per sentence
  kCrossKv,  // FillCrossKv: once per sentence
  kDecoder,  // the greedy search: once per token
};
inline constexpr int kPhaseCount = 3;

// What is done there. A projection counts with the quantization of its input
// and with its bias.
enum class Operation : uint8_t {
  kEmbedding,       // rows looked up, scaled, positions added
  kQkv,             // projections to queries, keys, values
  kSelfAttention,   // scores, softmax and sums; the decoder's cache
  kCrossAttention,  // the same
  kAttentionOut,    // the projection of what attention gives
  kFeedForward,     // both projections, the activation between them
  kNorm,            // normalization and the residual sum
  kRecurrent,       // an SSRU or the layers of GRUs
  kOutput,          // the logits
  kSearch,          // rules, the choice of the token, the shortlist
};
inline constexpr int kOperationCount = 10;

// Nanoseconds of the calling thread's time, waiting for the others included;
// together all of the translation but the tokenizer.
struct OperationTimes {
  uint64_t nanoseconds[kPhaseCount][kOperationCount] = {};
};

}  // namespace latimer

#endif  // LATIMER_OPERATION_TIMES_H_
