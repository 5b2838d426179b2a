#include "text/normalizer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "base/check.h"
#include "latimer/profile_config.h"
#include "text/character_class.h"
#include "text/slice.h"
#include "text/trie.h"
#include "text/utf8.h"

namespace latimer {
namespace {

bool HasMetaspace(const TokenizerView& view) {
  return kProfile.metaspace && (view.spacing == Spacing::kWords ||
                                view.spacing == Spacing::kMetaspace);
}

bool IsAsItIs(const TokenizerView& view) {
  return (kProfile.byte_bpe || kProfile.bytes) &&
         view.spacing == Spacing::kAsItIs;
}

// The first character of `text`, which is not empty. An invalid byte is read
// as U+FFFD.
struct ReadChar {
  explicit ReadChar(std::string_view rest) {
    const Utf8Char c = FirstChar(rest);
    if (c.bytes == 0) return;
    code_point = c.code_point;
    consumed = c.bytes;
    text = First(rest, c.bytes);
  }

  uint32_t code_point = 0xFFFD;
  size_t consumed = 1;
  std::string_view text = kReplacementCharacter;
};

bool IsAllAscii(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Whether a grapheme ends between two characters.
bool IsGraphemeBorder(std::span<const uint32_t> classes, uint32_t before,
                      uint32_t after) {
  const auto is_plain = [](uint32_t c) { return c >= ' ' && c <= '~'; };
  if (is_plain(before) && is_plain(after)) return true;
  if (before == '\r' && after == '\n') return false;
  const CharacterClass left = ClassOf(classes, before);
  const CharacterClass right = ClassOf(classes, after);
  return left == CharacterClass::kControl ||
         right == CharacterClass::kControl ||
         (right != CharacterClass::kExtend && left != CharacterClass::kPrepend);
}

}  // namespace

Normalizer::Normalizer(const TokenizerView& view, std::string_view text,
                       std::span<char> out)
    : view_(view),
      text_(text),
      out_(out),
      space_(view.escape_whitespaces ? kEscapedSpace : " "),
      trims_(view.spacing == Spacing::kSentencePiece &&
             view.remove_extra_whitespaces),
      previous_is_space_(trims_) {
  LATIMER_DCHECK(out.size() >= kMinNormalizedBytes);
  if (IsAsItIs(view_) && view_.add_dummy_prefix && !text_.empty() &&
      !text_.starts_with(' ')) {
    AppendSpace();
  }
  if (view_.spacing != Spacing::kSentencePiece) return;
  if (trims_) {
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

// Whether the next unit is a range that has a stand-in.
bool Normalizer::NextStandIn(Unit* unit) {
  const StandIns& all = view_.stand_ins;
  const char* const at = text_.data() + consumed_;
  const auto begin = [&] {
    return all.text.data() + all.ranges[stand_in_].begin;
  };
  while (stand_in_ < all.ranges.size() &&
         (std::less()(begin(), at) || all.ranges[stand_in_].size() == 0)) {
    ++stand_in_;
  }
  if (stand_in_ == all.ranges.size() || begin() != at || at_end()) return false;
  *unit = {
      all.Write(stand_in_, stand_in_text_),
      std::min<size_t>(all.ranges[stand_in_].size(), text_.size() - consumed_)};
  return true;
}

Normalizer::Unit Normalizer::NextUnit() {
  Unit unit = ReadUnit();
  if (!view_.fold_trie.empty() && !IsAllAscii(unit.text)) {
    unit.text = Fold(unit.text);
  }
  return unit;
}

std::string_view Normalizer::Fold(std::string_view text) {
  size_t size = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const ReadChar c(rest);
    rest.remove_prefix(c.consumed);
    const uint32_t fold = FindKey(view_.fold_trie, c.text);
    const std::string_view added =
        fold == kTrieNone
            ? c.text
            : reinterpret_cast<const char*>(view_.fold_text.data()) + fold;
    if (added.size() > folded_.size() - size) return text;
    std::memcpy(folded_.data() + size, added.data(), added.size());
    size += added.size();
  }
  return {folded_.data(), size};
}

Normalizer::Unit Normalizer::ReadUnit() {
  Unit stand_in;
  if (kProfile.phrases && NextStandIn(&stand_in)) return stand_in;
  if (HasMetaspace(view_) && !view_.character_classes.empty()) {
    return NextGraphemeUnit();
  }
  const std::string_view rest = From(text_, consumed_);
  if (!view_.user_defined_trie.empty()) {
    const size_t bytes = LongestMatch(view_.user_defined_trie, rest).bytes;
    if (bytes > 0) return {First(rest, bytes), bytes};
  }
  const TrieMatch match = LongestMatch(view_.normalizer_trie, rest);
  if (match.bytes > 0) return {Replacement(match.value), match.bytes};
  const ReadChar c(rest);
  return {c.text, c.consumed};
}

std::string_view Normalizer::Replacement(uint32_t offset) const {
  return reinterpret_cast<const char*>(view_.replacements.data()) + offset;
}

Normalizer::Unit Normalizer::NextGraphemeUnit() {
  const std::string_view rest = From(text_, consumed_);
  if (consumed_ >= grapheme_end_) {
    std::array<char, 5> key;
    size_t key_bytes = 0;  // Above key.size(): too long to be looked up.
    size_t bytes = 0;
    uint32_t before = 0;
    while (bytes < rest.size()) {
      const ReadChar c(From(rest, bytes));
      if (bytes > 0 &&
          IsGraphemeBorder(view_.character_classes, before, c.code_point)) {
        break;
      }
      if (key_bytes + c.text.size() <= key.size()) {
        std::memcpy(key.data() + key_bytes, c.text.data(), c.text.size());
      }
      key_bytes += c.text.size();
      bytes += c.consumed;
      before = c.code_point;
    }
    grapheme_end_ = consumed_ + bytes;
    if (key_bytes <= key.size()) {
      const TrieMatch match =
          ShortestMatch(view_.normalizer_trie, {key.data(), key_bytes});
      if (match.bytes > 0) return {Replacement(match.value), bytes};
    }
  }
  const ReadChar c(rest);
  const TrieMatch match = ShortestMatch(view_.normalizer_trie, c.text);
  if (match.bytes > 0) return {Replacement(match.value), c.consumed};
  return {c.text, c.consumed};
}

void Normalizer::AppendBytes(std::string_view text) {
  std::memcpy(out_.data() + size_, text.data(), text.size());
  size_ += text.size();
}

void Normalizer::AppendSpace() { AppendBytes(space_); }

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
  // A U+2581 of the text itself is trimmed like one that was written for a
  // space.
  std::string_view added(out_.data() + begin, size_ - begin);
  while (added.ends_with(space_)) added.remove_suffix(space_.size());
  if (!added.empty()) trimmed_size_ = begin + added.size();
  return true;
}

bool Normalizer::AppendMetaspace(std::string_view text) {
  // Every byte may become a space, and one space may precede them.
  if ((text.size() + 1) * kEscapedSpace.size() > out_.size() - size_) {
    return false;
  }
  while (!text.empty()) {
    const ReadChar c(text);
    text.remove_prefix(c.consumed);
    const bool is_space = view_.spacing == Spacing::kWords
                              ? IsUnicodeSpace(c.code_point)
                              : c.code_point == ' ';
    if (view_.spacing == Spacing::kWords && is_space) {
      at_word_start_ = true;
      continue;
    }
    if (at_word_start_ && !is_space && c.text != kEscapedSpace) {
      AppendBytes(kEscapedSpace);
    }
    at_word_start_ = false;
    if (!(is_space && previous_is_space_)) {
      AppendBytes(is_space ? kEscapedSpace : c.text);
    }
    previous_is_space_ = is_space && view_.remove_extra_whitespaces;
  }
  return true;
}

bool Normalizer::AppendAsItIs(std::string_view text) {
  if (text.size() > out_.size() - size_) return false;
  AppendBytes(text);
  if (text.starts_with('\0') && view_.segmentation == Segmentation::kByteBpe) {
    out_[size_ - 1] = kZeroByte;
  }
  return true;
}

bool Normalizer::Step() {
  if (at_end()) return false;
  const Unit unit = NextUnit();
  std::string_view text = unit.text;
  if (HasMetaspace(view_) || IsAsItIs(view_)) {
    const bool fits =
        HasMetaspace(view_) ? AppendMetaspace(text) : AppendAsItIs(text);
    if (fits) consumed_ += unit.consumed;
    return fits;
  }
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
  if (blank_ || view_.spacing != Spacing::kSentencePiece) return true;
  size_ = trimmed_size();
  if (view_.add_dummy_prefix && view_.treat_whitespace_as_suffix) AppendSpace();
  return true;
}

}  // namespace latimer
