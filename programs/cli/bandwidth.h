// How fast this machine reads memory.
#ifndef LATIMER_CLI_BANDWIDTH_H_
#define LATIMER_CLI_BANDWIDTH_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer::cli {

// The speed, in bytes per nanosecond (GB/s), at which `threads` threads
// together add up a 64-byte aligned buffer over and over: the best of several
// passes, which take half a second in all.
double ReadBandwidth(std::span<const std::byte> buffer, uint32_t threads);

// A size that far exceeds the caches, limited by the free memory.
size_t LargeBufferBytes();

// Memory that was written to. Untouched pages would all be one page of zeros.
class FilledBuffer {
 public:
  // Empty if the system refuses.
  explicit FilledBuffer(size_t bytes);
  ~FilledBuffer();
  FilledBuffer(const FilledBuffer&) = delete;
  FilledBuffer& operator=(const FilledBuffer&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_BANDWIDTH_H_
