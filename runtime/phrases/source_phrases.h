// What comes out of a text as it is, and terms: from a text and the caller's
// options to the phrases of a sentence (phrases.h). kept_text.h writes the
// text.
//
// The model reads a stand-in, such as "X1", in place of a span that must not be
// translated (text/stand_ins.h). A caller that knows such spans gives them as
// TranslateOptions::protected_ranges. Each comes once, however the sentence has
// ended. What the model cannot read stays in its source, as its unknown token.
#ifndef LATIMER_PHRASES_SOURCE_PHRASES_H_
#define LATIMER_PHRASES_SOURCE_PHRASES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/text_cursor.h"
#include "phrases/phrases.h"
#include "text_reader.h"

namespace latimer {

bool WantsPhrases(const TranslateOptions& options);

// Writes the ids of a term's target to `ids` and their number to *count.
// Errors: kInvalidArgument (no ids, special or unknown ones, or more than
// `most_tokens`), kTextTooLong (no room for them).
Status EncodeTerm(const TextReader& reader, const Term& term,
                  size_t most_tokens, std::span<int32_t> ids, size_t* count);

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
// `source`, because the tokenizer cannot read all characters of it: they then
// come out as they are, and a part has no more of them than there is room for.
bool KeepsUnknown(const TextReader& reader, const TranslateOptions& options,
                  const TextPart& part, std::span<const int32_t> source);

// Whether the words of a part come out as they are, all of them: beside their
// protected spans they have no letter that the model can read.
bool IsKeptWhole(const TextReader& reader, const TranslateOptions& options,
                 std::string_view words, const PhraseList& phrases);

}  // namespace latimer

#endif  // LATIMER_PHRASES_SOURCE_PHRASES_H_
