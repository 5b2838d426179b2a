// The layout of a weight matrix for XNNPACK's GEMM kernels. The converter, the
// loader and the model use this header without seeing XNNPACK.
//
// A packed matrix [n, k] is a sequence of blocks of nr output channels. A block
// is
//
//   int8: int32 -(sum of the channel's weights) [nr], weights, float scale
//         [nr], float 0 [nr]
//   int6: as int8, with four weights in three bytes
//   int4: as int8, with two weights per byte
//   f32:  float 0 [nr], weights
//   f16:  weights, IEEE binary16; for our own kernels, which every CPU has
//
// The zeros are where XNNPACK expects the bias. Its kernels add the bias fused
// or not, depending on the CPU; with zeros all int8 kernels give the same bits,
// and the bias is added to their result.
//
// Weights come kr inputs at a time: kr of channel 0, kr of channel 1, ... With
// sr > 1 each group of kr*sr inputs is rotated by kr per channel ("shuffle").
// Inputs are padded with zeros to a multiple of kr*sr, channels to one of nr.
// int6 has the bytes of int8 in chunks of 128 (padded to that), of which each
// byte is 32 + weight: 64 bytes have the low four bits, the first 32 bytes of a
// chunk in their low nibbles, the second 32 in the high ones, and so on, and 32
// bytes the high two bits, those of the first 32 bytes in the lowest bits.
// int4 has kr bytes for 2*kr inputs of a channel, the first kr of them in the
// low nibbles, in two's complement; it is padded to 2*kr*sr.
// The layout is XNNPACK's `goi` packing for qd8-f32-qc8w, -qc4w and f32 GEMM.
#ifndef LATIMER_OPS_XNNPACK_PACKED_MATRIX_H_
#define LATIMER_OPS_XNNPACK_PACKED_MATRIX_H_

#include <cstddef>
#include <cstdint>

namespace latimer {

enum class WeightType : uint8_t {
  kF32,
  kInt8,  // Symmetric, one scale per output channel: XNNPACK's qc8w.
  kInt4,  // The same with -8..7: qc4w. For some matrices of an int8 model.
  // Converted to f32 when read: ops/gemm_float_isa.cc. For whole models, and
  // for matrices of an int8 model.
  kF16,
  kInt6,  // As kInt8 with -31..31. For matrices of an int8 model.
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
    case WeightType::kInt6:
      return "int6";
  }
  return "?";
}

// Named nr x kr [s sr]; only 4x4 is not, to tell it from f32's 4x1. The values
// are the model file's; see schema/model.fbs.
enum class Tile : uint8_t {
  k8x8 = 1,    // AVX2, AVX-VNNI, AVX-512; ARM dotprod and i8mm.
  k16x8 = 2,   // AVX-512; ARM dotprod and i8mm.
  k4x8 = 3,    // SSE4.1; Cortex-M with DSP instructions.
  k8x2s4 = 4,  // Plain NEON.
  k8x1 = 5,    // SSE4.1 and later, NEON.
  k16x4 = 6,   // ARM dotprod; RISC-V's vectors of 256 bits.
  k4x4 = 7,    // Plain C, inputs one by one.
  k4x1 = 8,    // Plain C.
  k16x1 = 9,   // All.
  k8x16 = 10,  // Cortex-M with Helium.
};

struct TileShape {
  uint32_t nr;  // Output channels of one block.
  uint32_t kr;  // Consecutive inputs of one channel.
  uint32_t sr;  // Length of the shuffle; 1 is none.
};

struct TileInfo {
  const char* name;
  // The weights of a model with this tile; int4, int6 and f16 matrices of an
  // int8 model have the tile of the others.
  WeightType type;
  TileShape shape;
};

// By the value of Tile. The first entry is for values that are not tiles.
inline constexpr TileInfo kTiles[] = {
    {"?", WeightType::kInt8, {}},
    {"8x8", WeightType::kInt8, {8, 8, 1}},
    {"16x8", WeightType::kInt8, {16, 8, 1}},
    {"4x8", WeightType::kInt8, {4, 8, 1}},
    {"8x2s4", WeightType::kInt8, {8, 2, 4}},
    {"8x1", WeightType::kF32, {8, 1, 1}},
    {"16x4", WeightType::kInt8, {16, 4, 1}},
    {"4x4", WeightType::kInt8, {4, 1, 1}},
    {"4x1", WeightType::kF32, {4, 1, 1}},
    {"16x1", WeightType::kF16, {16, 1, 1}},
    {"8x16", WeightType::kInt8, {8, 16, 1}},
};

constexpr const TileInfo& InfoOf(Tile tile) {
  const auto value = static_cast<size_t>(tile);
  return kTiles[value < sizeof(kTiles) / sizeof(kTiles[0]) ? value : 0];
}

constexpr const char* NameOf(Tile tile) { return InfoOf(tile).name; }
constexpr WeightType WeightTypeOf(Tile tile) { return InfoOf(tile).type; }
constexpr TileShape ShapeOf(Tile tile) { return InfoOf(tile).shape; }

// The shape of int4 weights may differ: XNNPACK has no kernels for plain NEON
// with a shuffle. f16 weights have one shape, whatever the model's tile.
constexpr TileShape ShapeOf(WeightType type, Tile tile) {
  if (type == WeightType::kF16) return ShapeOf(Tile::k16x1);
  return type == WeightType::kInt4 && tile == Tile::k8x2s4 ? TileShape{16, 1, 1}
                                                           : ShapeOf(tile);
}

// The alignment of a packed matrix; its size is a multiple of this too.
inline constexpr size_t kPackedAlignment = 64;

constexpr uint64_t RoundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// A chunk of an int6 block.
inline constexpr uint32_t kInt6ChunkWeights = 128;
inline constexpr uint32_t kInt6ChunkBytes = kInt6ChunkWeights * 6 / 8;

// Inputs of a packed channel: k and its padding.
constexpr uint64_t PackedInputs(WeightType type, Tile tile, uint64_t k) {
  const TileShape shape = ShapeOf(type, tile);
  const uint64_t group = uint64_t{shape.kr} * shape.sr;
  switch (type) {
    case WeightType::kInt4:
      return RoundUp(k, 2 * group);
    case WeightType::kInt6: {
      const uint64_t chunk = kInt6ChunkWeights / shape.nr;
      return RoundUp(k, group > chunk ? group : chunk);  // Powers of two.
    }
    case WeightType::kF32:
    case WeightType::kF16:
    case WeightType::kInt8:
      break;
  }
  return RoundUp(k, group);
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
    case WeightType::kInt6:
      return (inputs * 6 / 8 + kBesideIntegers) * nr;
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

// A packed matrix in borrowed memory, usually the model file.
struct PackedMatrix {
  const std::byte* data = nullptr;      // kPackedAlignment-aligned.
  uint32_t n = 0;                       // Output channels.
  uint32_t k = 0;                       // Inputs.
  WeightType type = WeightType::kInt8;  // Of its weights.
};

}  // namespace latimer

#endif  // LATIMER_OPS_XNNPACK_PACKED_MATRIX_H_
