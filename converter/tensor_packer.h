// Quantizes and packs matrices into the file, a few rows at a time.
#ifndef LATIMER_CONVERTER_TENSOR_PACKER_H_
#define LATIMER_CONVERTER_TENSOR_PACKER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "converter/canonical_model.h"
#include "converter/int4_weights.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

// One matrix [rows, columns] and its place in the file, PackedBytes long or,
// in the layout of ops/nibble/planes.h, NibblePlaneBytes.
struct PackJob {
  const CanonicalLinear* linear;
  uint32_t rows;
  uint32_t columns;
  std::span<std::byte> out;
  bool nibbles = false;
  const Int4Matrix* int4 = nullptr;  // In its place, int4 weights.
};

// Packs all matrices with as many threads as the machine has, each of which
// needs a few MB; what was read of the source file is dropped from memory. The
// bytes do not depend on the number of threads. `done` is called by one thread
// at a time, with the bytes that were written since. Throws ConversionError for
// a weight that is not finite, or cannot be packed so, the first in file order.
void PackMatrices(std::span<const PackJob> jobs, WeightType weights, Tile tile,
                  const std::function<void(uint64_t bytes)>& done);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TENSOR_PACKER_H_
