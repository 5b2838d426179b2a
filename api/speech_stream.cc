#include "latimer/speech_stream.h"

#include <algorithm>
#include <memory>
#include <new>

#include "audio/wav_reader.h"

namespace latimer {
namespace {

WavReader& ReaderIn(std::byte* memory) {
  return *reinterpret_cast<WavReader*>(memory);
}

}  // namespace

SpeechStream::SpeechStream(Translator& translator,
                           const TranscribeOptions& options, Receiver receiver,
                           void* context, uint32_t pcm_rate)
    : translator_(translator),
      transcriber_(translator),
      options_(options),
      receiver_(receiver),
      context_(context),
      pcm_rate_(pcm_rate) {
  static_assert(sizeof(WavReader) <= kReaderBytes && alignof(WavReader) <= 8);
}

Status SpeechStream::Begin() {
  if (has_begun_) return Status();
  std::destroy_at(&transcriber_);
  std::construct_at(&transcriber_, translator_);  // It knows one recording.
  if (transcriber_.window_samples() == 0) {
    return transcriber_.Transcribe({}, options_).status();  // Says why.
  }
  count_ = 0;
  auto* const reader = new (reader_) WavReader;
  if (pcm_rate_ == 0) {
    reader->StartWav();
  } else {
    LATIMER_RETURN_IF_ERROR(reader->StartPcm(pcm_rate_));
  }
  has_begun_ = true;
  return Status();
}

Status SpeechStream::TranscribeWindow() {
  size_t used = count_;
  if (options_.cancel == nullptr || !*options_.cancel) {
    const Result<Transcription> said =
        transcriber_.Transcribe({samples_, count_}, options_);
    if (!said.ok()) {
      has_begun_ = false;
      return said.status();
    }
    receiver_(context_, *said);
    used = said->used_samples;
  }
  std::copy(samples_ + used, samples_ + count_, samples_);
  count_ -= used;
  return Status();
}

Status SpeechStream::Push(std::span<const std::byte> bytes) {
  LATIMER_RETURN_IF_ERROR(Begin());
  std::span<const uint8_t> rest(reinterpret_cast<const uint8_t*>(bytes.data()),
                                bytes.size());
  while (!rest.empty()) {
    const Result<size_t> more = ReaderIn(reader_).Feed(&rest, room());
    if (!more.ok()) {
      has_begun_ = false;
      return more.status();
    }
    count_ += *more;
    if (room().empty()) LATIMER_RETURN_IF_ERROR(TranscribeWindow());
  }
  return Status();
}

Status SpeechStream::Finish() {
  LATIMER_RETURN_IF_ERROR(Begin());
  has_begun_ = false;
  bool ended = false;
  while (!ended || count_ > 0) {
    if (!ended) {
      const size_t most = room().size();
      const Result<size_t> more = ReaderIn(reader_).Finish(room());
      if (!more.ok()) return more.status();
      count_ += *more;
      ended = *more < most;
    }
    if (count_ > 0) LATIMER_RETURN_IF_ERROR(TranscribeWindow());
  }
  return Status();
}

}  // namespace latimer
