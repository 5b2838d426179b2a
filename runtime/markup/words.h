// Where words end, for tags that go between them.
#ifndef LATIMER_MARKUP_WORDS_H_
#define LATIMER_MARKUP_WORDS_H_

#include <cstddef>
#include <string_view>

namespace latimer {

// White space of HTML.
constexpr bool IsHtmlSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

// Whether a text begins or ends with a letter or digit of a script that writes
// spaces between words.
bool BeginsWord(std::string_view text);
bool EndsWord(std::string_view text);

// Whether text[0, at) and what follows belong to one word, or one character.
bool JoinsWords(std::string_view text, size_t at);

}  // namespace latimer

#endif  // LATIMER_MARKUP_WORDS_H_
