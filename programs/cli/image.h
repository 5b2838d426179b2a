// The bytes of the model file. A build has one of two definitions of these
// functions: image_file.cc opens a file, image_linked.cc (-DLATIMER_EMBED=FILE)
// links the model into the program.
#ifndef LATIMER_CLI_IMAGE_H_
#define LATIMER_CLI_IMAGE_H_

#include <cstddef>
#include <span>

#include "latimer/status.h"

namespace latimer::cli {

// Whether the model is part of the program, so that the command line names
// none.
bool CarriesModel();

// Sets `*image`, 64-byte aligned, which lives until the program ends. Call it
// only once. With `copy`, or if the profile reserves RAM for the file, the file
// is read into memory and may then change or go; otherwise it is mapped.
// Errors: kResourceUnavailable if the file cannot be opened or read, or there
// is no memory for a copy; kExceedsProfile if it is larger than the RAM
// reserved for it.
Status OpenImage(const char* path, bool copy,
                 std::span<const std::byte>* image);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_IMAGE_H_
