#include "ops/vector_kernels.h"

#include "base/cpu.h"

namespace latimer {

// Defined where LATIMER_HAVE_<ISA> is, by *_isa.cc.
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

size_t ListVectorKernels([[maybe_unused]] const CpuFeatures& features,
                         const VectorKernels* (&tables)[kMaxVectorKernels]) {
  size_t count = 0;
#ifdef LATIMER_HAVE_AVX512
  if (features.avx512) tables[count++] = &avx512::kVectorKernels;
#endif
#ifdef LATIMER_HAVE_AVX2
  if (features.avx2) tables[count++] = &avx2::kVectorKernels;
#endif
#ifdef LATIMER_HAVE_SSE41
  if (features.sse41) tables[count++] = &sse41::kVectorKernels;
#endif
#ifdef LATIMER_HAVE_NEON
  if (features.neon) tables[count++] = &neon::kVectorKernels;
#endif
  return count;
}

}  // namespace latimer
