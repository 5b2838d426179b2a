// From the tokens of a sentence with phrases (search/phrases.h) to its text.
#ifndef LATIMER_PHRASE_TEXT_H_
#define LATIMER_PHRASE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "phrases/phrases.h"
#include "text_reader.h"

namespace latimer {

// Writes the text of target ids: each phrase with a text of its own comes once,
// where its tokens are, or at the end if they are nowhere. Returns its bytes.
// What else the model has copied of it goes, unless it is shorter than 4 bytes
// or a part of a word. `links`, none or one for each id, get the bytes of their
// ids in the text, those of a phrase all of its bytes.
// Errors: those of Tokenizer::Decode.
Result<size_t> WriteTextWithPhrases(const TextReader& reader,
                                    PhraseList phrases,
                                    std::span<const int32_t> ids,
                                    std::span<char> out,
                                    std::span<TokenLink> links = {});

}  // namespace latimer

#endif  // LATIMER_PHRASE_TEXT_H_
