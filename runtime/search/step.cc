#include "search/step.h"

#include "search/choose.h"
#include "search/choose_beams.h"
#include "search/shortlist.h"
#include "transformer/network.h"

namespace latimer {
namespace {

void Encode(const Engine& engine, Sentence& sentence,
            const Buffers& workspace) {
  EncodeSource(engine, sentence.source_ids(), sentence.caches, workspace,
               sentence.trace);
  sentence.shortlist = nullptr;
  if (kProfile.shortlist && engine.model.info.has_shortlist) {
    uint16_t* masks =
        workspace.shortlist + sentence.lane * workspace.shortlist_stride;
    sentence.trace.StartPhase(Phase::kDecoder);
    FillShortlist(engine.model, sentence.source_ids(), masks);
    sentence.trace.Lap(Operation::kSearch);
    sentence.shortlist = masks;
  }
}

// The most likely next token of each sentence.
void StepGreedy(const Engine& engine, Scheduler& scheduler,
                std::span<Sentence* const> sentences,
                const Buffers& workspace) {
  DecoderRow* const rows = scheduler.step_rows();
  int32_t tokens[kProfile.lanes];
  bool all_forced = true;
  for (size_t i = 0; i < sentences.size(); ++i) {
    const Sentence& sentence = *sentences[i];
    rows[i] = {&sentence.caches, sentence.last_token(),
               static_cast<uint32_t>(sentence.target_count)};
    rows[i].aligned = sentence.aligned_row(engine.model.info.alignment.reads);
    tokens[i] = sentence.forced_token();
    all_forced = all_forced && tokens[i] >= 0;
  }
  // The time of a step counts for the oldest sentence.
  Trace& trace = sentences[0]->trace;
  const DecoderOutput output =
      StepDecoder(engine, {rows, sentences.size()}, workspace, trace);
  const Sentence& first = *sentences[0];
  const bool scores_given =
      kProfile.beams > 1 && first.is_retraced() && first.scores != nullptr;
  if (!all_forced || scores_given) {
    const LinearInput input = MakeLinearInput(
        engine, output.x, sentences.size(), output.columns, workspace);
    if (scores_given) {
      ScoreGivenToken(engine, input, *sentences[0], workspace);
      return scheduler.Append(*sentences[0], tokens[0]);
    }
    ChooseTokens(engine, input, sentences, workspace, trace, tokens);
  }
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (sentences[i]->forced_token() >= 0) {
      scheduler.AppendForced(*sentences[i], tokens[i]);
    } else {
      scheduler.Append(*sentences[i], tokens[i]);
    }
  }
}

// The most likely next tokens of each beam of each sentence.
[[maybe_unused]] void StepBeams(const Engine& engine, Scheduler& scheduler,
                                std::span<Sentence* const> sentences,
                                const Buffers& workspace) {
  DecoderRow* const rows = scheduler.step_rows();
  BeamRow beams[kProfile.lanes];
  uint32_t counts[kProfile.lanes];
  size_t count = 0;
  bool all_forced = true;
  for (Sentence* sentence : sentences) {
    all_forced = all_forced && sentence->forced_beam_token() >= 0;
    for (uint32_t i = 0; i < sentence->beams.count(); ++i) {
      rows[count] = {&sentence->caches, sentence->beams.last_token(i),
                     static_cast<uint32_t>(sentence->target_count),
                     sentence->beams.ancestors(i)};
      beams[count++] = {sentence, i};
    }
  }
  Trace& trace = sentences[0]->trace;
  const DecoderOutput output =
      StepDecoder(engine, {rows, count}, workspace, trace);
  if (!all_forced) {
    const LinearInput input =
        MakeLinearInput(engine, output.x, count, output.columns, workspace);
    ChooseCandidates(engine, input, {beams, count}, workspace, trace, counts);
  }
  for (size_t i = 0; i < count; ++i) {
    const int32_t forced = beams[i].sentence->forced_beam_token();
    if (forced < 0) continue;
    beams[i].sentence->beams.candidates(beams[i].beam)[0] = {forced, 0.0f};
    counts[i] = 1;
  }
  const uint32_t* of_sentence = counts;
  for (Sentence* sentence : sentences) {
    const size_t own = sentence->beams.count();
    scheduler.Extend(*sentence, {of_sentence, own});
    of_sentence += own;
  }
}

}  // namespace

void StepSentences(const Engine& engine, Scheduler& scheduler,
                   const Buffers& workspace) {
  scheduler.StopLate();
  while (Sentence* sentence = scheduler.Admit()) {
    Encode(engine, *sentence, workspace);
  }
  const std::span<Sentence* const> sentences = scheduler.CollectStep();
  if (sentences.empty()) return;
  if constexpr (kProfile.beams > 1) {
    if (sentences[0]->has_beams()) {
      return StepBeams(engine, scheduler, sentences, workspace);
    }
  }
  StepGreedy(engine, scheduler, sentences, workspace);
}

}  // namespace latimer
