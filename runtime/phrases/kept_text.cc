#include "phrases/kept_text.h"

#include <algorithm>
#include <cstring>

#include "phrases/unknown_text.h"
#include "text/ascii.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Whether a token of the source belongs to a span. That of the space before it
// has no bytes of its own.
bool IsOf(const TextRange& token, const TextRange& span) {
  return (token.begin < span.end && span.begin < token.end) ||
         (token.size() == 0 && token.begin == span.begin);
}

// Whether `text` has characters, and none of them is a letter or a digit.
bool IsPunctuation(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = FirstChar(From(text, at));
    if (c.bytes == 0 || IsLetter(c.code_point) || IsAsciiDigit(text[at])) {
      return false;
    }
    at += c.bytes;
  }
  return !text.empty();
}

// Whether `text` may be a name of a sign: more than one letter.
bool IsName(std::string_view text) {
  size_t letters = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = FirstChar(From(text, at));
    if (IsLetter(c.code_point)) ++letters;
    at += std::max<size_t>(1, c.bytes);
  }
  return letters > 1;
}

// Whether a language may have a word for each character: a currency, or a sign
// such as "#".
bool IsSpoken(std::string_view text) {
  constexpr std::u32string_view kSigns =
      U"#$%&+=@\u00A2\u00A3\u00A4\u00A5\u00A7\u00A9\u00AE\u00B0\u00B1\u00B6"
      U"\u00D7\u00F7\u2030\u2103\u2109\u2116\u2122\u2248\u2260\u2264\u2265";
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = FirstChar(From(text, at));
    const bool is_currency = c.code_point >= 0x20A0 && c.code_point < 0x20D0;
    if (!is_currency && !IsOneOf(kSigns, c.code_point)) return false;
    at += std::max<size_t>(1, c.bytes);
  }
  return true;
}

// Whether two characters, one after another, would read as one word.
bool JoinWords(std::string_view before, std::string_view after) {
  const auto is_word = [](uint32_t c) {
    const bool has_no_spaces = c >= 0x2E80;  // CJK, among others.
    return !has_no_spaces &&
           (IsLetter(c) || (c < 0x80 && IsAsciiDigit(static_cast<char>(c))));
  };
  return is_word(LastChar(before).code_point) &&
         is_word(FirstChar(after).code_point);
}

bool EndsClause(std::string_view text) {
  return !text.empty() &&
         std::string_view(".,;:!?)]}").find(text[0]) != std::string_view::npos;
}

size_t Count(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != text.npos;
       at = text.find(what, at + what.size())) {
    ++count;
  }
  return count;
}

class KeptTextWriter {
 public:
  KeptTextWriter(const TextReader& reader, const PhraseList& phrases,
                 std::span<const int32_t> ids, const KeptSource& source,
                 std::span<char> out, LinkList* links)
      : reader_(reader),
        phrases_(phrases),
        ids_(ids),
        source_(source),
        out_(out),
        links_(*links) {}

  Result<size_t> Write() {
    FindUnknownTokens();  // Writes to out_.
    const Result<size_t> bytes = reader_.tokenizer.Decode(ids_, out_);
    if (!bytes.ok()) return bytes;
    size_ = *bytes;
    if (links_.count > 0) {
      reader_.tokenizer.FindTargets(ids_, out_, links_.all());
    }
    FindStandIns();
    Phrase phrase;
    size_t at = 0;
    for (size_t i = 0; phrases_.Next(&at, &phrase); ++i) {
      if (phrase.is_term()) continue;
      if (!Has(i) && !FindPlace(i, phrase)) continue;
      const bool has_room = Put(i, phrase);
      UnlinkOthers(i, phrase);
      if (!has_room) {
        return Status::Error(StatusCode::kTextTooLong,
                             "The text exceeds the buffer of %zu bytes.",
                             out_.size());
      }
    }
    return size_;
  }

 private:
  std::string_view text() const { return {out_.data(), size_}; }
  bool Has(size_t i) const { return (found_ >> i & 1) != 0; }
  void Found(size_t i, TextRange place) {
    places_[i] = place;
    found_ |= uint64_t{1} << i;
  }

  // In the ranges of links.
  TextRange SourceOf(const Phrase& phrase) const {
    return {source_.offset + phrase.source_begin,
            source_.offset + phrase.source_end};
  }

  bool IsUnknownToken(int32_t id) const {
    const Model& model = reader_.model;
    const std::span<const TargetKind> kinds = model.tokenizer.target_kinds;
    const auto i = static_cast<size_t>(id);
    if (i >= kinds.size() || kinds[i] == TargetKind::kText ||
        kinds[i] == TargetKind::kByte) {
      return false;
    }
    return kinds[i] == TargetKind::kUnknown ||
           id == model.tokenizer.unknown_id ||
           (model.info.encodes_target &&
            id == model.target_tokenizer.unknown_id);
  }

  // What an unknown token stands for: what it is aligned with, or else the
  // first that has no place. kMostPhrases: nothing.
  size_t PhraseOfUnknown(size_t token) const {
    Phrase phrase;
    size_t at = 0;
    size_t first = kMostPhrases;
    for (size_t i = 0; phrases_.Next(&at, &phrase); ++i) {
      if (!phrase.is_unknown) continue;
      if (links_.count > 0 &&
          IsOf(links_.room[token].source, SourceOf(phrase))) {
        return Has(i) ? kMostPhrases : i;
      }
      if (!Has(i)) first = std::min(first, i);
    }
    return first;
  }

  void FindUnknownTokens() {
    for (size_t token = 0; token < ids_.size(); ++token) {
      if (!IsUnknownToken(ids_[token])) continue;
      const size_t i = PhraseOfUnknown(token);
      if (i == kMostPhrases) continue;
      const Result<size_t> begin =
          reader_.tokenizer.Decode(ids_.first(token), out_);
      const Result<size_t> end =
          reader_.tokenizer.Decode(ids_.first(token + 1), out_);
      if (!begin.ok() || !end.ok()) return;
      Found(i, {static_cast<uint32_t>(std::min(*begin, *end)),
                static_cast<uint32_t>(*end)});
    }
  }

  // Bytes of the stand-in at text()[at], and the number of its range; 0: none.
  size_t StandInBytes(size_t at, size_t* range) const {
    const std::string_view rest = From(text(), at);
    const auto lower = [](char c) { return static_cast<char>(c | 0x20); };
    if (rest.empty() || lower(rest[0]) != lower(phrases_.stand_in_letter) ||
        (at > 0 && (IsAsciiAlnum(text()[at - 1]) || text()[at - 1] == '_'))) {
      return 0;
    }
    size_t end = 1;
    size_t number = 0;
    while (end < rest.size() && IsAsciiDigit(rest[end])) {
      number = std::min<size_t>(10 * number + (rest[end] - '0'), 1000);
      ++end;
    }
    *range = number - 1;
    return end == 1 || number == 0 ? 0 : end;
  }

  // Takes the first of each stand-in, and takes out any other.
  void FindStandIns() {
    if (phrases_.stand_in_letter == '\0') return;
    for (size_t begin = 0; begin < size_;) {
      size_t range = 0;
      const size_t bytes = StandInBytes(begin, &range);
      if (bytes == 0) {
        ++begin;
        continue;
      }
      Phrase phrase;
      size_t at = 0;
      size_t i = 0;
      while (phrases_.Next(&at, &phrase) &&
             phrase.stand_in != static_cast<int32_t>(range)) {
        ++i;
      }
      const bool is_one = i < phrases_.count();
      size_t end = begin + bytes;
      if (is_one && !Has(i)) {
        Found(i, {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
      } else if (is_one) {
        if (begin > 0 && out_[begin - 1] == ' ') --begin;
        Replace(begin, end, {});
        end = begin;
      }
      begin = end;
    }
  }

  // Whether a span is part of a word in the source.
  bool JoinsBefore(const Phrase& phrase) const {
    return JoinWords(First(source_.text, phrase.source_begin), phrase.text);
  }
  bool JoinsAfter(const Phrase& phrase) const {
    return phrase.source_end < source_.text.size() &&
           JoinWords(phrase.text, From(source_.text, phrase.source_end));
  }

  // Finds where a span belongs of which no token is. False: nowhere.
  bool FindPlace(size_t i, const Phrase& phrase) {
    if (!phrase.is_unknown && phrase.stand_in < 0) {
      const auto begin = static_cast<uint32_t>(text().find(phrase.text));
      if (begin < size_) {  // The model has copied it.
        Found(i, {begin, begin + static_cast<uint32_t>(phrase.text.size())});
        return true;
      }
    }
    if (phrase.is_unknown && !source_.text.empty()) {
      if (JoinsBefore(phrase) || JoinsAfter(phrase)) return false;
      bool is_said = false;
      for (const TokenLink& link : links_.all()) {
        if (!IsOf(link.source, SourceOf(phrase))) continue;
        const std::string_view word =
            Slice(text(), link.target.begin, link.target.size());
        const bool is_surplus = IsPunctuation(word) &&
                                Count(text(), word) > Count(source_.text, word);
        if (is_surplus || (!word.empty() && phrase.text.starts_with(word))) {
          Found(i, link.target);
          return true;
        }
        is_said = is_said || IsName(word);
      }
      if (is_said && IsSpoken(phrase.text)) return false;
    }
    const size_t gap = BestGap(phrase);
    Found(i, {static_cast<uint32_t>(gap), static_cast<uint32_t>(gap)});
    return true;
  }

  // Whether a span may come between text()[0, at) and the rest.
  bool IsGap(size_t at) const {
    return !JoinWords(Slice(text(), 0, at), From(text(), at));
  }

  size_t BestGap(const Phrase& phrase) const {
    const std::string_view source = source_.text;
    if (source.empty()) return phrase.source_begin == 0 ? 0 : size_;
    const std::string_view before = Slice(source, 0, phrase.source_begin);
    const std::string_view after = From(source, phrase.source_end);
    if (LeadingSpaceBytes(before) == before.size()) return 0;
    if (LeadingSpaceBytes(after) == after.size()) return size_;
    const TextRange span = SourceOf(phrase);
    const std::span<const TokenLink> links = links_.all();
    if (links.empty()) {
      size_t at = size_ * phrase.source_begin / source.size();
      while (at < size_ &&
             (FirstChar(From(text(), at)).bytes == 0 || !IsGap(at))) {
        ++at;
      }
      return at;
    }
    // Where what stands around it in the source ends and begins.
    uint32_t left = 0;
    uint32_t right = UINT32_MAX;
    for (const TokenLink& link : links) {
      if (link.target.size() == 0 || link.source.size() == 0) continue;
      if (link.source.end <= span.begin) left = std::max(left, link.source.end);
      if (link.source.begin >= span.end) {
        right = std::min(right, link.source.begin);
      }
    }
    int32_t votes = 0;
    int32_t most = INT32_MIN;
    size_t best = size_;
    size_t end = 0;  // Of the token before.
    bool is_beside = false;
    const auto consider = [&](size_t at, bool follows_left, bool comes_right) {
      const int32_t score =
          votes + (follows_left ? 1 : 0) + (comes_right ? 1 : 0);
      if (score <= most || !IsGap(at)) return;
      most = score;
      best = at;
    };
    for (const TokenLink& link : links) {
      if (link.target.size() == 0) continue;
      const bool has_source = link.source.size() > 0;
      consider(end, is_beside, has_source && link.source.begin == right);
      is_beside = has_source && link.source.end == left;
      if (has_source && link.source.end <= span.begin) ++votes;
      if (has_source && link.source.begin >= span.end) --votes;
      end = link.target.end;
    }
    consider(size_, is_beside, false);
    return best;
  }

  // Writes a span to its place.
  bool Put(size_t i, const Phrase& phrase) {
    size_t begin = places_[i].begin;
    size_t end = places_[i].end;
    if (!phrase.is_unknown && end > begin) {  // Spaces are those of a word.
      if (phrase.space_before && begin > 0 && out_[begin - 1] == '-') {
        out_[begin - 1] = ' ';
      }
      // A language may make a compound, or an ending, of a word.
      if (phrase.space_after && end < size_) {
        if (out_[end] == '-') {
          out_[end] = ' ';
        } else if (JoinWords(phrase.text, From(text(), end)) ||
                   IsAsciiAlnum(out_[end])) {
          if (!Replace(end, end, " ")) return false;
        }
      }
      return Replace(begin, end, phrase.text);
    }
    const size_t place = end;
    while (begin > 0 && out_[begin - 1] == ' ') --begin;
    while (end < size_ && out_[end] == ' ') ++end;
    // Of a keycap the model may have read the digit.
    if (phrase.is_unknown && begin > 0 && IsAsciiDigit(phrase.text[0]) &&
        out_[begin - 1] == phrase.text[0] && IsGap(begin - 1)) {
      --begin;
      while (begin > 0 && out_[begin - 1] == ' ') --begin;
    }
    const bool parts_words = end > place && !IsSpoken(phrase.text);
    const std::string_view before = Slice(text(), 0, begin);
    const std::string_view after = From(text(), end);
    const bool space_before =
        begin > 0 && (phrase.space_before ||
                      (JoinWords(before, phrase.text) && !JoinsBefore(phrase)));
    const bool space_after =
        end < size_ && !EndsClause(after) &&
        (phrase.space_after ||
         (JoinWords(phrase.text, after) && !JoinsAfter(phrase)) ||
         (parts_words && phrase.space_before));
    if (!Replace(begin, end,
                 space_before && space_after   ? "  "
                 : space_before || space_after ? " "
                                               : "")) {
      return false;
    }
    begin += space_before ? 1 : 0;
    if (!Replace(begin, begin, phrase.text)) return false;
    places_[i] = {static_cast<uint32_t>(begin),
                  static_cast<uint32_t>(begin + phrase.text.size())};
    Link(phrase, places_[i]);
    return true;
  }

  // What stands in the text as it is comes from there, whatever was attended
  // to, and nothing else does.
  void UnlinkOthers(size_t i, const Phrase& phrase) {
    for (TokenLink& link : links_.all()) {
      if (IsOf(link.source, SourceOf(phrase)) &&
          (link.target.begin < places_[i].begin ||
           link.target.end > places_[i].end)) {
        link.source = {};
      }
    }
  }

  // Replaces bytes of the text. False if there is no room.
  bool Replace(size_t begin, size_t end, std::string_view by) {
    if (size_ - (end - begin) + by.size() > out_.size()) return false;
    std::memmove(out_.data() + begin + by.size(), out_.data() + end,
                 size_ - end);
    std::copy(by.begin(), by.end(),
              out_.begin() + static_cast<ptrdiff_t>(begin));
    size_ = size_ - (end - begin) + by.size();
    const auto moved = [&](const TextRange& range) {
      const auto beyond = [&](uint32_t at) {
        return static_cast<uint32_t>(at - end + begin + by.size());
      };
      const auto most = static_cast<uint32_t>(begin);
      TextRange to;
      to.begin =
          range.begin < end ? std::min(range.begin, most) : beyond(range.begin);
      // What ends where something is put in does not grow.
      to.end = range.end <= begin || range.end < end ? std::min(range.end, most)
                                                     : beyond(range.end);
      if (range.size() == 0) to.end = to.begin;
      return to;
    };
    for (TokenLink& link : links_.all()) link.target = moved(link.target);
    for (size_t i = 0; i < phrases_.count(); ++i)
      places_[i] = moved(places_[i]);
    return true;
  }

  // Links a range of the text with a span.
  void Link(const Phrase& phrase, const TextRange& target) {
    if (links_.count == 0 || links_.count == links_.room.size()) return;
    size_t at = 0;
    while (at < links_.count && links_.room[at].target.begin < target.begin) {
      ++at;
    }
    std::copy_backward(
        links_.room.begin() + static_cast<ptrdiff_t>(at),
        links_.room.begin() + static_cast<ptrdiff_t>(links_.count),
        links_.room.begin() + static_cast<ptrdiff_t>(links_.count + 1));
    links_.room[at] = {.target = target, .source = SourceOf(phrase)};
    ++links_.count;
  }

  const TextReader& reader_;
  const PhraseList& phrases_;
  std::span<const int32_t> ids_;
  const KeptSource& source_;
  std::span<char> out_;
  LinkList& links_;
  size_t size_ = 0;
  uint64_t found_ = 0;  // A bit for each phrase that has a place.
  TextRange places_[kMostPhrases] = {};
};

}  // namespace

Result<size_t> WriteKeptText(const TextReader& reader,
                             const PhraseList& phrases,
                             std::span<const int32_t> ids,
                             const KeptSource& source, std::span<char> out,
                             LinkList* links) {
  return KeptTextWriter(reader, phrases, ids, source, out, links).Write();
}

}  // namespace latimer
