#include "audio/wav_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace latimer {
namespace {

constexpr unsigned kPcm = 1, kFloat = 3, kExtensible = 0xfffe;
constexpr size_t kFormatBytes = 16, kExtensibleBytes = 40;
// What follows the coding in the GUID of WAVE_FORMAT_EXTENSIBLE.
constexpr uint8_t kGuid[14] = {0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80,
                               0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71};
// To a pipe, arecord and sox write sizes near 2^31, and ffmpeg 2^32 - 1.
constexpr uint32_t kEndless = 0x7fffff00;
constexpr char kRemedy[] =
    "convert it with ffmpeg -i FILE -ac 1 -ar 16000 -f wav OUT.wav";

uint32_t Read16(const uint8_t* p) {
  return static_cast<uint32_t>(p[0] | p[1] << 8);
}
uint32_t Read32(const uint8_t* p) { return Read16(p) | Read16(p + 2) << 16; }

Status CheckRate(uint32_t rate, const char* remedy) {
  if (rate >= Resampler::kLeastRate && rate <= Resampler::kMostRate) return {};
  return Status::Error(
      StatusCode::kInvalidArgument,
      "The sound has %u samples a second, and may have %u to %u: %s.",
      static_cast<unsigned>(rate), static_cast<unsigned>(Resampler::kLeastRate),
      static_cast<unsigned>(Resampler::kMostRate), remedy);
}

}  // namespace

void WavReader::StartWav() {
  state_ = State::kRiff;
  has_format_ = false;
  collected_ = begin_ = end_ = 0;
}

Status WavReader::StartPcm(uint32_t rate) {
  LATIMER_RETURN_IF_ERROR(CheckRate(rate, "resample it before"));
  StartWav();
  state_ = State::kData;
  coding_ = kPcm;
  channels_ = 1;
  sample_bytes_ = 2;
  left_ = std::numeric_limits<uint64_t>::max();
  resampler_.Start(rate);
  return {};
}

Result<size_t> WavReader::Feed(std::span<const uint8_t>* bytes,
                               std::span<float> out) {
  size_t written = 0;
  for (;;) {
    if (state_ == State::kData || state_ == State::kAfter) {
      written += Resample(out.subspan(written));
      if (written == out.size()) return written;
    }
    if (bytes->empty()) return written;
    LATIMER_RETURN_IF_ERROR(Read(bytes));
  }
}

Result<size_t> WavReader::Finish(std::span<float> out) {
  if (state_ != State::kData && state_ != State::kAfter) {
    const bool empty = state_ == State::kRiff && collected_ == 0;
    return Status::Error(StatusCode::kInvalidArgument,
                         empty ? "The sound is empty: there is not one byte."
                               : "The WAV file ends before its samples begin: "
                                 "give all of it.");
  }
  const size_t written = Resample(out);
  return written +
         (written < out.size() ? resampler_.Finish(out.subspan(written)) : 0);
}

// Whether bytes_ now has `size` bytes, the next ones of the stream.
bool WavReader::Collect(std::span<const uint8_t>* bytes, size_t size) {
  const size_t count = std::min(size - collected_, bytes->size());
  std::copy_n(bytes->data(), count, bytes_ + collected_);
  *bytes = bytes->subspan(count);
  collected_ += count;
  if (collected_ < size) return false;
  collected_ = 0;
  return true;
}

// Takes one byte or more. Precondition: no samples wait.
Status WavReader::Read(std::span<const uint8_t>* bytes) {
  switch (state_) {
    case State::kRiff:
      if (!Collect(bytes, 12)) return {};
      state_ = State::kChunk;
      if (std::memcmp(bytes_, "RIFF", 4) == 0 &&
          std::memcmp(bytes_ + 8, "WAVE", 4) == 0) {
        return {};
      }
      return Status::Error(StatusCode::kInvalidArgument,
                           "The sound is no WAV file, which begins with RIFF "
                           "and WAVE: %s.",
                           kRemedy);
    case State::kChunk:
      return Collect(bytes, 8) ? BeginChunk() : Status();
    case State::kFormat: {
      const size_t size =
          left_ < kExtensibleBytes ? kFormatBytes : kExtensibleBytes;
      if (!Collect(bytes, size)) return {};
      left_ -= size;
      state_ = left_ > 0 ? State::kSkipped : State::kChunk;
      return ReadFormat(size);
    }
    case State::kSkipped: {
      const uint64_t count = std::min<uint64_t>(left_, bytes->size());
      *bytes = bytes->subspan(static_cast<size_t>(count));
      left_ -= count;
      if (left_ == 0) state_ = State::kChunk;
      return {};
    }
    case State::kData:
      Decode(bytes);
      return {};
    case State::kAfter:
      *bytes = {};
      return {};
  }
  return {};
}

Status WavReader::BeginChunk() {
  const uint32_t size = Read32(bytes_ + 4);
  left_ = uint64_t{size} + size % 2;
  state_ = left_ > 0 ? State::kSkipped : State::kChunk;
  if (std::memcmp(bytes_, "fmt ", 4) == 0) {
    state_ = State::kFormat;
    if (size >= kFormatBytes) return {};
    return Status::Error(StatusCode::kInvalidArgument,
                         "The WAV file's fmt chunk has %u bytes, and must have "
                         "%zu or more: %s.",
                         static_cast<unsigned>(size), kFormatBytes, kRemedy);
  }
  if (std::memcmp(bytes_, "data", 4) != 0) return {};
  if (!has_format_) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The WAV file has no fmt chunk before its data chunk: "
                         "%s.",
                         kRemedy);
  }
  state_ = State::kData;
  resampler_.Start(rate_);  // Once: a file may have any number of fmt chunks.
  left_ = size == 0 || size >= kEndless ? std::numeric_limits<uint64_t>::max()
                                        : size;
  return {};
}

// Of bytes_ [size].
Status WavReader::ReadFormat(size_t size) {
  uint32_t coding = Read16(bytes_);
  const uint32_t channels = Read16(bytes_ + 2);
  const uint32_t rate = Read32(bytes_ + 4);
  const uint32_t frame_bytes = Read16(bytes_ + 12);
  const uint32_t bits = Read16(bytes_ + 14);
  if (coding == kExtensible && size == kExtensibleBytes &&
      std::memcmp(bytes_ + 26, kGuid, sizeof(kGuid)) == 0) {
    coding = Read16(bytes_ + 24);
  }
  const bool is_pcm =
      coding == kPcm && bits % 8 == 0 && bits >= 8 && bits <= 32;
  if (!is_pcm && !(coding == kFloat && bits == 32)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The WAV file has samples of %u bits in coding %u, "
                         "and may have PCM (1) of 8, 16, 24 or 32 bits or "
                         "floats (3) of 32: %s.",
                         static_cast<unsigned>(bits),
                         static_cast<unsigned>(coding), kRemedy);
  }
  if (channels != 1 && channels != 2) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The WAV file has %u channels, and may have 1 or 2: "
                         "%s.",
                         static_cast<unsigned>(channels), kRemedy);
  }
  if (frame_bytes != channels * (bits / 8)) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "The WAV file's header has %u channels of %u bits, but "
        "%u bytes for them: %s.",
        static_cast<unsigned>(channels), static_cast<unsigned>(bits),
        static_cast<unsigned>(frame_bytes), kRemedy);
  }
  LATIMER_RETURN_IF_ERROR(CheckRate(rate, kRemedy));
  coding_ = static_cast<uint8_t>(coding);
  channels_ = static_cast<uint8_t>(channels);
  sample_bytes_ = static_cast<uint8_t>(bits / 8);
  has_format_ = true;
  rate_ = rate;
  return {};
}

float WavReader::SampleAt(const uint8_t* p) const {
  if (coding_ == kFloat) return std::bit_cast<float>(Read32(p));
  if (sample_bytes_ == 1) return static_cast<float>(p[0] - 128) / 128.0f;
  // The sample's bytes are the upper ones of 32 bits.
  uint32_t bits = 0;
  for (size_t i = 0; i < sample_bytes_; ++i) {
    bits = bits >> 8 | static_cast<uint32_t>(p[i]) << 24;
  }
  return static_cast<float>(static_cast<int32_t>(bits)) / 2147483648.0f;
}

void WavReader::Decode(std::span<const uint8_t>* bytes) {
  const size_t frame_bytes = size_t{channels_} * sample_bytes_;
  std::span<const uint8_t> data = bytes->first(
      static_cast<size_t>(std::min<uint64_t>(left_, bytes->size())));
  const size_t available = data.size();
  size_t count = 0;
  while (count < std::size(samples_) && !data.empty()) {
    const uint8_t* frame = bytes_;
    if (collected_ == 0 && data.size() >= frame_bytes) {
      frame = data.data();
      data = data.subspan(frame_bytes);
    } else if (!Collect(&data, frame_bytes)) {
      break;
    }
    float sample = SampleAt(frame);
    if (channels_ == 2) {
      sample = (sample + SampleAt(frame + sample_bytes_)) * 0.5f;
    }
    samples_[count++] = sample;
  }
  const size_t used = available - data.size();
  *bytes = bytes->subspan(used);
  left_ -= used;
  if (left_ == 0) state_ = State::kAfter;
  begin_ = 0;
  end_ = count;
}

size_t WavReader::Resample(std::span<float> out) {
  std::span<const float> waiting(samples_ + begin_, end_ - begin_);
  const size_t written = resampler_.Push(&waiting, out);
  begin_ = end_ - waiting.size();
  return written;
}

}  // namespace latimer
