#include "phrases/phrase_text.h"

#include <algorithm>
#include <cstring>

#include "phrases/protected_text.h"
#include "text/ascii.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Writes stretches of tokens and the texts between them.
class PhraseWriter {
 public:
  PhraseWriter(const TextReader& reader, const PhraseList& phrases,
               std::span<char> out)
      : reader_(reader), phrases_(phrases), out_(out) {}

  Status WriteTokens(std::span<const int32_t> ids, std::span<TokenLink> links) {
    if (size_ > 0 && BeginsWithSpace(ids)) WriteSpace();
    const std::span<char> rest = out_.subspan(size_);
    const Result<size_t> bytes = reader_.tokenizer.Decode(ids, rest);
    if (!bytes.ok()) return bytes.status();
    if (!links.empty()) reader_.tokenizer.FindTargets(ids, rest, links);
    const size_t length = WithoutCopies(rest.first(*bytes), links);
    for (TokenLink& link : links) {
      link.target.begin += static_cast<uint32_t>(size_);
      link.target.end += static_cast<uint32_t>(size_);
    }
    size_ += length;
    return Status();
  }

  Status WritePhrase(const Phrase& phrase, std::span<TokenLink> links) {
    // In another order than in the source, words may meet.
    const bool meets = size_ > 0 && IsAsciiAlnum(out_[size_ - 1]) &&
                       IsAsciiAlnum(phrase.text[0]);
    if (size_ > 0 && (phrase.space_before || meets)) WriteSpace();
    if (phrase.text.size() > out_.size() - size_) {
      return Status::Error(StatusCode::kTextTooLong,
                           "The text exceeds the buffer of %zu bytes.",
                           out_.size());
    }
    std::copy(phrase.text.begin(), phrase.text.end(), out_.begin() + size_);
    const auto begin = static_cast<uint32_t>(size_);
    size_ += phrase.text.size();
    for (TokenLink& link : links) {
      link.target = {begin, static_cast<uint32_t>(size_)};
    }
    return Status();
  }

  size_t Finish() {
    while (size_ > 0 && out_[size_ - 1] == ' ') --size_;
    return size_;
  }

 private:
  void WriteSpace() {
    if (size_ < out_.size() && out_[size_ - 1] != ' ') out_[size_++] = ' ';
  }

  bool BeginsWithSpace(std::span<const int32_t> ids) const {
    const TokenizerView& view = reader_.model.tokenizer;
    for (const int32_t id : ids) {
      const auto i = static_cast<size_t>(id);
      if (i >= view.target_kinds.size()) return false;
      if (view.target_kinds[i] == TargetKind::kSpecial) continue;
      return view.joining == Joining::kWords ||
             reader_.tokenizer.Piece(id).starts_with(kEscapedSpace);
    }
    return false;
  }

  // Takes out what the model has copied by itself, since each protected span
  // comes once. Returns the bytes that are left. `links` are those of `text`.
  size_t WithoutCopies(std::span<char> text, std::span<TokenLink> links) const {
    size_t size = text.size();
    size_t at = 0;
    Phrase phrase;
    while (phrases_.Next(&at, &phrase)) {
      if (!IsDistinct(phrase.text)) continue;
      for (size_t begin = 0;;) {
        const std::string_view all(text.data(), size);
        begin = all.find(phrase.text, begin);
        if (begin == all.npos) break;
        if (TermBytes(all, begin, phrase.text) == 0) {
          ++begin;  // In a word.
          continue;
        }
        const size_t end = begin + phrase.text.size();
        std::memmove(text.data() + begin, text.data() + end, size - end);
        size -= end - begin;
        const auto moved = [&](uint32_t place) {
          return static_cast<uint32_t>(place < begin ? place
                                       : place < end ? begin
                                                     : place - (end - begin));
        };
        for (TokenLink& link : links) {
          link.target = {moved(link.target.begin), moved(link.target.end)};
        }
      }
    }
    return size;
  }

  // Whether a text comes only as a copy: others may mean something else.
  static bool IsDistinct(std::string_view text) {
    constexpr size_t kFewestBytes = 4;
    return text.size() >= kFewestBytes &&
           std::ranges::any_of(text, IsAsciiAlnum);
  }

  const TextReader& reader_;
  const PhraseList& phrases_;
  std::span<char> out_;
  size_t size_ = 0;
};

}  // namespace

Result<size_t> WriteTextWithPhrases(const TextReader& reader,
                                    PhraseList phrases,
                                    std::span<const int32_t> ids,
                                    std::span<char> out,
                                    std::span<TokenLink> links) {
  phrases.Place(ids);
  PhraseWriter writer(reader, phrases, out);
  const auto links_of = [links](size_t at, size_t count) {
    return links.empty() ? links : links.subspan(at, count);
  };
  size_t begin = 0;
  for (;;) {
    // The first phrase from `begin` on.
    Phrase phrase, next;
    int32_t first = -1;
    size_t at = 0;
    for (size_t i = 0; phrases.Next(&at, &phrase); ++i) {
      const int32_t place = phrases.place(i);
      if (place < 0 || static_cast<size_t>(place) < begin) continue;
      if (first >= 0 && place >= first) continue;
      first = place;
      next = phrase;
    }
    const size_t end = first < 0 ? ids.size() : static_cast<size_t>(first);
    LATIMER_RETURN_IF_ERROR(writer.WriteTokens(ids.subspan(begin, end - begin),
                                               links_of(begin, end - begin)));
    if (first < 0) break;
    LATIMER_RETURN_IF_ERROR(
        writer.WritePhrase(next, links_of(end, next.tokens.size())));
    begin = end + next.tokens.size();
  }
  Phrase phrase;
  size_t at = 0;
  for (size_t i = 0; phrases.Next(&at, &phrase); ++i) {
    if (phrase.text.empty() || phrases.place(i) >= 0) continue;
    phrase.space_before = true;
    LATIMER_RETURN_IF_ERROR(writer.WritePhrase(phrase, {}));
  }
  return writer.Finish();
}

}  // namespace latimer
