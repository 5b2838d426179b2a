// From a request to a Sentence: resolves TranslateOptions against the model's
// generation config, and writes the source ids of a text.
#ifndef LATIMER_REQUEST_H_
#define LATIMER_REQUEST_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/translation.h"
#include "model/model.h"
#include "search/length_limit.h"
#include "search/search_options.h"
#include "text/tokenizer.h"
#include "transformer/buffers.h"

namespace latimer {

// What a sentence brings to its search, beside the caller's options.
struct SearchRequest {
  std::span<const int32_t> source = {};
  bool is_text = false;  // The source is a text, not ids.
  // The first is free for a token that is forced as the first; empty: none.
  std::span<int32_t> target_prefix = {};
  PhraseList phrases = {};
  uint64_t deadline = 0;  // See SearchOptions.
};

// What there is room for.
struct SearchRoom {
  uint32_t target_tokens;
  uint32_t beams;
  uint64_t cached_tokens = kNoLimit;  // Of one sentence, with all its beams.
};

// Resolves everything that concerns the search. The result views what the
// arguments view. kInvalidArgument if the options name something that the model
// lacks, if there is no room for so many beams, or if nothing could follow the
// target prefix.
Status ResolveOptions(const Model& model, const TranslateOptions& options,
                      const SearchRequest& request, const SearchRoom& room,
                      SearchOptions* out);

// The part of a text that became a source.
struct TextPart {
  size_t source_count = 0;  // Ids; 0: text and code have none.
  size_t bytes = 0;         // With the white space after it.
  // What was tokenized, and its tokens in the source.
  std::string_view words;
  size_t words_begin = 0;
  size_t words_end = 0;
  bool space_follows = false;
  std::string_view language_code;
};

// Reads texts with the model's tokenizer and its scratch memory.
struct TextReader {
  const Model& model;
  const Tokenizer& tokenizer;
  const Tokenizer& target_tokenizer;
  TokenizerScratch scratch;

  // Writes to `source` the ids of as much of `text`, from its beginning, as
  // fits, with everything that the model and the options put around a text and,
  // if its sources have a fixed length, the pads. If
  // not all fits, the text is cut after a sentence if possible; see FindCut.
  // Errors: kInvalidArgument (a language or task that is missing or unknown),
  // kTextTooLong (a single character has more tokens than the source holds).
  Result<TextPart> Read(std::string_view text, const TranslateOptions& options,
                        std::span<int32_t> source) const;

  // The ids that Read writes for a text that fits. A text without ids, which is
  // not translated, has those around it. Errors as those of Read, and
  // kTextTooLong if `ids` cannot hold them.
  Result<size_t> ReadIds(std::string_view text, const TranslateOptions& options,
                         std::span<int32_t> ids) const;

  // Writes the target prefix of the options to the end of `room` and returns
  // its ids, with one before them that is free; none if there is no prefix.
  // Of the room, a source that is still to come keeps half.
  // Errors: kInvalidArgument (a prefix that is too long or not in the
  // vocabulary, or a text that cannot become ids).
  Result<std::span<int32_t>> ReadTargetPrefix(const TranslateOptions& options,
                                              std::span<int32_t> room,
                                              bool source_comes) const;
};

// kInvalidArgument if the model cannot make ids of texts of the target.
Status NeedTargetTokenizer(const ModelInfo& info);

// Copies ids and returns their number. Precondition: they fit.
size_t CopyIds(std::span<const int32_t> from, std::span<int32_t> to);

// Pads the first `count` of `ids`, unless there are none, to the fixed length
// of the model's sources, if it has one, and returns the number of all.
// Precondition: they fit.
size_t PadSource(const GenerationConfig& config, size_t count,
                 std::span<int32_t> ids);

// The source without its pads.
std::span<const int32_t> WithoutPads(const GenerationConfig& config,
                                     std::span<const int32_t> source);

// The tokenizer's part of the workspace.
TokenizerScratch ScratchOf(const Buffers& workspace);

}  // namespace latimer

#endif  // LATIMER_REQUEST_H_
