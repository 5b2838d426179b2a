// Planning: what a model needs, known from its file alone.
#ifndef LATIMER_PLAN_H_
#define LATIMER_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/memory.h"
#include "latimer/model_info.h"
#include "latimer/profile.h"
#include "latimer/status.h"

namespace latimer {

// Verifies a model file like Translator::Load and fills `*info` with views into
// it, whichever CPU it was packed for. `*workspace` is scratch memory. Errors:
// those of Load that concern the file.
Status ReadModelInfo(std::span<const std::byte> image, bool verify_checksum,
                     Workspace* workspace, ModelInfo* info);

// What a profile must hold. 0 tokens stand for the model's own limit.
struct ProfileLimits {
  uint32_t source_tokens = 0;
  uint32_t target_tokens = 0;
  uint32_t threads = 1;
  uint32_t lanes = 1;
  // Whether to reserve RAM for the model file, for a device that cannot map it.
  bool copy_image = false;
  // Whether to reserve RAM for the attention weights, of any kind, and the
  // token scores of the longest sentence.
  bool insight = false;
};

// The smallest profile that holds the model: WorkspaceBytes(profile) is
// sizeof(Workspace) in a build with it. `name` must outlive the result.
// kInvalidArgument if a limit exceeds the model's own.
Result<Profile> ExactProfile(const ModelInfo& info, const ProfileLimits& limits,
                             const char* name);

}  // namespace latimer

#endif  // LATIMER_PLAN_H_
