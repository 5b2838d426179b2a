// Copies output channels of a packed matrix side by side, so that a product
// with a few of them reads no others.
#ifndef LATIMER_OPS_XNNPACK_GATHER_H_
#define LATIMER_OPS_XNNPACK_GATHER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

// The matrix [channels.size(), w.k] of some channels of w, which is packed for
// `tile`, in their order. Packed for the same tile into `out`, which is aligned
// to kPackedAlignment and has room for PackedBytes of GatheredType(w.type); its
// padding is zero.
PackedMatrix GatherChannels(Tile tile, const PackedMatrix& w,
                            std::span<const uint32_t> channels, std::byte* out);

}  // namespace latimer

#endif  // LATIMER_OPS_XNNPACK_GATHER_H_
