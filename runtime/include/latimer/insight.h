// What a model attends to, and how sure it is of each token.
#ifndef LATIMER_INSIGHT_H_
#define LATIMER_INSIGHT_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer {

// The attention whose weights a translation keeps.
enum class AttentionKind : uint8_t {
  kNone,
  kCross,    // row: target token; column: source token
  kEncoder,  // row and column: source tokens
  kDecoder,  // row: target token; column: decoder_start or an earlier token
};

// The attention weights of a translation. Each row is a softmax and has the sum
// 1. Row t of kCross and kDecoder is what the decoder attended to when it chose
// target token t; a forced token has no row. Views the workspace until the next
// call.
struct AttentionWeights {
  AttentionKind kind = AttentionKind::kNone;
  uint32_t layers = 0;
  uint32_t heads = 0;
  size_t rows = 0;
  size_t source_tokens = 0;
  // Row by row; within a row layer by layer, within a layer head by head.
  const float* weights = nullptr;

  // The columns of a row: all source tokens, or row + 1 for kDecoder.
  size_t columns(size_t row) const {
    return kind == AttentionKind::kDecoder ? row + 1 : source_tokens;
  }
  // One head's weights in one row. Precondition: all three are in range.
  std::span<const float> Row(uint32_t layer, uint32_t head, size_t row) const {
    const size_t columns_before = kind == AttentionKind::kDecoder
                                      ? row * (row + 1) / 2
                                      : row * source_tokens;
    return {weights + columns_before * layers * heads +
                (size_t{layer} * heads + head) * columns(row),
            columns(row)};
  }
};

// The score of one target token, after the logits processors.
struct TokenScore {
  // Natural logarithm of its probability; 0 for a forced token. With beams, a
  // token of a term or a protected span has the probability that the model gave
  // it.
  float log_probability;
  // The difference to the second best token's; infinite if there was none.
  float margin;
};

// The score of a word of a translation: the mean log-probability of its tokens.
// A word is what stands between white space, so punctuation belongs to it.
struct WordScore {
  size_t begin;  // Bytes [begin, end) of the text.
  size_t end;
  float log_probability;
};

}  // namespace latimer

#endif  // LATIMER_INSIGHT_H_
