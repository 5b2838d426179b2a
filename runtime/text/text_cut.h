// Where to cut a text that has more tokens than a model takes.
#ifndef LATIMER_TEXT_TEXT_CUT_H_
#define LATIMER_TEXT_TEXT_CUT_H_

#include <cstddef>
#include <string_view>

#include "text/tokenizer_scratch.h"
#include "text/tokenizer_view.h"

namespace latimer {

// A place to cut a text in two.
struct TextCut {
  size_t end;   // The first part is text[0, end).
  size_t next;  // The rest begins here, after white space.
};

// Tokenizer::FindCut, but with treat_whitespace_as_suffix the first part may
// have a few tokens more than `max_tokens`.
TextCut FindTextCut(const TokenizerView& view, std::string_view text,
                    size_t max_tokens, const TokenizerScratch& scratch);

}  // namespace latimer

#endif  // LATIMER_TEXT_TEXT_CUT_H_
