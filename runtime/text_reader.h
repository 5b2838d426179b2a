// From texts to ids: the source of a text, with what the model and the options
// put around it, and the target prefix.
#ifndef LATIMER_TEXT_READER_H_
#define LATIMER_TEXT_READER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/streams.h"
#include "latimer/translation.h"
#include "model/model.h"
#include "text/tokenizer.h"
#include "transformer/buffers.h"

namespace latimer {

// The part of a text that became a source.
struct TextPart {
  size_t source_count = 0;  // Ids; 0: text and code have none.
  size_t bytes = 0;         // With the white space after it.
  // What was tokenized, and its tokens in the source.
  std::string_view words;
  size_t words_begin = 0;
  size_t words_end = 0;
  // What ends it, and what to write after its translation if the text goes on.
  SentenceEnd end = SentenceEnd::kCut;
  std::string_view space;
  std::string_view language_code;
  // What follows begins with these of a protected span, which had no room.
  size_t protected_bytes = 0;
};

// Reads texts with the model's tokenizer and its scratch memory.
struct TextReader {
  const Model& model;
  const Tokenizer& tokenizer;
  const Tokenizer& target_tokenizer;
  TokenizerScratch scratch;

  // The end of the first sentence of `text` that ends behind text[from]: of all
  // of it if there is none, or if it is to be translated at once.
  SentencePlace FindSentence(std::string_view text,
                             const TranslateOptions& options,
                             size_t from) const;

  // Writes to `source` the ids of as much of `text`, from its beginning, as
  // fits, with everything that the model and the options put around a text and,
  // if its sources have a fixed length, the pads. If
  // not all fits, the text is cut after a sentence if possible; see FindCut.
  // A part ends where FindSentence says.
  // Errors: kInvalidArgument (a language or task that is missing or unknown),
  // kTextTooLong (a single character has more tokens than the source holds).
  Result<TextPart> Read(std::string_view text, const TranslateOptions& options,
                        std::span<int32_t> source, size_t from = 0) const;

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
Status NeedTargetTokenizer(const ModelDescription& info);

// Copies ids and returns their number. Precondition: they fit.
size_t CopyIds(std::span<const int32_t> from, std::span<int32_t> to);

// The tokenizer's part of the workspace.
TokenizerScratch ScratchOf(const Buffers& workspace);

}  // namespace latimer

#endif  // LATIMER_TEXT_READER_H_
