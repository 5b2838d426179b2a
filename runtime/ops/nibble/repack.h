// Nibble planes as GEMMs read them: where the output matrix multiplies many
// rows, putting its nibbles together once is faster than to bound each row.
#ifndef LATIMER_OPS_NIBBLE_REPACK_H_
#define LATIMER_OPS_NIBBLE_REPACK_H_

#include <cstddef>
#include <cstdint>

#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

// Packs channels [begin, end) of planes w for a tile of int8 weights, without
// bias: out has PackedBytes(kInt8, tile, end - begin, w.k) bytes, and is what
// PackInt8 writes for these channels. `begin` is a multiple of
// kNibbleBlockRows, and so is `end` or it is w.n.
void RepackNibbles(const PackedMatrix& w, Tile tile, uint32_t begin,
                   uint32_t end, std::byte* out);

}  // namespace latimer

#endif  // LATIMER_OPS_NIBBLE_REPACK_H_
