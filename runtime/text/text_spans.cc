#include "text/text_spans.h"

#include "text/slice.h"
#include "text/trie.h"
#include "text/utf8.h"

namespace latimer {

size_t CodeBytes(std::string_view text) {
  if (!text.starts_with(">>")) return 0;
  const size_t end = text.find("<<");
  return end == text.npos ? 0 : end + 2;
}

// Bytes of white space at the beginning or the end of `text` that a token next
// to it strips: what Python's str.strip() removes, or \s in Hugging Face's
// tokenizers.
size_t StrippedBytes(const TokenizerView& view, std::string_view text,
                     bool leading) {
  size_t bytes = leading ? LeadingSpaceBytes(text) : TrailingSpaceBytes(text);
  if (view.spacing == Spacing::kSentencePiece ||
      view.segmentation == Segmentation::kBytes) {
    return bytes;
  }
  const auto is_other = [](char c) { return c >= 0x1C && c <= 0x1F; };
  for (size_t i = 0; i < bytes; ++i) {
    if (is_other(leading ? text[i] : text[text.size() - 1 - i])) bytes = i;
  }
  return bytes;
}

// Moves the text before the next added token from rest_ to stretch_, and the
// token to token_.
void TextSpans::SplitStretch() {
  TrieMatch match;
  size_t begin = rest_.size();
  if (!view_.added_trie.empty()) {
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (!TrieHasFirst(view_.added_trie, rest_[i])) continue;
      match = LongestMatch(view_.added_trie, From(rest_, i));
      if (match.bytes > 0) {
        begin = i;
        break;
      }
    }
  }
  stretch_ = First(rest_, begin);
  token_ = Slice(rest_, begin, match.bytes);
  rest_.remove_prefix(begin + match.bytes);
  token_info_ = match.bytes > 0 ? &view_.added_tokens[match.value] : nullptr;
  if (strip_next_) {
    stretch_.remove_prefix(StrippedBytes(view_, stretch_, true));
  }
  if (token_info_ != nullptr && (token_info_->flags & kStripsSpaceBefore)) {
    stretch_.remove_suffix(StrippedBytes(view_, stretch_, false));
  }
  strip_next_ =
      token_info_ != nullptr && (token_info_->flags & kStripsSpaceAfter) != 0;
  at_stretch_start_ = true;
}

bool TextSpans::Next(TextSpan& span) {
  while (stretch_.empty() && token_.empty()) {
    if (rest_.empty()) return false;
    SplitStretch();
  }
  if (stretch_.empty()) {
    span = {TextSpan::Kind::kAddedToken, token_, token_info_->id};
    token_ = {};
    return true;
  }
  const size_t code =
      at_stretch_start_ && !view_.own_ids && !view_.no_language_codes
          ? CodeBytes(stretch_)
          : 0;
  at_stretch_start_ = false;
  if (code > 0) {
    const std::string_view text = First(stretch_, code);
    span = {TextSpan::Kind::kLanguageCode, text,
            IdOfEntry(view_, FindKey(view_.piece_trie, text))};
    stretch_.remove_prefix(code);
    return true;
  }
  span = {TextSpan::Kind::kStretch, stretch_, 0};
  stretch_ = {};
  return true;
}

}  // namespace latimer
