// From the bytes of a model file to verified typed views.
//
// Only this directory of the runtime knows FlatBuffers. Everything that
// translation relies on is checked here, once, in every build type.
#ifndef LATIMER_MODEL_MODEL_FILE_H_
#define LATIMER_MODEL_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/status.h"
#include "model/model.h"

namespace latimer {

// The version that this code writes and reads; see schema/README.md.
// A file has the lowest version that says all of its model: 5 added the fixed
// source length, which a runtime of version 4 would ignore.
inline constexpr uint32_t kFormatVersion = 5;
inline constexpr uint32_t kOldestFormatVersion = 4;

// Largest file: FlatBuffers' offsets are signed 32-bit numbers.
inline constexpr uint64_t kMaxFileBytes = (uint64_t{1} << 31) - 64;

// Reads the size of the file that `image` begins with. Reads no more than its
// root; errors as below.
Status FindFileBytes(std::span<const std::byte> image, size_t* file_bytes);

// Fills `*model` with views into `image`, which must be 64-byte aligned and
// outlive it. Ignores bytes after the file's own. Allocates nothing; takes time
// linear in the file. Without `verify_checksum` neither the checksum nor the
// tensors' numbers are checked; wrong numbers give wrong tokens. Errors:
//   kInvalidArgument     image misaligned
//   kNotAModel           too short or without the identifier
//   kTruncated           shorter than the file says it is
//   kCorrupt             structure, checksum or a value is wrong
//   kUnsupportedVersion  another format version
//   kExceedsProfile      larger than kProfile, or a feature outside it
Status ReadModelFile(std::span<const std::byte> image, bool verify_checksum,
                     Model* model);

}  // namespace latimer

#endif  // LATIMER_MODEL_MODEL_FILE_H_
