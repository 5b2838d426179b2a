// What does not change after Load: the model, the kernels for this CPU, and the
// threads.
#ifndef LATIMER_TRANSFORMER_ENGINE_H_
#define LATIMER_TRANSFORMER_ENGINE_H_

#include <cstddef>
#include <span>

#include "base/thread_pool.h"
#include "latimer/options.h"
#include "model/model.h"
#include "ops/nibble/planes.h"
#include "ops/vector_kernels.h"
#include "ops/xnnpack/gemm.h"

namespace latimer {

// Constant after Translator::Load.
struct Engine {
  Model model;
  GemmKernels gemm;
  const VectorKernels* vector = nullptr;
  // Set if model.info.pruned_argmax.
  const NibbleKernels* nibble = nullptr;
  // Running a task changes the pool, but no result depends on it.
  mutable ThreadPool threads;

  const Architecture& architecture() const { return model.info.architecture; }
};

// Verifies the model file and chooses kernels for this CPU, and whether the
// build has so many threads, which it does not start. Errors: those of
// Translator::Load, except that of the system.
Status LoadEngine(std::span<const std::byte> image, const LoadOptions& options,
                  Engine* engine);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_ENGINE_H_
