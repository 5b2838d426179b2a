// What a Translator keeps in its workspace, and what its parts share.
#ifndef LATIMER_TRANSLATOR_STATE_H_
#define LATIMER_TRANSLATOR_STATE_H_

#include <span>
#include <string_view>

#include "latimer/translator.h"
#include "text/tokenizer.h"
#include "transformer/greedy_search.h"
#include "transformer/run_context.h"

namespace latimer {

struct Translator::State {
  RunContext context;
  GreedySearch search;
  Tokenizer tokenizer;
  uint32_t max_source_tokens = 0;
  uint32_t max_target_tokens = 0;
  // The sentence under way has all of the workspace: its attention or its
  // scores are kept.
  bool exclusive = false;
  // Of each lane.
  struct Begun {
    uint64_t ticket = 0;
    uint64_t deadline = 0;  // By MonotonicNanoseconds; 0: none.
    bool is_text = false;
  };
  Begun begun[kProfile.lanes];

  Workspace& workspace() { return *context.workspace; }
  const ModelInfo& info() const { return context.model.info; }
  bool CanTokenize() const {
    return kProfile.tokenizer && info().has_tokenizer;
  }

  // What is around a text among a lane's source ids.
  struct Frame {
    size_t before;     // Ids that stand there already.
    bool has_code;     // Those of a >>language<< code are among them.
    int32_t language;  // The source's, -1: none.

    // Ids behind the text.
    size_t after(const GenerationConfig& rules) const {
      return rules.source_suffix.size() +
             (language >= 0 &&
                      rules.source_language == SourceLanguage::kAfterSuffix
                  ? 1
                  : 0);
    }
  };
  // Writes what comes before a text.
  Result<Frame> BeginSource(std::string_view code,
                            const TranslateOptions& options, int32_t* source);
  // Appends the ids of `text`, which must fit, and what comes behind. Returns
  // all ids, 0 where code and text have none.
  Result<size_t> EncodeSource(const Frame& frame, std::string_view text,
                              int32_t* source);

  bool CanBegin() const;
  // A lane for a sentence with these options; kFailedPrecondition: none.
  Result<Lane*> TakeLane(const TranslateOptions& options);
  // Begins the sentence whose ids lie in lane.source().
  Status BeginLane(Lane& lane, size_t source_tokens,
                   const TranslateOptions& options, const Begun& of);
  // Frees a lane that is done and gives what it made.
  void Finish(Lane& lane, FinishedTranslation* out);
  // kFailedPrecondition where sentences are under way.
  Status CheckIdle() const;
  // Makes all tokens of the only sentence.
  Result<Translation> FinishOnly();
};

Status NotLoaded();
Status NoTokenizer();

// Returns how many. Precondition: they fit.
size_t CopyIds(std::span<const int32_t> from, std::span<int32_t> to);

// The tokenizer's part of the workspace.
TokenizerScratch ScratchOf(Workspace& workspace);

}  // namespace latimer

#endif  // LATIMER_TRANSLATOR_STATE_H_
