// The table of an instruction set, and its elementwise kernels.
#include "ops/vector_kernels_isa.h"

#include "latimer/profile_config.h"  // Constants only.
#include "ops/simd_math.h"

#define LATIMER_STRING_OF(x) #x
#define LATIMER_STRING(x) LATIMER_STRING_OF(x)

namespace latimer::LATIMER_ISA {
namespace {

// x[i] = f(x[i]). The end of the row goes through the same inlined f as the
// rest, which halves the code.
template <typename F>
LATIMER_INLINE void Transform(size_t n, float* x, F f) {
  for (size_t i = 0; i < n; i += kElements) {
    float elements[kElements] = {};
    const size_t rest = n - i;
    float* p = x + i;
    if (rest < kElements) [[unlikely]] {
      __builtin_memcpy(elements, p, rest * sizeof(float));
      p = elements;
    }
    Store(f(Load(p)), p);
    if (rest < kElements) {
      __builtin_memcpy(x + i, elements, rest * sizeof(float));
    }
  }
}

}  // namespace

void ScaleAdd(size_t n, const float* x, float scale, const float* addend,
              float* out) {
  const F32x16 s = Broadcast(scale);
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    block.Put(block.Get(x) * s + block.Get(addend), out);
  });
}

void AddTo(size_t n, const float* x, float* y) {
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    block.Put(block.Get(y) + block.Get(x), y);
  });
}

void Multiply(size_t n, const float* x, const float* y, float* out) {
  ForEachBlock(n, [&](auto block) LATIMER_INLINED {
    block.Put(block.Get(x) * block.Get(y), out);
  });
}

void ToF16(size_t n, const float* x, uint16_t* out) {
  ForEachBlock(
      n, [&](auto block) LATIMER_INLINED { block.Put(block.Get(x), out); });
}

void Activate(Activation kind, size_t n, float* x) {
  switch (kind) {
    case Activation::kRelu:
      return Transform(n, x, [](const F32x16& v) { return Relu(v); });
    case Activation::kGelu:
      return Transform(n, x, [](const F32x16& v) { return Gelu(v); });
    case Activation::kGeluTanh:
      return Transform(n, x, [](const F32x16& v) { return GeluTanh(v); });
    case Activation::kSwish:
      return Transform(n, x, [](const F32x16& v) { return Swish(v); });
    case Activation::kTanh:
      if constexpr (kProfile.recurrent()) {
        Transform(n, x, [](const F32x16& v) { return Tanh(v); });
      }
      return;
    case Activation::kSigmoid:
      if constexpr (kProfile.recurrent() || kProfile.decoder_ssru) {
        Transform(n, x, [](const F32x16& v) { return Sigmoid(v); });
      }
      return;
  }
}

void Cap(size_t n, float cap, float* x) {
  const F32x16 caps = Broadcast(cap);
  Transform(n, x, [&](const F32x16& v) { return caps * Tanh(v / caps); });
}

constexpr bool kHearsInInt8 = kProfile.speech() && kProfile.int8_weights;

extern const VectorKernels kVectorKernels;
const VectorKernels kVectorKernels = {
    .name = LATIMER_STRING(LATIMER_ISA),
    .scale_add = ScaleAdd,
    .add = AddTo,
    .add_layer_norm = AddLayerNorm,
    .add_std_norm = AddStdNorm,
    .add_rms_norm = kProfile.rms_norm ? AddRmsNorm : nullptr,
    .multiply = kProfile.gated_ffn ? Multiply : nullptr,
    .activate = Activate,
    .cap = kProfile.logit_caps ? Cap : nullptr,
    .attend = Attend,
    .to_f16 = kProfile.f16_caches ? ToF16 : nullptr,
    .gemm_f16 = kProfile.f16_weights ? GemmF16 : nullptr,
#if defined(__AVX512F__)
    .gemm_f32 = kProfile.f32_weights ? GemmF32 : nullptr,
#else
    .gemm_f32 = nullptr,
#endif
    .sum_exp = kProfile.beams > 1 ? SumExp : nullptr,
    .softmax = Softmax,
    .argmax = Argmax,
    .pack_int8_keys = kHearsInInt8 ? PackInt8Keys : nullptr,
    .pack_int8_values = kHearsInInt8 ? PackInt8Values : nullptr,
    .softmax_bytes = kHearsInInt8 ? SoftmaxBytes : nullptr,
};

}  // namespace latimer::LATIMER_ISA
