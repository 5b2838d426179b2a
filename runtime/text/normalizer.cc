#include "text/normalizer.h"

#include <cstring>

#include "base/check.h"
#include "text/slice.h"
#include "text/trie.h"
#include "text/utf8.h"

namespace latimer {
namespace {

constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";

}  // namespace

Normalizer::Normalizer(const TokenizerView& view, std::string_view text,
                       std::span<char> out)
    : view_(view),
      text_(text),
      out_(out),
      space_(view.escape_whitespaces ? kEscapedSpace : " "),
      previous_is_space_(view.remove_extra_whitespaces) {
  LATIMER_DCHECK(out.size() >= kMinNormalizedBytes);
  if (view_.remove_extra_whitespaces) {
    while (!at_end()) {
      const Unit unit = NextUnit();
      if (unit.text != " ") break;
      consumed_ += unit.consumed;
    }
  }
  blank_ = at_end();
  if (!blank_ && view_.add_dummy_prefix && !view_.treat_whitespace_as_suffix) {
    AppendSpace();
  }
}

Normalizer::Unit Normalizer::NextUnit() const {
  const std::string_view rest = From(text_, consumed_);
  if (!view_.user_defined_trie.empty()) {
    const TrieMatch match = LongestMatch(view_.user_defined_trie, rest);
    if (match.bytes > 0) return {rest.substr(0, match.bytes), match.bytes};
  }
  const TrieMatch rule = LongestMatch(view_.normalizer_trie, rest);
  if (rule.bytes > 0) {
    const char* replacement =
        reinterpret_cast<const char*>(view_.replacements.data()) + rule.value;
    return {std::string_view(replacement), rule.bytes};
  }
  const size_t bytes = FirstChar(rest).bytes;
  if (bytes == 0) return {kReplacementCharacter, 1};
  return {rest.substr(0, bytes), bytes};
}

void Normalizer::AppendSpace() {
  std::memcpy(out_.data() + size_, space_.data(), space_.size());
  size_ += space_.size();
}

bool Normalizer::Append(std::string_view text) {
  size_t bytes = text.size();
  for (const char c : text) bytes += c == ' ' ? space_.size() - 1 : 0;
  const size_t suffix = space_.size();
  if (bytes + suffix > out_.size() - size_) return false;
  const size_t begin = size_;
  for (const char c : text) {
    if (c == ' ') {
      AppendSpace();
    } else {
      out_[size_++] = c;
    }
  }
  // A space in the text itself, U+2581, is trimmed like one that we wrote.
  std::string_view added(out_.data() + begin, size_ - begin);
  while (added.ends_with(space_)) added.remove_suffix(space_.size());
  if (!added.empty()) trimmed_size_ = begin + added.size();
  return true;
}

bool Normalizer::Step() {
  if (at_end()) return false;
  const Unit unit = NextUnit();
  std::string_view text = unit.text;
  if (previous_is_space_) {
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  if (!text.empty()) {
    if (!Append(text)) return false;
    previous_is_space_ = view_.remove_extra_whitespaces && text.ends_with(' ');
  }
  consumed_ += unit.consumed;
  return true;
}

bool Normalizer::Run() {
  while (Step()) {
  }
  if (!at_end()) return false;
  if (blank_) return true;
  size_ = trimmed_size();
  if (view_.add_dummy_prefix && view_.treat_whitespace_as_suffix) AppendSpace();
  return true;
}

}  // namespace latimer
