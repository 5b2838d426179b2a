// Products of quantized rows and int8 weights without VNNI; see
// ops/gemm_int8.h.
//
// vpmaddubsw multiplies twice as many bytes as vpmaddwd multiplies int16, and
// needs neither weights nor activations widened, but its sums of two products
// saturate at int16 and one factor is unsigned. However
//
//   a * w = |a| * w                 if a >= 0, so |a| <= 127
//   a * w = |a| * ~w + |a|          if a < 0, so |a| <= 128
//
// and no sum exceeds int16, because two products are at least -2 * 128 * 128
// and at most 2 * 128 * 127. ~w is an exclusive or with the sign of a, which
// every vector unit of the CPU computes, unlike vpsignb. The sum of those |a|
// is one number per row. All of this is exact for any bytes.
#include "ops/gemm_int8.h"
#include "ops/gemm_int8_x86.h"
#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

namespace {

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
      Finish<0>(SumPairs(sums[row][kVectors * b], sums[row][kVectors * b + 1]),
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

}  // namespace

void GemmInt8Rows1(const GemmInt8Args& args) { Multiply<1>(args); }
void GemmInt8Rows2(const GemmInt8Args& args) { Multiply<2>(args); }

}  // namespace latimer::LATIMER_ISA
