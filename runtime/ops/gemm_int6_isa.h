// Products of quantized rows and int6 weights; see ops/gemm_int8.h. An
// instruction set has Bytes, a vector of two or four channels with eight inputs
// of each, and functions of it.
//
// A weight is stored as a code, c = 32 + w, and a * w = c * a - 32 * a, where
// the sum of those a is one number per row. Four products are at least
// -4 * 63 * 128, so two sums of two are added in int16 before they are widened.
// All of this is exact.
//
// Up to four rows unpack the codes in registers. More of them read the codes of
// a block in the first-level cache, where they are unpacked once.
#ifndef LATIMER_OPS_GEMM_INT6_ISA_H_
#define LATIMER_OPS_GEMM_INT6_ISA_H_

#include "ops/gemm_int8.h"
#include "ops/simd.h"
#if defined(__wasm_simd128__)
#include "ops/gemm_int6_wasm.h"
#else
#include "ops/gemm_int8_x86.h"
#endif

namespace latimer::LATIMER_ISA {
namespace {

constexpr size_t kChunk = 128;  // Weights, in 96 bytes: see packed_matrix.h.
constexpr size_t kChunkBytes = 96;
constexpr size_t kChunkInputs = kChunk / kChannels;
// Rows that share an unpacked block, and their sums a place.
constexpr size_t kMostRows = kInt6ScratchSums;
// Fewer rows unpack in registers.
constexpr size_t kFewestToUnpackFor = 5;

LATIMER_INLINE int32_t SumOfRow(const int8_t* q, size_t bytes) {
  int32_t sum = 0;
  for (size_t i = 0; i < bytes; ++i) sum += q[i];
  return sum;
}

// The codes of a chunk: vector v of the s-th eight inputs, as int8 has them.
constexpr size_t kChunkSteps = kChunkInputs / kInputs;
struct Codes {
  Bytes of[kChunkSteps][kVectors];
};

LATIMER_INLINE Codes UnpackChunk(const char* chunk) {
  Codes codes;
#pragma GCC unroll 8
  for (size_t i = 0; i < kChunk / sizeof(Bytes); ++i) {
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
template <size_t kRows, typename CodesOf>
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
    const Codes codes = codes_of(i);
#pragma GCC unroll 2
    for (size_t step = 0; step < kChunkSteps; step += 2) {
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
        const int8_t* eight = q[r] + i * kChunkInputs + step * kInputs;
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
    Finish(SumPairs(sums[r][0], sums[r][1]), quantization[row + r],
           block.negative_sums, block.scales, -32 * row_sums[r],
           args.channels - block.channel,
           args.y + (row + r) * args.y_stride + block.channel);
  }
}

// Calls multiply(block) for all blocks of channels.
template <typename Multiply>
LATIMER_INLINE void ForEachBlock(const GemmInt8Args& args, size_t chunks,
                                 const Multiply& multiply) {
  const auto* packed = static_cast<const char*>(args.weights);
  for (size_t channel = 0; channel < args.channels; channel += kChannels) {
    Block block;
    block.channel = channel;
    block.negative_sums = reinterpret_cast<const int32_t*>(packed);
    block.chunks = packed + kChannels * sizeof(int32_t);
    packed = block.chunks + chunks * kChunkBytes;
    block.scales = reinterpret_cast<const float*>(packed);
    packed += kChannels * 2 * sizeof(float);
    multiply(block);
  }
}

// Functions of their own, lest the compiler spill what they all use.

template <size_t kRows>
[[gnu::noinline]] void MultiplyFewRows(const GemmInt8Args& args, size_t chunks,
                                       size_t row, const int32_t* row_sums) {
  ForEachBlock(args, chunks, [&](const Block& block) LATIMER_INLINED {
    MultiplyRows<kRows>(args, block, chunks, row, row_sums,
                        [&](size_t i) LATIMER_INLINED {
                          const char* chunk = block.chunks + i * kChunkBytes;
                          Prefetch(chunk + kPrefetchBytes);
                          return UnpackChunk(chunk);
                        });
  });
}

template <size_t kRows>
[[gnu::noinline]] void MultiplyUnpacked(const GemmInt8Args& args,
                                        const Block& block, size_t chunks,
                                        size_t row, const int32_t* row_sums,
                                        const char* unpacked) {
  MultiplyRows<kRows>(
      args, block, chunks, row, row_sums, [&](size_t i) LATIMER_INLINED {
        // Of the next block, which will be unpacked at once.
        Prefetch(block.chunks + (chunks + i) * kChunkBytes);
        Codes codes;
#pragma GCC unroll 8
        for (size_t v = 0; v < kChunk / sizeof(Bytes); ++v) {
          codes.of[v / kVectors][v % kVectors] =
              LoadBytes(unpacked + i * kChunk + v * sizeof(Bytes));
        }
        return codes;
      });
}

LATIMER_INLINE void UnpackBlock(const Block& block, size_t chunks, char* out) {
  for (size_t i = 0; i < chunks; ++i, out += kChunk) {
    const Codes codes = UnpackChunk(block.chunks + i * kChunkBytes);
#pragma GCC unroll 8
    for (size_t v = 0; v < kChunk / sizeof(Bytes); ++v) {
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

LATIMER_INLINE void MultiplyInt6(const GemmInt8Args& args, size_t rows,
                                 void* scratch) {
  const size_t inputs =
      (args.k + kChunkInputs - 1) / kChunkInputs * kChunkInputs;
  const size_t chunks = inputs / kChunkInputs;
  auto* unpacked = static_cast<char*>(scratch);
  auto* row_sums = reinterpret_cast<int32_t*>(unpacked + chunks * kChunk);
  for (size_t begin = 0; begin < rows; begin += kMostRows) {
    const size_t end = rows - begin < kMostRows ? rows : begin + kMostRows;
    for (size_t row = begin; row < end; ++row) {
      row_sums[row - begin] = SumOfRow(args.q + row * args.q_stride, inputs);
    }
    if (end - begin < kFewestToUnpackFor) {
      ForEachGroup(begin, end, [&](auto count, size_t row) {
        MultiplyFewRows<count.value>(args, chunks, row, row_sums + row - begin);
      });
      continue;
    }
    ForEachBlock(args, chunks, [&](const Block& block) {
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

#endif  // LATIMER_OPS_GEMM_INT6_ISA_H_
