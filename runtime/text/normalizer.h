// Rules from text to text, white space handling, invalid UTF-8 to U+FFFD.
// Follows sentencepiece 0.2.3, src/normalizer.cc, or where the view's spacing
// says so Hugging Face's tokenizers 0.23: its normalizers Precompiled and
// Replace, and its pre-tokenizers WhitespaceSplit, Metaspace and ByteLevel.
//
// Precompiled looks rules up by graphemes: one of less than 6 bytes is replaced
// as a whole by the shortest rule that it begins with; where there is none, and
// in longer ones, each character is looked up alone. Of Unicode's borders of
// graphemes only those matter here that graphemes of less than 6 bytes have:
// CR LF, controls, Extend, SpacingMark and Prepend.
#ifndef LATIMER_TEXT_NORMALIZER_H_
#define LATIMER_TEXT_NORMALIZER_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "text/tokenizer_view.h"

namespace latimer {

// Smallest output buffer: room for one unit of text and the affixes.
inline constexpr size_t kMinNormalizedBytes = 1024;

// Normalizes one text into a buffer, unit by unit. A unit is what one rule
// consumes, or one character, or one invalid byte; the result for a prefix of
// whole units is the prefix of the result. Borrows its three arguments; `out`
// has at least kMinNormalizedBytes.
class Normalizer {
 public:
  Normalizer(const TokenizerView& view, std::string_view text,
             std::span<char> out);

  // Normalizes the next unit. False: at the end of the text, or the unit does
  // not fit the buffer.
  bool Step();
  // Steps as far as possible; at the end of the text it also removes trailing
  // space or adds the suffix. True: the whole text fitted.
  bool Run();

  // Bytes of the text read, always whole units.
  size_t consumed() const { return consumed_; }
  bool at_end() const { return consumed_ == text_.size(); }
  // Bytes of the buffer written.
  size_t size() const { return size_; }
  // Bytes that would remain if the text ended here, without the suffix.
  size_t trimmed_size() const { return trims_ ? trimmed_size_ : size_; }

 private:
  struct Unit {
    std::string_view text;  // What it becomes.
    size_t consumed;        // Bytes of the original.
  };
  Unit NextUnit();
  Unit NextGraphemeUnit();
  std::string_view Replacement(uint32_t offset) const;
  bool Append(std::string_view text);
  bool AppendMetaspace(std::string_view text);
  bool AppendAsItIs(std::string_view text);
  void AppendSpace();
  void AppendBytes(std::string_view text);

  const TokenizerView& view_;
  std::string_view text_;
  std::span<char> out_;
  std::string_view space_;
  size_t consumed_ = 0;
  size_t size_ = 0;
  size_t trimmed_size_ = 0;
  size_t grapheme_end_ = 0;  // Up to here characters are looked up alone.
  bool trims_;
  bool previous_is_space_;
  bool at_word_start_ = true;  // Metaspace.
  bool blank_ = false;         // Nothing but white space: the result is empty.
};

}  // namespace latimer

#endif  // LATIMER_TEXT_NORMALIZER_H_
