// Seeing what a model attends to, and how sure it is of each token.
#ifndef LATIMER_INSIGHT_H_
#define LATIMER_INSIGHT_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer {

// Attention to keep while translating.
enum class AttentionKind : uint8_t {
  kNone,
  kCross,    // row: target token; column: source token
  kEncoder,  // row and column: source tokens
  kDecoder,  // row: target token; column: decoder_start and the tokens before
};

// The weights that a translation was made with: the softmax of the scaled
// scores, each row with the sum 1. Row t of kCross and kDecoder is what the
// decoder attended to when it gave target token t; one that was forced has no
// row. Views the workspace, until the next call.
struct AttentionWeights {
  AttentionKind kind = AttentionKind::kNone;
  uint32_t layers = 0;
  uint32_t heads = 0;
  size_t rows = 0;
  size_t source_tokens = 0;
  // Row by row; of a row layer by layer, head by head.
  const float* weights = nullptr;

  // Columns of a row: all source tokens, or, of kDecoder, row + 1.
  size_t columns(size_t row) const {
    return kind == AttentionKind::kDecoder ? row + 1 : source_tokens;
  }
  // One head's weights of one row. Precondition: all three are in range.
  std::span<const float> Row(uint32_t layer, uint32_t head, size_t row) const {
    const size_t columns_before = kind == AttentionKind::kDecoder
                                      ? row * (row + 1) / 2
                                      : row * source_tokens;
    return {weights + columns_before * layers * heads +
                (size_t{layer} * heads + head) * columns(row),
            columns(row)};
  }
};

// Of one target token, after the generation rules.
struct TokenScore {
  // Natural logarithm of its probability; 0 for a token that was forced.
  float log_probability;
  // How far above the second best token's it is; infinite where there was none.
  float margin;
};

}  // namespace latimer

#endif  // LATIMER_INSIGHT_H_
