// From the bytes of a model file to verified typed views.
//
// The only place in the runtime that knows FlatBuffers. Everything that
// translation relies on later is checked here, once, in every build type.
#ifndef LATIMER_MODEL_MODEL_FILE_H_
#define LATIMER_MODEL_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/status.h"
#include "model/model.h"

namespace latimer {

// The version that this code writes and reads; see schema/README.md.
inline constexpr uint32_t kFormatVersion = 4;

// Largest file: FlatBuffers' offsets are signed 32-bit.
inline constexpr uint64_t kMaxFileBytes = (uint64_t{1} << 31) - 64;

// Hash that Model.checksum holds: of all bytes but the eight at
// `checksum_offset`. Precondition: checksum_offset + 8 <= file.size().
uint64_t ComputeChecksum(std::span<const std::byte> file,
                         size_t checksum_offset);

// Fills `*model` with views into `image`, which must be 64-byte aligned and
// outlive it. Bytes after the file's own are ignored. Allocates nothing; time
// is linear in the file. Without `verify_checksum` neither the checksum nor the
// tensors' numbers are looked at: wrong ones give wrong tokens. Errors:
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
