// How a weight matrix lies in memory for XNNPACK's GEMM kernels. A leaf: the
// converter, the loader and the model use it, and none of them sees XNNPACK.
//
// A packed matrix [n, k] is a row of blocks of nr output channels. A block is
//
//   int8: int32 -(sum of the channel's weights) [nr], weights, float scale
//         [nr], float 0 [nr]
//   int4: as int8, with two weights a byte
//   f32:  float 0 [nr], weights
//   f16:  weights, IEEE binary16; for kernels of our own, which every CPU has
//
// The zeros are where XNNPACK has the bias. Its kernels add that fused or not,
// as the CPU does; with zeros they all give the same bits (of int8), and the
// bias is added to what they give.
//
// Weights come kr inputs at a time: kr of channel 0, kr of channel 1, ... With
// sr > 1 each group of kr*sr inputs is rotated by kr per channel ("shuffle").
// Inputs are padded with zeros to a multiple of kr*sr, channels to one of nr.
// int4 has kr bytes for 2*kr inputs of a channel, the first kr of them in the
// low nibbles, in two's complement; it is padded to 2*kr*sr.
// The layout is XNNPACK's `goi` packing of qd8-f32-qc8w, -qc4w and f32 GEMM.
#ifndef LATIMER_OPS_XNNPACK_PACKED_MATRIX_H_
#define LATIMER_OPS_XNNPACK_PACKED_MATRIX_H_

#include <cstddef>
#include <cstdint>

namespace latimer {

enum class WeightType : uint8_t {
  kF32,
  kInt8,  // Symmetric, one scale per output channel: XNNPACK's qc8w.
  kInt4,  // The same with -8..7: qc4w. For some matrices of an int8 model.
  kF16,   // Converted to f32 as they are read: ops/gemm_f16_isa.cc.
};

// Named nr x kr [s sr], but for 4x4, to tell it from its f32 counterpart. The
// values are the model file's; see schema/model.fbs.
enum class Tile : uint8_t {
  k8x8 = 1,    // int8: AVX2, AVX-VNNI, AVX-512; ARM dotprod and i8mm.
  k16x8 = 2,   // int8: AVX-512; ARM dotprod and i8mm.
  k4x8 = 3,    // int8: SSE4.1.
  k8x2s4 = 4,  // int8: plain NEON.
  k8x1 = 5,    // f32: SSE4.1 and later, NEON.
  k16x4 = 6,   // int8: ARM dotprod.
  k4x4 = 7,    // int8: plain C, inputs one by one.
  k4x1 = 8,    // f32: plain C.
  k16x1 = 9,   // f16: all.
};

constexpr const char* NameOf(WeightType type) {
  switch (type) {
    case WeightType::kF32:
      return "f32";
    case WeightType::kInt8:
      return "int8";
    case WeightType::kInt4:
      return "int4";
    case WeightType::kF16:
      return "f16";
  }
  return "?";
}

struct TileShape {
  uint32_t nr;  // Output channels of one block.
  uint32_t kr;  // Consecutive inputs of one channel.
  uint32_t sr;  // Length of the shuffle; 1 is none.
};

constexpr TileShape ShapeOf(Tile tile) {
  switch (tile) {
    case Tile::k8x8:
      return {8, 8, 1};
    case Tile::k16x8:
      return {16, 8, 1};
    case Tile::k4x8:
      return {4, 8, 1};
    case Tile::k8x2s4:
      return {8, 2, 4};
    case Tile::k8x1:
      return {8, 1, 1};
    case Tile::k16x4:
      return {16, 4, 1};
    case Tile::k4x4:
    case Tile::k4x1:
      return {4, 1, 1};
    case Tile::k16x1:
      return {16, 1, 1};
  }
  return {};
}

// int4 weights in a model of this tile: XNNPACK has none for plain NEON with a
// shuffle.
constexpr TileShape Int4ShapeOf(Tile tile) {
  return tile == Tile::k8x2s4 ? TileShape{16, 1, 1} : ShapeOf(tile);
}

constexpr TileShape ShapeOf(WeightType type, Tile tile) {
  return type == WeightType::kInt4 ? Int4ShapeOf(tile) : ShapeOf(tile);
}

// "8x8", "8x2s4", ...; "?" for a value that is no tile.
constexpr const char* NameOf(Tile tile) {
  switch (tile) {
    case Tile::k8x8:
      return "8x8";
    case Tile::k16x8:
      return "16x8";
    case Tile::k4x8:
      return "4x8";
    case Tile::k8x2s4:
      return "8x2s4";
    case Tile::k8x1:
      return "8x1";
    case Tile::k16x4:
      return "16x4";
    case Tile::k4x4:
      return "4x4";
    case Tile::k4x1:
      return "4x1";
    case Tile::k16x1:
      return "16x1";
  }
  return "?";
}

// Of a model's matrices; those that are int4 have the tile of the others.
constexpr WeightType WeightTypeOf(Tile tile) {
  if (tile == Tile::k16x1) return WeightType::kF16;
  return tile == Tile::k8x1 || tile == Tile::k4x1 ? WeightType::kF32
                                                  : WeightType::kInt8;
}

// Where a packed matrix must begin, and what its size is a multiple of.
inline constexpr size_t kPackedAlignment = 64;

constexpr uint64_t RoundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Inputs of a packed channel: k with its padding.
constexpr uint64_t PackedInputs(WeightType type, Tile tile, uint64_t k) {
  const TileShape shape = ShapeOf(type, tile);
  const uint64_t planes = type == WeightType::kInt4 ? 2 : 1;
  return RoundUp(k, planes * shape.kr * shape.sr);
}

// Bytes of one block of nr channels.
constexpr uint64_t PackedBlockBytes(WeightType type, Tile tile, uint64_t k) {
  const uint64_t inputs = PackedInputs(type, tile, k);
  const uint32_t nr = ShapeOf(type, tile).nr;
  constexpr uint64_t kBesideIntegers = 2 * sizeof(float) + sizeof(int32_t);
  switch (type) {
    case WeightType::kF32:
      return (inputs * sizeof(float) + sizeof(float)) * nr;
    case WeightType::kInt8:
      return (inputs + kBesideIntegers) * nr;
    case WeightType::kInt4:
      return (inputs / 2 + kBesideIntegers) * nr;
    case WeightType::kF16:
      return inputs * sizeof(uint16_t) * nr;
  }
  return 0;
}

// Bytes of a packed matrix with n output channels and k inputs: a multiple of
// kPackedAlignment.
constexpr uint64_t PackedBytes(WeightType type, Tile tile, uint64_t n,
                               uint64_t k) {
  const uint32_t nr = ShapeOf(type, tile).nr;
  const uint64_t blocks = RoundUp(n, nr) / nr;
  return RoundUp(blocks * PackedBlockBytes(type, tile, k), kPackedAlignment);
}

// A packed matrix in somebody else's memory, usually the model file.
struct PackedMatrix {
  const std::byte* data = nullptr;  // kPackedAlignment-aligned.
  uint32_t n = 0;                   // Output channels.
  uint32_t k = 0;                   // Inputs.
  bool int4 = false;                // WeightType::kInt4.
};

}  // namespace latimer

#endif  // LATIMER_OPS_XNNPACK_PACKED_MATRIX_H_
