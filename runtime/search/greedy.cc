#include "search/greedy.h"

#include <algorithm>

#include "search/choose.h"
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

}  // namespace

void StepGreedy(const Engine& engine, Scheduler& scheduler,
                const Buffers& workspace) {
  scheduler.StopLate();
  while (Sentence* sentence = scheduler.Admit()) {
    Encode(engine, *sentence, workspace);
  }
  const std::span<Sentence* const> sentences = scheduler.CollectStep();
  if (sentences.empty()) return;

  DecoderRow rows[kProfile.lanes];
  int32_t tokens[kProfile.lanes];
  bool all_forced = true;
  for (size_t i = 0; i < sentences.size(); ++i) {
    const Sentence& sentence = *sentences[i];
    rows[i] = {&sentence.caches, sentence.last_token(), sentence.target_count};
    tokens[i] = sentence.forced_token();
    all_forced = all_forced && tokens[i] >= 0;
  }
  // The time of a step counts for the oldest sentence.
  Trace& trace = sentences[0]->trace;
  const DecoderOutput output =
      StepDecoder(engine, {rows, sentences.size()}, workspace, trace);
  if (!all_forced) {
    const LinearInput input = MakeLinearInput(
        engine, output.x, sentences.size(), output.columns, workspace);
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

}  // namespace latimer
