// Products of quantized rows and int6 or int4 weights; see ops/gemm_int8.h. An
// instruction set has Bytes, a vector of two or four channels with eight inputs
// of each, and functions of it.
//
// A weight becomes a code that is not negative, c = w + 32 or w + 8, and
// a * w = c * a - 32 * a, where the sum of those a is one number per row. Four
// products are at least -4 * 63 * 128, so two sums of two are added in int16
// before they are widened. All of this is exact.
//
// Up to four rows unpack the codes in registers. More of them, of int6, read
// the codes of a block in the first-level cache, where they are unpacked once.
#ifndef LATIMER_OPS_GEMM_INT_CODES_ISA_H_
#define LATIMER_OPS_GEMM_INT_CODES_ISA_H_

#include "ops/gemm_int8.h"
#include "ops/simd.h"
#if defined(__wasm_simd128__)
#include "ops/gemm_int_codes_wasm.h"
#else
#include "ops/gemm_int8_x86.h"
#endif

namespace latimer::LATIMER_ISA {
namespace {

// Rows that share an unpacked block, and their sums a place.
constexpr size_t kRowsOfABlock = kCodesScratchSums;
// Fewer rows unpack in registers.
constexpr size_t kFewestToUnpackFor = 5;

LATIMER_INLINE int32_t SumOfRow(const int8_t* q, size_t bytes) {
  int32_t sum = 0;
  for (size_t i = 0; i < bytes; ++i) sum += q[i];
  return sum;
}

// The codes of a chunk of weights: vector v of the s-th eight inputs, as int8
// has them.
template <typename Format>
struct Codes {
  Bytes of[Format::kInputs / kInputs][kVectors];
};

// How packed_matrix.h stores weights: chunks of kInputs inputs of a block, to
// which inputs are padded; a code is kZero more than its weight. The sums in
// the file are shifted by kShift, and so are those that are added to them.
struct Int6 {
  static constexpr size_t kInputs = 128 / kChannels;
  static constexpr size_t kChunkBytes = 96;
  static constexpr int32_t kZero = 32;
  static constexpr int kShift = 0;

  LATIMER_INLINE static Codes<Int6> Unpack(const char* chunk) {
    Codes<Int6> codes;
#pragma GCC unroll 8
    for (size_t i = 0; i < 128 / sizeof(Bytes); ++i) {
      const size_t quarter = i * sizeof(Bytes) / 32;
      const size_t from = i * sizeof(Bytes) % 32;
      // Bits that come from the byte beside are masked.
      Bytes nibbles = LoadBytes(chunk + quarter / 2 * 32 + from);
      Bytes bits = LoadBytes(chunk + 64 + from);
      if (quarter % 2 == 1) nibbles = ShiftRight<4>(nibbles);
      if (quarter == 0) bits = ShiftLeft<4>(bits);
      if (quarter == 1) bits = ShiftLeft<2>(bits);
      if (quarter == 3) bits = ShiftRight<2>(bits);
      codes.of[i / kVectors][i % kVectors] =
          (nibbles & RepeatByte(15)) | (bits & RepeatByte(48));
    }
    return codes;
  }
};

struct Int4 {
  static constexpr size_t kInputs = 16;
  static constexpr size_t kChunkBytes = kInputs * kChannels / 2;
  static constexpr int32_t kZero = 8;
  static constexpr int kShift = 4;

  LATIMER_INLINE static Codes<Int4> Unpack(const char* chunk) {
    Codes<Int4> codes;
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) {
      const Bytes pairs =
          LoadBytes(chunk + v * sizeof(Bytes)) ^ RepeatByte(-0x78);
      codes.of[0][v] = pairs & RepeatByte(15);
      codes.of[1][v] = ShiftRight<4>(pairs) & RepeatByte(15);
    }
    return codes;
  }
};

// A block of channels, the last of which may have fewer than it holds.
struct Block {
  const int32_t* negative_sums;
  const char* chunks;
  const float* scales;
  size_t channel;  // The first.
};

template <size_t kValue>
struct Constant {
  static constexpr size_t value = kValue;
};

LATIMER_INLINE void Prefetch(const char* chunk) {
  __builtin_prefetch(chunk);
  __builtin_prefetch(chunk + kLine);
}

// kRows rows from `row` on, given their sums; codes_of(i) are those of chunk i.
template <typename Format, size_t kRows, typename CodesOf>
LATIMER_INLINE void MultiplyRows(const GemmInt8Args& args, const Block& block,
                                 size_t chunks, size_t row,
                                 const int32_t* row_sums,
                                 const CodesOf& codes_of) {
  const int8_t* q[kRows];
  Bytes sums[kRows][kVectors];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
    q[r] = args.q + (row + r) * args.q_stride;
#pragma GCC unroll 2
    for (Bytes& sum : sums[r]) sum = Bytes{};
  }
#pragma GCC unroll 1
  for (size_t i = 0; i < chunks; ++i) {
    const Codes<Format> codes = codes_of(i);
#pragma GCC unroll 2
    for (size_t step = 0; step < Format::kInputs / kInputs; step += 2) {
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
        const int8_t* eight = q[r] + i * Format::kInputs + step * kInputs;
        const Bytes first = RepeatEight(eight);
        const Bytes second = RepeatEight(eight + kInputs);
#pragma GCC unroll 2
        for (size_t v = 0; v < kVectors; ++v) {
          AddPairs(AddShorts(MultiplyPairs(codes.of[step][v], first),
                             MultiplyPairs(codes.of[step + 1][v], second)),
                   sums[r][v]);
        }
      }
    }
  }
  const auto* quantization =
      static_cast<const Quantization*>(args.quantization);
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
    Finish<Format::kShift>(SumPairs(sums[r][0], sums[r][1]),
                           quantization[row + r], block.negative_sums,
                           block.scales, -Format::kZero * row_sums[r],
                           args.channels - block.channel,
                           args.y + (row + r) * args.y_stride + block.channel);
  }
}

// Calls multiply(block) for all blocks of channels.
template <typename Format, typename Multiply>
LATIMER_INLINE void ForEachBlock(const GemmInt8Args& args, size_t chunks,
                                 const Multiply& multiply) {
  const auto* packed = static_cast<const char*>(args.weights);
  for (size_t channel = 0; channel < args.channels; channel += kChannels) {
    Block block;
    block.channel = channel;
    block.negative_sums = reinterpret_cast<const int32_t*>(packed);
    block.chunks = packed + kChannels * sizeof(int32_t);
    packed = block.chunks + chunks * Format::kChunkBytes;
    block.scales = reinterpret_cast<const float*>(packed);
    packed += kChannels * 2 * sizeof(float);
    multiply(block);
  }
}

// Functions of their own, lest the compiler spill what they all use.

template <typename Format, size_t kRows>
[[gnu::noinline]] void MultiplyFewRows(const GemmInt8Args& args, size_t chunks,
                                       size_t row, const int32_t* row_sums) {
  ForEachBlock<Format>(args, chunks, [&](const Block& block) LATIMER_INLINED {
    MultiplyRows<Format, kRows>(
        args, block, chunks, row, row_sums, [&](size_t i) LATIMER_INLINED {
          const char* chunk = block.chunks + i * Format::kChunkBytes;
          Prefetch(chunk + kPrefetchBytes);
          return Format::Unpack(chunk);
        });
  });
}

template <size_t kRows>
[[gnu::noinline]] void MultiplyUnpacked(const GemmInt8Args& args,
                                        const Block& block, size_t chunks,
                                        size_t row, const int32_t* row_sums,
                                        const char* unpacked) {
  MultiplyRows<Int6, kRows>(
      args, block, chunks, row, row_sums, [&](size_t i) LATIMER_INLINED {
        // Of the next block, which will be unpacked at once.
        Prefetch(block.chunks + (chunks + i) * Int6::kChunkBytes);
        Codes<Int6> codes;
#pragma GCC unroll 8
        for (size_t v = 0; v < sizeof(codes) / sizeof(Bytes); ++v) {
          codes.of[v / kVectors][v % kVectors] =
              LoadBytes(unpacked + i * sizeof(codes) + v * sizeof(Bytes));
        }
        return codes;
      });
}

LATIMER_INLINE void UnpackBlock(const Block& block, size_t chunks, char* out) {
  for (size_t i = 0; i < chunks; ++i, out += sizeof(Codes<Int6>)) {
    const Codes<Int6> codes =
        Int6::Unpack(block.chunks + i * Int6::kChunkBytes);
#pragma GCC unroll 8
    for (size_t v = 0; v < sizeof(codes) / sizeof(Bytes); ++v) {
      __builtin_memcpy(out + v * sizeof(Bytes),
                       &codes.of[v / kVectors][v % kVectors], sizeof(Bytes));
    }
  }
}

// Calls run(rows, row) for groups of four rows, two rows and one row that make
// up [begin, end); `rows` is a constant.
template <typename Run>
LATIMER_INLINE void ForEachGroup(size_t begin, size_t end, const Run& run) {
  size_t row = begin;
  for (; row + 4 <= end; row += 4) run(Constant<4>{}, row);
  if (row + 2 <= end) {
    run(Constant<2>{}, row);
    row += 2;
  }
  if (row < end) run(Constant<1>{}, row);
}

template <typename Format>
LATIMER_INLINE size_t ChunksOf(const GemmInt8Args& args) {
  return (args.k + Format::kInputs - 1) / Format::kInputs;
}

template <size_t kRows>
LATIMER_INLINE void MultiplyInt4(const GemmInt8Args& args) {
  const size_t chunks = ChunksOf<Int4>(args);
  int32_t row_sums[kRows];
  for (size_t row = 0; row < kRows; ++row) {
    row_sums[row] =
        SumOfRow(args.q + row * args.q_stride, chunks * Int4::kInputs);
  }
  MultiplyFewRows<Int4, kRows>(args, chunks, 0, row_sums);
}

LATIMER_INLINE void MultiplyInt6(const GemmInt8Args& args, size_t rows,
                                 void* scratch) {
  const size_t chunks = ChunksOf<Int6>(args);
  auto* unpacked = static_cast<char*>(scratch);
  auto* row_sums =
      reinterpret_cast<int32_t*>(unpacked + chunks * sizeof(Codes<Int6>));
  for (size_t begin = 0; begin < rows; begin += kRowsOfABlock) {
    const size_t end =
        rows - begin < kRowsOfABlock ? rows : begin + kRowsOfABlock;
    for (size_t row = begin; row < end; ++row) {
      row_sums[row - begin] =
          SumOfRow(args.q + row * args.q_stride, chunks * Int6::kInputs);
    }
    if (end - begin < kFewestToUnpackFor) {
      ForEachGroup(begin, end, [&](auto count, size_t row) {
        MultiplyFewRows<Int6, count.value>(args, chunks, row,
                                           row_sums + row - begin);
      });
      continue;
    }
    ForEachBlock<Int6>(args, chunks, [&](const Block& block) {
      UnpackBlock(block, chunks, unpacked);
      ForEachGroup(begin, end, [&](auto count, size_t row) {
        MultiplyUnpacked<count.value>(args, block, chunks, row,
                                      row_sums + row - begin, unpacked);
      });
    });
  }
}

}  // namespace
}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_OPS_GEMM_INT_CODES_ISA_H_
