// What a model is and needs, known from its file alone.
#ifndef LATIMER_PLAN_H_
#define LATIMER_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "latimer/internal/memory_plan.h"
#include "latimer/model_info.h"
#include "latimer/options.h"
#include "latimer/status.h"

namespace latimer {

// Memory that these functions work in.
struct InfoScratch {
  alignas(64) std::byte bytes[Elements(Buffer::kState, 1)];
};

// Verifies a model file like Translator::Load and fills `*info` with views into
// it, whichever CPU it was packed for. Errors: those of Load that concern the
// file, and kInvalidArgument if the caller was compiled with a smaller profile:
// leave out the last argument, which tells the library so.
Status ReadModelInfo(std::span<const std::byte> image, bool verify_checksum,
                     InfoScratch* scratch, ModelInfo* info,
                     size_t scratch_bytes = sizeof(InfoScratch));

// What a workspace for one model needs in this build.
struct WorkspacePlan {
  uint64_t bytes;
  // With several lanes: what room for one more token takes in the caches that
  // all sentences share. They hold 32 per lane in `bytes`; with less
  // than the sentences need, fewer are decoded side by side.
  uint64_t cached_token_bytes;
  // What is enough for sentences of 128 tokens in all lanes. Where memory that
  // is not touched costs only addresses, take this.
  uint64_t roomy_bytes;
};

// The workspace that Translator::Load needs for a model file with these
// options, at most sizeof(Workspace). Does not search the file for damage.
// Errors: those of ReadModelInfo.
Result<WorkspacePlan> PlanWorkspace(std::span<const std::byte> image,
                                    const LoadOptions& options,
                                    InfoScratch* scratch,
                                    size_t scratch_bytes = sizeof(InfoScratch));

}  // namespace latimer

#endif  // LATIMER_PLAN_H_
