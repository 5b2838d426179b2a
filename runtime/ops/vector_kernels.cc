#include "ops/vector_kernels.h"

#include "base/cpu.h"

namespace latimer {

// Defined where LATIMER_KERNELS_VECTOR_<ISA> is, by *_isa.cc.
namespace sse41 {
extern const VectorKernels kVectorKernels;
}
namespace avx2 {
extern const VectorKernels kVectorKernels;
}
namespace avx512 {
extern const VectorKernels kVectorKernels;
}
namespace neon {
extern const VectorKernels kVectorKernels;
}
namespace scalar {
extern const VectorKernels kVectorKernels;
}

size_t ListVectorKernels([[maybe_unused]] const CpuFeatures& features,
                         const VectorKernels* (&tables)[kMaxVectorKernels]) {
  size_t count = 0;
#ifdef LATIMER_KERNELS_VECTOR_AVX512
  if (features.avx512) tables[count++] = &avx512::kVectorKernels;
#endif
#ifdef LATIMER_KERNELS_VECTOR_AVX2
  if (features.avx2) tables[count++] = &avx2::kVectorKernels;
#endif
#ifdef LATIMER_KERNELS_VECTOR_SSE41
  if (features.sse41) tables[count++] = &sse41::kVectorKernels;
#endif
#ifdef LATIMER_KERNELS_VECTOR_NEON
  if (features.neon) tables[count++] = &neon::kVectorKernels;
#endif
#ifdef LATIMER_KERNELS_VECTOR_SCALAR
  if (features.scalar) tables[count++] = &scalar::kVectorKernels;
#endif
  return count;
}

}  // namespace latimer
