// The hash of a model file.
#ifndef LATIMER_MODEL_CHECKSUM_H_
#define LATIMER_MODEL_CHECKSUM_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer {

// The hash in Model.checksum: of all bytes except the eight at
// `checksum_offset`. Precondition: checksum_offset + 8 <= file.size().
uint64_t ComputeChecksum(std::span<const std::byte> file,
                         size_t checksum_offset);

}  // namespace latimer

#endif  // LATIMER_MODEL_CHECKSUM_H_
