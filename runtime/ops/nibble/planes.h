// The output matrix for greedy search, which wants the best logit alone: int8
// weights cut into a high and a low nibble, each stored once.
//
// With w = 16 h + l - 128, h and l in 0..15, the high nibbles of a row, half of
// its bytes, tell its logit up to
//   |sum x[i] (l[i] - 7.5)| <= |x| * |l - 7.5|           (Cauchy-Schwarz)
// where x is the quantized row of activations without its zero point. So a pass
// over the high nibbles bounds every logit from above, and the low ones are
// read of those rows only whose bound reaches the best logit that is known:
// about one in 400 of examples/en-de. What they then give is the same to the
// last bit as GemmInt8 and the bias: the sum in int32 is exact, and the
// operations on floats are the same. See transformer/pruned_argmax.h.
//
// A matrix [n, k], k a multiple of 128, is a row of blocks of 16 output
// channels, and after all blocks the low nibbles [n, k / 2]. A block is
//   high nibbles [16, k / 2], float scale [16], float norm [16],
//   int32 sum of high nibbles [16], int32 sum of low nibbles [16]
// norm is at least |l - 7.5|. Byte j of each 64 of a row has input j in its low
// half and input 64 + j, of the 128 that these 64 bytes hold, in its high one.
// Rows are padded with zeros to a multiple of 16, the low ones too.
//
// For *_isa.cc too, which calls none of its functions.
#ifndef LATIMER_OPS_NIBBLE_PLANES_H_
#define LATIMER_OPS_NIBBLE_PLANES_H_

#include <stddef.h>
#include <stdint.h>

namespace latimer {

struct CpuFeatures;
struct PackedMatrix;

// Rows of a block; bytes of what stands behind its nibbles.
inline constexpr uint32_t kNibbleBlockRows = 16;
inline constexpr uint32_t kNibbleConstantBytes = 256;
// k is a multiple of this.
inline constexpr uint32_t kNibbleInputs = 128;
// Largest k: all sums fit int32.
inline constexpr uint32_t kMaxNibbleInputs = 16384;
// Rows whose bounds have one maximum.
inline constexpr uint32_t kNibbleGroupRows = 256;

// A row of activations and the matrix that multiplies it.
struct NibbleProduct {
  const uint8_t* blocks;  // 64-byte aligned
  const uint8_t* low;
  const float* bias;  // [n]; null: all zero
  size_t n;
  size_t k;
  const int8_t* q;  // [k]
  int32_t zero_point;
  float scale;
  // Of x = q - zero_point: the sum, and a number that is at least the norm.
  int32_t sum;
  float norm;
};

struct NibbleKernels {
  // "nibble_" and the instruction set: "sse41", "avx2", "avx512vnni", "neon",
  // "dotprod" or "scalar".
  const char* name;

  // upper[i - 16 begin] >= logit of channel i, for blocks [begin, end), and the
  // largest of them. Of channels from n on it is -inf. All tables give the same
  // bits.
  float (*bound)(const NibbleProduct& product, size_t begin, size_t end,
                 float* upper);

  // The logits of blocks [begin, end) themselves. Those of channels from n on
  // are written too; they mean nothing.
  void (*compute)(const NibbleProduct& product, size_t begin, size_t end,
                  float* logits);

  // The logit of one channel.
  float (*compute_one)(const NibbleProduct& product, size_t channel);
};

// The fastest table of this build that the CPU can run; null: none.
const NibbleKernels* SelectNibbleKernels(const CpuFeatures& features);

// Whether a matrix with k inputs may lie so.
constexpr bool FitsNibblePlanes(uint64_t k) {
  return k > 0 && k % kNibbleInputs == 0 && k <= kMaxNibbleInputs;
}

constexpr uint64_t NibbleBlocks(uint64_t n) {
  return (n + kNibbleBlockRows - 1) / kNibbleBlockRows;
}

// Bytes of the blocks, which are read for every token: a multiple of 64.
constexpr uint64_t NibbleBlockBytes(uint64_t n, uint64_t k) {
  return NibbleBlocks(n) * (kNibbleBlockRows * k / 2 + kNibbleConstantBytes);
}

// Bytes of the matrix: a multiple of 64.
constexpr uint64_t NibblePlaneBytes(uint64_t n, uint64_t k) {
  return NibbleBlockBytes(n, k) + NibbleBlocks(n) * kNibbleBlockRows * k / 2;
}

// What the kernels need to multiply q [w.k], quantized with these parameters,
// by w. Borrows all of it.
NibbleProduct MakeNibbleProduct(const PackedMatrix& w, const float* bias,
                                const int8_t* q, int32_t zero_point,
                                float scale);

// out [w.k] = the weights of one output channel, dequantized.
void UnpackNibbleRow(const PackedMatrix& w, uint32_t channel, float* out);

}  // namespace latimer

#endif  // LATIMER_OPS_NIBBLE_PLANES_H_
