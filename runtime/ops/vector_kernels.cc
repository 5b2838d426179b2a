#include "ops/vector_kernels.h"

#include "base/cpu.h"
#include "base/isas_in_build.h"

namespace latimer {

#define DECLARE_VECTOR_KERNELS(isa)          \
  namespace isa {                            \
  extern const VectorKernels kVectorKernels; \
  }
LATIMER_VECTOR_ISAS(DECLARE_VECTOR_KERNELS)

size_t ListVectorKernels(const CpuFeatures& features,
                         const VectorKernels* (&tables)[kMaxVectorKernels]) {
  size_t count = 0;
#define ADD_VECTOR_KERNELS(isa) \
  if (features.isa) tables[count++] = &isa::kVectorKernels;
  LATIMER_VECTOR_ISAS(ADD_VECTOR_KERNELS)
  return count;
}

}  // namespace latimer
