// The profile that exactly one model needs, and its bill.
#ifndef LATIMER_CONVERTER_EXACT_PROFILE_H_
#define LATIMER_CONVERTER_EXACT_PROFILE_H_

#include <cstdint>
#include <string>

#include "converter/canonical_model.h"
#include "latimer/profile.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

// 0 means: as long as the model allows.
struct ProfileLimits {
  uint32_t source_tokens = 0;
  uint32_t target_tokens = 0;
  uint32_t threads = 1;
};

// The smallest profile that holds the model. `name` is borrowed. Throws
// ConversionError if a limit exceeds the model's positions.
Profile ExactProfile(const CanonicalModel& model, WeightType weights,
                     const ProfileLimits& limits, const char* name);

// `text` in lower case with everything but letters and digits as underscores:
// a profile's name, fit for an identifier.
std::string ProfileName(const std::string& text);

// The header that makes `profile` the constant kProfile of a build.
std::string ProfileHeader(const Profile& profile);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_EXACT_PROFILE_H_
