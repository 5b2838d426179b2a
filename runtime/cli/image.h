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

// `*image`, 64-byte aligned, until the program ends. To be called once. With
// `copy` the file is read into memory of its own, which then cannot be written
// to: what becomes of the file does not matter any more. Without it the same
// holds for a linked image and for a profile that keeps RAM for the file; else
// the file is mapped.
// kResourceUnavailable: there is no such file, it cannot be read, or there is
// no memory for a copy. kExceedsProfile: it is larger than the RAM kept for it.
Status OpenImage(const char* path, bool copy,
                 std::span<const std::byte>* image);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_IMAGE_H_
