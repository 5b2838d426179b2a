#include "phrases/source_phrases.h"

#include <algorithm>
#include <optional>

#include "base/off_stack.h"
#include "phrases/protected_text.h"
#include "phrases/unknown_text.h"
#include "text/ascii.h"
#include "text/grapheme.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Fewest tokens that phrases leave to a source.
constexpr size_t kLeastRoom = 16;

Status Invalid(const char* what, std::string_view name) {
  constexpr size_t kMostBytes = 40;
  return Status::Error(StatusCode::kInvalidArgument, what,
                       static_cast<int>(std::min(kMostBytes, name.size())),
                       name.data());
}

Status TooMany(const TextReader& reader) {
  const uint32_t length = reader.model.info.generation.source_length;
  if (length > 0) {
    return Status::Error(StatusCode::kTextTooLong,
                         "The text has more terms and protected spans than "
                         "there is room for beside the %u tokens to which the "
                         "model pads each source; convert it with a larger "
                         "max_source_tokens, or cut the text.",
                         static_cast<unsigned>(length));
  }
  return Status::Error(StatusCode::kTextTooLong,
                       "The text has more terms and protected spans than a "
                       "sentence has room for (%zu at most); cut it.",
                       kMostPhrases);
}

Status TooLong(size_t at) {
  return Status::Error(StatusCode::kTextTooLong,
                       "The term or protected span at byte %zu is longer than "
                       "what is translated at once.",
                       at);
}

// The number of a text's tokens; SIZE_MAX: they cannot be counted.
LATIMER_OFF_STACK size_t CountTokens(const Tokenizer& tokenizer,
                                     const TokenizerScratch& scratch,
                                     std::string_view text) {
  const Result<size_t> count = tokenizer.Count(text, scratch);
  return count.ok() ? *count : SIZE_MAX;
}

// Whether a character of `text` lies around `at`.
bool CutsCharacter(std::string_view text, size_t at) {
  for (size_t before = 1; before <= std::min<size_t>(at, 3); ++before) {
    if (FirstChar(From(text, at - before)).bytes > before) return true;
  }
  return false;
}

// Bytes of `text` from its beginning that have room in so many numbers, up to
// the end of a character with its marks if that is possible.
size_t BytesThatFit(std::string_view text, size_t numbers) {
  const size_t most = std::min(text.size(), numbers * sizeof(int32_t));
  size_t end = 0;
  while (end < most) {
    const size_t bytes = GraphemeBytes(text, end);  // 0: not UTF-8.
    if (end + bytes > most) break;
    end += std::max<size_t>(1, bytes);
  }
  if (end > 0) return end;  // Else a character with a great many marks.
  for (end = most; CutsCharacter(text, end);) --end;
  return end;
}

// `text` is the beginning of a text of `text_bytes` bytes.
Status CheckRanges(std::span<const TextRange> ranges, std::string_view text,
                   size_t text_bytes) {
  const auto is_cut = [text](size_t at) {
    return at < text.size() && CutsCharacter(text, at);
  };
  size_t end = 0;
  for (const TextRange& range : ranges) {
    if (range.begin < end || range.end < range.begin ||
        range.end > text_bytes || is_cut(range.begin) || is_cut(range.end)) {
      return Status::Error(
          StatusCode::kInvalidArgument,
          "The protected range [%u, %u) overlaps the one before it, cuts a "
          "character, or is not in the text of %zu bytes.",
          static_cast<unsigned>(range.begin), static_cast<unsigned>(range.end),
          text_bytes);
    }
    end = range.end;
  }
  return Status();
}

// Whether characters are lost in the words of a part, whose ids are in
// `source`.
bool LosesUnknown(const TextReader& reader, const TextPart& part,
                  std::span<const int32_t> source) {
  return HasLostUnknown(
      reader.model.tokenizer,
      source.subspan(part.words_begin, part.words_end - part.words_begin));
}

bool Protects(const TranslateOptions& options) {
  return options.protect || !options.protected_patterns.empty() ||
         !options.protected_ranges.empty();
}

// Whether a target token writes text, and does not end the translation.
bool WritesText(const TextReader& reader, int32_t id) {
  const std::span<const TargetKind> kinds = reader.model.tokenizer.target_kinds;
  const auto i = static_cast<size_t>(id);
  return i < kinds.size() && kinds[i] != TargetKind::kSpecial &&
         kinds[i] != TargetKind::kControl &&
         id != reader.model.info.generation.eos;
}

// Where a part may end.
struct PartEnd {
  size_t at = 0;
  size_t protected_bytes = 0;  // Of a protected span that begins there.
  size_t phrase_bytes = 0;     // Of a phrase that goes on beyond the part.
};

// The protected spans of a text from its beginning, as many as a part may have.
struct ProtectedSpans {
  TextRange ranges[StandIns::kMost];
  size_t count = 0;
  // Where a part must end, because of a span for which there is no room.
  size_t end = SIZE_MAX;

  std::span<const TextRange> all() const { return {ranges, count}; }
};

// Finds protected spans.
class SpanFinder {
 public:
  // `text` is at `offset` of the whole text, which goes on after it unless
  // `text_ends`.
  SpanFinder(std::string_view text, bool text_ends, size_t offset,
             const TranslateOptions& options)
      : text_(text), text_ends_(text_ends), offset_(offset), options_(options) {
    // Each part of a text has a finder of its own.
    const std::span<const TextRange> ranges = options.protected_ranges;
    const auto first =
        std::ranges::lower_bound(ranges, offset, {}, &TextRange::begin);
    range_ = static_cast<size_t>(first - ranges.begin());
    Skip(0);
  }

  // Finds those that begin in the first `bytes` bytes.
  void Find(size_t bytes, ProtectedSpans* out) {
    for (size_t at = 0; at < std::min(bytes, text_.size());) {
      const size_t found = BytesAt(at);
      if (found == 0) {
        at += std::max<size_t>(1, FirstChar(From(text_, at)).bytes);
        continue;
      }
      if (out->count == StandIns::kMost) {
        out->end = at;
        return;
      }
      out->ranges[out->count++] = {static_cast<uint32_t>(at),
                                   static_cast<uint32_t>(at + found)};
      at += found;
    }
  }

  // Whether a span ends where it seems to: one that a pattern found may go on
  // beyond the text, of a range the size is known.
  bool EndIsSeen(const TextRange& span) const {
    if (text_ends_ || span.end != text_.size()) return true;
    const std::span<const TextRange> ranges = options_.protected_ranges;
    return std::ranges::any_of(ranges, [&](const TextRange& range) {
      return range.begin == offset_ + span.begin;
    });
  }

 private:
  // Goes on to the first of the caller's ranges at text_[at] or behind it.
  void Skip(size_t at) {
    const std::span<const TextRange> ranges = options_.protected_ranges;
    while (range_ < ranges.size() && (ranges[range_].begin < offset_ + at ||
                                      ranges[range_].size() == 0)) {
      ++range_;
    }
  }

  // Bytes of the span at text_[at]: a range of the caller, or else up to the
  // next one the longest that is found; 0: none.
  size_t BytesAt(size_t at) {
    Skip(at);
    size_t end = text_.size();
    if (range_ < options_.protected_ranges.size()) {
      const TextRange& next = options_.protected_ranges[range_];
      if (next.begin == offset_ + at) return WithoutBlank(at, next.size());
      end = std::min<size_t>(end, next.begin - offset_);
    }
    const std::string_view text = Slice(text_, 0, end);
    size_t bytes = options_.protect ? ProtectedBytes(text, at) : 0;
    for (const std::string_view pattern : options_.protected_patterns) {
      const size_t found = PatternBytes(text, at, pattern);
      if (!CutsCharacter(text_, at + found)) bytes = std::max(bytes, found);
    }
    return WithoutBlank(at, bytes);
  }

  // 0 for a span of white space only, which has no place of its own.
  size_t WithoutBlank(size_t at, size_t bytes) const {
    const size_t near = std::min(bytes, text_.size() - at);
    return LeadingSpaceBytes(Slice(text_, at, near)) == near ? 0 : bytes;
  }

  std::string_view text_;
  bool text_ends_;
  size_t offset_;
  const TranslateOptions& options_;
  size_t range_ = 0;  // The next of the caller's ranges.
};

// Finds the phrases of a part of a text.
class PhraseFinder {
 public:
  // `room` begins with the source. The protected spans are those of a text at
  // whose byte `begin` the words of the part begin; `text` goes on after them.
  PhraseFinder(const TextReader& reader, const TextPart& part,
               std::string_view text, size_t begin, const SpanFinder& finder,
               std::span<const TextRange> spans, char stand_in_letter,
               const TranslateOptions& options, size_t most_tokens,
               std::span<int32_t> room)
      : reader_(reader),
        part_(part),
        text_(text),
        begin_(begin),
        finder_(finder),
        spans_(spans),
        source_(room.first(part.source_count)),
        options_(options),
        most_tokens_(most_tokens),
        list_(room.subspan(part.source_count)),
        whole_room_(PhraseList(room).room().size()),
        keeps_unknown_(options.keep_unknown &&
                       LosesUnknown(reader, part, source_)) {
    list_.stand_in_letter = stand_in_letter;
  }

  // Stops at a span that goes on beyond the part, and sets *cut to where it
  // begins. kTextTooLong if there is no room for all; then *cut, if it is set,
  // is where a part may end that has room: at 0, before a protected span.
  Result<PhraseList> Find(std::optional<PartEnd>* cut) {
    const std::string_view words = part_.words;
    const size_t end = words.size();
    for (size_t at = 0; at < end;) {
      while (span_ < spans_.size() && spans_[span_].begin < begin_ + at) {
        ++span_;
      }
      const bool is_span =
          span_ < spans_.size() && spans_[span_].begin == begin_ + at;
      const Term* term = nullptr;
      size_t bytes = 0;
      if (is_span) {
        bytes = spans_[span_].size();
      } else {
        const size_t next =
            span_ < spans_.size() ? spans_[span_].begin - begin_ : text_.size();
        bytes = FindTerm(at, next, &term);
      }
      if (bytes > end - at) {
        const bool is_whole = is_span && finder_.EndIsSeen(spans_[span_]);
        *cut = PartEnd{at, is_whole ? bytes : 0, bytes};
        break;
      }
      if (bytes == 0) {
        if (keeps_unknown_ && !ReadUnknown(at, cut)) return TooMany(reader_);
        at += std::max<size_t>(1, ClusterBytesAt(at));
        continue;
      }
      if (!AddUnknown(cut)) return TooMany(reader_);
      if (at > 0) *cut = PartEnd{at};
      if (term != nullptr) {
        LATIMER_RETURN_IF_ERROR(AddTerm(at, bytes, *term));
      } else if (!AddKept(at, bytes, /*is_unknown=*/false)) {
        // With a source of fixed length the error says how to get room.
        const uint32_t fixed = reader_.model.info.generation.source_length;
        if (at == 0 && fixed == 0) *cut = PartEnd{0, bytes};
        return TooMany(reader_);
      }
      cut->reset();
      at += bytes;
    }
    if (!AddUnknown(cut)) return TooMany(reader_);
    return list_;
  }

 private:
  // Bytes of the longest term at words[at] that ends before `end`, of equal
  // ones the first.
  size_t FindTerm(size_t at, size_t end, const Term** term) const {
    size_t bytes = 0;
    for (const Term& candidate : options_.terms) {
      const size_t found = TermBytes(text_, at, candidate.source());
      if (found <= bytes || found > end - at) continue;
      bytes = found;
      *term = &candidate;
    }
    return bytes;
  }

  size_t ClusterBytesAt(size_t at) const {
    return keeps_unknown_ ? GraphemeBytes(part_.words, at)
                          : FirstChar(From(part_.words, at)).bytes;
  }

  // Adds what is at words[at] to the run of unknown characters, which it may
  // begin or end. False if there is no room for the run.
  bool ReadUnknown(size_t at, std::optional<PartEnd>* cut) {
    const size_t bytes = GraphemeBytes(part_.words, at);
    const std::string_view cluster = Slice(part_.words, at, bytes);
    if (IsUnknownCluster(reader_.tokenizer.view(), reader_.scratch, cluster)) {
      if (unknown_.size() == 0) unknown_.begin = static_cast<uint32_t>(at);
      unknown_.end = static_cast<uint32_t>(at + bytes);
    } else if (bytes == 0 || LeadingSpaceBytes(cluster) < bytes) {
      return AddUnknown(cut);
    }
    return true;
  }

  // Ends the run. False if there is no room for it.
  bool AddUnknown(std::optional<PartEnd>* cut) {
    const TextRange run = unknown_;
    unknown_ = {};
    if (run.size() == 0 ||
        AddKept(run.begin, run.size(), /*is_unknown=*/true)) {
      return true;
    }
    if (run.begin > LeadingSpaceBytes(part_.words)) {
      *cut = PartEnd{run.begin};
    } else {
      CutRun(run, cut);
    }
    return false;
  }

  // The part begins with a run: it may end behind it, or in it. Without other
  // phrases to find, such a part has no source, and the run all of its room.
  void CutRun(const TextRange& run, std::optional<PartEnd>* cut) const {
    const size_t numbers =
        WantsPhrases(options_) ? list_.room().size() : whole_room_;
    const std::string_view words = part_.words;
    size_t end =
        run.begin + BytesThatFit(Slice(words, run.begin, run.size()), numbers);
    end += LeadingSpaceBytes(From(words, end));
    if (end > run.begin && end < words.size()) *cut = PartEnd{end};
  }

  // Tokens of the source before byte `end` of the words. A space at the end has
  // none of its own.
  size_t TokensBefore(size_t end) const {
    const std::string_view text = Slice(part_.words, 0, end);
    const size_t count =
        CountTokens(reader_.tokenizer, reader_.scratch,
                    Slice(text, 0, text.size() - TrailingSpaceBytes(text)));
    return std::min(part_.words_begin + (count == SIZE_MAX ? 0 : count),
                    source_.size());
  }

  // Adds what comes out as it is. False if there is no room.
  bool AddKept(size_t at, size_t bytes, bool is_unknown) {
    const std::string_view words = part_.words;
    return list_.Add(
        {.source_begin = static_cast<uint32_t>(at),
         .source_end = static_cast<uint32_t>(at + bytes),
         .text = Slice(words, at, bytes),
         .stand_in = is_unknown || list_.stand_in_letter == '\0'
                         ? -1
                         : static_cast<int32_t>(span_),
         .is_unknown = is_unknown,
         .space_before = at == 0 || TrailingSpaceBytes(Slice(words, 0, at)) > 0,
         .space_after = at + bytes == words.size() ||
                        LeadingSpaceBytes(From(words, at + bytes)) > 0});
  }

  LATIMER_OFF_STACK Status AddTerm(size_t at, size_t bytes, const Term& term) {
    const std::span<int32_t> room = list_.room();
    size_t count = 0;
    LATIMER_RETURN_IF_ERROR(
        EncodeTerm(reader_, term, most_tokens_, room, &count));
    const size_t begin = TokensBefore(at);
    const size_t end = std::max(begin + 1, TokensBefore(at + bytes));
    return list_.Add({.source_begin = static_cast<uint32_t>(begin),
                      .source_end = static_cast<uint32_t>(end),
                      .tokens = room.first(count)})
               ? Status()
               : TooMany(reader_);
  }

  const TextReader& reader_;
  const TextPart& part_;
  std::string_view text_;
  size_t begin_;
  const SpanFinder& finder_;
  std::span<const TextRange> spans_;
  std::span<int32_t> source_;
  const TranslateOptions& options_;
  size_t most_tokens_;
  PhraseList list_;
  size_t whole_room_;  // Numbers of a phrase without a source.
  bool keeps_unknown_;
  size_t span_ = 0;         // The next of the protected spans.
  TextRange unknown_ = {};  // A run of unknown characters, in the part.
};

// The letter of stand-ins for a text: one that the model reads and that the
// text has before no digit; 0: none.
LATIMER_OFF_STACK char FindLetter(const TextReader& reader,
                                  std::string_view text) {
  for (const char letter : std::string_view("XZQVx")) {
    const char word[] = {letter, '1', '\0'};
    bool occurs = false;
    for (size_t i = 0; i + 1 < text.size() && !occurs; ++i) {
      occurs = (text[i] | 0x20) == (letter | 0x20) && IsAsciiDigit(text[i + 1]);
    }
    if (occurs) continue;
    int32_t ids[8];
    const Result<size_t> count =
        reader.tokenizer.Encode(word, reader.scratch, ids);
    if (count.ok() && *count > 0 &&
        std::ranges::count(std::span(ids).first(*count),
                           reader.model.tokenizer.unknown_id) == 0) {
      return letter;
    }
  }
  return '\0';
}

// Makes `part`, whose words begin at text[begin] with a protected span, one
// without a source: of the span, or of as much of it as has room.
LATIMER_OFF_STACK Status KeepSpan(const TextReader& reader,
                                  std::string_view text, size_t begin,
                                  size_t span_bytes, std::span<int32_t> room,
                                  TextPart* part, PhraseList* phrases) {
  PhraseList whole(room);
  const std::string_view span = Slice(text, begin, span_bytes);
  size_t bytes = BytesThatFit(span, whole.room().size());
  if (bytes < span_bytes) {  // A translation ends with no space.
    while (bytes > 1 && span[bytes - 1] == ' ') --bytes;
  }
  part->words = Slice(span, 0, bytes);
  part->source_count = part->words_begin = part->words_end = 0;
  part->protected_bytes = span_bytes - bytes;
  part->end = SentenceEnd::kCut;
  const size_t space = LeadingSpaceBytes(From(text, begin + bytes));
  part->bytes = begin + bytes;
  part->space = part->protected_bytes == 0 && space > 0 ? " " : "";
  if (!part->space.empty()) part->bytes += space;
  if (bytes == 0 || !whole.Add({.text = part->words})) return TooMany(reader);
  *phrases = whole;
  return Status();
}

// Reads the next part, in which no sentence ends before byte *from of what is
// left of the text. If it ends within a phrase, *from becomes the end of that,
// and it is to be read again.
Status ReadPart(const TextReader& plain, const TextCursor& cursor,
                size_t most_tokens, std::span<int32_t> room, size_t* from,
                TextPart* part, PhraseList* phrases) {
  const TranslateOptions& options = cursor.options();
  const std::string_view text = cursor.rest();
  // A part has at most text_bytes behind a language code and white space, and a
  // span may go on beyond it.
  const size_t code = plain.tokenizer.LanguageCodeBytes(
      Slice(text, 0, std::min<size_t>(text.size(), kProfile.text_bytes)));
  const size_t sentence =
      code + plain
                 .FindSentence(From(text, code), options,
                               *from - std::min(*from, code))
                 .sentence;
  const size_t before = code + LeadingSpaceBytes(From(text, code));
  const size_t near =
      std::min<size_t>(text.size(), before + 2 * kProfile.text_bytes);
  SpanFinder finder(Slice(text, 0, near), near == cursor.rest_bytes(),
                    cursor.source_bytes(), options);
  ProtectedSpans spans;
  if (Protects(options)) {
    finder.Find(std::min<size_t>(before + kProfile.text_bytes, sentence),
                &spans);
  }
  const char letter =
      spans.count == 0
          ? '\0'
          : FindLetter(plain, Slice(text, 0, std::min(near, sentence)));
  StandIns stand_ins = {.text = text, .letter = letter};
  if (letter != '\0') stand_ins.ranges = spans.all();
  const Tokenizer tokenizer = plain.tokenizer.With(stand_ins);
  const TextReader reader = {plain.model, tokenizer, plain.target_tokenizer,
                             plain.scratch};
  most_tokens = std::min(most_tokens, room.size() / 2);
  // A source of a fixed length takes its room in any case.
  bool may_shrink = reader.model.info.generation.source_length == 0;
  const size_t most_bytes = std::min(text.size(), spans.end);
  size_t bytes = most_bytes;
  size_t tokens = room.size();
  for (;;) {
    // Before a phrase that begins the next part, white space is in neither.
    const size_t space =
        bytes < text.size() ? TrailingSpaceBytes(Slice(text, 0, bytes)) : 0;
    {  // Else `read` would lie on the stack while phrases are found.
      const Result<TextPart> read = reader.Read(
          Slice(text, 0, bytes - space), options, room.first(tokens), *from);
      if (!read.ok() && tokens < room.size()) {
        may_shrink = false;  // What comes before each text needs more.
        tokens = room.size();
        continue;
      }
      if (!read.ok()) return read.status();
      *part = *read;
    }
    if (bytes < text.size() && part->bytes == bytes - space) {
      part->bytes = bytes;
      part->end = SentenceEnd::kCut;
      part->space = space > 0 ? " " : "";
    }
    if (IsKeptWhole(reader, options, part->words, {})) {
      *phrases = {};
      return Status();
    }
    const auto begin = static_cast<size_t>(part->words.data() - text.data());
    std::optional<PartEnd> cut;
    PhraseFinder phrase_finder(reader, *part, Slice(text, begin, near - begin),
                               begin, finder, spans.all(), letter, options,
                               most_tokens, room);
    const Result<PhraseList> found = phrase_finder.Find(&cut);
    if (found.ok()) *phrases = *found;
    const bool no_room = found.status().code() == StatusCode::kTextTooLong;
    if (no_room && may_shrink && tokens >= kLeastRoom) {
      // A shorter part, which ends where a text is best cut.
      tokens = std::max(kLeastRoom, std::min(tokens, part->source_count));
      tokens -= tokens / 4;
      bytes = most_bytes;
      continue;
    }
    if (!cut.has_value() || (!found.ok() && !no_room)) return found.status();
    const PartEnd end = cut.value_or(PartEnd());
    // No sentence ends within a phrase.
    if (end.phrase_bytes > 0 && part->end != SentenceEnd::kCut &&
        part->end != SentenceEnd::kText) {
      *from = begin + end.at + end.phrase_bytes;
      return Status();
    }
    bytes = begin + end.at;
    if (end.at > 0) continue;
    if (end.protected_bytes == 0) {
      return TooLong(cursor.source_bytes() + begin);
    }
    return KeepSpan(plain, text, begin, end.protected_bytes, room, part,
                    phrases);
  }
}

}  // namespace

LATIMER_OFF_STACK Status EncodeTerm(const TextReader& reader, const Term& term,
                                    size_t most_tokens, std::span<int32_t> ids,
                                    size_t* count) {
  *count = CountTokens(reader.target_tokenizer, reader.scratch, term.target());
  if (*count > most_tokens) {
    return Invalid(
        "The target of the term \"%.*s\" has more tokens than a translation "
        "has room for.",
        term.source());
  }
  if (*count == 0) {
    return Invalid("The target of the term \"%.*s\" has no tokens.",
                   term.source());
  }
  if (*count > ids.size()) return TooMany(reader);
  const Result<size_t> encoded =
      reader.target_tokenizer.Encode(term.target(), reader.scratch, ids);
  if (!encoded.ok()) return encoded.status();
  for (const int32_t id : ids.first(*encoded)) {
    if (WritesText(reader, id) &&
        reader.model.tokenizer.target_kinds[static_cast<size_t>(id)] !=
            TargetKind::kUnknown) {
      continue;
    }
    return Invalid(
        "The target of the term \"%.*s\" has a character that the model cannot "
        "write, or a special token.",
        term.source());
  }
  return Status();
}

bool WantsPhrases(const TranslateOptions& options) {
  return Protects(options) || !options.terms.empty();
}

Status ReadWithPhrases(const TextReader& plain, const TextCursor& cursor,
                       size_t most_tokens, std::span<int32_t> room,
                       TextPart* part, PhraseList* phrases) {
  const TranslateOptions& options = cursor.options();
  const std::string_view text = cursor.rest();
  if (!options.terms.empty()) {
    LATIMER_RETURN_IF_ERROR(NeedTargetTokenizer(plain.model.info));
  }
  if (cursor.parts() == 0) {
    LATIMER_RETURN_IF_ERROR(
        CheckRanges(options.protected_ranges, text, cursor.rest_bytes()));
  }
  if (cursor.protected_bytes() > 0) {
    part->language_code = options.language_code;
    return KeepSpan(plain, text, 0, cursor.protected_bytes(), room, part,
                    phrases);
  }
  size_t from = 0;
  for (;;) {
    const size_t last = from;
    const Status status =
        ReadPart(plain, cursor, most_tokens, room, &from, part, phrases);
    if (!status.ok() || from == last) return status;
  }
}

bool KeepsUnknown(const TextReader& reader, const TranslateOptions& options,
                  const TextPart& part, std::span<const int32_t> source) {
  return options.keep_unknown && LosesUnknown(reader, part, source);
}

bool IsKeptWhole(const TextReader& reader, const TranslateOptions& options,
                 std::string_view words, const PhraseList& phrases) {
  if (!options.keep_unknown || !options.terms.empty() ||
      !options.target_prefix.empty() || !options.target_prefix_ids.empty()) {
    return false;
  }
  size_t begin = 0;
  size_t at = 0;
  Phrase phrase;
  // `words` without the protected spans.
  while (phrases.Next(&at, &phrase)) {
    if (phrase.is_unknown) continue;
    if (!HasNothingToTranslate(
            reader.tokenizer.view(), reader.scratch,
            Slice(words, begin, phrase.source_begin - begin))) {
      return false;
    }
    begin = phrase.source_end;
  }
  return HasNothingToTranslate(reader.tokenizer.view(), reader.scratch,
                               From(words, begin));
}

}  // namespace latimer
