// The position tables of an own model, and the usual formula.
#ifndef LATIMER_CONVERTER_READERS_MAPPED_POSITIONS_H_
#define LATIMER_CONVERTER_READERS_MAPPED_POSITIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/readers/mapped_tensors.h"

namespace latimer {

// The number of positions of a model without a table. A longer table is cut to
// this number unless the map asks for more.
inline constexpr uint32_t kUsualPositions = 512;

// The rows of positions from `first` on: "Attention Is All You Need", 3.5, with
// frequencies 10000^(-2i / D). Interleaved: columns 2i and 2i + 1 are the sine
// and cosine of angle i; else halves: the sines come first (the first half has
// one more where D is odd).
std::vector<float> Sinusoids(uint32_t first, uint32_t rows, uint32_t d,
                             bool interleaved);

// transformers' M2M100SinusoidalPositionalEmbedding, which computes in f32, as
// CTranslate2 does for models without a table: frequencies 10000^(-i / (D/2 -
// 1)), the sines first, a last column of zeros if D is odd. Row 0 is position
// `first`.
std::vector<float> M2M100Sinusoids(uint32_t positions, uint32_t d_model,
                                   uint32_t first);

// The rows [R, D] that are added to the embeddings of tokens 0 to R - 1.
// `part` is "source_positions" or "target_positions", `table` its tensor or
// null, `wanted` the map's R or 0. Uses the table if there is one, else the
// map's formula. Adds what a user should know to `notes`. Throws
// ConversionError if the table has another width or too few rows.
std::vector<float> BuildPositions(const MappedTensors& tensors,
                                  const std::string& part,
                                  const SourceTensor* table, uint32_t wanted,
                                  uint32_t d_model,
                                  std::vector<std::string>* notes);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAPPED_POSITIONS_H_
