// Files mapped read-only, which the OS does.
#ifndef LATIMER_BASE_FILE_MAPPING_H_
#define LATIMER_BASE_FILE_MAPPING_H_

#include <cstddef>
#include <span>

#include "latimer/status.h"

namespace latimer {

// Sets `*bytes`, aligned to a page, until UnmapFile. Errors: those of
// MappedFile::Open.
Status MapFile(const char* path, std::span<const std::byte>* bytes);

// Precondition: MapFile gave `bytes`, or they are empty.
void UnmapFile(std::span<const std::byte> bytes);

}  // namespace latimer

#endif  // LATIMER_BASE_FILE_MAPPING_H_
