#ifndef LATIMER_TESTS_MARKUP_PUSH_IN_PIECES_H_
#define LATIMER_TESTS_MARKUP_PUSH_IN_PIECES_H_

#include <cstddef>
#include <string_view>

#include "markup/html_text.h"

namespace latimer {

// Gives `html` to `text` in pieces of size() bytes. Calls work(false) after
// each push, and work(true) after the end.
template <typename Size, typename Work>
void PushInPieces(std::string_view html, Size size, HtmlText& text, Work work) {
  while (!html.empty()) {
    std::string_view bytes = html.substr(0, size());
    html.remove_prefix(bytes.size());
    while (!bytes.empty()) {
      bytes.remove_prefix(text.Push(bytes));
      work(false);
    }
  }
  text.End();
  work(true);
}

}  // namespace latimer

#endif  // LATIMER_TESTS_MARKUP_PUSH_IN_PIECES_H_
