// Quantizes and packs matrices into the file, a few rows at a time.
#ifndef LATIMER_CONVERTER_TENSOR_PACKER_H_
#define LATIMER_CONVERTER_TENSOR_PACKER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "converter/canonical_model.h"
#include "converter/quantize.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

// One matrix [rows, columns] and its place in the file, which has PackedBytes
// or, in the layout of ops/nibble/planes.h, NibblePlaneBytes bytes.
struct PackJob {
  const CanonicalLinear* linear;
  uint32_t rows;
  uint32_t columns;
  std::span<std::byte> out;
  WeightType type = WeightType::kInt8;
  bool nibbles = false;
  const QuantizedMatrix* quantized = nullptr;  // If set, packs these integers.
};

// Packs all matrices with one thread per CPU, each of which needs a few MB.
// Drops the source file's pages from memory once they were read. The result
// does not depend on the number of threads. `done` is called by one thread at a
// time with the bytes that were written since its last call. Throws
// ConversionError for a weight that is not finite or cannot be packed; if there
// are several, for the first in file order.
void PackMatrices(std::span<const PackJob> jobs, Tile tile,
                  const std::function<void(uint64_t bytes)>& done);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TENSOR_PACKER_H_
