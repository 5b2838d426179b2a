// Files mapped read-only: what latimer/hosted_model.h asks of the OS, and the
// words for what it refuses.
#ifndef LATIMER_BASE_FILE_MAPPING_H_
#define LATIMER_BASE_FILE_MAPPING_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/status.h"

namespace latimer {

// Sets `*bytes`, aligned to a page, until UnmapFile. Errors: those of
// MappedFile::Open.
Status MapFile(const char* path, std::span<const std::byte>* bytes);

// Its part that is the OS's. Precondition: `path` is not null.
Status MapPath(const char* path, std::span<const std::byte>* bytes);

// Precondition: MapFile gave `bytes`, or they are empty.
void UnmapFile(std::span<const std::byte> bytes);

// The Status of a file that cannot be mapped: one of the reasons below, or
// another error with its number in the OS.
Status NotMapped(const char* path, const char* why);
Status NotMapped(const char* path, uint64_t error);

inline constexpr char kIsAFolder[] = "it is a folder";
inline constexpr char kNotARegularFile[] = "it is not a regular file";
inline constexpr char kIsEmpty[] = "it is empty";
inline constexpr char kNoSuchFile[] = "there is no such file";
inline constexpr char kMayNotBeRead[] = "it may not be read";
inline constexpr char kNoAddresses[] =
    "this process has no addresses left for it";
inline constexpr char kTooManyFiles[] = "too many files are open";

}  // namespace latimer

#endif  // LATIMER_BASE_FILE_MAPPING_H_
