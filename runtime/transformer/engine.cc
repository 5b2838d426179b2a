#include "transformer/engine.h"

#include "base/check.h"
#include "base/cpu.h"
#include "model/matrix_counts.h"
#include "model/model_file.h"

namespace latimer {

Status LoadEngine(std::span<const std::byte> image, const LoadOptions& options,
                  Engine* engine) {
  CpuFeatures cpu = DetectCpuFeatures();
  if (options.cpu != nullptr) {
    const Result<CpuFeatures> limited = LimitCpuFeatures(cpu, options.cpu);
    if (!limited.ok()) return limited.status();
    cpu = *limited;
  }
  Model& model = engine->model;
  LATIMER_RETURN_IF_ERROR(
      ReadModelFile(image, options.verify_checksum, &model));
  LATIMER_RETURN_IF_ERROR(
      SelectGemmKernels(cpu, model.weight_type, model.tile, &engine->gemm));
  for (size_t i = 0; i < kWeightTypeCount; ++i) {
    const auto type = static_cast<WeightType>(i);
    if (!HasMatrices(model.info, type)) continue;
    LATIMER_RETURN_IF_ERROR(
        AddGemmKernels(cpu, type, model.tile, &engine->gemm));
  }
  const VectorKernels* vector_kernels[kMaxVectorKernels];
  if (ListVectorKernels(cpu, vector_kernels) == 0) {
    return Status::Error(
        StatusCode::kUnsupportedCpu,
        "This CPU lacks instructions that this build needs (%s); build with "
        "-DLATIMER_ISAS for this CPU.",
        kIsasInBuild);
  }
  engine->vector = vector_kernels[0];
  if (kProfile.pruned_argmax && model.info.pruned_argmax) {
    engine->nibble = SelectNibbleKernels(cpu);
    LATIMER_CHECK(engine->nibble != nullptr);  // The others are newer.
  }
  return ThreadPool::CheckCount(options.threads);
}

}  // namespace latimer
