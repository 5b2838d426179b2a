// Products of quantized rows and int8 weights with Helium, the vectors of
// Cortex-M55 and M85; see ops/gemm_int8.h.
//
// A vector of weights in the tile 8x16 has sixteen inputs of a channel.
// VMLADAVA adds their products with sixteen bytes of a row to a sum in a
// register, of which there are eight: those of a block for one row, of half a
// block for two.
#include <arm_mve.h>  // only functions that are always inlined

#include "ops/gemm_int8.h"
#include "ops/simd.h"

namespace latimer::LATIMER_ISA {

LATIMER_DECLARE_GEMM_INT8(LATIMER_ISA)

namespace {

constexpr size_t kInputs = 16;  // kr of the tile.
constexpr size_t kChannels = 8;

struct Quantization {
  int32_t zero_point;
  float scale;
};

// Adds the products of the inputs from x to `end` to s0 to s7, `steps` at a
// time. After them come the operands that a second row needs.
#define LATIMER_LOOP(steps, end, ...)                                   \
  asm volatile(                                                         \
      "1:\n" steps                                                      \
      "cmp %[x], %[e]\n"                                                \
      "bne 1b\n"                                                        \
      : [w] "+r"(w), [s0] "+Te"(s0), [s1] "+Te"(s1), [s2] "+Te"(s2),    \
        [s3] "+Te"(s3), [s4] "+Te"(s4), [s5] "+Te"(s5), [s6] "+Te"(s6), \
        [s7] "+Te"(s7), [x] "+r"(x)__VA_OPT__(, ) __VA_ARGS__           \
      : [e] "r"(end)                                                    \
      : "q0", "q1", "q2", "q3", "cc", "memory")
#define LATIMER_FOUR(step) step step step step

// One row and eight channels.
#define LATIMER_PAIR(first, second) \
  "vldrw.u32 q1, [%[w]], #16\n"     \
  "vldrw.u32 q2, [%[w]], #16\n"     \
  "vmladava.s8 %[" first            \
  "], q0, q1\n"                     \
  "vmladava.s8 %[" second "], q0, q2\n"
#define LATIMER_STEP                                                  \
  "vldrb.u8 q0, [%[x]], #16\n" LATIMER_PAIR("s0", "s1") LATIMER_PAIR( \
      "s2", "s3") LATIMER_PAIR("s4", "s5") LATIMER_PAIR("s6", "s7")

// Two rows and four channels of eight.
#define LATIMER_BOTH(first, second, stride) \
  "vldrw.u32 q2, [%[w]], #" stride          \
  "\n"                                      \
  "vmladava.s8 %[" first                    \
  "], q0, q2\n"                             \
  "vmladava.s8 %[" second "], q1, q2\n"
#define LATIMER_STEP_OF_TWO                                         \
  "vldrb.u8 q0, [%[x]], #16\n"                                      \
  "vldrb.u8 q1, [%[x2]], #16\n" LATIMER_BOTH("s0", "s4", "16")      \
      LATIMER_BOTH("s1", "s5", "16") LATIMER_BOTH("s2", "s6", "16") \
          LATIMER_BOTH("s3", "s7", "80")

struct Four {
  int32_t s0, s1, s2, s3;
};

// What sums of four channels begin with.
LATIMER_INLINE Four Begin(const int8_t* weight_sums, int32_t zero_point) {
  const int32x4_t sums = vmulq_n_s32(
      vld1q_s32(reinterpret_cast<const int32_t*>(weight_sums)), zero_point);
  return {sums[0], sums[1], sums[2], sums[3]};
}

// Writes the first `count` of four channels.
LATIMER_INLINE void Finish(const Four& four, float row_scale,
                           const int8_t* scales, size_t count, float* y) {
  const int32x4_t sums = {four.s0, four.s1, four.s2, four.s3};
  float32x4_t v = vmulq_n_f32(vcvtq_f32_s32(sums), row_scale);
  v = vmulq_f32(v, vld1q_f32(reinterpret_cast<const float*>(scales)));
  v = vaddq_n_f32(v, 0);  // XNNPACK's bias.
  if (count >= 4) {
    vst1q_f32(y, v);
  } else {
    vst1q_p_f32(y, v, vctp32q(count));
  }
}

struct Sizes {
  explicit Sizes(size_t k)
      : bytes((k + kInputs - 1) / kInputs * kInputs),
        middle(bytes - bytes % (4 * kInputs)),
        scales(kChannels * (bytes + sizeof(int32_t))),
        block(scales + kChannels * 2 * sizeof(float)) {}
  size_t bytes;   // Of a row.
  size_t middle;  // Up to here the inner loops take four steps at a time.
  size_t scales;  // Of a block's begin.
  size_t block;
};

}  // namespace

void GemmInt8Rows1(const GemmInt8Args& args) {
  const Sizes sizes(args.k);
  const auto row = *static_cast<const Quantization*>(args.quantization);
  const int8_t* const q = args.q;
  const auto* block = static_cast<const int8_t*>(args.weights);
  float* y = args.y;
  for (size_t left = args.channels;; left -= kChannels) {
    auto [s0, s1, s2, s3] = Begin(block, row.zero_point);
    auto [s4, s5, s6, s7] = Begin(block + 4 * sizeof(int32_t), row.zero_point);
    const int8_t* w = block + kChannels * sizeof(int32_t);
    const int8_t* x = q;
    if (sizes.middle > 0)
      LATIMER_LOOP(LATIMER_FOUR(LATIMER_STEP), q + sizes.middle);
    if (sizes.bytes > sizes.middle) LATIMER_LOOP(LATIMER_STEP, q + sizes.bytes);
    const int8_t* scales = block + sizes.scales;
    Finish({s0, s1, s2, s3}, row.scale, scales, left, y);
    if (left > 4)
      Finish({s4, s5, s6, s7}, row.scale, scales + 4 * sizeof(float), left - 4,
             y + 4);
    if (left <= kChannels) return;
    block += sizes.block;
    y += kChannels;
  }
}

void GemmInt8Rows2(const GemmInt8Args& args) {
  const Sizes sizes(args.k);
  const auto* rows = static_cast<const Quantization*>(args.quantization);
  const Quantization row = rows[0];
  const Quantization row2 = rows[1];
  const int8_t* const q = args.q;
  const size_t q_stride = args.q_stride;
  const size_t y_stride = args.y_stride;
  const auto* block = static_cast<const int8_t*>(args.weights);
  float* y = args.y;
  size_t half = 0;  // 4: the channels from there.
  for (size_t left = args.channels;; left -= 4) {
    const int8_t* weight_sums = block + half * sizeof(int32_t);
    auto [s0, s1, s2, s3] = Begin(weight_sums, row.zero_point);
    auto [s4, s5, s6, s7] = Begin(weight_sums, row2.zero_point);
    const int8_t* w = block + kChannels * sizeof(int32_t) + half * kInputs;
    const int8_t* x = q;
    const int8_t* x2 = q + q_stride;
    if (sizes.middle > 0)
      LATIMER_LOOP(LATIMER_FOUR(LATIMER_STEP_OF_TWO),
                   q + sizes.middle, [x2] "+r"(x2));
    if (sizes.bytes > sizes.middle)
      LATIMER_LOOP(LATIMER_STEP_OF_TWO, q + sizes.bytes, [x2] "+r"(x2));
    const int8_t* scales = block + sizes.scales + half * sizeof(float);
    Finish({s0, s1, s2, s3}, row.scale, scales, left, y);
    Finish({s4, s5, s6, s7}, row2.scale, scales, left, y + y_stride);
    if (left <= 4) return;
    if (half != 0) block += sizes.block;
    half ^= 4;
    y += 4;
  }
}

}  // namespace latimer::LATIMER_ISA
