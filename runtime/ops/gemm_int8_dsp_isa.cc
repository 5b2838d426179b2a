// Products of quantized rows and int8 weights with the DSP instructions of
// Cortex-M4 and M7; see ops/gemm_int8.h.
//
// SMLAD adds two products of int16 to a sum. SXTB16 widens every other byte of
// a word, of weights in the loop, of activations before it, once for all
// channels.
#include <string.h>

#include "ops/gemm_int8.h"
#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

namespace {

constexpr size_t kInputs = 8;  // kr of the tile.
constexpr size_t kChannels = 4;
// Inputs that are widened at a time; of more, y keeps the sums.
constexpr size_t kMostInputs = 1024;

// Groups of eight inputs that the inner loop multiplies at a time.
constexpr size_t kGroups = 4;

struct Quantization {
  int32_t zero_point;
  float scale;
};

// Bytes 0 and 2 of each word of q, then 1 and 3, as pairs of int16.
LATIMER_INLINE void Widen(const int8_t* q, size_t bytes, uint32_t* pairs) {
  for (size_t i = 0; i < bytes; i += sizeof(uint32_t), pairs += 2) {
    uint32_t word;
    memcpy(&word, q + i, sizeof(word));
    asm("sxtb16 %0, %1" : "=r"(pairs[0]) : "r"(word));
    asm("sxtb16 %0, %1, ror #8" : "=r"(pairs[1]) : "r"(word));
  }
}

// The products of eight inputs with the weights of one channel, and of four.
#define LATIMER_CHANNEL(sum)     \
  "ldrd r8, r9, [%[w]], #8\n"    \
  "sxtb16 r10, r8\n"             \
  "sxtb16 r8, r8, ror #8\n"      \
  "smlad " sum ", r10, r4, " sum \
  "\n"                           \
  "smlad " sum ", r8, r5, " sum  \
  "\n"                           \
  "sxtb16 r10, r9\n"             \
  "sxtb16 r9, r9, ror #8\n"      \
  "smlad " sum ", r10, r6, " sum \
  "\n"                           \
  "smlad " sum ", r9, r11, " sum "\n"
#define LATIMER_GROUP                                       \
  "ldm %[x]!, {r4, r5, r6, r11}\n" LATIMER_CHANNEL("%[s0]") \
      LATIMER_CHANNEL("%[s1]") LATIMER_CHANNEL("%[s2]")     \
          LATIMER_CHANNEL("%[s3]")
// Adds those of the inputs from x to `end` to s0 to s3, `groups` at a time.
// Written out, because GCC 12 has no registers to spare; `end` is in one of
// the FPU's.
#define LATIMER_LOOP(groups, end)                                        \
  asm volatile("1:\n" groups                                             \
               "vmov r4, %[e]\n"                                         \
               "cmp %[x], r4\n"                                          \
               "bne 1b\n"                                                \
               : [w] "+r"(w), [x] "+r"(x), [s0] "+r"(s0), [s1] "+r"(s1), \
                 [s2] "+r"(s2), [s3] "+r"(s3)                            \
               : [e] "t"(__builtin_bit_cast(float, end))                 \
               : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "cc", "memory")

// A range of inputs of a row, widened, times all channels.
struct Chunk {
  size_t begin;
  const uint32_t* pairs;
  const uint32_t* middle;  // Up to here come whole multiples of kGroups.
  const uint32_t* end;
  bool first, last;  // Of the row.
  Quantization quantization;
};

LATIMER_INLINE float Scaled(int32_t sum, float row_scale, float scale) {
  return static_cast<float>(sum) * row_scale * scale + 0.0f;  // XNNPACK's bias.
}

// Computes `channels` of a block into y, which keeps the sums until the last
// chunk.
LATIMER_INLINE void MultiplyBlock(const Chunk& chunk, Quantization row,
                                  const int8_t* block, size_t channels,
                                  float* y) {
  int32_t s0, s1, s2, s3;
  if (chunk.first) {
    const auto* weight_sums = reinterpret_cast<const int32_t*>(block);
    s0 = weight_sums[0] * row.zero_point;
    s1 = weight_sums[1] * row.zero_point;
    s2 = weight_sums[2] * row.zero_point;
    s3 = weight_sums[3] * row.zero_point;
  } else {
    int32_t sums[kChannels] = {};
    memcpy(sums, y, channels * sizeof(int32_t));
    s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
  }
  const int8_t* w = block + kChannels * (sizeof(int32_t) + chunk.begin);
  const uint32_t* x = chunk.pairs;
  if (x != chunk.middle) {
    LATIMER_LOOP(LATIMER_GROUP LATIMER_GROUP LATIMER_GROUP LATIMER_GROUP,
                 chunk.middle);
  }
  if (x != chunk.end) LATIMER_LOOP(LATIMER_GROUP, chunk.end);
  if (!chunk.last) {
    const int32_t sums[kChannels] = {s0, s1, s2, s3};
    memcpy(y, sums, channels * sizeof(int32_t));
    return;
  }
  const auto* scales = reinterpret_cast<const float*>(w);  // After the weights.
  y[0] = Scaled(s0, row.scale, scales[0]);
  if (channels > 1) y[1] = Scaled(s1, row.scale, scales[1]);
  if (channels > 2) y[2] = Scaled(s2, row.scale, scales[2]);
  if (channels > 3) y[3] = Scaled(s3, row.scale, scales[3]);
}

[[gnu::noinline]] void MultiplyChunk(const GemmInt8Args& args,
                                     const Chunk& chunk, size_t bytes,
                                     float* y) {
  const size_t block_bytes =
      kChannels * (bytes + sizeof(int32_t) + 2 * sizeof(float));
  const Quantization row = chunk.quantization;
  const auto* block = static_cast<const int8_t*>(args.weights);
  size_t left = args.channels;
  for (; left >= kChannels; left -= kChannels) {
    MultiplyBlock(chunk, row, block, kChannels, y);
    block += block_bytes;
    y += kChannels;
  }
  if (left > 0) MultiplyBlock(chunk, row, block, left, y);
}

void MultiplyRow(const GemmInt8Args& args, size_t row) {
  const size_t bytes = (args.k + kInputs - 1) / kInputs * kInputs;
  const int8_t* q = args.q + row * args.q_stride;
  uint32_t pairs[kMostInputs / 2];
  Chunk chunk = {};
  chunk.pairs = pairs;
  memcpy(
      &chunk.quantization,
      static_cast<const char*>(args.quantization) + row * sizeof(Quantization),
      sizeof(Quantization));
  for (size_t begin = 0; begin < bytes; begin += kMostInputs) {
    const size_t left = bytes - begin;
    const size_t count = left < kMostInputs ? left : kMostInputs;
    Widen(q + begin, count, pairs);
    chunk.begin = begin;
    chunk.end = pairs + count / 2;
    chunk.middle = chunk.end - count % (kGroups * kInputs) / 2;
    chunk.first = begin == 0;
    chunk.last = count == left;
    MultiplyChunk(args, chunk, bytes, args.y + row * args.y_stride);
  }
}

}  // namespace

void GemmInt8Rows1(const GemmInt8Args& args) { MultiplyRow(args, 0); }

// One row takes all registers.
void GemmInt8Rows2(const GemmInt8Args& args) {
  MultiplyRow(args, 0);
  MultiplyRow(args, 1);
}

}  // namespace latimer::LATIMER_ISA
