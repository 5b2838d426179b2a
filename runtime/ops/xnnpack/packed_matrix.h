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

#include "ops/xnnpack/weight_types.h"

namespace latimer {

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

// The shape of weights of a type in a model of this tile.
constexpr TileShape ShapeOf(WeightType type, Tile tile) {
  const TileShape shape = ShapeOf(tile);
  const TileRule rule = InfoOf(type).tile;
  return rule == TileRule::k16x1 ||
                 (rule == TileRule::kUnshuffled && shape.sr > 1)
             ? ShapeOf(Tile::k16x1)
             : shape;
}

// The alignment of a packed matrix; its size is a multiple of this too.
inline constexpr size_t kPackedAlignment = 64;

constexpr uint64_t RoundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// A chunk of an int6 block.
inline constexpr uint32_t kInt6ChunkWeights = InfoOf(WeightType::kInt6).chunk;
inline constexpr uint32_t kInt6ChunkBytes = kInt6ChunkWeights * 6 / 8;

// Inputs of a packed channel: k and its padding.
constexpr uint64_t PackedInputs(WeightType type, Tile tile, uint64_t k) {
  const TileShape shape = ShapeOf(type, tile);
  const uint32_t groups = shape.kr * shape.sr * InfoOf(type).groups;
  const uint32_t chunk = InfoOf(type).chunk;
  // All are powers of two.
  return RoundUp(k, chunk > groups * shape.nr ? chunk / shape.nr : groups);
}

// Bytes of one block of nr channels.
constexpr uint64_t PackedBlockBytes(WeightType type, Tile tile, uint64_t k) {
  return (PackedInputs(type, tile, k) * InfoOf(type).bits / 8 +
          InfoOf(type).bytes_beside) *
         ShapeOf(type, tile).nr;
}

// Bytes of a packed matrix with n output channels and k inputs: a multiple of
// kPackedAlignment.
constexpr uint64_t PackedBytes(WeightType type, Tile tile, uint64_t n,
                               uint64_t k) {
  const uint32_t nr = ShapeOf(type, tile).nr;
  const uint64_t blocks = RoundUp(n, nr) / nr;
  return RoundUp(blocks * PackedBlockBytes(type, tile, k), kPackedAlignment);
}

// Bytes of a channel of a full block.
constexpr uint64_t PackedChannelBytes(WeightType type, Tile tile, uint64_t k) {
  return PackedBlockBytes(type, tile, k) / ShapeOf(type, tile).nr;
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
