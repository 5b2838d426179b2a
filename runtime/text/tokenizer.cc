#include "text/tokenizer.h"

#include <algorithm>
#include <optional>

#include "text/detokenize.h"
#include "text/slice.h"
#include "text/text_spans.h"
#include "text/tokenize.h"
#include "text/trie.h"

namespace latimer {

Result<size_t> Tokenizer::Encode(std::string_view text,
                                 const TokenizerScratch& scratch,
                                 std::span<int32_t> ids) const {
  const std::optional<size_t> count = Tokenize(view_, text, scratch, ids);
  if (!count.has_value()) {
    return Status::Error(StatusCode::kTextTooLong,
                         "The text of %zu bytes exceeds the %zu bytes that are "
                         "tokenized at once.",
                         text.size(), scratch.normalized.size());
  }
  if (*count > ids.size()) {
    return Status::Error(StatusCode::kTextTooLong,
                         "The text has %zu tokens, which exceeds the limit of "
                         "%zu.",
                         *count, ids.size());
  }
  return *count;
}

TextCut Tokenizer::FindCut(std::string_view text, size_t max_tokens,
                           const TokenizerScratch& scratch) const {
  size_t budget = std::max<size_t>(max_tokens, 1);
  while (true) {
    const TextCut cut = FindTextCut(view_, text, budget, scratch);
    if (budget == 1) return cut;
    // A suffix, which the search ignores, can change the segmentation.
    const size_t count =
        Tokenize(view_, text.substr(0, cut.end), scratch, {}).value_or(0);
    if (count <= max_tokens) return cut;
    budget -= std::min(budget - 1, count - max_tokens);
  }
}

size_t Tokenizer::LanguageCodeBytes(std::string_view text) const {
  if (view_.own_ids) {
    // A code is a user-defined piece. If a space follows, the text can be cut
    // after the code without changing its ids.
    const size_t bytes = CodeBytes(text);
    const bool is_piece =
        FindKey(view_.user_defined_trie, text.substr(0, bytes)) != kTrieNone;
    const bool can_be_cut =
        view_.add_dummy_prefix && view_.remove_extra_whitespaces &&
        !view_.treat_whitespace_as_suffix && From(text, bytes).starts_with(' ');
    return is_piece && can_be_cut ? bytes : 0;
  }
  TextSpans spans(view_, text);
  TextSpan span;
  const bool has_code =
      spans.Next(span) && span.kind == TextSpan::Kind::kLanguageCode;
  return has_code ? span.text.size() : 0;
}

Result<size_t> Tokenizer::Decode(std::span<const int32_t> ids,
                                 std::span<char> out) const {
  return Detokenize(view_, ids, out);
}

std::string_view Tokenizer::Piece(int32_t id) const {
  return PieceOf(view_, id);
}

}  // namespace latimer
