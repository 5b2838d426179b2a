#include "ops/xnnpack/gather.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "latimer/profile_config.h"
#include "ops/xnnpack/gemm.h"

namespace latimer {
namespace {

// Where a channel's bytes lie in a block: a number, pieces of so many weights,
// and two numbers.
struct BlockLayout {
  BlockLayout(WeightType type, Tile tile, uint64_t k)
      : shape(ShapeOf(type, tile)),
        block_bytes(static_cast<size_t>(PackedBlockBytes(type, tile, k))),
        piece_bytes(size_t{shape.kr} * InfoOf(type).groups * InfoOf(type).bits /
                    8),
        before(InfoOf(type).bytes_beside > 0 ? sizeof(float) : 0),
        after(InfoOf(type).bytes_beside - before) {
    pieces =
        (block_bytes - shape.nr * (before + after)) / (shape.nr * piece_bytes);
  }

  TileShape shape;
  size_t block_bytes;
  size_t piece_bytes;
  size_t pieces;         // Of a channel.
  size_t before, after;  // Bytes of a channel beside its weights.
};

// Copies the pieces of channel `from` of a block to channel `to` of another.
template <size_t kPieceBytes>
void CopyPieces(const BlockLayout& layout, const std::byte* in, size_t from,
                std::byte* out, size_t to) {
  const size_t step = layout.shape.nr * kPieceBytes;
  in += from * kPieceBytes;
  out += to * kPieceBytes;
  if (layout.shape.sr == 1) {
    for (size_t i = 0; i < layout.pieces; ++i) {
      std::memcpy(out + i * step, in + i * step, kPieceBytes);
    }
    return;
  }
  // Within sr pieces, those of channel c are rotated by c.
  const size_t last = layout.shape.sr - 1;
  for (size_t i = 0; i < layout.pieces; ++i) {
    const size_t source = (i & ~last) + ((i + to - from) & last);
    std::memcpy(out + i * step, in + source * step, kPieceBytes);
  }
}

void CopyChannel(const BlockLayout& layout, const std::byte* in, size_t from,
                 std::byte* out, size_t to) {
  const size_t nr = layout.shape.nr;
  if (layout.before > 0) {
    std::memcpy(out + to * sizeof(float), in + from * sizeof(float),
                sizeof(float));
  }
  for (size_t i = layout.after / sizeof(float); i > 0; --i) {
    const size_t end = layout.block_bytes - i * nr * sizeof(float);
    std::memcpy(out + end + to * sizeof(float), in + end + from * sizeof(float),
                sizeof(float));
  }
  in += nr * layout.before;
  out += nr * layout.before;
  switch (layout.piece_bytes) {
    case 1:
      return CopyPieces<1>(layout, in, from, out, to);
    case 2:
      return CopyPieces<2>(layout, in, from, out, to);
    case 4:
      return CopyPieces<4>(layout, in, from, out, to);
    case 8:
      return CopyPieces<8>(layout, in, from, out, to);
    default:
      LATIMER_DCHECK(layout.piece_bytes == 16);
      return CopyPieces<16>(layout, in, from, out, to);
  }
}

}  // namespace

PackedMatrix GatherChannels(Tile tile, const PackedMatrix& w,
                            std::span<const uint32_t> channels,
                            std::byte* scratch, std::byte* out) {
  const WeightType type = GatheredType(w.type);
  const BlockLayout layout(type, tile, w.k);
  const size_t nr = layout.shape.nr;
  const auto w_block_bytes =
      static_cast<size_t>(PackedBlockBytes(w.type, tile, w.k));
  size_t unpacked = std::numeric_limits<size_t>::max();  // Block in `scratch`.
  for (size_t i = 0; i < channels.size(); ++i) {
    LATIMER_DCHECK(channels[i] < w.n);
    const size_t block = channels[i] / nr;
    const std::byte* in = w.data + block * w_block_bytes;
    if (kProfile.int6_weights && IsChunked(w.type)) {
      if (block != unpacked) UnpackInt6Block(tile, w.k, in, scratch);
      unpacked = block;
      in = scratch;
    }
    std::byte* const to = out + i / nr * layout.block_bytes;
    if (i % nr == 0 && channels.size() - i < nr) {
      std::memset(to, 0, layout.block_bytes);
    }
    CopyChannel(layout, in, channels[i] % nr, to, i % nr);
  }
  return {out, static_cast<uint32_t>(channels.size()), w.k, type};
}

}  // namespace latimer
