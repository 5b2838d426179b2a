// What dictates the next token of a translation, whatever the logits are:
//
//   1. a replay, whose tokens are those that a search has found,
//   2. the token that the model forces as the last (length_limit.h),
//   3. the target prefix, or the token that is forced as the first,
//   4. phrases: one that has begun; one whose source the step attends to; those
//      that are missing, when all tokens that are left are needed for them and
//      when EOS would come.
//
// The first of these that applies decides. step.cc calls, for each row of a
// step: Before, then the decoder, After, the search's choice (in which Mask is
// the last to change logits), InPlaceOfEos and Taken. What the search may
// choose from is in logits_processors.h; when it ends, Scheduler decides.
//
// A probe (transformer/probe.h), which only the converter's build has, may
// replace any token.
#ifndef LATIMER_SEARCH_CONSTRAINT_H_
#define LATIMER_SEARCH_CONSTRAINT_H_

#include <cstddef>
#include <cstdint>

#include "search/logits_processors.h"
#include "search/sentence.h"
#include "transformer/decoder.h"

namespace latimer {

// A sentence in a step, or one of its beams. Without beams it is the only one.
struct StepRow {
  Sentence* sentence;
  uint32_t beam = 0;
  // The token that must come next; -1: the search chooses.
  int32_t forced = -1;

  // What the row has read and reads next.
  Prefix prefix() const {
    return sentence->has_beams() ? sentence->beams.prefix(beam)
                                 : sentence->prefix();
  }
  // How far the row has got with the sentence's phrases.
  PhraseProgress& progress() const {
    return sentence->has_beams() ? sentence->beams.phrases(beam)
                                 : sentence->phrases;
  }
  // That, if there are phrases left; null: none.
  PhraseProgress* phrases_left() const {
    if (!sentence->has_terms()) return nullptr;
    PhraseProgress& phrases = progress();
    return phrases.done(sentence->options.phrases) ? nullptr : &phrases;
  }
};

// The token that the request or the model forces at a position, whatever was
// searched; -1: none.
inline int32_t RuledToken(const SearchOptions& options, size_t position) {
  if (position + 1 == options.max_tokens && options.forced_last_token >= 0) {
    return options.forced_last_token;
  }
  if (position < options.target_prefix.size()) {
    return options.target_prefix[position];
  }
  return position == 0 ? options.forced_first_token : -1;
}

// Whether the next token is the last and forced, so that it needs no step: it
// depends on no logits, and no token will attend to it.
inline bool NeedsNoStep(const Sentence& sentence) {
  return !sentence.has_beams() &&
         sentence.target_count + 1 == sentence.options.max_tokens &&
         sentence.options.forced_last_token >= 0;
}

// Before the decoder: the token that must come next; -1: none. If there is none
// but phrases are left, the decoder records what the row attends to, for After.
inline int32_t Before(const StepRow& row, DecoderRow* decoder_row) {
  const Sentence& sentence = *row.sentence;
  const SearchOptions& options = sentence.options;
  const size_t position = sentence.target_count;
  if (sentence.is_replay()) return sentence.target[position];
  const int32_t ruled = RuledToken(options, position);
  PhraseProgress* const progress = row.phrases_left();
  if (ruled >= 0 || progress == nullptr) return ruled;
  if (progress->forced(options.phrases) < 0) {
    // EOS, too, needs a place.
    progress->ForceIfOutOfRoom(options.phrases,
                               options.max_tokens - 1 - position);
    if (!decoder_row->aligned.active()) {
      decoder_row->aligned = {&progress->focus, sentence.text_begin,
                              sentence.text_end};
    }
  }
  return progress->forced(options.phrases);
}

// After the decoder, if Before has found no token: the one of a phrase whose
// source the row has now attended to; -1: none.
inline int32_t After(const StepRow& row, const DecoderRow& decoder_row) {
  PhraseProgress* const progress = row.phrases_left();
  if (progress == nullptr) return -1;
  const PhraseList& phrases = row.sentence->options.phrases;
  if (decoder_row.aligned.active()) {
    progress->focus = *decoder_row.aligned.source;
  }
  progress->Attend(phrases);
  return progress->forced(phrases);
}

// The token that comes in place of EOS, which the search would choose; -1: EOS
// may come.
inline int32_t InPlaceOfEos(const StepRow& row) {
  PhraseProgress* const progress = row.phrases_left();
  if (progress == nullptr) return -1;
  progress->ForceMissing(row.sentence->options.phrases);
  return progress->forced(row.sentence->options.phrases);
}

// Takes note of one more token of the row, the last of its prefix.
inline void Taken(const StepRow& row) {
  const Sentence& sentence = *row.sentence;
  if (!sentence.has_terms()) return;
  // The last token may be one that is forced in place of a phrase's.
  if (sentence.target_count == sentence.options.max_tokens) return;
  row.progress().Add(sentence.options.phrases, row.prefix());
}

// After a phrase, bans the tokens that would go on with its last word.
inline void Mask(const SearchOptions& options, const Prefix& prefix,
                 const LogitWindow& window) {
  if (!kProfile.phrases || !options.phrases.has_terms() ||
      !EndsWithPhrase(options.phrases, prefix)) {
    return;
  }
  for (size_t i = 0; i < window.size; ++i) {
    if (ContinuesWord(*options.tokenizer, window.token(i))) {
      window.logits[i] = kBannedLogit;
    }
  }
}

}  // namespace latimer

#endif  // LATIMER_SEARCH_CONSTRAINT_H_
