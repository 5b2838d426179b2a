// Packs weights in the layout that ops/nibble/planes.h describes. For the
// converter and for tests.
#ifndef LATIMER_OPS_NIBBLE_PACK_H_
#define LATIMER_OPS_NIBBLE_PACK_H_

#include <cstddef>
#include <cstdint>

namespace latimer {

// Packs rows [begin, begin + rows) of weights [n, k]; `weights` [rows, k] and
// `scale` [rows] begin with the first of them. `matrix` is the whole matrix,
// NibblePlaneBytes(n, k, bits) long. The blocks of these rows are written
// completely: padding is zero. The same input gives the same bytes.
// Precondition: FitsNibblePlanes(k); `begin` is a multiple of 16, and so is
// `rows` unless these are the last rows. The scales are not negative.
// `bits` of a weight are 8, or 6 for weights of -31..31.
void PackNibblePlanes(size_t n, size_t k, size_t begin, size_t rows,
                      const int8_t* weights, const float* scale, uint32_t bits,
                      std::byte* matrix);

}  // namespace latimer

#endif  // LATIMER_OPS_NIBBLE_PACK_H_
