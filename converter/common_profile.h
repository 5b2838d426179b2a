// One profile for several models, so that one program holds them all.
#ifndef LATIMER_CONVERTER_COMMON_PROFILE_H_
#define LATIMER_CONVERTER_COMMON_PROFILE_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "internals.h"
#include "latimer/internal/profile.h"

namespace latimer {

// The smallest profile that holds what both hold. The name is that of `a`.
Profile LargestOf(const Profile& a, const Profile& b);

struct CommonProfile {
  struct Model {
    std::filesystem::path path;
    // sizeof(Workspace) in a build with a profile for this model only.
    uint64_t workspace_bytes = 0;
  };

  std::string name;
  Profile profile{};  // Its own name is not set.
  std::vector<Model> models;
};

// Whether a file is a model that the converter has written.
bool IsConverted(const std::filesystem::path& path);

// A profile for converted models, each with at most these limits. Throws
// ConversionError if a file is not a converted model, or a limit exceeds those
// of all models.
CommonProfile MakeCommonProfile(const std::string& name,
                                std::span<const std::filesystem::path> models,
                                const ProfileLimits& limits);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_COMMON_PROFILE_H_
