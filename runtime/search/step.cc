#include "search/step.h"

#include <algorithm>

#include "base/check.h"
#include "base/off_stack.h"
#include "search/choose.h"
#include "search/choose_beams.h"
#include "transformer/network.h"

namespace latimer {
namespace {

// Starts what a pass records. With beams a replay does.
LATIMER_OFF_STACK void StartRecording(const Engine& engine, Sentence& sentence,
                                      const Buffers& workspace) {
  const bool records = !sentence.has_beams();
  sentence.scores = nullptr;
  if (kProfile.scores && records && sentence.records_scores) {
    sentence.scores =
        workspace.scores + sentence.lane * workspace.most_target_tokens;
  }
  const Status status = sentence.trace.attention.Start(
      engine.architecture(),
      records ? sentence.attention : AttentionKind::kNone,
      sentence.source_count, workspace.attention);
  LATIMER_CHECK(status.ok());  // The request was checked.
}

void StartPass(const Engine& engine, Sentence& sentence,
               const Buffers& workspace) {
  StartRecording(engine, sentence, workspace);
  EncodeSource({engine, workspace, sentence.trace}, sentence.source_ids(),
               sentence.caches);
  sentence.allowed = {};
  if (kProfile.shortlist && engine.model.info.has_shortlist) {
    sentence.trace.StartPhase(Phase::kDecoder);
    sentence.allowed =
        AllowTokens(engine, workspace, sentence.source_ids(), sentence.lane);
    sentence.trace.Lap(Operation::kSearch);
  }
}

// What the decoder reads. `aligned_by_next`: a token is aligned by the step
// that reads it.
DecoderRow DecoderRowOf(const StepRow& row, bool aligned_by_next) {
  const Sentence& sentence = *row.sentence;
  const auto position = static_cast<uint32_t>(sentence.target_count);
  if (sentence.has_beams()) {
    return {&sentence.caches, sentence.beams.last_token(row.beam), position,
            sentence.beams.ancestors(row.beam)};
  }
  return {&sentence.caches, sentence.last_token(), position, nullptr,
          sentence.aligned_row(aligned_by_next)};
}

// A step in which the decoder has run.
struct Step : StepContext {
  DecoderOutput output;
  std::span<StepRow> rows;

  LinearInput Input() const {
    return MakeLinearInput(*this, engine.model.tensors.output, output.x,
                           rows.size());
  }
  bool NeedsLogits() const {
    return std::ranges::any_of(
        rows, [](const StepRow& row) { return row.forced < 0; });
  }
};

// Scores the next tokens of the sentences that are replayed for that.
[[maybe_unused]] void ScoreReplays(const Step& step) {
  const auto is_scored = [](const StepRow& row) {
    return row.sentence->is_replay() && row.sentence->scores != nullptr;
  };
  if (std::ranges::none_of(step.rows, is_scored)) return;
  const LinearInput input = step.Input();
  for (size_t i = 0; i < step.rows.size(); ++i) {
    if (!is_scored(step.rows[i])) continue;
    ScoreReplayedToken(step, input.Row(i), *step.rows[i].sentence);
  }
}

// Without beams: each sentence gets its most likely token.
void Append(const Step& step, Scheduler& scheduler) {
  if constexpr (kProfile.beams > 1 && kProfile.scores) ScoreReplays(step);
  int32_t tokens[kProfile.lanes];
  if (step.NeedsLogits()) {
    ChooseTokens(step, step.Input(), step.rows, tokens);
  }
  for (size_t i = 0; i < step.rows.size(); ++i) {
    StepRow& row = step.rows[i];
    if (row.forced < 0 && tokens[i] == row.sentence->options.eos) {
      row.forced = InPlaceOfEos(row);
    }
    if (row.sentence->is_replay()) {
      scheduler.Append(*row.sentence, row.forced);
    } else if (row.forced >= 0) {
      scheduler.AppendForced(*row.sentence, row.forced);
    } else {
      scheduler.Append(*row.sentence, tokens[i]);
    }
  }
}

// Takes EOS out of the candidates of a beam that has phrases left; if it was
// the best, a phrase begins. Returns how many there are then.
[[maybe_unused]] uint32_t DelayEos(StepRow& row, uint32_t count) {
  if (row.phrases_left() == nullptr) return count;
  BeamCandidate* const candidates = row.sentence->beams.candidates(row.beam);
  BeamCandidate* const end = candidates + count;
  BeamCandidate* const eos =
      std::find_if(candidates, end, [&](const BeamCandidate& candidate) {
        return candidate.token == row.sentence->options.eos;
      });
  if (eos == end) return count;
  if (eos == candidates) row.forced = InPlaceOfEos(row);
  std::copy(eos + 1, end, eos);
  return count - 1;
}

// With beams: the beams of each sentence get their most likely tokens.
[[maybe_unused]] void Extend(const Step& step, Scheduler& scheduler) {
  uint32_t counts[kProfile.lanes];
  if (step.NeedsLogits()) {
    ChooseCandidates(step, step.Input(), step.rows, counts);
  }
  for (size_t i = 0; i < step.rows.size(); ++i) {
    StepRow& row = step.rows[i];
    if (row.forced < 0) counts[i] = DelayEos(row, counts[i]);
    if (row.forced < 0) continue;
    row.sentence->beams.candidates(row.beam)[0] = {row.forced, 0.0f};
    counts[i] = 1;
  }
  for (size_t i = 0; i < step.rows.size();) {
    Sentence& sentence = *step.rows[i].sentence;
    const size_t own = sentence.row_count();
    scheduler.Extend(sentence, {counts + i, own});
    i += own;
  }
}

}  // namespace

void StepSentences(const Engine& engine, Scheduler& scheduler,
                   const Buffers& workspace) {
  scheduler.StopLate();
  while (Sentence* sentence = scheduler.Admit()) {
    StartPass(engine, *sentence, workspace);
  }
  const std::span<StepRow> rows = scheduler.PlanStep();
  if (rows.empty()) return;
  DecoderRow* const decoder_rows = scheduler.decoder_rows();
  for (size_t i = 0; i < rows.size(); ++i) {
    decoder_rows[i] = DecoderRowOf(rows[i], engine.model.info.alignment.reads);
    rows[i].forced = Before(rows[i], &decoder_rows[i]);
  }
  // The time of a step counts for the oldest sentence.
  const StepContext context = {engine, workspace, rows[0].sentence->trace};
  const DecoderOutput output =
      StepDecoder(context, {decoder_rows, rows.size()});
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].forced < 0) rows[i].forced = After(rows[i], decoder_rows[i]);
  }
  const Step step = {context, output, rows};
  if constexpr (kProfile.beams > 1) {
    if (rows[0].sentence->has_beams()) return Extend(step, scheduler);
  }
  Append(step, scheduler);
}

}  // namespace latimer
