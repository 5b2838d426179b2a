// The functions of a VectorKernels table, which ops/vector_kernels.h describes.
// For *_isa.cc only.
#ifndef LATIMER_OPS_VECTOR_KERNELS_ISA_H_
#define LATIMER_OPS_VECTOR_KERNELS_ISA_H_

#include "ops/simd.h"
#include "ops/vector_kernels.h"

namespace latimer::LATIMER_ISA {

void ScaleAdd(size_t n, const float* x, float scale, const float* addend,
              float* out);
void AddTo(size_t n, const float* x, float* y);
void AddLayerNorm(size_t rows, size_t cols, const float* x,
                  const float* residual, const float* gamma, const float* beta,
                  float epsilon, float* out);
void AddStdNorm(size_t rows, size_t cols, const float* x, const float* residual,
                const float* gamma, const float* beta, float epsilon,
                float* out);
void AddRmsNorm(size_t rows, size_t cols, const float* x, const float* residual,
                const float* gamma, float epsilon, float* out);
void Multiply(size_t n, const float* x, const float* y, float* out);
void Activate(Activation kind, size_t n, float* x);
void Cap(size_t n, float cap, float* x);
void Attend(const AttentionArgs& args);
void GemmF16(const GemmArgs<uint16_t>& args);
#if defined(__AVX512F__)
void GemmF32(const GemmArgs<float>& args);
#endif
float SumExp(size_t n, const float* x, float max);
void Softmax(size_t n, float* x);
// The same, but overwrites what follows up to a multiple of 16 floats.
void SoftmaxPadded(size_t n, float* x);
size_t Argmax(size_t n, const float* x);
void PackInt8Keys(const PackInt8Args& args);
void PackInt8Values(const PackInt8Args& args);
uint32_t SoftmaxBytes(size_t n, float* x);

}  // namespace latimer::LATIMER_ISA

#endif  // LATIMER_OPS_VECTOR_KERNELS_ISA_H_
