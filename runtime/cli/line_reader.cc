#include "cli/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "cli/interrupt.h"
#include "cli/lines.h"

namespace latimer::cli {
namespace {

constexpr size_t kReadBytes = size_t{64} * 1024;

bool IsReadable(int timeout) {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  // What cannot be polled is read.
  return poll(&input, 1, timeout) != 0;
}

}  // namespace

InputBytes ReadInput(char* data, size_t bytes, bool wait) {
  using Got = InputBytes::Got;
  // What is finished is written before anybody waits.
  WaitForInput(wait && FlushesLines());
  if (!IsReadable(wait ? -1 : 0)) return {Got::kNothingYet, 0, 0};
  const ssize_t count = read(STDIN_FILENO, data, bytes);
  WaitForInput(false);
  if (count > 0) return {Got::kBytes, static_cast<size_t>(count), 0};
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
    return {Got::kNothingYet, 0, 0};
  }
  return {Got::kEnd, 0, count < 0 ? errno : 0};
}

bool LineReader::TakeLine(std::string_view* line) {
  size_t end = buffer_.find('\n', scanned_);
  size_t next = end + 1;
  if (end == std::string::npos) {
    scanned_ = end = next = buffer_.size();
    if (!only_ && (!ended_ || begin_ == end)) return false;
    only_ = false;
  }
  *line = std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = scanned_ = next;
  ++number_;
  return true;
}

bool LineReader::Read(bool wait) {
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  const size_t size = buffer_.size();
  buffer_.resize(size + kReadBytes);
  const InputBytes input = ReadInput(buffer_.data() + size, kReadBytes, wait);
  buffer_.resize(size + input.bytes);
  if (input.got == InputBytes::Got::kNothingYet) return wait;
  ended_ = input.got == InputBytes::Got::kEnd;
  error_ = input.error;
  return true;
}

LineReader::Got LineReader::Next(bool wait, std::string_view* line) {
  if (Interrupted()) return Got::kEnd;
  while (!TakeLine(line)) {
    if (ended_) return Got::kEnd;
    if (!Read(wait)) return Got::kNothingYet;
  }
  return Got::kLine;
}

}  // namespace latimer::cli
