// From the tokens of a sentence to its text, in which what the source keeps
// (protected spans, and what the model cannot read) comes out as it was.
//
// The tokens are those of the model: nothing here has an effect on the search.
// Where a span belongs, these say, in this order:
//
//   1. its stand-in (text/stand_ins.h), which the model has copied, or the
//      model's unknown token;
//   2. punctuation that is aligned with it and that the source lacks: models
//      write "-" for a symbol that they do not know;
//   3. the alignment of what stands around it: the gap between two words with
//      most before it of what came before, and after it of what came after.
//
// A sign that the model has put into words ("euros" for U+20AC) is not written
// again, nor is a letter in the middle of a word.
#ifndef LATIMER_PHRASES_KEPT_TEXT_H_
#define LATIMER_PHRASES_KEPT_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "phrases/phrases.h"
#include "text_reader.h"

namespace latimer {

// Links in the order of the translation: one for each id, and one for each span
// that stands at no id. Without an alignment there are none.
struct LinkList {
  std::span<TokenLink> room = {};
  size_t count = 0;

  std::span<TokenLink> all() const { return room.first(count); }
};

// The text that was tokenized, empty if it may be gone, and where it is in the
// ranges of links.
struct KeptSource {
  std::string_view text = {};
  uint32_t offset = 0;
};

// Writes the text of target ids and returns its bytes. `links` has the source
// of each id, or nothing; their targets become what was written.
// Errors: those of Tokenizer::Decode; kTextTooLong if `out` is too small.
Result<size_t> WriteKeptText(const TextReader& reader,
                             const PhraseList& phrases,
                             std::span<const int32_t> ids,
                             const KeptSource& source, std::span<char> out,
                             LinkList* links);

}  // namespace latimer

#endif  // LATIMER_PHRASES_KEPT_TEXT_H_
