// Terms and protected spans: from a text and the caller's options to the
// phrases of a sentence (search/phrases.h). phrase_text.h writes the text.
//
// What must not be translated is a phrase with a text of its own: the decoder
// reads tokens that stand for it, and its bytes are put in their place. A
// caller that knows such spans, like markup, gives them as
// TranslateOptions::protected_ranges. Each comes once, however the sentence has
// ended.
#ifndef LATIMER_SOURCE_PHRASES_H_
#define LATIMER_SOURCE_PHRASES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/text_cursor.h"
#include "phrases/phrases.h"
#include "text_reader.h"

namespace latimer {

bool WantsPhrases(const TranslateOptions& options);

// Writes the ids of a term's target to `ids` and returns their number.
// Errors: kInvalidArgument (no ids, special or unknown ones, or more than
// `most_tokens`), kTextTooLong (no room for them).
Result<size_t> EncodeTerm(const TextReader& reader, const Term& term,
                          size_t most_tokens, std::span<int32_t> ids);

// Reads the next part of a text, as TextReader::Read does, to `room` and its
// phrases behind it: as much as there is room for both. Cuts no phrase, but for
// a protected span that is longer than a part: parts without a source have it.
// `most_tokens`: those of a translation. Errors: those of Read;
// kInvalidArgument (terms without a target tokenizer, a target without tokens,
// with special ones or with too many, ranges that are not in order or not in
// the text), kTextTooLong (a term that is longer than a part, a pattern's span
// that is longer than text_bytes, or phrases that have no room).
Status ReadWithPhrases(const TextReader& reader, const TextCursor& cursor,
                       size_t most_tokens, std::span<int32_t> room,
                       TextPart* part, PhraseList* phrases);

// Whether ReadWithPhrases should read again what TextReader::Read has read to
// `room`, because the tokenizer cannot read all characters of it: they then
// come out as they are, and a part has no more of them than there is room for.
// A part that has nothing else to translate becomes one without a source, and a
// phrase with its words.
bool KeepsUnknown(const TextReader& reader, const TranslateOptions& options,
                  std::span<int32_t> room, TextPart* part, PhraseList* phrases);

}  // namespace latimer

#endif  // LATIMER_SOURCE_PHRASES_H_
