// How a window of speech is transcribed: its features go into the workspace,
// the first step of the decoder tells the language, and a search like that of
// any translation follows, with a target prefix that says what to do. The
// window is encoded once for all of it.
#include "latimer/transcriber.h"

#include <algorithm>
#include <cmath>

#include "audio/log_mel.h"
#include "base/off_stack.h"
#include "model/generation.h"
#include "search/choose.h"
#include "text/slice.h"
#include "text/utf8.h"
#include "transformer/network.h"
#include "translator_state.h"

namespace latimer {
namespace {

// Samples and frames of each position of the encoder.
constexpr size_t kFramesPerPosition = 2;
constexpr size_t kSamplesPerPosition = kFramesPerPosition * kSamplesPerFrame;

// What stands for the source: only its length counts.
constexpr int32_t kNoIds[kProfile.speech() ? kProfile.speech_positions : 1] =
    {};

// Tokens before the text.
constexpr size_t kMostPrefix = 3;

struct Heard {
  const Language* language = nullptr;  // Null: the model has none.
  float probability = 1.0f;
  float no_speech = 0.0f;
};

Status CheckOptions(const ModelDescription& model,
                    const TranscribeOptions& options) {
  if (options.max_tokens == 0u) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "max_tokens 0: give a number from 1, or none.");
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

// Logits [V] of what follows `token` at `position`.
static std::span<float> StepLogits(const StepContext& step,
                                   const SentenceCaches& caches, int32_t token,
                                   size_t position) {
  const DecoderRow row = {
      &caches, token, static_cast<uint32_t>(position), nullptr, {}};
  const DecoderOutput output = StepDecoder(step, {&row, 1});
  const Engine& engine = step.engine;
  float* const logits = step.workspace.logits;
  ComputeLogits(engine,
                MakeLinearInput(step, engine.model.tensors.output, output.x, 1),
                {}, logits);
  return {logits, engine.architecture().target_vocabulary};
}

// The mean log-probability of tokens from `first` on, of all [n] that follow
// the start.
LATIMER_OFF_STACK static float MeanLogProbability(
    const StepContext& step, size_t positions, std::span<const int32_t> tokens,
    size_t first) {
  const SentenceCaches caches = {.cross_kv = step.workspace.cross_kv.data(),
                                 .self_kv = step.workspace.self_kv.data(),
                                 .source_tokens = positions,
                                 .self_rows = tokens.size()};
  int32_t last = step.engine.model.info.generation.decoder_start;
  float sum = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::span<float> logits = StepLogits(step, caches, last, i);
    last = tokens[i];
    if (i < first) continue;
    step.engine.vector->softmax(logits.size(), logits.data());
    constexpr float kLeast = 1e-30f;
    sum += std::log(std::max(kLeast, logits[static_cast<size_t>(last)]));
  }
  return sum / static_cast<float>(tokens.size() - first);
}

// What the first step of the decoder tells.
LATIMER_OFF_STACK static Heard Listen(const StepContext& step, size_t positions,
                                      std::string_view language) {
  const ModelDescription& model = step.engine.model.info;
  const SentenceCaches caches = {.cross_kv = step.workspace.cross_kv.data(),
                                 .self_kv = step.workspace.self_kv.data(),
                                 .source_tokens = positions,
                                 .self_rows = 1};
  EncodeSource(step, {kNoIds, positions}, caches);
  const std::span<float> logits =
      StepLogits(step, caches, model.generation.decoder_start, 0);
  Heard heard;
  float best = 0, all = 0;
  step.engine.vector->softmax(logits.size(), logits.data());
  if (model.speech.no_speech >= 0) {
    heard.no_speech = logits[static_cast<size_t>(model.speech.no_speech)];
  }
  for (const Language& each : model.languages) {
    const float probability = logits[static_cast<size_t>(each.token)];
    all += probability;
    const bool better = language.empty()
                            ? heard.language == nullptr || probability > best
                            : language == each.code;
    if (!better) continue;
    heard.language = &each;
    best = probability;
  }
  if (language.empty() && all > 0) heard.probability = best / all;
  return heard;
}

Result<Transcription> Transcriber::Transcribe(
    std::span<const float> samples, const TranscribeOptions& options) {
  if (translator_.state_ == nullptr) return NotLoaded();
  Translator::State& state = *translator_.state_;
  const ModelDescription& model = state.model();
  if (!kProfile.speech() || !model.reads_speech) {
    return Status::Error(StatusCode::kFailedPrecondition,
                         "The model reads text instead of speech; translate "
                         "with it.");
  }
  LATIMER_RETURN_IF_ERROR(state.CheckIdle());
  LATIMER_RETURN_IF_ERROR(CheckOptions(model, options));
  const size_t most = window_samples();
  if (samples.empty() || samples.size() > most) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%zu samples given, but this model hears 1 to %zu at "
                         "once.",
                         samples.size(), most);
  }
  const size_t bins = model.architecture.mel_bins;
  const size_t positions =
      options.short_window
          ? (samples.size() + kSamplesPerPosition - 1) / kSamplesPerPosition
          : most / kSamplesPerPosition;
  LogMel(samples, bins,
         {state.buffers.features, kFramesPerPosition * positions * bins},
         reinterpret_cast<LogMelScratch*>(state.buffers.mel_scratch));
  state.window = {.positions = static_cast<uint32_t>(positions)};

  Trace trace;
  trace.times = state.times;
  const StepContext step = {state.engine, state.buffers, trace};
  const Heard heard = Listen(step, positions, options.language);
  int32_t prefix[kMostPrefix];
  size_t prefix_size = 0;
  const auto add = [&](int32_t token) {
    if (token >= 0) prefix[prefix_size++] = token;
  };
  const SpeechTokens& speech = model.speech;
  if (heard.language != nullptr) {
    add(heard.language->token);
    add(options.translate ? speech.translate : speech.transcribe);
  }
  add(speech.no_timestamps);
  TranslateOptions search;
  search.target_prefix_ids = {prefix, prefix_size};
  // The original writes no more than half of its positions.
  const uint32_t longest = std::max<uint32_t>(1, state.max_target_tokens / 2);
  const uint32_t asked =
      std::min(options.max_tokens.value_or(longest), state.max_target_tokens);
  search.max_target_tokens = std::min(
      state.max_target_tokens, asked + static_cast<uint32_t>(prefix_size));
  search.beams = 1;
  search.cancel = options.cancel;
  search.on_token = options.on_token;
  search.token_context = options.token_context;
  Result<Translation> translation =
      translator_.TranslateIds({kNoIds, positions}, search);
  Transcription out;
  if (translation.ok()) {
    const std::span<const int32_t> all = translation->tokens;
    out.tokens = all.subspan(std::min(prefix_size, all.size()));
    out.stop_reason = translation->stop_reason;
    // As the original decides that nothing is said.
    constexpr float kNoSpeech = 0.6f, kUnlikely = -1.0f;
    if (heard.no_speech > kNoSpeech && !out.tokens.empty() &&
        MeanLogProbability(step, positions, all, prefix_size) < kUnlikely) {
      out.tokens = {};
    }
  }
  state.window = {};
  if (!translation.ok()) return translation.status();
  out.no_speech = heard.no_speech;
  if (heard.language != nullptr) {
    out.language = heard.language->code;
    out.language_probability = heard.probability;
  }
  if (state.CanTokenize()) {
    const Result<std::string_view> text = translator_.Detokenize(out.tokens);
    if (!text.ok()) return text.status();
    out.text = From(*text, LeadingSpaceBytes(*text));
    out.text.remove_suffix(TrailingSpaceBytes(out.text));
  }
  return out;
}

}  // namespace latimer
