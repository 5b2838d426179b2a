// The model file's bytes. Two files define these functions, of which a build
// has one: image_file.cc opens a file, image_linked.cc (-DLATIMER_EMBED=FILE)
// has the model in the program.
#ifndef LATIMER_CLI_IMAGE_H_
#define LATIMER_CLI_IMAGE_H_

#include <cstddef>
#include <span>

namespace latimer::cli {

// Whether the program has its model inside and takes none from the command
// line.
bool CarriesModel();

// The image, 64-byte aligned, until the program ends. On failure prints one
// sentence to standard error and returns an empty span. To be called once.
std::span<const std::byte> OpenImage(const char* path);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_IMAGE_H_
