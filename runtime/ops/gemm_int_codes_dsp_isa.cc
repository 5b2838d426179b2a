// Products of a quantized row and int6 weights with the DSP instructions of
// Cortex-M4 and M7; see ops/gemm_int8.h.
//
// A code, 32 + w, is put together in a byte from four bits and two, four codes
// at a time: three instructions. UXTB16 widens two of them, SMLAD multiplies
// them. What 32 adds is taken away by the sum of the row. To unpack a block for
// several rows, as ops/xnnpack/gemm.cc does, pays from four rows on.
#include <string.h>

#include "ops/gemm_int8.h"
#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

namespace {

// Of the tile 4x8, and of a chunk of int6: ops/xnnpack/packed_matrix.h.
constexpr size_t kInt6Channels = 4;
constexpr size_t kInt6Inputs = 8;
constexpr size_t kInt6Quarters = 4;  // Of a chunk, with kInt6Inputs each.
constexpr size_t kInt6ChunkInputs = kInt6Quarters * kInt6Inputs;
constexpr size_t kInt6BytesOfChunk = kInt6Channels * kInt6ChunkInputs * 6 / 8;
constexpr size_t kInt6PlaneBytes = 32;  // Two quarters' low bits.
// Inputs that are widened at a time; of more, y keeps the sums.
constexpr size_t kMostInt6Inputs = 1024;

struct Int6Row {
  int32_t zero_point;
  float scale;
};

LATIMER_INLINE uint32_t Int6Word(const void* from) {
  uint32_t word;
  memcpy(&word, from, sizeof(word));
  return word;
}

// acc plus two products of int16.
LATIMER_INLINE int32_t Smlad(uint32_t a, uint32_t b, int32_t acc) {
  asm("smlad %0, %1, %2, %0" : "+r"(acc) : "r"(a), "r"(b));
  return acc;
}

// The inputs of chunks as pairs of int16, in the order in which Int6Channel
// reads them: bytes 0 and 2 of four, then 1 and 3, first those of the quarters'
// first halves. Returns their sum.
LATIMER_INLINE int32_t WidenForInt6(const int8_t* q, size_t inputs,
                                    uint32_t* pairs) {
  int32_t sum = 0;
  for (size_t begin = 0; begin < inputs; begin += kInt6ChunkInputs) {
    for (size_t half = 0; half < 2; ++half) {
      for (size_t quarter = 0; quarter < kInt6Quarters; ++quarter, pairs += 2) {
        const uint32_t word = Int6Word(q + begin + quarter * kInt6Inputs +
                                       half * sizeof(uint32_t));
        asm("sxtb16 %0, %1" : "=r"(pairs[0]) : "r"(word));
        asm("sxtb16 %0, %1, ror #8" : "=r"(pairs[1]) : "r"(word));
        sum = Smlad(pairs[0], 0x10001, Smlad(pairs[1], 0x10001, sum));
      }
    }
  }
  return sum;
}

// The products of the four codes in r9, whose inputs are in `even` and `odd`.
#define LATIMER_CODES(even, odd) \
  "uxtb16 r10, r9\n"             \
  "uxtb16 r9, r9, ror #8\n"      \
  "smlad %[s], r10, " even       \
  ", %[s]\n"                     \
  "smlad %[s], r9, " odd ", %[s]\n"
// Those of the halves `at` bytes after the beginnings of a chunk's quarters.
#define LATIMER_HALF(at) \
  "ldr r11, [%[w], #64 + " #at                   \
  "]\n"                                          \
  "ldr %[n], [%[w], #" #at                       \
  "]\n"                                          \
  "ldm %[x]!, {r4, r5, r6, r8}\n"                \
  "and r9, %[n], #0x0f0f0f0f\n"                  \
  "and r10, r11, #0x03030303\n"                  \
  "orr r9, r9, r10, lsl #4\n" LATIMER_CODES("r4", "r5") \
  "and r9, %[m], %[n], lsr #4\n"                 \
  "and r10, r11, #0x0c0c0c0c\n"                  \
  "orr r9, r9, r10, lsl #2\n" LATIMER_CODES("r6", "r8") \
  "ldr %[n], [%[w], #32 + " #at                  \
  "]\n"                                          \
  "ldm %[x]!, {r4, r5, r6, r8}\n"                \
  "and r9, %[n], #0x0f0f0f0f\n"                  \
  "and r10, r11, #0x30303030\n"                  \
  "orr r9, r9, r10\n" LATIMER_CODES("r4", "r5")  \
  "and r9, %[m], %[n], lsr #4\n"                 \
  "and r10, r11, #0xc0c0c0c0\n"                  \
  "orr r9, r9, r10, lsr #2\n" LATIMER_CODES("r6", "r8")

// The products of one channel's codes, of which `w` has the first, with the
// inputs from x to `end`. Written out, because GCC 12 runs out of registers.
LATIMER_INLINE int32_t Int6Channel(const uint8_t* w, const uint32_t* x,
                                   const uint32_t* end, int32_t sum) {
  uint32_t nibbles;
  for (; x != end; w += kInt6BytesOfChunk) {
    asm(LATIMER_HALF(0) LATIMER_HALF(4)
        : [s] "+r"(sum), [x] "+r"(x), [n] "=&r"(nibbles)
        : [w] "r"(w), [m] "r"(0x0f0f0f0f)
        : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "memory");
  }
  return sum;
}

}  // namespace

// Of one row: ops/xnnpack/kernels.txt says so.
void GemmInt6k4x8(const GemmInt8Args& args, size_t, void*) {
  const size_t inputs =
      (args.k + kInt6ChunkInputs - 1) / kInt6ChunkInputs * kInt6ChunkInputs;
  Int6Row row;
  memcpy(&row, args.quantization, sizeof(row));
  uint32_t pairs[kMostInt6Inputs / 2];
  for (size_t begin = 0; begin < inputs; begin += kMostInt6Inputs) {
    const size_t left = inputs - begin;
    const size_t count = left < kMostInt6Inputs ? left : kMostInt6Inputs;
    const int32_t offset = -32 * WidenForInt6(args.q + begin, count, pairs);
    const uint32_t* end = pairs + count / 2;
    const auto* block = static_cast<const uint8_t*>(args.weights);
    for (size_t channel = 0; channel < args.channels; ++channel) {
      const size_t c = channel % kInt6Channels;
      const uint8_t* codes = block + kInt6Channels * sizeof(int32_t);
      const uint8_t* scales =
          codes + inputs / kInt6ChunkInputs * kInt6BytesOfChunk;
      int32_t sum = offset;
      if (begin == 0) {
        sum += static_cast<int32_t>(Int6Word(block + c * sizeof(int32_t))) *
               row.zero_point;
      } else {
        sum += static_cast<int32_t>(Int6Word(args.y + channel));
      }
      sum = Int6Channel(codes + begin / kInt6ChunkInputs * kInt6BytesOfChunk +
                            c * kInt6Inputs,
                        pairs, end, sum);
      if (count == left) {
        float scale;
        memcpy(&scale, scales + c * sizeof(float), sizeof(scale));
        // XNNPACK adds a bias.
        args.y[channel] = static_cast<float>(sum) * row.scale * scale + 0.0f;
      } else {
        memcpy(args.y + channel, &sum, sizeof(sum));
      }
      if (c == kInt6Channels - 1) {
        block = scales + kInt6Channels * 2 * sizeof(float);
      }
    }
  }
}

}  // namespace latimer::LATIMER_ISA
