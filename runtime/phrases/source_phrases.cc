#include "phrases/source_phrases.h"

#include <algorithm>
#include <optional>

#include "base/off_stack.h"
#include "phrases/protected_text.h"
#include "phrases/unknown_text.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Most tokens that stand for a protected span.
constexpr size_t kMostStandIns = 16;

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
    const size_t bytes = ClusterBytes(text, end);  // 0: not UTF-8.
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
};

// Finds the phrases of a part of a text.
class PhraseFinder {
 public:
  // `text` begins with the words of the part, at `offset` of the whole text,
  // and goes on after them: to its end if `text_ends`. `room` begins with the
  // source.
  PhraseFinder(const TextReader& reader, const TextPart& part,
               std::string_view text, bool text_ends, size_t offset,
               const TranslateOptions& options, size_t most_tokens,
               std::span<int32_t> room)
      : reader_(reader),
        part_(part),
        source_(room.first(part.source_count)),
        text_(text),
        text_ends_(text_ends),
        offset_(offset),
        options_(options),
        most_tokens_(most_tokens),
        list_(room.subspan(part.source_count)),
        whole_room_(PhraseList(room).room().size()),
        keeps_unknown_(options.keep_unknown &&
                       LosesUnknown(reader, part, source_)) {}

  // Stops at a phrase that goes on beyond the part, and sets *cut to where it
  // begins. kTextTooLong if there is no room for all; then *cut, if it is set,
  // is where a part may end that has room: at 0, before a protected span.
  Result<PhraseList> Find(std::optional<PartEnd>* cut) {
    const size_t end = part_.words.size();
    for (size_t at = 0; at < end;) {
      const Term* term = nullptr;
      const size_t bytes = FindSpan(at, &term);
      if (bytes > end - at) {
        *cut = PartEnd{at, term == nullptr && EndIsSeen(at, bytes) ? bytes : 0};
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
      } else if (!AddProtected(at, bytes)) {
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
  // Bytes of what begins at text_[at]: a range of the caller, or else up to the
  // next one a protected span, or else the longest term, of equal ones the
  // first.
  size_t FindSpan(size_t at, const Term** term) {
    const std::span<const TextRange> ranges = options_.protected_ranges;
    while (range_ < ranges.size() && (ranges[range_].begin < offset_ + at ||
                                      ranges[range_].size() == 0)) {
      ++range_;
    }
    size_t end = text_.size();
    if (range_ < ranges.size()) {
      const TextRange& next = ranges[range_];
      if (next.begin == offset_ + at) return WithoutBlank(at, next.size());
      end = std::min<size_t>(end, next.begin - offset_);
    }
    const std::string_view text = Slice(text_, 0, end);
    size_t bytes = options_.protect ? ProtectedBytes(text, at) : 0;
    for (const std::string_view pattern : options_.protected_patterns) {
      const size_t found = PatternBytes(text, at, pattern);
      if (!CutsCharacter(text_, at + found)) bytes = std::max(bytes, found);
    }
    bytes = WithoutBlank(at, bytes);
    if (bytes > 0) return bytes;
    for (const Term& candidate : options_.terms) {
      const size_t found = TermBytes(text, at, candidate.source());
      if (found <= bytes) continue;
      bytes = found;
      *term = &candidate;
    }
    return bytes;
  }

  // Whether the span at text_[at] ends there: one that a pattern found may go
  // on beyond text_, of a range the size is known.
  bool EndIsSeen(size_t at, size_t bytes) const {
    const std::span<const TextRange> ranges = options_.protected_ranges;
    return text_ends_ || at + bytes != text_.size() ||
           (range_ < ranges.size() && ranges[range_].begin == offset_ + at);
  }

  size_t ClusterBytesAt(size_t at) const {
    return keeps_unknown_ ? ClusterBytes(part_.words, at)
                          : FirstChar(From(text_, at)).bytes;
  }

  // Adds what is at text_[at] to the run of unknown characters, which it may
  // begin or end. False if there is no room for the run.
  bool ReadUnknown(size_t at, std::optional<PartEnd>* cut) {
    const size_t bytes = ClusterBytes(part_.words, at);
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
    if (run.size() == 0 || AddProtected(run.begin, run.size())) return true;
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
    const bool has_source = WantsPhrases(options_);
    const size_t numbers = has_source ? list_.room().size() : whole_room_;
    const size_t taken = has_source ? kMostStandIns : 0;
    if (numbers <= taken) return;
    const std::string_view words = part_.words;
    size_t end = run.begin + BytesThatFit(Slice(words, run.begin, run.size()),
                                          numbers - taken);
    end += LeadingSpaceBytes(From(words, end));
    if (end > run.begin && end < words.size()) *cut = PartEnd{end};
  }

  // 0 for a span of white space only, which has no place of its own.
  size_t WithoutBlank(size_t at, size_t bytes) const {
    const size_t near = std::min(bytes, text_.size() - at);
    return LeadingSpaceBytes(Slice(text_, at, near)) == near ? 0 : bytes;
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

  // False if there is no room.
  bool AddProtected(size_t at, size_t bytes) {
    const size_t begin = TokensBefore(at);
    const size_t end = std::max(begin, TokensBefore(at + bytes));
    Phrase phrase;
    phrase.text = Slice(part_.words, at, bytes);
    phrase.space_before =
        at == 0 || TrailingSpaceBytes(Slice(part_.words, 0, at)) > 0;
    phrase.tokens = StandIns(phrase.text, source_.subspan(begin, end - begin));
    return !phrase.tokens.empty() && Add(begin, end, phrase);
  }

  LATIMER_OFF_STACK Status AddTerm(size_t at, size_t bytes, const Term& term) {
    const std::span<int32_t> room = list_.room();
    const Result<size_t> count = EncodeTerm(reader_, term, most_tokens_, room);
    if (!count.ok()) return count.status();
    Phrase phrase;
    phrase.tokens = room.first(*count);
    return Add(TokensBefore(at), TokensBefore(at + bytes), phrase)
               ? Status()
               : TooMany(reader_);
  }

  // A term may come out by itself. False if there is no room.
  bool Add(size_t begin, size_t end, Phrase& phrase) {
    phrase.source_begin = static_cast<uint32_t>(begin);
    phrase.source_end = static_cast<uint32_t>(std::max(end, begin + 1));
    return list_.Add(phrase, /*required=*/!phrase.text.empty());
  }

  // Tokens that the decoder reads in place of a protected span: if possible
  // those of its text, which are `source` of the source.
  std::span<const int32_t> StandIns(std::string_view text,
                                    std::span<const int32_t> source) const {
    const ModelDescription& info = reader_.model.info;
    const Architecture& a = info.architecture;
    const std::span<int32_t> ids = list_.room();
    size_t count = 0;
    if (info.encodes_target) {
      const Result<size_t> encoded =
          reader_.target_tokenizer.Encode(text, reader_.scratch, ids);
      if (encoded.ok()) count = *encoded;
    } else if (a.embeddings_shared || a.source_embedding_tied) {
      count = CopyIds(source.first(std::min(source.size(), ids.size())), ids);
    }
    // Unknown ones are left out if others remain.
    size_t kept = 0;
    for (const int32_t id : ids.first(std::min(count, kMostStandIns))) {
      if (WritesText(reader_, id)) ids[kept++] = id;
    }
    if (kept == 0 && !ids.empty()) ids[kept++] = AnyText();
    return ids.first(kept);
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

  const TextReader& reader_;
  const TextPart& part_;
  std::span<const int32_t> source_;
  std::string_view text_;
  bool text_ends_;
  size_t offset_;
  const TranslateOptions& options_;
  size_t most_tokens_;
  PhraseList list_;
  size_t whole_room_;  // Numbers of a phrase without a source.
  bool keeps_unknown_;
  size_t range_ = 0;        // The next of the caller's ranges.
  TextRange unknown_ = {};  // A run of unknown characters, in the part.
};

// Whether nobody wants phrases, and the part has nothing to translate beside
// unknown characters. Then it becomes one without a source, and a phrase with
// its words.
LATIMER_OFF_STACK bool IsKeptWhole(const TextReader& reader,
                                   const TranslateOptions& options,
                                   std::span<int32_t> room, TextPart* part,
                                   PhraseList* phrases) {
  if (WantsPhrases(options)) return false;
  std::string_view words = From(part->words, LeadingSpaceBytes(part->words));
  words.remove_suffix(TrailingSpaceBytes(words));
  PhraseList whole(room);
  if (words.empty() || !IsUtf8(words) ||
      !IsAllUnknown(reader.tokenizer.view(), reader.scratch, words) ||
      !whole.Add({.text = words})) {
    return false;
  }
  part->source_count = 0;
  *phrases = whole;
  return true;
}

// The phrases of `part`, which lies at the beginning of `room`; see
// PhraseFinder::Find.
LATIMER_OFF_STACK Status FindPhrases(const TextReader& reader,
                                     const TextCursor& cursor,
                                     const TextPart& part, size_t most_tokens,
                                     std::span<int32_t> room,
                                     PhraseList* phrases,
                                     std::optional<PartEnd>* cut) {
  const std::string_view text = cursor.rest();
  const auto begin = static_cast<size_t>(part.words.data() - text.data());
  const size_t near = std::min<size_t>(text.size() - begin,
                                       part.words.size() + kProfile.text_bytes);
  PhraseFinder finder(reader, part, Slice(text, begin, near),
                      begin + near == cursor.rest_bytes(),
                      cursor.source_bytes() + begin, cursor.options(),
                      most_tokens, room);
  const Result<PhraseList> found = finder.Find(cut);
  if (!found.ok()) return found.status();
  *phrases = *found;
  return Status();
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
  const size_t space = LeadingSpaceBytes(From(text, begin + bytes));
  part->bytes = begin + bytes;
  part->space_follows = part->protected_bytes == 0 && space > 0;
  if (part->space_follows) part->bytes += space;
  if (bytes == 0 || !whole.Add({.text = part->words})) return TooMany(reader);
  *phrases = whole;
  return Status();
}

}  // namespace

LATIMER_OFF_STACK Result<size_t> EncodeTerm(const TextReader& reader,
                                            const Term& term,
                                            size_t most_tokens,
                                            std::span<int32_t> ids) {
  const Result<size_t> count =
      reader.target_tokenizer.Count(term.target(), reader.scratch);
  if (!count.ok() || *count > most_tokens) {
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
  if (!encoded.ok()) return encoded;
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
  return encoded;
}

bool WantsPhrases(const TranslateOptions& options) {
  return options.protect || !options.terms.empty() ||
         !options.protected_patterns.empty() ||
         !options.protected_ranges.empty();
}

Status ReadWithPhrases(const TextReader& reader, const TextCursor& cursor,
                       size_t most_tokens, std::span<int32_t> room,
                       TextPart* part, PhraseList* phrases) {
  const TranslateOptions& options = cursor.options();
  const std::string_view text = cursor.rest();
  if (!options.terms.empty()) {
    LATIMER_RETURN_IF_ERROR(NeedTargetTokenizer(reader.model.info));
  }
  if (cursor.parts() == 0) {
    LATIMER_RETURN_IF_ERROR(
        CheckRanges(options.protected_ranges, text, cursor.rest_bytes()));
  }
  if (cursor.protected_bytes() > 0) {
    part->language_code = options.language_code;
    return KeepSpan(reader, text, 0, cursor.protected_bytes(), room, part,
                    phrases);
  }
  most_tokens = std::min(most_tokens, room.size() / 2);
  // A source of a fixed length takes its room in any case.
  bool may_shrink = reader.model.info.generation.source_length == 0;
  size_t bytes = text.size();
  size_t tokens = room.size();
  for (;;) {
    // Before a phrase that begins the next part, white space is in neither.
    const size_t space =
        bytes < text.size() ? TrailingSpaceBytes(Slice(text, 0, bytes)) : 0;
    const Result<TextPart> read =
        reader.Read(Slice(text, 0, bytes - space), options, room.first(tokens));
    if (!read.ok() && tokens < room.size()) {
      may_shrink = false;  // What comes before each text needs more.
      tokens = room.size();
      continue;
    }
    if (!read.ok()) return read.status();
    *part = *read;
    if (space > 0 && part->bytes == bytes - space) {
      part->bytes = bytes;
      part->space_follows = true;
    }
    if (options.keep_unknown &&
        LosesUnknown(reader, *part, room.first(part->source_count)) &&
        IsKeptWhole(reader, options, room, part, phrases)) {
      return Status();
    }
    std::optional<PartEnd> cut;
    const Status found =
        FindPhrases(reader, cursor, *part, most_tokens, room, phrases, &cut);
    const bool no_room = found.code() == StatusCode::kTextTooLong;
    if (no_room && may_shrink && tokens >= kLeastRoom) {
      // A shorter part, which ends where a text is best cut.
      tokens = std::max(kLeastRoom, std::min(tokens, part->source_count));
      tokens -= tokens / 4;
      bytes = text.size();
      continue;
    }
    if (!cut.has_value() || (!found.ok() && !no_room)) return found;
    const auto begin = static_cast<size_t>(part->words.data() - text.data());
    bytes = begin + cut->at;
    if (cut->at > 0) continue;
    if (cut->protected_bytes == 0) {
      return TooLong(cursor.source_bytes() + begin);
    }
    return KeepSpan(reader, text, begin, cut->protected_bytes, room, part,
                    phrases);
  }
}

LATIMER_OFF_STACK bool KeepsUnknown(const TextReader& reader,
                                    const TranslateOptions& options,
                                    std::span<int32_t> room, TextPart* part,
                                    PhraseList* phrases) {
  return options.keep_unknown &&
         LosesUnknown(reader, *part, room.first(part->source_count)) &&
         !IsKeptWhole(reader, options, room, part, phrases);
}

}  // namespace latimer
