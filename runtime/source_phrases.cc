#include "source_phrases.h"

#include <algorithm>
#include <cstring>

#include "text/protected_text.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Most tokens that stand for a protected span.
constexpr size_t kMostStandIns = 16;

class PhraseFinder {
 public:
  PhraseFinder(const TextReader& reader, const TextPart& part,
               std::span<const int32_t> source, size_t offset,
               const TranslateOptions& options, std::span<int32_t> room)
      : reader_(reader),
        part_(part),
        source_(source),
        offset_(offset),
        options_(options),
        room_(room),
        list_(room) {}

  Result<PhraseList> Find() {
    const std::string_view text = part_.words;
    for (size_t at = 0; at < text.size();) {
      size_t bytes = FindProtected(at);
      std::string_view target;
      if (bytes == 0) bytes = FindTerm(at, &target);
      if (bytes == 0) {
        at += std::max<size_t>(1, FirstChar(From(text, at)).bytes);
        continue;
      }
      LATIMER_RETURN_IF_ERROR(Add(at, bytes, target));
      at += bytes;
    }
    return list_;
  }

 private:
  size_t FindProtected(size_t at) const {
    size_t bytes = 0;
    for (const TextRange& range : options_.protected_ranges) {
      if (range.begin == offset_ + at && range.end > range.begin) {
        bytes = std::max(bytes, std::min<size_t>(range.end - range.begin,
                                                 part_.words.size() - at));
      }
    }
    if (bytes > 0) return bytes;
    if (options_.protect) bytes = ProtectedBytes(part_.words, at);
    for (const std::string_view pattern : options_.protected_patterns) {
      bytes = std::max(bytes, PatternBytes(part_.words, at, pattern));
    }
    return bytes;
  }

  // The longest term; of equal ones the first.
  size_t FindTerm(size_t at, std::string_view* target) const {
    size_t bytes = 0;
    for (const Term& term : options_.terms) {
      const size_t found = TermBytes(part_.words, at, term.source());
      if (found <= bytes) continue;
      bytes = found;
      *target = term.target();
    }
    return bytes;
  }

  // Tokens of the source before byte `end` of the text. A space at the end has
  // none of its own.
  size_t TokensBefore(size_t end) const {
    const std::string_view text = Slice(part_.words, 0, end);
    const Result<size_t> count = reader_.tokenizer.Count(
        Slice(text, 0, text.size() - TrailingSpaceBytes(text)),
        reader_.scratch);
    return std::min(part_.words_begin + (count.ok() ? *count : 0),
                    source_.size());
  }

  // `target` is empty for a protected span.
  Status Add(size_t at, size_t bytes, std::string_view target) {
    Phrase phrase;
    const std::string_view text = Slice(part_.words, at, bytes);
    phrase.source_begin = static_cast<uint32_t>(TokensBefore(at));
    phrase.source_end = static_cast<uint32_t>(
        std::max<size_t>(TokensBefore(at + bytes), phrase.source_begin + 1));
    // Tokens are made in the second half of what is free, and then moved.
    size_t used = 0;
    for (Phrase other; list_.Next(&used, &other);) {
    }
    const std::span<int32_t> free = room_.subspan(used);
    const std::span<int32_t> ids = free.subspan(free.size() / 2);
    if (target.empty()) {
      phrase.text = text;
      phrase.space_before =
          at == 0 || TrailingSpaceBytes(Slice(part_.words, 0, at)) > 0;
      phrase.tokens = StandIns(phrase, ids);
    } else {
      const Result<size_t> count =
          reader_.target_tokenizer.Encode(target, reader_.scratch, ids);
      if (!count.ok()) return TooMany();
      if (*count == 0) return Status();
      phrase.tokens = ids.first(*count);
    }
    // A term may come out by itself.
    const bool required = target.empty();
    return phrase.tokens.empty() || !list_.Add(phrase, required) ? TooMany()
                                                                 : Status();
  }

  // Tokens that the decoder reads in place of a protected span: if possible
  // those of its text.
  std::span<const int32_t> StandIns(const Phrase& phrase,
                                    std::span<int32_t> ids) const {
    const ModelInfo& info = reader_.model.info;
    size_t count = 0;
    if (info.encodes_target) {
      const Result<size_t> encoded =
          reader_.target_tokenizer.Encode(phrase.text, reader_.scratch, ids);
      if (encoded.ok()) count = *encoded;
    } else if (info.architecture.source_vocabulary ==
               info.architecture.target_vocabulary) {
      count = std::min<size_t>(phrase.source_end, source_.size()) -
              std::min<size_t>(phrase.source_begin, source_.size());
      count = std::min(count, ids.size());
      if (count > 0) CopyIds(source_.subspan(phrase.source_begin, count), ids);
    }
    if (count == 0 && !ids.empty()) ids[count++] = AnyText();
    return ids.first(std::min(count, kMostStandIns));
  }

  // The unknown token, or else any that is text.
  int32_t AnyText() const {
    const std::span<const TargetKind> kinds =
        reader_.model.tokenizer.target_kinds;
    for (const TargetKind kind : {TargetKind::kUnknown, TargetKind::kText}) {
      const auto found = std::find(kinds.begin(), kinds.end(), kind);
      if (found != kinds.end()) {
        return static_cast<int32_t>(found - kinds.begin());
      }
    }
    return 0;
  }

  static Status TooMany() {
    return Status::Error(StatusCode::kTextTooLong,
                         "The text has more terms and protected spans than a "
                         "sentence has room for (%zu at most); cut it.",
                         kMostPhrases);
  }

  const TextReader& reader_;
  const TextPart& part_;
  std::span<const int32_t> source_;
  size_t offset_;
  const TranslateOptions& options_;
  std::span<int32_t> room_;
  PhraseList list_;
};

// Writes stretches of tokens and the texts between them.
class PhraseWriter {
 public:
  PhraseWriter(const TextReader& reader, const PhraseList& phrases,
               std::span<char> out)
      : reader_(reader), phrases_(phrases), out_(out) {}

  Status WriteTokens(std::span<const int32_t> ids) {
    if (size_ > 0 && BeginsWithSpace(ids)) WriteSpace();
    const std::span<char> rest = out_.subspan(size_);
    const Result<size_t> bytes = reader_.tokenizer.Decode(ids, rest);
    if (!bytes.ok()) return bytes.status();
    size_ += WithoutCopies(rest.first(*bytes));
    return Status();
  }

  Status WritePhrase(const Phrase& phrase) {
    // In another order than in the source, words may meet.
    const bool meets =
        size_ > 0 && IsAlnum(out_[size_ - 1]) && IsAlnum(phrase.text[0]);
    if (size_ > 0 && (phrase.space_before || meets)) WriteSpace();
    if (phrase.text.size() > out_.size() - size_) {
      return Status::Error(StatusCode::kTextTooLong,
                           "The text exceeds the buffer of %zu bytes.",
                           out_.size());
    }
    std::copy(phrase.text.begin(), phrase.text.end(), out_.begin() + size_);
    size_ += phrase.text.size();
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
  // comes once. Returns the bytes that are left.
  size_t WithoutCopies(std::span<char> text) const {
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
      }
    }
    return size;
  }

  // Whether a text comes only as a copy: others may mean something else.
  static bool IsDistinct(std::string_view text) {
    constexpr size_t kFewestBytes = 4;
    return text.size() >= kFewestBytes && std::ranges::any_of(text, IsAlnum);
  }

  static bool IsAlnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
  }

  const TextReader& reader_;
  const PhraseList& phrases_;
  std::span<char> out_;
  size_t size_ = 0;
};

}  // namespace

bool WantsPhrases(const TranslateOptions& options) {
  return options.protect || !options.terms.empty() ||
         !options.protected_patterns.empty() ||
         !options.protected_ranges.empty();
}

Result<PhraseList> FindPhrases(const TextReader& reader, const TextPart& part,
                               std::span<const int32_t> source, size_t offset,
                               const TranslateOptions& options,
                               std::span<int32_t> room) {
  if (!options.terms.empty()) {
    LATIMER_RETURN_IF_ERROR(NeedTargetTokenizer(reader.model.info));
  }
  return PhraseFinder(reader, part, source, offset, options, room).Find();
}

Result<size_t> WriteTextWithPhrases(const TextReader& reader,
                                    PhraseList phrases,
                                    std::span<const int32_t> ids,
                                    std::span<char> out) {
  phrases.Place(ids);
  PhraseWriter writer(reader, phrases, out);
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
    LATIMER_RETURN_IF_ERROR(
        writer.WriteTokens(ids.subspan(begin, end - begin)));
    if (first < 0) break;
    LATIMER_RETURN_IF_ERROR(writer.WritePhrase(next));
    begin = end + next.tokens.size();
  }
  Phrase phrase;
  size_t at = 0;
  for (size_t i = 0; phrases.Next(&at, &phrase); ++i) {
    if (phrase.text.empty() || phrases.place(i) >= 0) continue;
    phrase.space_before = true;
    LATIMER_RETURN_IF_ERROR(writer.WritePhrase(phrase));
  }
  return writer.Finish();
}

}  // namespace latimer
