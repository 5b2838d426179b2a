#include "cli/sound_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/system.h"

namespace latimer::cli {
namespace {

constexpr size_t kBlockBytes = 64 * 1024;

}  // namespace

SoundInput::SoundInput(size_t room, uint32_t pcm_rate)
    : reader_(std::make_unique<WavReader>()),
      samples_(room),
      bytes_(kBlockBytes) {
  if (pcm_rate > 0) {
    status_ = reader_->StartPcm(pcm_rate);
  } else {
    reader_->StartWav();
  }
}

Status SoundInput::Fill() {
  while (count_ < samples_.size() && !ended_) {
    const std::span<float> room = std::span(samples_).subspan(count_);
    if (rest_.empty()) {
      const ssize_t got = ReadInput(bytes_.data(), bytes_.size());
      if (got < 0) {
        return Status::Error(StatusCode::kResourceUnavailable,
                             "cannot read standard input (%s).",
                             std::strerror(errno));
      }
      rest_ = {reinterpret_cast<const uint8_t*>(bytes_.data()),
               static_cast<size_t>(got)};
      if (got == 0) {
        const Result<size_t> last = reader_->Finish(room);
        if (!last.ok()) return last.status();
        count_ += *last;
        ended_ = *last < room.size();
        continue;
      }
    }
    const Result<size_t> more = reader_->Feed(&rest_, room);
    if (!more.ok()) return more.status();
    count_ += *more;
  }
  return Status();
}

Result<std::span<const float>> SoundInput::Next() {
  LATIMER_RETURN_IF_ERROR(status_);
  std::copy(samples_.begin() + static_cast<ptrdiff_t>(used_),
            samples_.begin() + static_cast<ptrdiff_t>(count_),
            samples_.begin());
  count_ -= used_;
  used_ = 0;
  LATIMER_RETURN_IF_ERROR(Fill());
  return std::span<const float>(samples_).first(count_);
}

}  // namespace latimer::cli
