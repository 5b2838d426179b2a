// The state of a translator. It lives at the end of the workspace.
#ifndef LATIMER_TRANSLATOR_STATE_H_
#define LATIMER_TRANSLATOR_STATE_H_

#include <span>

#include "base/off_stack.h"
#include "latimer/translator.h"
#include "phrases/kept_text.h"
#include "request.h"
#include "search/scheduler.h"
#include "text/tokenizer.h"
#include "text_reader.h"
#include "transformer/buffers.h"
#include "transformer/engine.h"

namespace latimer {

class SpeechDecoder;

struct __attribute__((visibility("hidden"))) Translator::State {
  Engine engine;        // Constant after Load.
  Tokenizer tokenizer;  // Folds nothing: for ids.
  Tokenizer folding_tokenizer;
  Tokenizer target_tokenizer;
  Buffers buffers;
  SpeechWindow window;  // Of a model that reads speech.
  Scheduler scheduler;
  uint32_t max_source_tokens = 0;
  uint32_t max_target_tokens = 0;
  // Where sentences add the times of their operations, or null.
  OperationTimes* times = nullptr;
  // Of the translation that finished last; it views the memory of its lane.
  struct {
    bool is_text = false;
    std::span<const int32_t> tokens;
    std::span<const Hypothesis> hypotheses;
    PhraseList phrases;
    std::string_view text;  // In the workspace.
  } finished;

  const ModelDescription& model() const { return engine.model.info; }
  bool CanTokenize() const {
    return kProfile.tokenizer && model().has_tokenizer;
  }
  std::span<char> text() const { return {buffers.text, kProfile.text_bytes}; }

  // All of Load but the threads. Writes nothing but this object.
  Status Prepare(std::span<const std::byte> image,
                 std::span<std::byte> workspace, const LoadOptions& options);
  // Whether Prepare succeeds for another model, in a workspace that may be this
  // one's. Precondition: Reset, so that nothing but this object is in use.
  LATIMER_OFF_STACK Status CheckOther(std::span<const std::byte> image,
                                      std::span<std::byte> workspace,
                                      const LoadOptions& options) const;
  // Drops the sentences under way and what is kept of the last translation.
  void Reset();
  // Divides the workspace. kInvalidArgument if it is too small.
  Status PlaceBuffers(std::span<std::byte> workspace,
                      const LoadOptions& options);
  // Returns a free lane for a sentence with these options; kFailedPrecondition
  // if there is none.
  Result<Sentence*> TakeLane(const TranslateOptions& options);
  // That, and the target prefix of a text, which lies behind its source.
  Status TakeLaneOfText(const TranslateOptions& options, Sentence** sentence,
                        std::span<int32_t>* prefix);
  // Aligns a sentence if that is asked for, or if it `needs` it.
  Status PrepareAlignment(Sentence& sentence, const TranslateOptions& options,
                          bool needs);
  void FindSourceRanges(const Sentence& sentence,
                        std::span<TextRange> out) const;
  void Align(const Sentence& sentence, std::span<TokenLink> links);
  // Resolves the options of a sentence and queues it. What the request views is
  // in the sentence's memory.
  Status Prepare(Sentence& sentence, const TranslateOptions& options,
                 const SearchRequest& request);
  // With TranslateOptions::fold or without.
  const Tokenizer& tokenizer_for(bool folds) const {
    return folds ? folding_tokenizer : tokenizer;
  }
  TextReader reader(bool folds = false) const {
    return {engine.model, tokenizer_for(folds), target_tokenizer,
            ScratchOf(buffers)};
  }
  // Writes the text of target ids that translate a text with these phrases, and
  // fills in the links' places in it. Returns its bytes.
  Result<size_t> WriteTarget(std::span<const int32_t> ids,
                             const PhraseList& phrases,
                             const KeptSource& source, std::span<char> text,
                             LinkList* links) const;
  Result<size_t> CopyText(const Sentence& sentence, std::span<char> text) const;
  // Prepares the next part of a text.
  LATIMER_OFF_STACK Status PrepareText(TextCursor& cursor, uint64_t ticket,
                                       TextPart* part);
  // Steps until a sentence is done.
  Sentence& RunUntilDone();
  // Frees the lane of a sentence that is done and returns its translation,
  // whose text is written to `text`.
  LATIMER_OFF_STACK Status Finish(Sentence& sentence, std::span<char> text,
                                  Translation* out);
  // kFailedPrecondition if sentences are under way.
  LATIMER_OFF_STACK Status CheckIdle() const;
  // Prepares the next part of a text if no sentence is under way, and finishes
  // its sentence.
  LATIMER_OFF_STACK Status PrepareAlone(TextCursor& cursor, TextPart* part);
  LATIMER_OFF_STACK Result<Translation> FinishPart(Sentence& sentence,
                                                   size_t source_bytes,
                                                   TextCursor& cursor,
                                                   std::span<char> text);
  // Of a build that reads speech: computes the features of a window of so many
  // positions and encodes it.
  void EncodeSpeech(std::span<const float> samples, size_t positions,
                    const SpeechDecoder& decoder);
  // Internals::HearSound.
  Status HearSound(std::span<const float> samples, std::span<int32_t> tokens);
  // As Translator::TranslateNext, but writes the translation to `text`.
  Result<Translation> TranslateNext(TextCursor& cursor, std::span<char> text);
};

inline Status NotLoaded() {
  return Status::Error(StatusCode::kFailedPrecondition,
                       "No model is loaded; call Load first.");
}

inline Status ReadsSpeech() {
  return Status::Error(StatusCode::kFailedPrecondition,
                       "The model reads speech instead of text; transcribe "
                       "with it.");
}

inline Status ReadsText() {
  return Status::Error(StatusCode::kFailedPrecondition,
                       "The model reads text instead of speech; translate "
                       "with it.");
}

inline Status NoTokenizer() {
  return Status::Error(StatusCode::kFailedPrecondition,
                       "The model or this build has no tokenizer and "
                       "translates ids only; convert the model without "
                       "--no-tokenizer, or build with another profile.");
}

}  // namespace latimer

#endif  // LATIMER_TRANSLATOR_STATE_H_
