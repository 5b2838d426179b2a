// Planning: what a model needs, known from its file alone.
#ifndef LATIMER_PLAN_H_
#define LATIMER_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/memory.h"
#include "latimer/model_info.h"
#include "latimer/options.h"
#include "latimer/profile.h"
#include "latimer/status.h"

namespace latimer {

// Memory that ReadModelInfo works in.
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
// Reads them with `*workspace` as scratch memory.
Status ReadModelInfo(std::span<const std::byte> image, bool verify_checksum,
                     Workspace* workspace, ModelInfo* info,
                     size_t workspace_bytes = sizeof(Workspace));

// What a workspace for one model needs in this build.
struct WorkspacePlan {
  uint64_t bytes;
  // With several lanes: what room for one more token takes in the caches that
  // all sentences share. They hold kLaneTokens per lane in `bytes`; with less
  // than the sentences need, fewer are decoded side by side.
  uint64_t cached_token_bytes;
  // What is enough for sentences of 128 tokens in all lanes. Where memory that
  // is not touched costs only addresses, take this.
  uint64_t roomy_bytes;
};

// The workspace that Translator::Load needs for a model with these options, at
// most sizeof(Workspace).
WorkspacePlan PlanWorkspace(const ModelInfo& info, const LoadOptions& options);

// What a profile must hold. 0 tokens stand for the model's own limit.
struct ProfileLimits {
  uint32_t source_tokens = 0;
  uint32_t target_tokens = 0;
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
  // Whether translations can be aligned, as HTML needs; see alignment.h.
  bool alignment = false;
  bool phrases = false;   // Terms and protected spans; see TranslateOptions.
  bool sampling = false;  // See sampling.h.
};

// The smallest profile that holds the model: WorkspaceBytes(profile) is
// sizeof(Workspace) in a build with it. `name` must outlive the result.
// kInvalidArgument if a limit exceeds the model's own.
Result<Profile> ExactProfile(const ModelInfo& info, const ProfileLimits& limits,
                             const char* name);

}  // namespace latimer

#endif  // LATIMER_PLAN_H_
