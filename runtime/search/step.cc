#include "search/step.h"

#include <algorithm>

#include "base/check.h"
#include "base/off_stack.h"
#include "search/choose.h"
#include "search/choose_beams.h"
#include "search/shortlist.h"
#include "transformer/network.h"

namespace latimer {
namespace {

// Begins what a pass records. With beams a replay does.
LATIMER_OFF_STACK void StartRecording(const Engine& engine, Sentence& sentence,
                                      const Buffers& workspace) {
  const bool records = !sentence.has_beams();
  sentence.scores =
      records && sentence.records_scores ? workspace.token_scores : nullptr;
  const Status status = sentence.trace.attention.Begin(
      engine.architecture(),
      records ? sentence.attention : AttentionKind::kNone,
      sentence.source_count, workspace.attention);
  LATIMER_CHECK(status.ok());  // The request was checked.
}

void StartPass(const Engine& engine, Sentence& sentence,
               const Buffers& workspace) {
  StartRecording(engine, sentence, workspace);
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

// Phrases of a sentence, or of one of its beams, in a step.

// How far it has got with them; null: none is left.
PhraseProgress* PhrasesLeft(Sentence& sentence, uint32_t beam) {
  if (!sentence.has_phrases()) return nullptr;
  PhraseProgress& progress =
      sentence.has_beams() ? sentence.beams.phrases(beam) : sentence.phrases;
  return progress.done(sentence.options.phrases) ? nullptr : &progress;
}

// Before the decoder: the token that must come next; -1: none. If there is none
// yet, the decoder notes what it attends to, which may change that.
int32_t ForcedBefore(Sentence& sentence, uint32_t beam, DecoderRow* row) {
  PhraseProgress* const progress = PhrasesLeft(sentence, beam);
  if (progress == nullptr) return -1;
  const PhraseList& list = sentence.options.phrases;
  if (progress->forced(list) < 0) {
    // EOS, too, needs a place.
    progress->Hurry(list,
                    sentence.options.max_tokens - 1 - sentence.target_count);
    if (!row->aligned.active()) {
      row->aligned = {&progress->focus, sentence.text_begin, sentence.text_end};
    }
  }
  return progress->forced(list);
}

// After the decoder: the same, now that it has attended.
int32_t ForcedAfter(Sentence& sentence, uint32_t beam, const DecoderRow& row) {
  PhraseProgress* const progress = PhrasesLeft(sentence, beam);
  if (progress == nullptr) return -1;
  if (row.aligned.active()) progress->focus = *row.aligned.source;
  progress->Attend(sentence.options.phrases);
  return progress->forced(sentence.options.phrases);
}

// The token that comes in place of EOS; -1: EOS may come.
int32_t InPlaceOfEos(Sentence& sentence, uint32_t beam) {
  PhraseProgress* const progress = PhrasesLeft(sentence, beam);
  if (progress == nullptr) return -1;
  progress->BeginMissing(sentence.options.phrases);
  return progress->forced(sentence.options.phrases);
}

// The most likely next token of each sentence.
void StepGreedy(const Engine& engine, Scheduler& scheduler,
                std::span<Sentence* const> sentences,
                const Buffers& workspace) {
  DecoderRow* const rows = scheduler.step_rows();
  int32_t tokens[kProfile.lanes];
  for (size_t i = 0; i < sentences.size(); ++i) {
    Sentence& sentence = *sentences[i];
    rows[i] = {&sentence.caches, sentence.last_token(),
               static_cast<uint32_t>(sentence.target_count)};
    rows[i].aligned = sentence.aligned_row(engine.model.info.alignment.reads);
    tokens[i] = sentence.forced_token();
    if (tokens[i] >= 0) continue;
    tokens[i] = ForcedBefore(sentence, 0, &rows[i]);
  }
  // The time of a step counts for the oldest sentence.
  Trace& trace = sentences[0]->trace;
  const DecoderOutput output =
      StepDecoder(engine, {rows, sentences.size()}, workspace, trace);
  bool all_forced = true;
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (tokens[i] < 0) tokens[i] = ForcedAfter(*sentences[i], 0, rows[i]);
    all_forced = all_forced && tokens[i] >= 0;
  }
  const Sentence& first = *sentences[0];
  const bool scores_given = first.is_replay() && first.scores != nullptr;
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
    Sentence& sentence = *sentences[i];
    if (tokens[i] == sentence.options.eos && sentence.forced_token() < 0) {
      const int32_t token = InPlaceOfEos(sentence, 0);
      if (token >= 0) tokens[i] = token;
    }
    if (sentence.forced_token() >= 0) {
      scheduler.AppendForced(sentence, tokens[i]);
    } else {
      scheduler.Append(sentence, tokens[i]);
    }
  }
}

// Takes EOS out of the candidates of a beam that has phrases left; if it was
// the best, a phrase begins.
[[maybe_unused]] void DelayEos(const BeamRow& row, uint32_t* count) {
  Sentence& sentence = *row.sentence;
  if (PhrasesLeft(sentence, row.beam) == nullptr) return;
  BeamCandidate* const candidates = sentence.beams.candidates(row.beam);
  for (uint32_t i = 0; i < *count; ++i) {
    if (candidates[i].token != sentence.options.eos) continue;
    if (i == 0) {
      candidates[0] = {InPlaceOfEos(sentence, row.beam), 0.0f};
      *count = 1;
    } else {
      std::copy(candidates + i + 1, candidates + *count, candidates + i);
      --*count;
    }
    return;
  }
}

// The most likely next tokens of each beam of each sentence.
[[maybe_unused]] void StepBeams(const Engine& engine, Scheduler& scheduler,
                                std::span<Sentence* const> sentences,
                                const Buffers& workspace) {
  DecoderRow* const rows = scheduler.step_rows();
  BeamRow beams[kProfile.lanes];
  uint32_t counts[kProfile.lanes];
  int32_t forced[kProfile.lanes];
  size_t count = 0;
  for (Sentence* sentence : sentences) {
    for (uint32_t i = 0; i < sentence->beams.count(); ++i, ++count) {
      rows[count] = {&sentence->caches, sentence->beams.last_token(i),
                     static_cast<uint32_t>(sentence->target_count),
                     sentence->beams.ancestors(i)};
      beams[count] = {sentence, i};
      forced[count] = sentence->forced_beam_token();
      if (forced[count] >= 0) continue;
      forced[count] = ForcedBefore(*sentence, i, &rows[count]);
    }
  }
  Trace& trace = sentences[0]->trace;
  const DecoderOutput output =
      StepDecoder(engine, {rows, count}, workspace, trace);
  bool all_forced = true;
  for (size_t i = 0; i < count; ++i) {
    if (forced[i] < 0) {
      forced[i] = ForcedAfter(*beams[i].sentence, beams[i].beam, rows[i]);
    }
    all_forced = all_forced && forced[i] >= 0;
  }
  if (!all_forced) {
    const LinearInput input =
        MakeLinearInput(engine, output.x, count, output.columns, workspace);
    ChooseCandidates(engine, input, {beams, count}, workspace, trace, counts);
  }
  for (size_t i = 0; i < count; ++i) {
    if (forced[i] >= 0) {
      beams[i].sentence->beams.candidates(beams[i].beam)[0] = {forced[i], 0.0f};
      counts[i] = 1;
    } else {
      DelayEos(beams[i], &counts[i]);
    }
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
    StartPass(engine, *sentence, workspace);
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
