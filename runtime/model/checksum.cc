#include "model/checksum.h"

#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#include <xxhash.h>

#include "base/check.h"

namespace latimer {

uint64_t ComputeChecksum(std::span<const std::byte> file,
                         size_t checksum_offset) {
  LATIMER_CHECK(checksum_offset + sizeof(uint64_t) <= file.size());
  const size_t rest = checksum_offset + sizeof(uint64_t);
  const uint64_t head = XXH3_64bits(file.data(), checksum_offset);
  return XXH3_64bits_withSeed(file.data() + rest, file.size() - rest, head);
}

}  // namespace latimer
