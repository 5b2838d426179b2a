// How a weight matrix lies in memory for XNNPACK's GEMM kernels. A leaf: the
// converter, the loader and the model use it, and none of them sees XNNPACK.
//
// A packed matrix [n, k] is a row of blocks of nr output channels. A block is
//
//   int8: int32 -(sum of the channel's weights) [nr], weights, float scale
//         [nr], float 0 [nr]
//   f32:  float 0 [nr], weights
//
// The zeros are where XNNPACK has the bias. Its kernels add that fused or not,
// as the CPU does; with zeros they all give the same bits (of int8), and the
// bias is added to what they give.
//
// Weights come kr inputs at a time: kr of channel 0, kr of channel 1, ... With
// sr > 1 each group of kr*sr inputs is rotated by kr per channel ("shuffle").
// Inputs are padded with zeros to a multiple of kr*sr, channels to one of nr.
// The layout is XNNPACK's `goi` packing of qd8-f32-qc8w and f32 GEMM.
#ifndef LATIMER_OPS_XNNPACK_PACKED_MATRIX_H_
#define LATIMER_OPS_XNNPACK_PACKED_MATRIX_H_

#include <cstddef>
#include <cstdint>

namespace latimer {

enum class WeightType : uint8_t {
  kF32,
  kInt8,  // Symmetric, one scale per output channel: XNNPACK's qc8w.
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
};

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
  }
  return {};
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
  }
  return "?";
}

constexpr WeightType WeightTypeOf(Tile tile) {
  return tile == Tile::k8x1 || tile == Tile::k4x1 ? WeightType::kF32
                                                  : WeightType::kInt8;
}

// Where a packed matrix must begin, and what its size is a multiple of.
inline constexpr size_t kPackedAlignment = 64;

constexpr uint64_t RoundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Inputs of a packed channel: k with its padding.
constexpr uint64_t PackedInputs(Tile tile, uint64_t k) {
  const TileShape shape = ShapeOf(tile);
  return RoundUp(k, uint64_t{shape.kr} * shape.sr);
}

// Bytes of one block of nr channels.
constexpr uint64_t PackedBlockBytes(WeightType type, Tile tile, uint64_t k) {
  const uint64_t inputs = PackedInputs(tile, k);
  const uint64_t channel = type == WeightType::kInt8
                               ? inputs + 2 * sizeof(float) + sizeof(int32_t)
                               : (inputs + 1) * sizeof(float);
  return channel * ShapeOf(tile).nr;
}

// Bytes of a packed matrix with n output channels and k inputs: a multiple of
// kPackedAlignment.
constexpr uint64_t PackedBytes(WeightType type, Tile tile, uint64_t n,
                               uint64_t k) {
  const uint32_t nr = ShapeOf(tile).nr;
  const uint64_t blocks = RoundUp(n, nr) / nr;
  return RoundUp(blocks * PackedBlockBytes(type, tile, k), kPackedAlignment);
}

// A packed matrix in somebody else's memory, usually the model file.
struct PackedMatrix {
  const std::byte* data = nullptr;  // kPackedAlignment-aligned.
  uint32_t n = 0;                   // Output channels.
  uint32_t k = 0;                   // Inputs.
};

}  // namespace latimer

#endif  // LATIMER_OPS_XNNPACK_PACKED_MATRIX_H_
