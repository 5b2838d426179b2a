#include "cli/sound_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "latimer/transcriber.h"
#include "os/system.h"

namespace latimer::cli {
namespace {

constexpr size_t kBlockBytes = 64 * 1024;
// Speech is looked at in blocks of 20 ms; a pause has some of them.
constexpr size_t kBlock = Transcriber::kSampleRate / 50;
constexpr size_t kPauseBlocks = 10;

// The middle of the quietest pause in the last third of a window.
size_t FindPause(std::span<const float> samples) {
  const size_t first = samples.size() / 3 * 2 / kBlock;
  const size_t blocks = samples.size() / kBlock;
  if (blocks < first + kPauseBlocks) return samples.size();
  std::vector<double> energy(blocks);
  for (size_t i = first; i < blocks; ++i) {
    for (const float sample : samples.subspan(i * kBlock, kBlock)) {
      energy[i] += double{sample} * sample;
    }
  }
  size_t best = first;
  double least = -1;
  for (size_t i = first; i + kPauseBlocks <= blocks; ++i) {
    double sum = 0;
    for (size_t j = i; j < i + kPauseBlocks; ++j) sum += energy[j];
    if (least >= 0 && sum > least) continue;  // The last one of equals.
    least = sum;
    best = i;
  }
  return (best + kPauseBlocks / 2) * kBlock;
}

}  // namespace

SoundInput::SoundInput(size_t window, uint32_t pcm_rate)
    : reader_(std::make_unique<WavReader>()),
      samples_(window),
      bytes_(kBlockBytes) {
  if (pcm_rate > 0) {
    status_ = reader_->StartPcm(pcm_rate);
  } else {
    reader_->StartWav();
  }
}

double SoundInput::seconds() const {
  return static_cast<double>(before_) / Transcriber::kSampleRate;
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
  std::copy(samples_.begin() + static_cast<ptrdiff_t>(given_),
            samples_.begin() + static_cast<ptrdiff_t>(count_),
            samples_.begin());
  count_ -= given_;
  before_ += given_;
  LATIMER_RETURN_IF_ERROR(Fill());
  const std::span<const float> window = std::span(samples_).first(count_);
  given_ = ended_ ? count_ : FindPause(window);
  return window.first(given_);
}

}  // namespace latimer::cli
