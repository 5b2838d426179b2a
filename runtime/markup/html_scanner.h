// Cuts HTML into tags, comments, character references and text, as a browser's
// tokenizer does ("13.2.5 Tokenization" of the HTML standard), in constant
// memory. Nothing is dropped: the tokens, one after another, are the input.
#ifndef LATIMER_MARKUP_HTML_SCANNER_H_
#define LATIMER_MARKUP_HTML_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace latimer {

struct HtmlToken {
  enum class Kind : uint8_t {
    kText,
    kReference,  // &amp;
    kOpen,       // <b>, <br>
    kClose,      // </b>
    kOther,      // A comment, a doctype, a processing instruction.
    // A part of one of these, except text, that the window does not hold; or of
    // what is inside a script, a style or the like.
    kPiece,
  };

  Kind kind = Kind::kText;
  std::string_view bytes;
  // Of kOpen and kClose, and of the first piece of such a tag: its name, as it
  // is written.
  std::string_view name = {};
  // Of kReference: the character.
  uint32_t code_point = 0;
  // Of kPiece: it begins with "<" and a name.
  bool opens = false;
};

class HtmlScanner {
 public:
  // The token that `window` begins with; false if more bytes are needed. If
  // `all`, there are no more, or there is no room for them. The caller drops
  // the token's bytes before the next call.
  bool Next(std::string_view window, bool all, HtmlToken* out);

 private:
  // What the bytes at hand are part of.
  enum class Inside : uint8_t { kNothing, kTag, kComment, kCdata, kBogus };
  // Where in a tag: quotes count only around values.
  enum class Tag : uint8_t { kName, kSpace, kEquals, kValue, kSingle, kDouble };

  bool ScanMarkup(std::string_view window, bool all, HtmlToken* out);
  bool ScanReference(std::string_view window, bool all, HtmlToken* out);
  bool ScanRawText(std::string_view window, bool all, HtmlToken* out);
  size_t FindEnd(std::string_view window);
  size_t WholeBytes(std::string_view window) const;
  bool ScanTagByte(char c);

  Inside inside_ = Inside::kNothing;
  Tag tag_ = Tag::kName;
  // The element whose content is not HTML, such as "script"; null: none.
  const char* raw_ = nullptr;
  // What raw_ becomes when the tag at hand ends.
  const char* raw_after_ = nullptr;
};

}  // namespace latimer

#endif  // LATIMER_MARKUP_HTML_SCANNER_H_
