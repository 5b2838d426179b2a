// Products of quantized rows and int8 or int6 weights without VNNI; see
// ops/gemm_int8.h.
//
// vpmaddubsw multiplies twice as many bytes as vpmaddwd multiplies int16, and
// needs neither weights nor activations widened, but its sums of two products
// saturate at int16 and one factor is unsigned. With int8 weights
//
//   a * w = |a| * w                 if a >= 0, so |a| <= 127
//   a * w = |a| * ~w + |a|          if a < 0, so |a| <= 128
//
// no sum exceeds int16, because two products are at least -2 * 128 * 128 and at
// most 2 * 128 * 127. ~w is an exclusive or with the sign of a, which every
// vector unit of the CPU computes, unlike vpsignb. The sum of those |a| is one
// number per row. All of this is exact for any bytes.
//
// int6 weights are stored as codes c = 32 + w, and a * w = c * a - 32 * a,
// where the sum of those a is one number per row. Four products are at least -4
// * 63 * 128, so sums of two are added before they are widened.
#include <immintrin.h>  // only functions that are always inlined

#include "ops/gemm_int8.h"
#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

namespace {

// Bytes: four (AVX2) or two (SSE4.1) channels with eight inputs of each.
#if defined(__AVX2__)
#define LATIMER_X86(operation) _mm256_##operation
typedef __m256i Bytes;
typedef __m256 Floats;
#define LATIMER_ZERO _mm256_setzero_si256()
#define LATIMER_XOR _mm256_xor_si256
#define LATIMER_AND _mm256_and_si256
#define LATIMER_OR _mm256_or_si256
#define LATIMER_LOAD(p) _mm256_loadu_si256(reinterpret_cast<const Bytes*>(p))
#else
#define LATIMER_X86(operation) _mm_##operation
typedef __m128i Bytes;
typedef __m128 Floats;
#define LATIMER_ZERO _mm_setzero_si128()
#define LATIMER_XOR _mm_xor_si128
#define LATIMER_AND _mm_and_si128
#define LATIMER_OR _mm_or_si128
#define LATIMER_LOAD(p) _mm_loadu_si128(reinterpret_cast<const Bytes*>(p))
#endif

constexpr size_t kInputs = 8;  // The tile's kr.
// A block of nr channels has two vectors for every eight inputs.
constexpr size_t kVectors = 2;
constexpr size_t kChannels = kVectors * sizeof(Bytes) / kInputs;
constexpr size_t kLine = 64;
// How far ahead one block at a time prefetches.
constexpr size_t kPrefetchBytes = 8192;

struct Quantization {
  int32_t zero_point;
  float scale;
};

// The sum of |a| over the negative bytes of a row; `bytes` is a multiple of 8.
LATIMER_INLINE int32_t SumOfNegatives(const int8_t* q, size_t bytes) {
  __m128i sum = _mm_setzero_si128();
  const auto add = [&sum](__m128i v) LATIMER_INLINED {
    const __m128i zero = _mm_setzero_si128();
    const __m128i negative =
        _mm_and_si128(_mm_abs_epi8(v), _mm_cmpgt_epi8(zero, v));
    sum = _mm_add_epi32(sum, _mm_sad_epu8(negative, zero));
  };
  size_t i = 0;
  for (; i + sizeof(__m128i) <= bytes; i += sizeof(__m128i)) {
    add(_mm_loadu_si128(reinterpret_cast<const __m128i*>(q + i)));
  }
  if (i < bytes) add(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(q + i)));
  return _mm_cvtsi128_si32(sum) + _mm_extract_epi32(sum, 2);
}

// Eight bytes, as often as a vector holds them.
LATIMER_INLINE Bytes RepeatEight(const int8_t* p) {
  long long eight;
  __builtin_memcpy(&eight, p, sizeof(eight));
  return LATIMER_X86(set1_epi64x)(eight);
}

// The sum of each channel, given pairs of partial sums.
LATIMER_INLINE Bytes SumPairs(Bytes first, Bytes second) {
  const Bytes sums = LATIMER_X86(hadd_epi32)(first, second);
#if defined(__AVX2__)
  return _mm256_permute4x64_epi64(sums, 0xD8);  // Pairs 0, 2, 1, 3.
#else
  return sums;
#endif
}

// Writes the first `count` channels of a block to y, given their sums.
LATIMER_INLINE void Finish(Bytes sums, const Quantization& row,
                           const int32_t* negative_sums, const float* scales,
                           int32_t added, size_t count, float* y) {
  const Bytes offset = LATIMER_X86(mullo_epi32)(
      LATIMER_LOAD(negative_sums), LATIMER_X86(set1_epi32)(row.zero_point));
  sums = LATIMER_X86(add_epi32)(sums, LATIMER_X86(set1_epi32)(added));
  sums = LATIMER_X86(add_epi32)(sums, offset);
  Floats v = LATIMER_X86(mul_ps)(LATIMER_X86(cvtepi32_ps)(sums),
                                 LATIMER_X86(set1_ps)(row.scale));
  v = LATIMER_X86(mul_ps)(v, LATIMER_X86(loadu_ps)(scales));
  v = LATIMER_X86(add_ps)(v, LATIMER_X86(setzero_ps)());  // XNNPACK's bias.
  if (count >= kChannels) {
    __builtin_memcpy(y, &v, sizeof(v));
    return;
  }
  float elements[kChannels];
  __builtin_memcpy(elements, &v, sizeof(v));
  __builtin_memcpy(y, elements, count * sizeof(float));
}

// The sum of a row; `bytes` is a multiple of 16.
LATIMER_INLINE int32_t SumOfRow(const int8_t* q, size_t bytes) {
  __m128i sum = _mm_setzero_si128();
  for (size_t i = 0; i < bytes; i += sizeof(__m128i)) {
    const __m128i plus_128 =
        _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(q + i)),
                      _mm_set1_epi8(static_cast<char>(0x80)));
    sum = _mm_add_epi32(sum, _mm_sad_epu8(plus_128, _mm_setzero_si128()));
  }
  return _mm_cvtsi128_si32(sum) + _mm_extract_epi32(sum, 2) -
         128 * static_cast<int32_t>(bytes);
}

// The state of a call: rows of the input, and what is added to their sums.
template <size_t kRows>
struct Rows {
  const int8_t* q[kRows];
  int32_t added[kRows];
};

// Computes kBlocks blocks, the last of which may have fewer channels than it
// holds. Several share the work on the activations.
template <size_t kRows, size_t kBlocks>
LATIMER_INLINE void MultiplyBlocks(const GemmInt8Args& args,
                                   const Rows<kRows>& rows, size_t channel) {
  // An iteration reads at least a line of each block, and two for one row.
  constexpr size_t kSteps = kRows == 1 || sizeof(Bytes) < 32 ? 2 : 1;
  constexpr size_t kStepBytes = kVectors * sizeof(Bytes);
  const size_t bytes = (args.k + kInputs - 1) / kInputs * kInputs;
  const size_t block_bytes =
      kChannels * (bytes + sizeof(int32_t) + 2 * sizeof(float));
  const char* block = static_cast<const char*>(args.weights) +
                      channel / kChannels * block_bytes;
  // Several blocks: those of the next call.
  const size_t ahead = kBlocks == 1 ? kPrefetchBytes : kBlocks * block_bytes;

  const Bytes one = LATIMER_X86(set1_epi16)(1);
  Bytes sums[kRows][kBlocks * kVectors];
#pragma GCC unroll 8
  for (size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 8
    for (Bytes& sum : sums[row]) sum = LATIMER_ZERO;
  }
  const char* weights = block + kChannels * sizeof(int32_t);
  const auto step = [&](size_t i) LATIMER_INLINED {
#pragma GCC unroll 8
    for (size_t row = 0; row < kRows; ++row) {
      const Bytes a = RepeatEight(rows.q[row] + i);
      const Bytes magnitude = LATIMER_X86(abs_epi8)(a);
      const Bytes sign = LATIMER_X86(cmpgt_epi8)(LATIMER_ZERO, a);
#pragma GCC unroll 8
      for (size_t v = 0; v < kBlocks * kVectors; ++v) {
        const Bytes w = LATIMER_LOAD(weights + v / kVectors * block_bytes +
                                     v % kVectors * sizeof(Bytes));
        const Bytes products = LATIMER_X86(madd_epi16)(
            LATIMER_X86(maddubs_epi16)(magnitude, LATIMER_XOR(w, sign)), one);
        Bytes& sum = sums[row][v];
        sum = LATIMER_X86(add_epi32)(products, sum);
        // Keeps the sum in its register: GCC would move or spill it.
        asm("" : "+x"(sum));
      }
    }
    weights += kStepBytes;
  };
  size_t i = 0;
#pragma GCC unroll 1
  for (; i + kSteps * kInputs <= bytes; i += kSteps * kInputs) {
#pragma GCC unroll 4
    for (size_t b = 0; b < kBlocks; ++b) {
      for (size_t line = 0; line < kSteps * kStepBytes; line += kLine) {
        __builtin_prefetch(weights + b * block_bytes + ahead + line);
      }
    }
#pragma GCC unroll 2
    for (size_t s = 0; s < kSteps; ++s) step(i + s * kInputs);
  }
  if (kSteps > 1 && i < bytes) step(i);

  const auto* quantization =
      static_cast<const Quantization*>(args.quantization);
#pragma GCC unroll 4
  for (size_t b = 0; b < kBlocks; ++b) {
    const auto* negative_sums =
        reinterpret_cast<const int32_t*>(block + b * block_bytes);
    const auto* scales =
        reinterpret_cast<const float*>(weights + b * block_bytes);
    const size_t first = channel + b * kChannels;
#pragma GCC unroll 8
    for (size_t row = 0; row < kRows; ++row) {
      Finish(SumPairs(sums[row][kVectors * b], sums[row][kVectors * b + 1]),
             quantization[row], negative_sums, scales, rows.added[row],
             args.channels - first, args.y + row * args.y_stride + first);
    }
  }
}

template <size_t kRows>
LATIMER_INLINE void Multiply(const GemmInt8Args& args) {
  // One row waits for its weights, and more than one stream of them is slower.
  constexpr size_t kBlocks = kRows == 1 ? 1 : kGemmInt8Blocks;
  const size_t bytes = (args.k + kInputs - 1) / kInputs * kInputs;
  Rows<kRows> rows;
  for (size_t row = 0; row < kRows; ++row) {
    rows.q[row] = args.q + row * args.q_stride;
    rows.added[row] = SumOfNegatives(rows.q[row], bytes);
  }
  size_t channel = 0;
  for (; channel + (kBlocks - 1) * kChannels < args.channels;
       channel += kBlocks * kChannels) {
    MultiplyBlocks<kRows, kBlocks>(args, rows, channel);
  }
  if (kBlocks > 1) {
    for (; channel < args.channels; channel += kChannels) {
      MultiplyBlocks<kRows, 1>(args, rows, channel);
    }
  }
}

// ---- int6 -------------------------------------------------------------------

constexpr size_t kChunk = 128;  // Weights, in 96 bytes: see packed_matrix.h.
constexpr size_t kChunkBytes = 96;

// The codes of a chunk: vector v of the s-th eight inputs, as int8 has them.
constexpr size_t kChunkSteps = kChunk / (kVectors * sizeof(Bytes));
struct Codes {
  Bytes of[kChunkSteps][kVectors];
};

LATIMER_INLINE Codes UnpackChunk(const char* chunk) {
  const Bytes low = LATIMER_X86(set1_epi8)(15);
  const Bytes high = LATIMER_X86(set1_epi8)(48);
  Codes codes;
#pragma GCC unroll 8
  for (size_t i = 0; i < kChunk / sizeof(Bytes); ++i) {
    const size_t quarter = i * sizeof(Bytes) / 32;
    const size_t from = i * sizeof(Bytes) % 32;
    Bytes nibbles = LATIMER_LOAD(chunk + quarter / 2 * 32 + from);
    Bytes bits = LATIMER_LOAD(chunk + 64 + from);
    if (quarter % 2 == 1) nibbles = LATIMER_X86(srli_epi16)(nibbles, 4);
    if (quarter == 0) bits = LATIMER_X86(slli_epi16)(bits, 4);
    if (quarter == 1) bits = LATIMER_X86(slli_epi16)(bits, 2);
    if (quarter == 3) bits = LATIMER_X86(srli_epi16)(bits, 2);
    codes.of[i / kVectors][i % kVectors] =
        LATIMER_OR(LATIMER_AND(nibbles, low), LATIMER_AND(bits, high));
  }
  return codes;
}

// Computes a block, which may have fewer channels than it holds.
template <size_t kRows>
LATIMER_INLINE void MultiplyInt6Block(const GemmInt8Args& args,
                                      const Rows<kRows>& rows, size_t channel,
                                      size_t inputs) {
  const size_t chunks = inputs * kChannels / kChunk;
  const char* block = static_cast<const char*>(args.weights) +
                      channel / kChannels *
                          (chunks * kChunkBytes +
                           kChannels * (sizeof(int32_t) + 2 * sizeof(float)));
  const Bytes one = LATIMER_X86(set1_epi16)(1);
  Bytes sums[kRows][kVectors];
#pragma GCC unroll 8
  for (size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 8
    for (Bytes& sum : sums[row]) sum = LATIMER_ZERO;
  }
  const char* chunk = block + kChannels * sizeof(int32_t);
  size_t input = 0;
#pragma GCC unroll 1
  for (size_t i = 0; i < chunks; ++i) {
    __builtin_prefetch(chunk + kPrefetchBytes);
    __builtin_prefetch(chunk + kPrefetchBytes + kLine);
    const Codes codes = UnpackChunk(chunk);
#pragma GCC unroll 2
    for (size_t step = 0; step < kChunkSteps; step += 2) {
#pragma GCC unroll 8
      for (size_t row = 0; row < kRows; ++row) {
        const int8_t* q = rows.q[row] + input + step * kInputs;
        const Bytes first = RepeatEight(q), second = RepeatEight(q + kInputs);
#pragma GCC unroll 2
        for (size_t v = 0; v < kVectors; ++v) {
          const Bytes products = LATIMER_X86(add_epi16)(
              LATIMER_X86(maddubs_epi16)(codes.of[step][v], first),
              LATIMER_X86(maddubs_epi16)(codes.of[step + 1][v], second));
          Bytes& sum = sums[row][v];
          sum = LATIMER_X86(add_epi32)(LATIMER_X86(madd_epi16)(products, one),
                                       sum);
          asm("" : "+x"(sum));  // As in MultiplyBlocks.
        }
      }
    }
    input += kChunkSteps * kInputs;
    chunk += kChunkBytes;
  }
  const auto* negative_sums = reinterpret_cast<const int32_t*>(block);
  const auto* scales = reinterpret_cast<const float*>(chunk);
  const auto* quantization =
      static_cast<const Quantization*>(args.quantization);
#pragma GCC unroll 8
  for (size_t row = 0; row < kRows; ++row) {
    Finish(SumPairs(sums[row][0], sums[row][1]), quantization[row],
           negative_sums, scales, rows.added[row], args.channels - channel,
           args.y + row * args.y_stride + channel);
  }
}

template <size_t kRows>
LATIMER_INLINE void MultiplyInt6(const GemmInt8Args& args) {
  constexpr size_t kPadding = kChunk / kChannels;
  const size_t inputs = (args.k + kPadding - 1) / kPadding * kPadding;
  Rows<kRows> rows;
  for (size_t row = 0; row < kRows; ++row) {
    rows.q[row] = args.q + row * args.q_stride;
    rows.added[row] = -32 * SumOfRow(rows.q[row], inputs);
  }
  for (size_t channel = 0; channel < args.channels; channel += kChannels) {
    MultiplyInt6Block(args, rows, channel, inputs);
  }
}

}  // namespace

void GemmInt8Rows1(const GemmInt8Args& args) { Multiply<1>(args); }
void GemmInt8Rows2(const GemmInt8Args& args) { Multiply<2>(args); }
void GemmInt6Rows1(const GemmInt8Args& args) { MultiplyInt6<1>(args); }
void GemmInt6Rows2(const GemmInt8Args& args) { MultiplyInt6<2>(args); }
void GemmInt6Rows4(const GemmInt8Args& args) { MultiplyInt6<4>(args); }
#if defined(__AVX2__)
void GemmInt6Rows6(const GemmInt8Args& args) { MultiplyInt6<6>(args); }
#endif

}  // namespace latimer::LATIMER_ISA
