// What a model file says and needs, all of it: for what describes models and
// writes profiles. Users have latimer/plan.h.
#ifndef LATIMER_PLAN_EXACT_PROFILE_H_
#define LATIMER_PLAN_EXACT_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "latimer/internal/profile.h"
#include "latimer/options.h"
#include "latimer/plan.h"
#include "latimer/status.h"
#include "latimer/translator.h"
#include "model/model_description.h"

namespace latimer {

// As for a ModelInfo, but all that the file says; also with a workspace as
// scratch memory.
Status ReadModelInfo(std::span<const std::byte> image, bool verify_checksum,
                     InfoScratch* scratch, ModelDescription* model);
Status ReadModelInfo(std::span<const std::byte> image, bool verify_checksum,
                     Workspace* workspace, ModelDescription* model);

// The workspace for a model with these options, at most sizeof(Workspace).
WorkspacePlan PlanWorkspace(const ModelDescription& model,
                            const LoadOptions& options);

// What a profile must hold. Tokens that are not given are the model's own
// limit.
struct ProfileLimits {
  std::optional<uint32_t> source_tokens = {};
  std::optional<uint32_t> target_tokens = {};
  uint32_t threads = 1;
  uint32_t lanes = 1;
  uint32_t beams = 1;
  bool f16_caches = false;  // See Profile.
  // Whether to reserve RAM for the model file, for a device that cannot map it.
  bool copy_image = false;
  // Whether to reserve RAM for the attention weights, of any kind, of the
  // longest sentence, and for the scores of tokens.
  bool attention = false;
  bool scores = false;
  // Whether translations can be aligned, as HTML needs.
  bool alignment = false;
  bool phrases = false;   // Terms and protected spans; see TranslateOptions.
  bool sampling = false;  // See Sampling.
};

// The smallest profile that holds the model: WorkspaceBytes(profile) is
// sizeof(Workspace) in a build with it. `name` must outlive the result.
// kInvalidArgument if a limit exceeds the model's own.
Result<Profile> ExactProfile(const ModelDescription& model,
                             const ProfileLimits& limits, const char* name);

}  // namespace latimer

#endif  // LATIMER_PLAN_EXACT_PROFILE_H_
