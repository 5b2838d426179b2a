// The model file's bytes. Two files define these functions, of which a build
// has one: image_file.cc opens a file, image_linked.cc (-DLATIMER_EMBED=FILE)
// has the model in the program.
#ifndef LATIMER_CLI_IMAGE_H_
#define LATIMER_CLI_IMAGE_H_

#include <cstddef>
#include <span>

#include "latimer/status.h"

namespace latimer::cli {

// Whether the program has its model inside and takes none from the command
// line.
bool CarriesModel();

// `*image`, 64-byte aligned, until the program ends. To be called once.
// kResourceUnavailable: there is no such file, or it cannot be read.
// kExceedsProfile: it is larger than the RAM kept for it.
Status OpenImage(const char* path, std::span<const std::byte>* image);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_IMAGE_H_
