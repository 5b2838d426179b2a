#include "speech/decoder.h"

#include <algorithm>

#include "base/off_stack.h"
#include "search/choose.h"
#include "search/log_probability.h"
#include "search/logits_processors.h"
#include "search/sampling.h"
#include "speech/timestamps.h"
#include "transformer/network.h"

namespace latimer {
namespace {

// Tokens that are read at once, at most.
constexpr size_t kRows = std::min<size_t>(8, kProfile.lanes);

// They take rows of the encoder's buffers, and no lanes: all are of a sentence.
size_t MostRows(const StepContext& step) {
  return std::min<size_t>(kRows, step.workspace.most_speech_positions);
}

double LogOf(float probability) {
  constexpr float kLeast = 1e-30f;
  return Log(static_cast<double>(std::max(kLeast, probability)));
}

}  // namespace

SpeechDecoder::SpeechDecoder(const StepContext& step,
                             std::span<const int32_t> ids, uint32_t most_tokens)
    : step_(step),
      ids_(ids),
      tokens_(step.workspace.target_tokens, most_tokens),
      caches_({.cross_kv = step.workspace.cross_kv.data(),
               .self_kv = step.workspace.self_kv.data(),
               .source_tokens = ids.size(),
               .self_rows = most_tokens}) {}

void SpeechDecoder::Encode() const { EncodeSource(step_, ids_, caches_); }

LATIMER_OFF_STACK DecoderOutput
SpeechDecoder::Step(std::span<const int32_t> tokens, size_t first) {
  const size_t most = MostRows(step_);
  DecoderRow rows[kRows];
  DecoderOutput output = {};
  size_t count = 0;
  for (size_t i = first; i < tokens.size(); i += count) {
    count = std::min(most, tokens.size() - i);
    for (size_t row = 0; row < count; ++row) {
      rows[row] = {&caches_,
                   tokens[i + row],
                   static_cast<uint32_t>(i + row),
                   nullptr,
                   {}};
    }
    output = StepDecoder(step_, {rows, count});
    read_ = output.x + (count - 1) * output.columns;
  }
  return output;
}

// Of what follows all that was read.
LATIMER_OFF_STACK std::span<float> SpeechDecoder::Logits() const {
  const Engine& engine = step_.engine;
  float* const logits = step_.workspace.logits;
  ComputeLogits(engine,
                MakeLinearInput(step_, engine.model.tensors.output, read_, 1),
                {}, logits);
  step_.trace.Lap(Operation::kOutput);
  return {logits, engine.architecture().target_vocabulary};
}

std::span<float> SpeechDecoder::Read(size_t first, size_t size) {
  Step(tokens_.first(size), first);
  const std::span<float> logits = Logits();
  step_.engine.vector->softmax(logits.size(), logits.data());
  return logits;
}

// Without what may not follow `tokens`, the text so far.
LATIMER_OFF_STACK std::span<float> SpeechDecoder::Logits(
    std::span<const int32_t> tokens, bool timestamps) const {
  const std::span<float> logits = Logits();
  const ModelDescription& model = step_.engine.model.info;
  const GenerationConfig& config = model.generation;
  const SearchOptions options = {.decoder_start = config.decoder_start,
                                 .eos = config.eos,
                                 .forced_first_token = -1,
                                 .min_tokens = 0,
                                 .no_repeat_ngram = 0,
                                 .repetition_penalty = 1.0f,
                                 .banned_tokens = config.banned_tokens,
                                 .banned_ends = config.banned_ends,
                                 .suppressed = {}};
  // The file bans what may not come first as what may not follow this token,
  // which a text may have, too.
  const int32_t* const first = &model.speech.no_timestamps;
  std::span<const int32_t> before = tokens;
  if (tokens.empty()) {
    before = {first, 1};
  } else if (tokens.back() == *first) {
    before = {};
  }
  ProcessLogits(options,
                {config.decoder_start, before.data(), before.size() + 1},
                {logits.data(), 0, logits.size()});
  if (timestamps) BanByTimestamps(model.speech, config.eos, tokens, logits);
  return logits;
}

LATIMER_OFF_STACK SpeechDecoder::Choice SpeechDecoder::Choose(
    std::span<const int32_t> tokens, const SpeechSearch& search) const {
  const VectorKernels& kernels = *step_.engine.vector;
  const std::span<float> logits = Logits(tokens, search.timestamps);
  const size_t texts =
      search.timestamps
          ? static_cast<size_t>(step_.engine.model.info.speech.first_timestamp)
          : logits.size();
  const std::span<float> times = logits.subspan(texts);
  size_t best = kernels.argmax(texts, logits.data());
  const size_t best_time = texts + kernels.argmax(times.size(), times.data());
  kernels.softmax(logits.size(), logits.data());
  double sum = 0;
  for (const float probability : times) sum += static_cast<double>(probability);
  // A timestamp comes if all together are more likely than any other token.
  const bool is_time = sum > static_cast<double>(logits[best]);
  double log_probability = LogOf(logits[best]);
  if (is_time) {
    best = best_time;
    log_probability = LogOf(logits[best]) - Log(sum);
  }
  if (search.temperature > 0) {
    const std::span<float> drawn = Logits(tokens, search.timestamps);
    if (is_time) std::fill_n(drawn.begin(), texts, kBannedLogit);
    const Sampling sampling = {.enabled = true,
                               .temperature = search.temperature,
                               .stream = search.stream};
    WarpLogits(step_.engine, sampling, drawn);
    const size_t token = TokenAt(drawn, RandomNumber(sampling, tokens.size()));
    log_probability += static_cast<double>(search.temperature) *
                       (LogOf(drawn[token]) - LogOf(drawn[best]));
    best = token;
  }
  step_.trace.Lap(Operation::kSearch);
  return {static_cast<int32_t>(best), log_probability};
}

SpeechTokensFound SpeechDecoder::Decode(size_t read, size_t prompt_size,
                                        const SpeechSearch& search) {
  const size_t most =
      std::min(search.most_tokens, tokens_.size() - prompt_size);
  const int32_t eos = step_.engine.model.info.generation.eos;
  SpeechTokensFound found;
  size_t count = 0;
  double sum = 0;
  Step(tokens_.first(prompt_size), std::min(read, prompt_size - 1));
  while (count < most) {
    if (search.cancel != nullptr && search.cancel->load()) {
      found.stop_reason = StopReason::kCancelled;
      break;
    }
    const Choice choice = Choose(tokens_.subspan(prompt_size, count), search);
    sum += choice.log_probability;
    if (choice.token == eos) {
      found.stop_reason = StopReason::kEos;
      break;
    }
    tokens_[prompt_size + count] = choice.token;
    ++count;
    const size_t size = prompt_size + count;
    if (count < most) Step(tokens_.first(size), size - 1);
  }
  found.tokens = tokens_.subspan(prompt_size, count);
  found.mean_log_probability =
      static_cast<float>(sum / static_cast<double>(count + 1));
  return found;
}

LATIMER_OFF_STACK void SpeechDecoder::Align(std::span<const int32_t> tokens,
                                            size_t start, size_t positions,
                                            std::span<AlignedToken> aligned) {
  const Engine& engine = step_.engine;
  const auto texts = static_cast<size_t>(engine.model.info.generation.eos);
  float* const logits = step_.workspace.logits;
  step_.trace.queries = {
      step_.workspace.hidden + kRows * engine.architecture().d_model,
      tokens.size()};
  for (size_t i = 0; i < tokens.size(); i += MostRows(step_)) {
    const size_t end = std::min(i + MostRows(step_), tokens.size());
    const DecoderOutput output = Step(tokens.first(end), i);
    const LinearInput input =
        MakeLinearInput(step_, engine.model.tensors.output, output.x, end - i);
    for (size_t row = i; row < end; ++row) {
      const size_t next = row + 1;  // What this row predicts.
      if (next < start || next + 1 >= tokens.size()) continue;
      ComputeLogits(engine, input.Row(row - i), {}, logits);
      engine.vector->softmax(texts, logits);
      aligned[next - start].probability =
          logits[static_cast<size_t>(tokens[next])];
    }
    step_.trace.Lap(Operation::kOutput);
  }
  AlignTokens(step_, caches_, start - 1, positions, aligned);
  step_.trace.queries = {};
  step_.trace.Lap(Operation::kSearch);
}

}  // namespace latimer
