// Normalizes a text: replaces strings, handles white space, and turns invalid
// UTF-8 into U+FFFD. Follows sentencepiece 0.2.3, src/normalizer.cc, or, if the
// view's spacing says so, Hugging Face's tokenizers 0.23: its normalizers
// Precompiled and Replace and its pre-tokenizers WhitespaceSplit, Metaspace and
// ByteLevel.
//
// A character that no piece covers is then read as another one, if the view has
// folds. What is made of a unit has kMaxReplacementBytes at most; a unit that
// would have more stays as it is.
//
// Precompiled looks up graphemes: one of less than 6 bytes is replaced as a
// whole if a key of the table begins it, by the shortest such key. Otherwise
// each character is looked up by itself. Only the borders that such short
// graphemes can have matter here: CR LF, controls, Extend, SpacingMark and
// Prepend.
#ifndef LATIMER_TEXT_NORMALIZER_H_
#define LATIMER_TEXT_NORMALIZER_H_

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "text/tokenizer_view.h"

namespace latimer {

// Smallest output buffer: it holds one unit of text and the affixes.
inline constexpr size_t kMinNormalizedBytes = 1024;

// Normalizes one text into a buffer, unit by unit. A unit is what one
// replacement consumes, or a range with its stand-in (text/stand_ins.h), or one
// character, or one invalid byte. The result for a
// prefix of whole units is a prefix of the result. Borrows its three arguments;
// `out` has at least kMinNormalizedBytes.
class Normalizer {
 public:
  Normalizer(const TokenizerView& view, std::string_view text,
             std::span<char> out);

  // Normalizes the next unit. False at the end of the text, or if the unit does
  // not fit into the buffer.
  bool Step();
  // Steps until nothing more fits. At the end of the text also removes trailing
  // space or adds the suffix. True if the whole text fits.
  bool Run();

  // Bytes of the text that were read; always whole units.
  size_t consumed() const { return consumed_; }
  bool at_end() const { return consumed_ == text_.size(); }
  // Bytes that were written to the buffer.
  size_t size() const { return size_; }
  // Bytes that would remain if the text ended here, without the suffix.
  size_t trimmed_size() const { return trims_ ? trimmed_size_ : size_; }

 private:
  struct Unit {
    std::string_view text;  // Its replacement.
    size_t consumed;        // Bytes of the original text.
  };
  Unit NextUnit();
  Unit ReadUnit();
  bool NextStandIn(Unit* unit);
  Unit NextGraphemeUnit();
  std::string_view Replacement(uint32_t offset) const;
  std::string_view Fold(std::string_view text);
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
  size_t grapheme_end_ =
      0;                 // Up to here each character is looked up by itself.
  size_t stand_in_ = 0;  // The first that may come.
  char stand_in_text_[StandIns::kMostBytes];
  bool trims_;
  bool previous_is_space_;
  bool at_word_start_ = true;  // For Metaspace.
  bool blank_ = false;         // The text is white space; the result is empty.
  std::array<char, kMaxReplacementBytes> folded_;  // The last unit, if folded.
};

}  // namespace latimer

#endif  // LATIMER_TEXT_NORMALIZER_H_
