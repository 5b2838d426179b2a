// How fast this machine reads memory.
#ifndef LATIMER_CLI_BANDWIDTH_H_
#define LATIMER_CLI_BANDWIDTH_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer::cli {

// Bytes per nanosecond (GB/s) at which `threads` threads together add up a
// 64-byte aligned buffer, over and over: the best of some passes, half a second
// in all.
double ReadBandwidth(std::span<const std::byte> buffer, uint32_t threads);

// Far more than the caches hold, within what is free.
size_t LargeBufferBytes();

// Memory with a page behind each address; untouched ones are one page of zeros.
class FilledBuffer {
 public:
  // Empty where the system refuses.
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
