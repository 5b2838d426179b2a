#include "ops/xnnpack/gather.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "latimer/profile_config.h"

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

// Byte `at` of an int8 block and those after it, of one word, from a block of
// chunks. No byte of a word carries into another.
template <typename Word>
Word Int8Word(const std::byte* chunks, size_t at) {
  constexpr auto kOnes = static_cast<Word>(0x0101010101010101);
  chunks += at / kInt6ChunkWeights * kInt6ChunkBytes;
  const size_t quarter = at / 32 % 4, i = at % 32;
  Word nibbles, bits;
  std::memcpy(&nibbles, chunks + quarter / 2 * 32 + i, sizeof(nibbles));
  std::memcpy(&bits, chunks + 64 + i, sizeof(bits));
  const auto code =
      static_cast<Word>((nibbles >> quarter % 2 * 4 & 15 * kOnes) |
                        (bits >> quarter * 2 & 3 * kOnes) << 4);
  return static_cast<Word>(((code | 128 * kOnes) - 32 * kOnes) ^ 128 * kOnes);
}

template <typename Word, size_t kWords, bool kChunked>
void CopyPiece(const std::byte* in, size_t at, std::byte* out) {
  if constexpr (kChunked) {
    for (size_t i = 0; i < kWords; ++i) {
      const auto word = Int8Word<Word>(in, at + i * sizeof(Word));
      std::memcpy(out + i * sizeof(Word), &word, sizeof(word));
    }
  } else {
    std::memcpy(out, in + at, kWords * sizeof(Word));
  }
}

// Copies the pieces of channel `from` of a block to channel `to` of another.
template <typename Word, size_t kWords, bool kChunked>
void CopyPieces(const BlockLayout& layout, const std::byte* in, size_t from,
                std::byte* out, size_t to) {
  constexpr size_t kPieceBytes = kWords * sizeof(Word);
  const size_t step = layout.shape.nr * kPieceBytes;
  from *= kPieceBytes;
  out += to * kPieceBytes;
  if (layout.shape.sr == 1) {
    // Every kinds-th piece has the same place in its chunk, which takes a
    // while to find.
    const size_t kinds = kChunked ? kInt6ChunkWeights / step : 1;
    const size_t next = kChunked ? kInt6ChunkBytes : step;
    for (size_t kind = 0; kind < kinds; ++kind) {
      const std::byte* chunk = in;
      for (size_t i = kind; i < layout.pieces; i += kinds) {
        CopyPiece<Word, kWords, kChunked>(chunk, from + kind * step,
                                          out + i * step);
        chunk += next;
      }
    }
    return;
  }
  // Within sr pieces, those of channel c are rotated by c.
  const size_t last = layout.shape.sr - 1;
  const size_t turn = to - from / kPieceBytes;
  for (size_t i = 0; i < layout.pieces; ++i) {
    const size_t source = (i & ~last) + ((i + turn) & last);
    CopyPiece<Word, kWords, kChunked>(in, from + source * step, out + i * step);
  }
}

template <bool kChunked>
void CopyChannel(const BlockLayout& layout, size_t in_block_bytes,
                 const std::byte* in, size_t from, std::byte* out, size_t to) {
  const size_t nr = layout.shape.nr;
  const auto copy_number = [&](const std::byte* numbers, std::byte* into) {
    std::memcpy(into + to * sizeof(float), numbers + from * sizeof(float),
                sizeof(float));
  };
  if (layout.before > 0) copy_number(in, out);
  for (size_t i = layout.after / sizeof(float); i > 0; --i) {
    const size_t end = i * nr * sizeof(float);
    copy_number(in + in_block_bytes - end, out + layout.block_bytes - end);
  }
  in += nr * layout.before;
  out += nr * layout.before;
  switch (layout.piece_bytes) {
    case 1:
      return CopyPieces<uint8_t, 1, kChunked>(layout, in, from, out, to);
    case 2:
      return CopyPieces<uint16_t, 1, kChunked>(layout, in, from, out, to);
    case 4:
      return CopyPieces<uint32_t, 1, kChunked>(layout, in, from, out, to);
    case 8:
      return CopyPieces<uint64_t, 1, kChunked>(layout, in, from, out, to);
    default:
      LATIMER_DCHECK(layout.piece_bytes == 16);
      return CopyPieces<uint64_t, 2, kChunked>(layout, in, from, out, to);
  }
}

}  // namespace

PackedMatrix GatherChannels(Tile tile, const PackedMatrix& w,
                            std::span<const uint32_t> channels,
                            std::byte* out) {
  const WeightType type = GatheredType(w.type);
  const BlockLayout layout(type, tile, w.k);
  const size_t nr = layout.shape.nr;
  const auto w_block_bytes =
      static_cast<size_t>(PackedBlockBytes(w.type, tile, w.k));
  const auto copy = kProfile.int6_weights && IsChunked(w.type)
                        ? CopyChannel<true>
                        : CopyChannel<false>;
  for (size_t i = 0; i < channels.size(); ++i) {
    LATIMER_DCHECK(channels[i] < w.n);
    std::byte* const to = out + i / nr * layout.block_bytes;
    if (i % nr == 0 && channels.size() - i < nr) {
      std::memset(to, 0, layout.block_bytes);
    }
    copy(layout, w_block_bytes, w.data + channels[i] / nr * w_block_bytes,
         channels[i] % nr, to, i % nr);
  }
  return {out, static_cast<uint32_t>(channels.size()), w.k, type};
}

}  // namespace latimer
