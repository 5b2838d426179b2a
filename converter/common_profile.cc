#include "converter/common_profile.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

#include "converter/error.h"
#include "converter/input_file.h"
#include "converter/model_writer.h"
#include "latimer/internal/profile_members.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// Reads nothing but the profile that a model needs within these limits, and
// notes in `*most` the largest that it could hold.
Profile ProfileOf(const fs::path& path, ProfileLimits limits,
                  ProfileLimits* most) {
  if (!IsConverted(path)) {
    FailIn(path, "not a Latimer model; convert it first");
  }
  const InputFile file(path);
  const ModelDescription info =
      ReadInfo(file.bytes(), /*verify_checksum=*/true);
  const uint32_t source = info.architecture.source_positions;
  const uint32_t target = info.generation.max_target_tokens;
  most->source_tokens = std::max(most->source_tokens.value_or(0), source);
  most->target_tokens = std::max(most->target_tokens.value_or(0), target);
  // One that is shorter by itself does not limit the others.
  limits.source_tokens =
      std::min(limits.source_tokens.value_or(source), source);
  limits.target_tokens =
      std::min(limits.target_tokens.value_or(target), target);
  const Result<Profile> profile = ExactProfile(info, limits, "");
  if (!profile.ok()) FailIn(path, profile.status().message());
  return *profile;
}

// No limit is less than any.
void CheckLimit(const char* option, std::optional<uint32_t> asked,
                std::optional<uint32_t> most) {
  if (asked <= most) return;
  FailWith(option, " ", *asked, " exceeds the limits of all models, of which ",
           *most, " is the largest.");
}

}  // namespace

Profile LargestOf(const Profile& a, const Profile& b) {
  Profile most = a;
  ForEachMember([&](const auto& row) {
    auto& member = most.*row.member;
    member = row.if_all ? std::min(a.*row.member, b.*row.member)
                        : std::max(a.*row.member, b.*row.member);
  });
  most.probes = a.probes || b.probes;
  return most;
}

bool IsConverted(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  char begin[8] = {};
  file.read(begin, sizeof(begin));
  // The identifier of schema/model.fbs.
  return file.gcount() == 8 && std::string_view(begin + 4, 4) == "LTMR";
}

CommonProfile MakeCommonProfile(const std::string& name,
                                std::span<const fs::path> models,
                                const ProfileLimits& limits) {
  CommonProfile common;
  common.name = name;
  ProfileLimits most;
  for (const fs::path& path : models) {
    Profile profile = ProfileOf(path, limits, &most);
    common.models.push_back({path, WorkspaceBytes(profile)});
    common.profile = common.models.size() == 1
                         ? profile
                         : LargestOf(common.profile, profile);
  }
  CheckLimit("--max-source-tokens", limits.source_tokens, most.source_tokens);
  CheckLimit("--max-target-tokens", limits.target_tokens, most.target_tokens);
  return common;
}

}  // namespace latimer
