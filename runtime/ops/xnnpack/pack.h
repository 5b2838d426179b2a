// Packs weights for the kernels in gemm.h. For the converter and for tests; the
// runtime only reads packed weights.
#ifndef LATIMER_OPS_XNNPACK_PACK_H_
#define LATIMER_OPS_XNNPACK_PACK_H_

#include <cstddef>
#include <cstdint>

#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

// Packs weights [n, k] and one scale [n] per output channel (weight = scale *
// int8).
// `out` has PackedBytes(kInt8, tile, n, k) bytes, is kPackedAlignment-aligned
// and is written completely: padding is zero. The same input gives the same
// bytes. Precondition: an int8 tile; n and k are not 0.
void PackInt8(Tile tile, size_t n, size_t k, const int8_t* weights,
              const float* scale, std::byte* out);

// The same for int4 weights, -8..7, one per byte, in the tile of an int8 model.
void PackInt4(Tile tile, size_t n, size_t k, const int8_t* weights,
              const float* scale, std::byte* out);

// The same for int6 weights, -31..31, one per byte, and an int8 tile.
void PackInt6(Tile tile, size_t n, size_t k, const int8_t* weights,
              const float* scale, std::byte* out);

// The same for f32 weights and an f32 tile.
void PackF32(Tile tile, size_t n, size_t k, const float* weights,
             std::byte* out);

// The same for f16 weights and their tile; each weight is rounded to the
// nearest. Precondition: magnitudes below kHalfOverflow of base/half.h.
void PackF16(size_t n, size_t k, const float* weights, std::byte* out);

// That of these which is for `type`. It reads either the weights or the
// integers and scales.
void PackMatrix(WeightType type, Tile tile, size_t n, size_t k,
                const float* weights, const int8_t* integers,
                const float* scale, std::byte* out);

}  // namespace latimer

#endif  // LATIMER_OPS_XNNPACK_PACK_H_
