// The position tables of an own model.
#ifndef LATIMER_CONVERTER_READERS_MAPPED_POSITIONS_H_
#define LATIMER_CONVERTER_READERS_MAPPED_POSITIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/readers/mapped_tensors.h"

namespace latimer {

// Tokens that a model without a table of its own gets room for; a longer table
// in the file is cut here unless the map asks for more.
inline constexpr uint32_t kUsualPositions = 512;

// The rows [R, D] that are added to the embeddings of tokens 0 to R - 1.
// `part` is "source_positions" or "target_positions", `table` its tensor or
// null, `wanted` what the map says of R or 0. A table of the file is used as it
// is, else the map's formula. What a user should know is put in `notes`. Throws
// ConversionError where the file's table has another width or too few rows.
std::vector<float> BuildPositions(const MappedTensors& tensors,
                                  const std::string& part,
                                  const SourceTensor* table, uint32_t wanted,
                                  uint32_t d_model,
                                  std::vector<std::string>* notes);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAPPED_POSITIONS_H_
