// How a window of speech is transcribed: its features go into the workspace,
// the first step of the decoder tells the language, and one or more tries write
// tokens (speech/decoder.cc), which are divided into segments
// (speech/timestamps.cc). As OpenAI's transcribe().
#include "latimer/transcriber.h"

#include <algorithm>
#include <cmath>

#include "audio/log_mel.h"
#include "audio/pause.h"
#include "base/off_stack.h"
#include "model/generation.h"
#include "speech/compression.h"
#include "speech/decoder.h"
#include "speech/timestamps.h"
#include "speech/words.h"
#include "text/ascii.h"
#include "text/slice.h"
#include "text/utf8.h"
#include "translator_state.h"

namespace latimer {
namespace {

// Samples and frames of each position of the encoder, which is a timestamp,
// too.
constexpr size_t kFramesPerPosition = 2;
constexpr size_t kSamplesPerPosition = kFramesPerPosition * kSamplesPerFrame;

// What stands for the source: only its length counts.
constexpr int32_t kNoIds[kProfile.speech() ? kProfile.speech_positions : 1] =
    {};

// Tokens between the previous text and that of the window, and before both.
constexpr size_t kMostSteering = 5;

// Three steps of 16 bits: no louder sample is silence.
constexpr float kSilence = 1e-4f;

// As in the original.
constexpr float kNoSpeech = 0.6f;
constexpr float kUnlikely = -1.0f;
constexpr float kRepetitive = 2.4f;
constexpr float kTemperatures[] = {0.0f, 0.2f, 0.4f, 0.6f, 0.8f, 1.0f};
// A text that was drawn at more than this is not continued.
constexpr float kStrange = 0.5f;

// Tokens that are aligned at once, with those that steer them and EOS.
constexpr size_t kMostAligned = Transcriber::kMostWords;
static_assert(kMostAligned == kMostAlignedTokens);

// What the features were computed in serves for other things later.
struct SegmentRoom {
  TranscriptionSegment segments[kMostAligned / 2];
  TranscriptionWord words[kMostAligned];
  AlignedToken aligned[kMostAligned];
  int32_t tokens[kMostAligned];
};
static_assert(sizeof(SegmentRoom) <= kMelScratchBytes);
static_assert(sizeof(CompressionScratch) <= kMelScratchBytes);

// What follows the sound in a short window, 3 s. With less, Whisper often does
// not find the end of its text.
constexpr size_t kSilentPositions = 150;

size_t PositionsOf(std::span<const float> samples) {
  return (samples.size() + kSamplesPerPosition - 1) / kSamplesPerPosition;
}

struct Heard {
  const Language* language = nullptr;  // Null: the model has none.
  float probability = 1.0f;
  float no_speech = 0.0f;
};

// What the text of a window is to follow: the first `size` tokens of the
// decoder's prompt, of which `read` were read.
struct Prompt {
  size_t read = 0;
  size_t size = 0;
};

// Of the tries that a window takes, the last.
struct Try {
  SpeechTokensFound found;
  float temperature = 0.0f;
  float compression_ratio = 0.0f;
};

// Where texts are written.
struct TextRoom {
  const Tokenizer* tokenizer;  // Null: there is none.
  std::span<char> text;
  std::byte* scratch;  // kMelScratchBytes
};

Status CheckOptions(const ModelDescription& model,
                    const TranscribeOptions& options) {
  if (options.max_tokens == 0u) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "max_tokens 0: give a number from 1, or none.");
  }
  if (options.word_timestamps && model.speech_heads.empty()) {
    return Status::Error(StatusCode::kFailedPrecondition,
                         "The model file does not say which heads align words; "
                         "convert the model again.");
  }
  const bool one = model.languages.empty();
  if (one && options.translate) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "This model is of English alone and cannot "
                         "translate; use one of several languages.");
  }
  if (options.language.empty() || (one && options.language == "en")) {
    return Status();
  }
  if (one) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "This model is of English alone; leave out the "
                         "language %.*s, or use a model of several languages.",
                         static_cast<int>(options.language.size()),
                         options.language.data());
  }
  return FindLanguage(model.generation, "spoken", options.language).status();
}

}  // namespace

size_t Transcriber::window_samples() const {
  const Translator::State* const state = translator_.state_;
  if (state == nullptr || !state->model().reads_speech) return 0;
  return std::min<size_t>(kMostSamples,
                          state->max_source_tokens * kSamplesPerPosition);
}

// Adds the language that is the most likely after the start, or the one that is
// given.
static void HearLanguage(const ModelDescription& model,
                         std::span<const float> probabilities,
                         std::string_view given, Heard* heard) {
  float best = 0, all = 0;
  for (const Language& each : model.languages) {
    const float probability = probabilities[static_cast<size_t>(each.token)];
    all += probability;
    const bool better = given.empty()
                            ? heard->language == nullptr || probability > best
                            : given == each.code;
    if (!better) continue;
    heard->language = &each;
    best = probability;
  }
  if (given.empty() && all > 0) heard->probability = best / all;
}

// Calls add(token) for the tokens that say what to do; -1 is none.
template <typename Add>
void AddTask(const ModelDescription& model, const Language* language,
             bool translate, bool times, const Add& add) {
  if (language != nullptr) {
    add(language->token);
    add(translate ? model.speech.translate : model.speech.transcribe);
  }
  if (!times) add(model.speech.no_timestamps);
}

// Reads the last of the previous tokens that the prompt has room for, and the
// start, and adds the tokens that say what to do.
LATIMER_OFF_STACK static Prompt ReadPrompt(const ModelDescription& model,
                                           const TranscribeOptions& options,
                                           std::span<const int32_t> previous,
                                           bool times, SpeechDecoder& decoder,
                                           Heard* heard) {
  const SpeechTokens& speech = model.speech;
  const std::span<int32_t> prompt = decoder.prompt();
  size_t size = 0;
  const auto add = [&](int32_t token) {
    if (token >= 0) prompt[size++] = token;
  };
  // The original writes half of its positions, and reads as many.
  const size_t half = prompt.size() / 2;
  const size_t most = half > kMostSteering ? half - 1 : 0;
  previous = previous.last(std::min(previous.size(), most));
  if (!previous.empty() && speech.start_of_previous >= 0) {
    if (options.language.empty() && !model.languages.empty()) {
      prompt[0] = model.generation.decoder_start;
      HearLanguage(model, decoder.Read(0, 1), {}, heard);
    }
    add(speech.start_of_previous);
    for (const int32_t token : previous) add(token);
  }
  add(model.generation.decoder_start);
  const std::span<const float> probabilities = decoder.Read(0, size);
  const size_t read = size;
  if (heard->language == nullptr) {
    HearLanguage(model, probabilities, options.language, heard);
  }
  if (speech.no_speech >= 0) {
    heard->no_speech = probabilities[static_cast<size_t>(speech.no_speech)];
  }
  AddTask(model, heard->language, options.translate, times, add);
  return {read, size};
}

// Reads the caller's prompt as the text of what came before.
LATIMER_OFF_STACK static Result<size_t> TokenizePrompt(Translator& translator,
                                                       std::string_view prompt,
                                                       std::span<char> text,
                                                       std::span<int32_t> ids) {
  prompt = From(prompt, LeadingSpaceBytes(prompt));
  prompt.remove_suffix(TrailingSpaceBytes(prompt));
  if (prompt.empty()) return size_t{0};
  if (prompt.size() >= text.size()) {
    return Status::Error(StatusCode::kTextTooLong,
                         "The prompt has %zu bytes, but this build has room "
                         "for %zu.",
                         prompt.size(), text.size() - 1);
  }
  text[0] = ' ';
  std::copy(prompt.begin(), prompt.end(), text.begin() + 1);
  const Result<size_t> count =
      translator.TokenizeTarget({text.data(), prompt.size() + 1}, ids);
  if (count.ok() || count.status().code() != StatusCode::kTextTooLong) {
    return count;
  }
  return Status::Error(StatusCode::kTextTooLong,
                       "The prompt has more than %zu tokens: shorten it.",
                       ids.size());
}

static bool IsSilent(std::span<const float> samples) {
  return std::ranges::all_of(samples, [](float sample) {
    return !(sample > kSilence) && !(sample < -kSilence);
  });
}

static bool HearsNothing(const Heard& heard, const SpeechTokensFound& found) {
  return heard.no_speech > kNoSpeech && found.mean_log_probability < kUnlikely;
}

// Whether a text has letters or digits. Those beyond ASCII are not told from
// signs.
static bool HasWords(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    return IsAsciiAlnum(c) || static_cast<unsigned char>(c) >= 0x80;
  });
}

// Writes the text of tokens; empty without a tokenizer.
static Result<std::string_view> WriteText(const TextRoom& room,
                                          std::span<const int32_t> tokens,
                                          size_t at) {
  if (room.tokenizer == nullptr) return std::string_view();
  const std::span<char> out = room.text.subspan(at);
  const Result<size_t> bytes = room.tokenizer->Decode(tokens, out);
  if (!bytes.ok()) return bytes.status();
  return std::string_view(out.data(), *bytes);
}

static std::string_view Strip(std::string_view text) {
  text = From(text, LeadingSpaceBytes(text));
  text.remove_suffix(TrailingSpaceBytes(text));
  return text;
}

LATIMER_OFF_STACK static Status Write(const Prompt& prompt,
                                      const TranscribeOptions& options,
                                      const Heard& heard, const TextRoom& room,
                                      SpeechSearch search,
                                      SpeechDecoder& decoder, Try* out) {
  auto* const scratch = reinterpret_cast<CompressionScratch*>(room.scratch);
  size_t read = prompt.read;
  for (const float temperature : kTemperatures) {
    search.temperature = temperature;
    out->temperature = temperature;
    out->found = decoder.Decode(read, prompt.size, search);
    read = prompt.size - 1;
    ++search.stream;
    const Result<std::string_view> text = WriteText(room, out->found.tokens, 0);
    if (!text.ok()) return text.status();
    out->compression_ratio = CompressionRatio(Strip(*text), scratch);
    const bool is_good = out->compression_ratio <= kRepetitive &&
                         out->found.mean_log_probability >= kUnlikely;
    if (is_good || HearsNothing(heard, out->found) || !options.fallback ||
        out->found.stop_reason == StopReason::kCancelled) {
      break;
    }
  }
  return Status();
}

// Divides the tokens of a window into segments, of which those without words
// are left out. `out` has its used_samples: all of the window.
LATIMER_OFF_STACK static Status AddSegments(const TextRoom& room,
                                            const Try& last,
                                            int32_t first_timestamp,
                                            uint64_t first_sample,
                                            Transcription* out) {
  const std::span<TranscriptionSegment> segments =
      reinterpret_cast<SegmentRoom*>(room.scratch)->segments;
  const size_t samples = out->used_samples;
  const auto sample_at = [&](uint32_t time) {
    return std::min(time * kSamplesPerPosition, samples);
  };
  const auto seconds = [&](size_t sample) {
    return static_cast<double>(first_sample + sample) / kSampleRate;
  };
  SegmentReader reader(first_timestamp, last.found.tokens);
  size_t count = 0, bytes = 0;
  while (const std::optional<TokenSegment> part = reader.Next()) {
    const Result<std::string_view> text = WriteText(room, part->text, bytes);
    if (!text.ok()) return text.status();
    const size_t start = sample_at(part->start_time);
    const size_t end = part->end_time ? sample_at(*part->end_time) : samples;
    if (room.tokenizer != nullptr && !HasWords(*text)) continue;
    if (start >= end || count == segments.size()) continue;
    segments[count++] = {.start = seconds(start),
                         .end = seconds(end),
                         .text = *text,
                         .tokens = part->tokens,
                         .temperature = last.temperature,
                         .avg_logprob = last.found.mean_log_probability,
                         .compression_ratio = last.compression_ratio,
                         .no_speech_prob = out->no_speech_prob};
    bytes += text->size();
  }
  out->segments = segments.first(count);
  out->text = Strip({room.text.data(), bytes});
  const size_t used = sample_at(reader.used_time().value_or(0));
  if (used > 0) out->used_samples = used;
  return Status();
}

// Adds the words of the segments in room.scratch: `said` is of a window that
// begins at `first_sample` and has `positions` with sound. `last_speech` is in
// 0.01 seconds.
LATIMER_OFF_STACK static void AddWords(
    const ModelDescription& model, const TranscribeOptions& options,
    const Language* language, const TextRoom& room, size_t positions,
    uint64_t first_sample, SpeechDecoder& decoder, double* last_speech,
    Transcription* said) {
  auto& own = *reinterpret_cast<SegmentRoom*>(room.scratch);
  const std::span<TranscriptionSegment> segments =
      std::span(own.segments).first(said->segments.size());
  const int32_t eos = model.generation.eos;
  // The start, the text of all segments, and EOS.
  const size_t most = std::min(kMostAligned, decoder.prompt().size()) - 1;
  size_t size = 0;
  const auto add = [&](int32_t token) {
    if (token >= 0 && size < most) own.tokens[size++] = token;
  };
  add(model.generation.decoder_start);
  AddTask(model, language, options.translate, /*times=*/false, add);
  const size_t start = size;
  for (const TranscriptionSegment& segment : segments) {
    for (const int32_t token : segment.tokens) {
      if (token < eos) add(token);
    }
  }
  if (start == 0 || size == start || room.tokenizer == nullptr) return;
  const std::span<const int32_t> tokens = {own.tokens, size};
  own.tokens[size] = eos;
  const std::span<AlignedToken> aligned = {own.aligned, size - start + 1};
  decoder.Align({own.tokens, size + 1}, start, positions, aligned);

  const bool spaces =
      language == nullptr || options.translate || HasSpaces(language->code);
  const uint64_t first_frame = (first_sample + 80) / 160;
  const auto offset = static_cast<double>(first_frame);
  const std::string_view last = segments.back().text;
  const std::span<char> scratch = room.text.subspan(
      static_cast<size_t>(last.data() + last.size() - room.text.data()));
  size_t begin = start, count = 0;
  for (TranscriptionSegment& segment : segments) {
    const auto texts = static_cast<size_t>(std::ranges::count_if(
        segment.tokens, [&](int32_t token) { return token < eos; }));
    const size_t end = std::min(begin + texts, size);
    segment.words = SplitWords(
        *room.tokenizer,
        {segment.text, tokens.subspan(begin, end - begin),
         aligned.subspan(begin - start, end - begin + 1)},
        spaces, offset, scratch, std::span(own.words).subspan(count));
    count += segment.words.size();
    begin = end;
  }
  const Words all = std::span(own.words).first(count);
  const double usual = UsualDuration(all);
  BoundWords(usual, all);
  size_t first = 0;
  for (TranscriptionSegment& segment : segments) {
    const size_t split = segment.words.size();
    const Words words = JoinMarks(all.subspan(first, split));
    first += split;
    SegmentTimes times = {*last_speech, std::floor(segment.start * 100 + 0.5),
                          std::floor(segment.end * 100 + 0.5)};
    FitWords(usual, words, &times);
    *last_speech = times.last_speech;
    for (TranscriptionWord& word : words) {
      word.start /= 100;
      word.end /= 100;
    }
    segment.words = words;
    if (words.empty()) continue;
    segment.start = times.start / 100;
    segment.end = times.end / 100;
  }
}

// Appends to the first `*count` of `previous`, whose beginning gives way.
static void Remember(std::span<const int32_t> tokens,
                     std::span<int32_t> previous, size_t* count) {
  tokens = tokens.last(std::min(tokens.size(), previous.size()));
  const size_t kept = std::min(*count, previous.size() - tokens.size());
  const auto end = previous.begin() + static_cast<ptrdiff_t>(*count);
  std::copy(end - static_cast<ptrdiff_t>(kept), end, previous.begin());
  std::ranges::copy(tokens, previous.subspan(kept).begin());
  *count = kept + tokens.size();
}

void Translator::State::EncodeSpeech(std::span<const float> samples,
                                     size_t positions,
                                     const SpeechDecoder& decoder) {
  const size_t bins = model().architecture.mel_bins;
  LogMel(samples, bins,
         {buffers.features, kFramesPerPosition * positions * bins},
         reinterpret_cast<LogMelScratch*>(buffers.mel_scratch));
  window = {.positions = static_cast<uint32_t>(positions)};
  decoder.Encode();
  window = {};
}

Status Translator::State::HearSound(std::span<const float> samples,
                                    std::span<int32_t> tokens) {
  if (!model().reads_speech) return ReadsText();
  LATIMER_RETURN_IF_ERROR(CheckIdle());
  const size_t positions = PositionsOf(samples);
  if (positions == 0 || positions > max_source_tokens || tokens.empty() ||
      tokens.size() > max_target_tokens) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "A sound of %zu positions or its text of %zu tokens "
                         "is too long, or empty.",
                         positions, tokens.size());
  }
  Trace trace;
  trace.times = times;
  const StepContext step = {engine, buffers, trace};
  SpeechDecoder decoder(step, {kNoIds, positions}, max_target_tokens);
  EncodeSpeech(samples, positions, decoder);
  const std::span<int32_t> read = decoder.prompt();
  read[0] = model().generation.decoder_start;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::span<float> probabilities = decoder.Read(i, i + 1);
    probabilities[static_cast<size_t>(model().generation.eos)] = -1;
    tokens[i] = static_cast<int32_t>(
        engine.vector->argmax(probabilities.size(), probabilities.data()));
    if (i + 1 < tokens.size()) read[i + 1] = tokens[i];
    trace.Lap(Operation::kSearch);
  }
  return Status();
}

Result<Transcription> Transcriber::Transcribe(
    std::span<const float> samples, const TranscribeOptions& options) {
  if (translator_.state_ == nullptr) return NotLoaded();
  Translator::State& state = *translator_.state_;
  const ModelDescription& model = state.model();
  if (!kProfile.speech() || !model.reads_speech) return ReadsText();
  LATIMER_RETURN_IF_ERROR(state.CheckIdle());
  LATIMER_RETURN_IF_ERROR(CheckOptions(model, options));
  if (samples.empty()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "0 samples given, but a window has at least 1.");
  }
  if (state.max_target_tokens <= kMostSteering) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The model has room for %u tokens, which are too few "
                         "for a text.",
                         static_cast<unsigned>(state.max_target_tokens));
  }
  if (used_samples_ == 0 && !options.prompt.empty()) {
    const std::span<int32_t> ids = {state.buffers.target_tokens,
                                    state.max_target_tokens};
    const Result<size_t> count =
        TokenizePrompt(translator_, options.prompt, state.text(), ids);
    if (!count.ok()) return count.status();
    previous_count_ = 0;
    Remember(ids.first(*count), previous_, &previous_count_);
  }
  state.finished = {};
  const bool times = options.timestamps && model.speech.first_timestamp >= 0;
  const size_t most = window_samples();
  if (samples.size() > most) {
    samples = samples.first(most);
    if (!times) samples = samples.first(FindPause(samples));
  }
  Transcription out;
  out.used_samples = samples.size();
  if (IsSilent(samples)) {
    used_samples_ += samples.size();
    out.no_speech_prob = 1.0f;
    return out;
  }
  const size_t whole = most / kSamplesPerPosition;
  const size_t positions =
      options.short_window
          ? std::min(whole, PositionsOf(samples) + kSilentPositions)
          : whole;
  Trace trace;
  trace.times = state.times;
  const StepContext step = {state.engine, state.buffers, trace};
  SpeechDecoder decoder(step, {kNoIds, positions}, state.max_target_tokens);
  std::byte* const scratch = state.buffers.mel_scratch;
  state.EncodeSpeech(samples, positions, decoder);

  Heard heard;
  const Prompt prompt = ReadPrompt(model, options, {previous_, previous_count_},
                                   times, decoder, &heard);
  const uint32_t half = std::max<uint32_t>(1, state.max_target_tokens / 2);
  const TextRoom room = {state.CanTokenize() ? &state.tokenizer : nullptr,
                         state.text(), scratch};
  Try last;
  LATIMER_RETURN_IF_ERROR(
      Write(prompt, options, heard, room,
            {.most_tokens = options.max_tokens.value_or(half),
             .timestamps = times,
             .stream = used_samples_ * std::size(kTemperatures),
             .cancel = options.cancel},
            decoder, &last));
  out.no_speech_prob = heard.no_speech;
  if (heard.language != nullptr) {
    out.language = heard.language->code;
    out.language_probability = heard.probability;
  }
  out.stop_reason = last.found.stop_reason;
  // The original would also write what is unlikely at the last temperature.
  const bool gave_up = last.temperature == *std::rbegin(kTemperatures) &&
                       last.found.mean_log_probability < kUnlikely;
  if (!gave_up && !HearsNothing(heard, last.found)) {
    out.tokens = last.found.tokens;
    LATIMER_RETURN_IF_ERROR(
        AddSegments(room, last, times ? model.speech.first_timestamp : -1,
                    used_samples_, &out));
    if (options.word_timestamps && !out.segments.empty()) {
      const size_t sounding = samples.size() / kSamplesPerPosition;
      AddWords(model, options, heard.language, room,
               std::clamp<size_t>(sounding, 1, positions), used_samples_,
               decoder, &last_speech_, &out);
    }
  }
  if (options.condition_on_previous_text && last.temperature <= kStrange) {
    for (const TranscriptionSegment& segment : out.segments) {
      Remember(segment.tokens, previous_, &previous_count_);
    }
  } else {
    previous_count_ = 0;
  }
  used_samples_ += out.used_samples;
  return out;
}

}  // namespace latimer
