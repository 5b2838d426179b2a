// A profile as a header for targets/models/.
#ifndef LATIMER_CONVERTER_PROFILE_HEADER_H_
#define LATIMER_CONVERTER_PROFILE_HEADER_H_

#include <string>

#include "latimer/profile.h"

namespace latimer {

// `text` in lower case with everything but letters and digits as underscores:
// a profile's name, fit for an identifier.
std::string ProfileName(const std::string& text);

// The header that makes `profile` the constant kProfile of a build.
std::string ProfileHeader(const Profile& profile);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_PROFILE_HEADER_H_
