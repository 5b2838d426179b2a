// Where HTML is written to: a receiver, or memory of which there may be too
// little.
#ifndef LATIMER_MARKUP_HTML_WRITER_H_
#define LATIMER_MARKUP_HTML_WRITER_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace latimer {

// Which characters were references in the source: they are again.
struct ReferenceStyle {
  bool ampersand = false;
  bool less = false;
  bool greater = false;
  bool quote = false;
  bool no_break_space = false;
};

class HtmlWriter {
 public:
  using Receiver = void (*)(void* context, std::string_view html);

  HtmlWriter(Receiver receiver, void* context)
      : receiver_(receiver), context_(context) {}
  explicit HtmlWriter(std::span<char> room) : room_(room) {}

  void Write(std::string_view html);

  // Writes text[begin, end) as HTML. "&" and "<" become references wherever
  // they would not be read as text.
  void WriteText(std::string_view text, size_t begin, size_t end,
                 const ReferenceStyle& style);

  // Bytes in the memory; and whether there was too little of it.
  size_t size() const { return size_; }
  bool full() const { return full_; }

 private:
  Receiver receiver_ = nullptr;
  void* context_ = nullptr;
  std::span<char> room_;
  size_t size_ = 0;
  bool full_ = false;
};

}  // namespace latimer

#endif  // LATIMER_MARKUP_HTML_WRITER_H_
