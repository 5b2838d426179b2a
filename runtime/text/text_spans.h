// Splits a text into spans: added tokens and >>language<< codes, each of which
// is one token, and the stretches between them. Follows transformers 5.23:
// PythonBackend.tokenize, or AddedVocabulary of Hugging Face's tokenizers, for
// added tokens; MarianTokenizer.remove_language_code for codes.
#ifndef LATIMER_TEXT_TEXT_SPANS_H_
#define LATIMER_TEXT_TEXT_SPANS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/tokenizer_view.h"

namespace latimer {

// Bytes of the >>language<< code that `text` begins with, or 0.
size_t CodeBytes(std::string_view text);

struct TextSpan {
  enum class Kind : uint8_t { kStretch, kAddedToken, kLanguageCode };

  Kind kind = Kind::kStretch;
  std::string_view text;  // Views the original text; never empty.
  int32_t id = 0;         // Its token, unless kStretch.
};

// Gives the spans of a text in order. Leaves out only white space that an added
// token strips. Borrows both arguments.
class TextSpans {
 public:
  TextSpans(const TokenizerView& view, std::string_view text)
      : view_(view), rest_(text) {}

  // False at the end of the text.
  bool Next(TextSpan& span);

 private:
  void SplitStretch();

  const TokenizerView& view_;
  std::string_view rest_;
  std::string_view stretch_;  // Text before `token_`.
  std::string_view token_;    // The next added token, or empty.
  const AddedToken* token_info_ = nullptr;
  bool at_stretch_start_ = false;
  bool strip_next_ = false;
};

}  // namespace latimer

#endif  // LATIMER_TEXT_TEXT_SPANS_H_
