// Opens the model file that is its argument as `latimer` does, with a second
// argument as with --copy, cuts the file to nothing, and writes the bytes that
// it got to standard output.

#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "cli/image.h"

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) return 2;
  std::span<const std::byte> image;
  const latimer::Status status =
      latimer::cli::OpenImage(argv[1], argc == 3, &image);
  if (!status.ok()) {
    std::fprintf(stderr, "latimer: %s\n", status.message());
    return 1;
  }
  if (reinterpret_cast<uintptr_t>(image.data()) % 64 != 0) return 3;
  if (truncate(argv[1], 0) != 0) return 4;
  std::fwrite(image.data(), 1, image.size(), stdout);
  return 0;
}
