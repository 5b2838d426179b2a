// Products of quantized rows and int6 weights with VNNI; see ops/gemm_int8.h.
// For gemm_int_codes_*vnni_isa.cc only.
//
// vpdpbusd multiplies codes, 32 + w, which are not negative, by inputs as they
// are. What 32 adds is taken away by the sum of the row. Every group of rows
// unpacks the codes in registers, which CPUs do while they multiply: to unpack
// them once, into the first-level cache, took longer on Zen 4. One row does not
// even join the bits of a code: it multiplies each part by the inputs, and
// joins the sums.
//
// The sums are exact for k up to 2^16, as those of XNNPACK's kernels for int8
// are: none exceeds 255 * 128 * k.
#ifndef LATIMER_OPS_GEMM_INT6_VNNI_H_
#define LATIMER_OPS_GEMM_INT6_VNNI_H_

#include "ops/gemm_int8.h"
#include "ops/gemm_int8_x86.h"
#include "ops/simd.h"

namespace latimer::LATIMER_ISA {
namespace {

// Of 128 weights of int6: ops/xnnpack/packed_matrix.h.
constexpr size_t kChunkBytes = 96;

// Adds products of four codes and inputs to each sum, in the register of those:
// GCC would move them.
template <typename Vector>
LATIMER_INLINE void AddProducts(Vector codes, Vector inputs, Vector& sums) {
#if defined(__AVX512VNNI__)
  asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(codes), "v"(inputs));
#else
  asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sums) : "x"(codes), "x"(inputs));
#endif
}

// The tiles. Of each: `Vector` holds eight inputs of half of a block's
// channels; a chunk has kSteps times eight inputs. Unpack() gives the codes of
// the first half and four times those of the second. So are their sums, which
// Write() takes and JoinParts() makes of what AddParts() adds up.

struct Tile8x8 {
  using Vector = Bytes;
  static constexpr size_t kNr = 8;
  static constexpr size_t kSteps = 2;
#if defined(__AVX512VNNI__)
  static constexpr size_t kMostRows = 10;  // Whose sums fit into registers.
#else
  static constexpr size_t kMostRows = 4;
#endif

  // Sums of one row: of each step's bytes, of their low nibbles, and of two of
  // the four pairs of high bits.
  static constexpr size_t kParts = 8;
  static constexpr size_t kApart = 1;

  LATIMER_INLINE static Vector Load(const void* p) { return LoadBytes(p); }
  LATIMER_INLINE static Vector Repeat(const int8_t* p) {
    return RepeatEight(p);
  }
  LATIMER_INLINE static Vector Sum(Vector a, Vector b) {
    return _mm256_add_epi32(a, b);
  }
  LATIMER_INLINE static void Unpack(const char* chunk, size_t step,
                                    Vector (&codes)[2]) {
    const Bytes nibbles = LoadBytes(chunk + 32 * step);
    const Bytes bits = LoadBytes(chunk + 64);
    const Bytes high = step == 0 ? ShiftLeft<4>(bits) : bits;
    codes[0] = (nibbles & RepeatByte(0x0f)) | (high & RepeatByte(0x30));
    codes[1] = (ShiftRight<2>(nibbles) & RepeatByte(0x3c)) |
               (high & RepeatByte(-0x40));
  }
  LATIMER_INLINE static void AddParts(const char* chunk, const int8_t* q,
                                      Vector (&sums)[kParts]) {
    const Bytes bits = LoadBytes(chunk + 64);
    for (size_t step = 0; step < kSteps; ++step) {
      const Bytes inputs = Repeat(q + step * kInputs);
      const Bytes nibbles = LoadBytes(chunk + 32 * step);
      AddProducts(nibbles, inputs, sums[4 * step]);
      AddProducts(nibbles & RepeatByte(0x0f), inputs, sums[4 * step + 1]);
      AddProducts(bits & RepeatByte(step == 0 ? 0x03 : 0x30), inputs,
                  sums[4 * step + 2]);
      AddProducts(bits & RepeatByte(step == 0 ? 0x0c : -0x40), inputs,
                  sums[4 * step + 3]);
    }
  }
  LATIMER_INLINE static void JoinParts(const Vector (&parts)[kParts],
                                       Vector (&sums)[2]) {
    const Bytes low = Sum(parts[1], parts[5]);
    const Bytes both = Sum(parts[0], parts[4]);
    sums[0] = Sum(low, Sum(_mm256_slli_epi32(parts[2], 4), parts[6]));
    sums[1] = Sum(_mm256_srai_epi32(_mm256_sub_epi32(both, low), 2),
                  Sum(_mm256_slli_epi32(parts[3], 4), parts[7]));
  }
  LATIMER_INLINE static void Write(const Vector (&sums)[2], int32_t added,
                                   const Quantization& row,
                                   const int32_t* negative_sums,
                                   const float* scales, size_t count,
                                   float* y) {
    Finish<0>(SumPairs(sums[0], _mm256_srai_epi32(sums[1], 2)), row,
              negative_sums, scales, added, count, y);
  }
};

#if defined(__AVX512VNNI__)
struct Tile16x8 {
  using Vector = __m512i;
  static constexpr size_t kNr = 16;
  static constexpr size_t kSteps = 1;
  static constexpr size_t kMostRows = 10;

  // Sums of one row: of the bytes, of their low nibbles, and of two pairs of
  // high bits in each half.
  static constexpr size_t kParts = 4;
  static constexpr size_t kApart = 2;

  LATIMER_INLINE static Vector Load(const void* p) {
    return _mm512_loadu_si512(p);
  }
  LATIMER_INLINE static Vector Repeat(const int8_t* p) {
    long long eight;
    __builtin_memcpy(&eight, p, sizeof(eight));
    return _mm512_set1_epi64(eight);
  }
  LATIMER_INLINE static Vector Sum(Vector a, Vector b) {
    return _mm512_add_epi32(a, b);
  }
  // The first vector has channels 0 to 3 and 8 to 11, whose codes are the
  // chunk's first and third quarter.
  LATIMER_INLINE static void Unpack(const char* chunk, size_t,
                                    Vector (&codes)[2]) {
    const Vector nibbles = Load(chunk);
    const Vector high =
        _mm512_maskz_rolv_epi32(kAll, LoadBits(chunk), Halves(4, 0));
    codes[0] =
        (nibbles & _mm512_set1_epi8(0x0f)) | (high & _mm512_set1_epi8(0x30));
    codes[1] = (_mm512_srli_epi16(nibbles, 2) & _mm512_set1_epi8(0x3c)) |
               (high & _mm512_set1_epi8(-0x40));
  }
  LATIMER_INLINE static void AddParts(const char* chunk, const int8_t* q,
                                      Vector (&sums)[kParts]) {
    const Vector inputs = Repeat(q);
    const Vector nibbles = Load(chunk);
    const Vector bits = LoadBits(chunk);
    AddProducts(nibbles, inputs, sums[0]);
    AddProducts(nibbles & _mm512_set1_epi8(0x0f), inputs, sums[1]);
    AddProducts(bits & Halves(0x03030303, 0x30303030), inputs, sums[2]);
    AddProducts(bits & Halves(0x0c0c0c0c, 0xc0c0c0c0), inputs, sums[3]);
  }
  LATIMER_INLINE static void JoinParts(const Vector (&parts)[kParts],
                                       Vector (&sums)[2]) {
    const auto shifted = [](Vector v) LATIMER_INLINED {
      return _mm512_maskz_sllv_epi32(kAll, v, Halves(4, 0));
    };
    sums[0] = Sum(parts[1], shifted(parts[2]));
    sums[1] = Sum(
        _mm512_maskz_srai_epi32(kAll, _mm512_sub_epi32(parts[0], parts[1]), 2),
        shifted(parts[3]));
  }
  LATIMER_INLINE static void Write(const Vector (&sums)[2], int32_t added,
                                   const Quantization& row,
                                   const int32_t* negative_sums,
                                   const float* scales, size_t count,
                                   float* y) {
    const auto pairs = [](Vector v) LATIMER_INLINED {
      return Ints(v) + Ints(_mm512_maskz_srli_epi64(kAll8, v, 32));
    };
    const Vector sum = _mm512_permutex2var_epi32(
        Vector(pairs(sums[0])),
        _mm512_setr_epi32(0, 2, 4, 6, 16, 18, 20, 22, 8, 10, 12, 14, 24, 26, 28,
                          30),
        Vector(pairs(_mm512_maskz_srai_epi32(kAll, sums[1], 2))));
    Ints negative;
    Wide factors;
    __builtin_memcpy(&negative, negative_sums, sizeof(negative));
    __builtin_memcpy(&factors, scales, sizeof(factors));
    const Wide v = __builtin_convertvector(
                       Signed(Ints(sum) + static_cast<uint32_t>(added) +
                              negative * static_cast<uint32_t>(row.zero_point)),
                       Wide) *
                       row.scale * factors +
                   0.0f;  // XNNPACK's bias.
    const auto mask =
        static_cast<__mmask16>(count < kNr ? (1u << count) - 1 : 0xffff);
    _mm512_mask_storeu_ps(y, mask, __m512(v));
  }

 private:
  // The high bits of a chunk, twice.
  LATIMER_INLINE static Vector LoadBits(const char* chunk) {
    return _mm512_maskz_broadcast_i64x4(kAll8, LoadBytes(chunk + 64));
  }
  // A number in each half.
  LATIMER_INLINE static Vector Halves(uint32_t low, uint32_t high) {
    constexpr uint64_t kTwice = 0x100000001;
    const auto first = static_cast<int64_t>(low * kTwice);
    const auto second = static_cast<int64_t>(high * kTwice);
    return _mm512_setr_epi64(first, first, first, first, second, second, second,
                             second);
  }

  typedef uint32_t Ints __attribute__((vector_size(64)));
  typedef int32_t Signed __attribute__((vector_size(64)));
  typedef float Wide __attribute__((vector_size(64)));
  // GCC 12 warns of what unmasked intrinsics leave undefined.
  static constexpr __mmask16 kAll = 0xffff;
  static constexpr __mmask8 kAll8 = 0xff;
};
#endif

// kRows rows from `row` on and a block, which begins with `channel`.
template <typename Tile, size_t kRows>
LATIMER_INLINE void MultiplyBlock(const GemmInt8Args& args, const char* block,
                                  size_t chunks, size_t channel, size_t row,
                                  const int32_t* row_sums) {
  using Vector = typename Tile::Vector;
  constexpr size_t kSums = kRows == 1 ? Tile::kParts : 2;
  // Few rows sum every other chunk apart, because a sum waits for the one
  // before.
  constexpr size_t kApart = kRows == 1 ? Tile::kApart : kRows == 2 ? 2 : 1;
  const char* const first = block + Tile::kNr * sizeof(int32_t);
  const int8_t* q = args.q + row * args.q_stride;
  Vector sums[kApart][kRows][kSums] = {};
  const auto add = [&](size_t i, auto& into) LATIMER_INLINED {
    const char* chunk = first + i * kChunkBytes;
    if constexpr (kRows == 1) {
      Tile::AddParts(chunk, q + i * Tile::kSteps * kInputs, into[0]);
    } else {
#pragma GCC unroll 2
      for (size_t step = 0; step < Tile::kSteps; ++step) {
        Vector codes[2];
        Tile::Unpack(chunk, step, codes);
#pragma GCC unroll 10
        for (size_t r = 0; r < kRows; ++r) {
          const Vector inputs = Tile::Repeat(
              q + r * args.q_stride + (i * Tile::kSteps + step) * kInputs);
          AddProducts(codes[0], inputs, into[r][0]);
          AddProducts(codes[1], inputs, into[r][1]);
        }
      }
    }
  };
  size_t i = 0;
#pragma GCC unroll 1
  for (; i + kApart <= chunks; i += kApart) {
#pragma GCC unroll 2
    for (size_t apart = 0; apart < kApart; ++apart) add(i + apart, sums[apart]);
  }
  if (kApart > 1 && i < chunks) add(i, sums[0]);
  if constexpr (kApart > 1) {
#pragma GCC unroll 2
    for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (size_t part = 0; part < kSums; ++part) {
        sums[0][r][part] = Tile::Sum(sums[0][r][part], sums[1][r][part]);
      }
    }
  }
  // In memory, because a loop over registers would be written out.
  Vector totals[kRows][2];
  if constexpr (kRows == 1) {
    Tile::JoinParts(sums[0][0], totals[0]);
  } else {
#pragma GCC unroll 10
    for (size_t r = 0; r < kRows; ++r) {
      totals[r][0] = sums[0][r][0];
      totals[r][1] = sums[0][r][1];
    }
  }
  const auto* negative_sums = reinterpret_cast<const int32_t*>(block);
  const auto* scales =
      reinterpret_cast<const float*>(first + chunks * kChunkBytes);
  const auto* quantization =
      static_cast<const Quantization*>(args.quantization) + row;
#pragma GCC unroll 1
  for (size_t r = 0; r < kRows; ++r) {
    Tile::Write(totals[r], -32 * row_sums[r], quantization[r], negative_sums,
                scales, args.channels - channel,
                args.y + (row + r) * args.y_stride + channel);
  }
}

template <typename Tile>
LATIMER_INLINE size_t BlockBytes(size_t chunks) {
  return chunks * kChunkBytes +
         Tile::kNr * (sizeof(int32_t) + 2 * sizeof(float));
}

// Channels [begin, end). Functions of their own, lest the compiler spill what
// they all use.
template <typename Tile, size_t kRows>
[[gnu::noinline]] void MultiplyBlocks(const GemmInt8Args& args, size_t chunks,
                                      const char* block, size_t begin,
                                      size_t end, size_t row,
                                      const int32_t* row_sums) {
  for (size_t channel = begin; channel < end; channel += Tile::kNr) {
    MultiplyBlock<Tile, kRows>(args, block, chunks, channel, row, row_sums);
    block += BlockBytes<Tile>(chunks);
  }
}

// The sum of a row; `bytes` is a multiple of 8.
LATIMER_INLINE int32_t SumOfRow(const int8_t* q, size_t bytes) {
  Bytes sums[4] = {};
  const auto add = [&](size_t i, Bytes& into) LATIMER_INLINED {
    AddProducts(RepeatByte(1), LoadBytes(q + i), into);
  };
  size_t i = 0;
  for (; i + sizeof(sums) <= bytes; i += sizeof(sums)) {
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; ++v) add(i + v * sizeof(Bytes), sums[v]);
  }
  for (; i + sizeof(Bytes) <= bytes; i += sizeof(Bytes)) add(i, sums[0]);
  int32_t sum = 0;
  for (; i < bytes; ++i) sum += q[i];
  const Bytes all = _mm256_add_epi32(_mm256_add_epi32(sums[0], sums[1]),
                                     _mm256_add_epi32(sums[2], sums[3]));
  int32_t parts[sizeof(all) / sizeof(int32_t)];
  __builtin_memcpy(parts, &all, sizeof(parts));
  for (const int32_t part : parts) sum += part;
  return sum;
}

// Calls run.operator()<rows>() for the number of rows.
template <size_t kLeast, size_t kMost, typename Run>
LATIMER_INLINE void WithRows(size_t rows, const Run& run) {
  if constexpr (kLeast < kMost) {
    if (rows > kLeast) return WithRows<kLeast + 1, kMost>(rows, run);
  }
  run.template operator()<kLeast>();
}

template <typename Tile>
void MultiplyInt6(const GemmInt8Args& args, size_t rows) {
  constexpr size_t kMostRows = Tile::kMostRows;
  // That groups of rows read in turn, from the second-level cache.
  constexpr size_t kWindowBytes = 96 * 1024;
  const size_t inputs = kInputs * Tile::kSteps;
  const size_t chunks = (args.k + inputs - 1) / inputs;
  int32_t row_sums[kMostRows];
  const size_t groups = (rows + kMostRows - 1) / kMostRows;
  size_t step = args.channels;
  if (groups > 1) {
    step = (kWindowBytes / BlockBytes<Tile>(chunks) + 1) * Tile::kNr;
  }
  const auto* block = static_cast<const char*>(args.weights);
  for (size_t begin = 0; begin < args.channels; begin += step) {
    const size_t end =
        args.channels - begin < step ? args.channels : begin + step;
    for (size_t group = 0; group < groups; ++group) {
      const size_t row = rows * group / groups;
      const size_t next = rows * (group + 1) / groups;
      for (size_t r = row; r < next; ++r) {
        row_sums[r - row] =
            SumOfRow(args.q + r * args.q_stride, chunks * inputs);
      }
      WithRows<1, kMostRows>(next - row, [&]<size_t kRows>() {
        MultiplyBlocks<Tile, kRows>(args, chunks, block, begin, end, row,
                                    row_sums);
      });
    }
    block += step / Tile::kNr * BlockBytes<Tile>(chunks);
  }
}

}  // namespace
}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_OPS_GEMM_INT6_VNNI_H_
