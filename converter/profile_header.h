// A profile as a header for targets/models/.
#ifndef LATIMER_CONVERTER_PROFILE_HEADER_H_
#define LATIMER_CONVERTER_PROFILE_HEADER_H_

#include <filesystem>
#include <string>

#include "latimer/internal/profile.h"

namespace latimer {

// A profile's name that can be part of an identifier: `text` in lower case,
// with underscores in place of everything except letters and digits.
std::string ProfileName(const std::string& text);

// Whether a file is a header that ProfileHeader has made.
bool IsProfileHeader(const std::filesystem::path& path);

// A header that defines `profile` as kProfile.
std::string ProfileHeader(const Profile& profile);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_PROFILE_HEADER_H_
