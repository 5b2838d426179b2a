#include "ops/vector_kernels.h"

#include "base/cpu.h"
#include "base/isas_in_build.h"

namespace latimer {

#define DECLARE(isa)                         \
  namespace isa {                            \
  extern const VectorKernels kVectorKernels; \
  }
LATIMER_VECTOR_ISAS(DECLARE)

size_t ListVectorKernels(const CpuFeatures& features,
                         const VectorKernels* (&tables)[kMaxVectorKernels]) {
  size_t count = 0;
#define ADD(isa) \
  if (features.isa) tables[count++] = &isa::kVectorKernels;
  LATIMER_VECTOR_ISAS(ADD)
  return count;
}

}  // namespace latimer
