#include "search/choose.h"

#include <algorithm>
#include <cmath>

#include "base/off_stack.h"
#include "search/choice.h"
#include "search/log_probability.h"
#include "search/pruned_argmax.h"
#include "search/sampling.h"
#include "transformer/probe.h"

namespace latimer {

// Which way the tokens of a step are chosen: the first line that applies.
//
//   gathered rows of shortlists    ChooseOneByOne
//   scores, nothing drawn *        ChooseFromWindows
//   the model has a pruned argmax  ChooseFromBounds
//   several rows, nothing drawn *  ChooseFromWindows
//   any other step                 ChooseOneByOne
//
//   * if the profile has several lanes and no probes, which take whole rows of
//     logits
//
// All but ChooseFromWindows give a sentence that NeedsAllLogits to
// ChooseFromAll, and then choose for the others.
void ChooseTokens(const StepContext& step, const LinearInput& input,
                  std::span<const StepRow> rows, int32_t* tokens) {
  const Choice choice = {step, input, rows, tokens};
  const bool draws = std::ranges::any_of(
      rows, [](const StepRow& row) { return row.sentence->draws(); });
  const bool scores = std::ranges::any_of(
      rows, [](const StepRow& row) { return row.sentence->scores != nullptr; });
  if (AllGathered(rows)) return ChooseOneByOne(choice);
  const bool has_windows = kProfile.lanes > 1 && !draws && !kProfile.probes;
  if (has_windows && scores) return ChooseFromWindows(choice);
  if (kProfile.pruned_argmax && step.engine.model.info.pruned_argmax) {
    return ChooseFromBounds(choice);
  }
  if (has_windows && rows.size() > 1) return ChooseFromWindows(choice);
  ChooseOneByOne(choice);
}

namespace {

// The score of `token` by its logits [vocabulary].
TokenScore ScoreToken(const Engine& engine, size_t token,
                      std::span<float> logits) {
  LogSum sum;
  sum.Add(engine, logits);
  sum.Finish();
  const float logit = logits[token];
  logits[token] = kBannedLogit;
  const float other =
      logits[engine.vector->argmax(logits.size(), logits.data())];
  logits[token] = logit;
  return {sum.LogProbability(logit), logit - other};
}

// Draws a token of processed logits [V].
int32_t DrawToken(const Engine& engine, Sentence& sentence,
                  std::span<float> logits) {
  const Sampling& sampling = sentence.options.sampling;
  WarpLogits(engine, sampling, logits);
  const size_t token =
      TokenAt(logits, RandomNumber(sampling, sentence.target_count));
  if (kProfile.scores && sentence.scores != nullptr) {
    const float probability = logits[token];
    logits[token] = 0.0f;
    const float other =
        logits[engine.vector->argmax(logits.size(), logits.data())];
    sentence.scores[sentence.target_count] = {
        std::log(probability), std::log(probability) - std::log(other)};
  }
  return static_cast<int32_t>(token);
}

// Processes logits [V] and returns the best token, or one that is drawn.
int32_t ChooseFromLogits(const Engine& engine, Sentence& sentence,
                         float* logits) {
  const size_t vocabulary = engine.architecture().target_vocabulary;
  ProbeOutput(ProbePoint::kLogits, 0, logits, vocabulary);
  ProcessLogits(sentence.options, sentence.prefix(), {logits, 0, vocabulary});
  if (sentence.draws()) {
    return DrawToken(engine, sentence, {logits, vocabulary});
  }
  const size_t best = engine.vector->argmax(vocabulary, logits);
  if (kProfile.scores && sentence.scores != nullptr) {
    sentence.scores[sentence.target_count] =
        ScoreToken(engine, best, {logits, vocabulary});
  }
  return static_cast<int32_t>(best);
}

// The best token of row i, by the gathered rows of its shortlist.
int32_t ChooseFromAllowed(const Choice& choice, size_t i) {
  const Sentence& sentence = choice.sentence(i);
  const AllowedTokens& allowed = sentence.allowed;
  ApplyLinear(choice.engine(), allowed.rows, choice.input.Row(i),
              choice.logits());
  CapLogits(choice.engine(), allowed.rows.n, choice.logits());
  choice.step.trace.Lap(Operation::kOutput);
  const LogitWindow window = {choice.logits(), 0, allowed.rows.n,
                              allowed.tokens};
  ProcessLogits(sentence.options, sentence.prefix(), window);
  return static_cast<int32_t>(Better(choice.engine(), window, {}).token);
}

}  // namespace

int32_t ChooseFromAll(const Choice& choice, size_t i) {
  Sentence& sentence = choice.sentence(i);
  ComputeLogits(choice.engine(), choice.input.Row(i), sentence.allowed,
                choice.logits());
  choice.step.trace.Lap(Operation::kOutput);
  return ChooseFromLogits(choice.engine(), sentence, choice.logits());
}

LATIMER_OFF_STACK void ChooseOneByOne(const Choice& choice) {
  for (size_t i = 0; i < choice.rows.size(); ++i) {
    if (choice.forced(i)) continue;
    const Sentence& sentence = choice.sentence(i);
    choice.tokens[i] = sentence.allowed.gathered() && !NeedsAllLogits(sentence)
                           ? ChooseFromAllowed(choice, i)
                           : ChooseFromAll(choice, i);
    choice.step.trace.Lap(Operation::kSearch);
  }
}

void ComputeLogits(const Engine& engine, const LinearInput& input,
                   const AllowedTokens& allowed, float* logits) {
  const Linear& output = engine.model.tensors.output;
  if (kProfile.pruned_argmax && output.nibbles) {
    ComputeUnprunedLogits(engine, input, 0, output.n, logits);
  } else if (allowed.gathered()) {
    ApplyLinear(engine, allowed.rows, input, logits);
    CapLogits(engine, allowed.rows.n, logits);
    SpreadLogits(allowed, {logits, output.n});
  } else {
    ApplyLinear(engine, output, input, logits);
    CapLogits(engine, output.n, logits);
    BanOthers(allowed, {logits, 0, output.n});
  }
}

bool AllGathered(std::span<const StepRow> rows) {
  return std::ranges::all_of(rows, [](const StepRow& row) {
    return row.sentence->allowed.gathered();
  });
}

void ScoreReplayedToken(const StepContext& step, const LinearInput& input,
                        Sentence& sentence) {
  const size_t i = sentence.target_count;
  const SearchOptions& options = sentence.options;
  const bool is_given = !options.target_prefix.empty() &&
                        options.target_prefix.back() == options.eos;
  if (!is_given && RuledToken(options, i) >= 0) {
    sentence.scores[i] = kForcedScore;
    return;
  }
  const size_t vocabulary = step.engine.architecture().target_vocabulary;
  float* logits = step.workspace.logits;
  ComputeLogits(step.engine, input, sentence.allowed, logits);
  if (!is_given) {
    ProcessLogits(options, sentence.prefix(), {logits, 0, vocabulary});
  }
  sentence.scores[i] =
      ScoreToken(step.engine, static_cast<size_t>(sentence.target[i]),
                 {logits, vocabulary});
}

}  // namespace latimer
