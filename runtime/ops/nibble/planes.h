// The output matrix for greedy search, which needs only the best logit: int8
// weights split into a high and a low nibble, stored apart.
//
// With w = 16 h + l - 128, h and l in 0..15, the high nibbles of a row, half of
// its bytes, determine its logit up to
//   |sum x[i] (l[i] - 7.5)| <= |x| * |l - 7.5|           (Cauchy-Schwarz)
// where x is the quantized row of activations without its zero point. A pass
// over the high nibbles therefore bounds every logit from above, and the low
// nibbles are read only where a bound reaches the best logit known so far. The
// logits computed from both are the same bits as those of GemmInt8 and the
// bias: the sum in int32 is exact, and the float operations are the same. See
// search/pruned_argmax.h.
//
// A matrix [n, k], k a multiple of 32, is blocks of 16 output channels:
//   high nibbles [16, k], then NibbleConstants
// and after all of them blocks of
//   low nibbles [16, k], int32 their sums [16]
// The nibbles of a block are in lines of 64 bytes; byte 4 c + b of line i has
// inputs 8 i + b and, in its high half, 8 i + 4 + b of channel c, so that
// vectors of int32 sum up the channels side by side. The last block is filled
// with zeros.
//
// Weights may have 6 bits instead of 8: the matrix is then one of weights 4 w
// and a quarter of the scales. The lower half of its low nibbles is zero and
// not stored: a line has those of two, of the first one as they are and of the
// second one shifted right by two bits.
//
// *_isa.cc files include this header too, but call none of its functions.
#ifndef LATIMER_OPS_NIBBLE_PLANES_H_
#define LATIMER_OPS_NIBBLE_PLANES_H_

#include <stddef.h>
#include <stdint.h>

namespace latimer {

struct CpuFeatures;
struct PackedMatrix;

// Bits of a high nibble: weights have more.
inline constexpr uint32_t kNibbleBits = 4;
// Output channels of a block.
inline constexpr uint32_t kNibbleBlockRows = 16;
// k is a multiple of this.
inline constexpr uint32_t kNibbleInputs = 32;
// Largest k: all sums fit int32.
inline constexpr uint32_t kMaxNibbleInputs = 16384;

// What comes after the high nibbles of a block. Only `sum` comes after low
// ones.
struct NibbleConstants {
  int32_t sum[kNibbleBlockRows];  // Of the nibbles.
  float scale[kNibbleBlockRows];
  float norm[kNibbleBlockRows];  // At least |l - 7.5|.
};

// A row of activations and the matrix that multiplies it.
struct NibbleProduct {
  const uint8_t* high;  // 64-byte aligned, as all blocks are
  const uint8_t* low;
  const float* bias;  // [n]; null: all zero
  size_t n;
  size_t k;
  const int8_t* q;  // [k]
  int32_t zero_point;
  float scale;
  // Of x = q - zero_point: the sum, and an upper bound of the norm.
  int32_t sum;
  float norm;
  int32_t negatives;  // The sum of |q| over negative q.
  bool half_low;      // Low nibbles have two bits.
};

// All tables give the same bits.
struct NibbleKernels {
  // "nibble_" and the instruction set, such as "nibble_avx2".
  const char* name;

  // From this many rows on, `maximum` takes less time than `bound` and what has
  // to be computed after it.
  size_t fewest_exact_rows;

  // The sum of x = q - zero_point, q [k], that of its squares, and that of |q|
  // over negative q.
  void (*measure)(size_t k, const int8_t* q, int32_t zero_point, int32_t* sum,
                  uint32_t* squares, int32_t* negatives);

  // bounds[row * stride + i] >= all logits of block begin + i, of each of
  // `count` rows and of blocks [begin, end). The rows multiply one matrix.
  void (*bound)(const NibbleProduct* rows, size_t count, size_t begin,
                size_t end, float* bounds, size_t stride);

  // The same, but writes the largest logit of each block instead of a bound.
  // Reads the low nibbles too.
  void (*maximum)(const NibbleProduct* rows, size_t count, size_t begin,
                  size_t end, float* maxima, size_t stride);

  // The logits of blocks [begin, end). Logits are also written for channels
  // from n to the end of the last block; they are unspecified.
  void (*compute)(const NibbleProduct& product, size_t begin, size_t end,
                  float* logits);
};

// The fastest table of this build that the CPU can run; null if there is none.
const NibbleKernels* SelectNibbleKernels(const CpuFeatures& features);

// Whether a matrix with k inputs can have this layout.
constexpr bool FitsNibblePlanes(uint64_t k) {
  return k > 0 && k % kNibbleInputs == 0 && k <= kMaxNibbleInputs;
}

constexpr uint64_t NibbleBlocks(uint64_t n) {
  return (n + kNibbleBlockRows - 1) / kNibbleBlockRows;
}

// Bytes of a block of high nibbles, and of one of low nibbles of weights of so
// many bits.
constexpr uint64_t NibbleHighBytes(uint64_t k) {
  return kNibbleBlockRows * k / 2 + sizeof(NibbleConstants);
}
constexpr uint64_t NibbleLowBytes(uint64_t k, uint32_t bits) {
  return kNibbleBlockRows * k * (bits - kNibbleBits) / 8 +
         sizeof(NibbleConstants::sum);
}

// Bytes that every token reads, a multiple of 64: the high nibbles.
constexpr uint64_t NibblePassBytes(uint64_t n, uint64_t k) {
  return NibbleBlocks(n) * NibbleHighBytes(k);
}

// Bytes of the matrix: a multiple of 64.
constexpr uint64_t NibblePlaneBytes(uint64_t n, uint64_t k, uint32_t bits) {
  return NibbleBlocks(n) * (NibbleHighBytes(k) + NibbleLowBytes(k, bits));
}

// What the kernels need to multiply q [w.k], quantized with these parameters,
// by w. Borrows w.data, `bias` and `q`.
NibbleProduct MakeNibbleProduct(const NibbleKernels& kernels,
                                const PackedMatrix& w, const float* bias,
                                const int8_t* q, int32_t zero_point,
                                float scale);

// out [w.k] = the weights of one output channel, dequantized.
void UnpackNibbleRow(const PackedMatrix& w, uint32_t channel, float* out);

}  // namespace latimer

#endif  // LATIMER_OPS_NIBBLE_PLANES_H_
