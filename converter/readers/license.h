// The licence of a model, from the files beside it.
#ifndef LATIMER_CONVERTER_READERS_LICENSE_H_
#define LATIMER_CONVERTER_READERS_LICENSE_H_

#include <filesystem>
#include <string>

namespace latimer {

// The text of LICENSE if there is one, else the licence that the front matter
// of README.md (the model card) names, else empty.
std::string ReadLicense(const std::filesystem::path& directory);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_LICENSE_H_
