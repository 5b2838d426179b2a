#include "text_reader.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/off_stack.h"
#include "model/generation.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

Status NeedsLanguage(const GenerationConfig& config, const char* side) {
  return Status::Error(StatusCode::kInvalidArgument,
                       "This model has %u languages and needs the %s language, "
                       "for example \"%s\"; latimer inspect lists them.",
                       static_cast<unsigned>(config.languages.size()), side,
                       config.languages[0].code);
}

Status CheckLanguages(const GenerationConfig& config,
                      const TranslateOptions& options) {
  if (options.source_language.empty() &&
      config.source_language != SourceLanguage::kNone) {
    return NeedsLanguage(config, "source");
  }
  const bool optional = StandsInSource(config.target_language);
  return options.target_language.empty() && !optional
             ? NeedsLanguage(config, "target")
             : Status();
}

bool IsLanguage(const GenerationConfig& config, int32_t id) {
  return std::any_of(
      config.languages.begin(), config.languages.end(),
      [id](const Language& language) { return language.token == id; });
}

Status CheckPrefix(const TokenizerView& tokenizer, std::string_view* prefix) {
  if (prefix->empty() || tokenizer.segmentation == Segmentation::kBytes) {
    return Status();
  }
  if (tokenizer.spacing == Spacing::kAsItIs) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "This model's tokenizer joins a prefix and the first "
                         "word; put the prefix into the text.");
  }
  // The text supplies the space before its first word.
  while (!prefix->empty() && prefix->back() == ' ') prefix->remove_suffix(1);
  return Status();
}

// Whether a text itself begins with its target's language.
bool IsLanguageInText(const GenerationConfig& config,
                      const TranslateOptions& options) {
  return config.target_language == TargetLanguage::kBeforeText &&
         options.target_language.empty();
}

// The source ids around those of a text.
struct SourceFrame {
  size_t before = 0;      // Ids written before the text.
  bool has_code = false;  // They include a >>language<< code.
  int32_t language = -1;  // The source's; -1: none.
  // If the text itself must begin with the target's language: where the token
  // of the language ends; 0: it need not.
  size_t target_end = 0;

  // Ids after the text.
  size_t after(const GenerationConfig& config) const {
    return config.source_suffix.size() + (language_is_last(config) ? 1 : 0);
  }
  bool language_is_last(const GenerationConfig& config) const {
    return language >= 0 &&
           config.source_language == SourceLanguage::kAfterSuffix;
  }
};

// What the options ask for before a text.
struct FrameOptions {
  int32_t source_language = -1;  // A token, as the next; -1: none.
  int32_t target_language = -1;  // That stands in the source.
  std::string_view prefix;
};

// `code` is that of the text.
LATIMER_OFF_STACK Status ResolveFrame(const Model& model, std::string_view code,
                                      const TranslateOptions& options,
                                      FrameOptions* out) {
  const GenerationConfig& config = model.info.generation;
  if (!config.languages.empty()) {
    LATIMER_RETURN_IF_ERROR(CheckLanguages(config, options));
  }
  if (config.source_language != SourceLanguage::kNone ||
      (config.languages.empty() && !options.source_language.empty())) {
    const Result<int32_t> found =
        FindLanguage(config, "source", options.source_language);
    if (!found.ok()) return found.status();
    out->source_language = *found;
  }
  if (StandsInSource(config.target_language) && code.empty() &&
      !options.target_language.empty()) {
    const Result<int32_t> found =
        FindLanguage(config, "target", options.target_language);
    if (!found.ok()) return found.status();
    out->target_language = *found;
  }
  const Result<const Task*> task = FindTask(config, options.task);
  if (!task.ok()) return task.status();
  out->prefix = options.prefix.empty() ? (*task)->prefix : options.prefix;
  return CheckPrefix(model.tokenizer, &out->prefix);
}

// Writes the ids that come before those of a text.
LATIMER_OFF_STACK Status WriteBefore(const TextReader& reader,
                                     std::string_view code,
                                     const TranslateOptions& options,
                                     std::span<int32_t> source,
                                     SourceFrame* out) {
  const GenerationConfig& config = reader.model.info.generation;
  FrameOptions chosen;
  LATIMER_RETURN_IF_ERROR(ResolveFrame(reader.model, code, options, &chosen));
  SourceFrame& frame = *out;
  frame = {.has_code = !code.empty(), .language = chosen.source_language};
  const std::span<int32_t> ids =
      source.first(source.size() - frame.after(config));
  // A text that begins with its target's language itself brings the prefix.
  const bool in_text = IsLanguageInText(config, options);
  if (!in_text) frame.before = CopyIds(config.source_prefix, ids);
  if (frame.language >= 0 &&
      config.source_language == SourceLanguage::kBeforeText) {
    ids[frame.before++] = frame.language;
  }
  if (in_text) {
    frame.target_end = frame.before + config.source_prefix.size() + 1;
  }
  if (chosen.target_language >= 0) {
    ids[frame.before++] = chosen.target_language;
  }
  for (const std::string_view words : {code, chosen.prefix}) {
    if (words.empty()) continue;
    const Result<size_t> added = reader.tokenizer.Encode(
        words, reader.scratch, ids.subspan(frame.before));
    if (!added.ok()) return added.status();
    frame.before += *added;
  }
  return Status();
}

LATIMER_OFF_STACK Result<size_t> NeedsTargetLanguage(
    const GenerationConfig& config) {
  return NeedsLanguage(config, "target");
}

// Appends the ids of `text`, which must fit, and those that come after it.
// Returns the number of all ids, or 0 if neither code nor text has any.
Result<size_t> WriteText(const TextReader& reader, const SourceFrame& frame,
                         std::string_view text, std::span<int32_t> source) {
  const GenerationConfig& config = reader.model.info.generation;
  size_t count = frame.before;
  if (!text.empty()) {
    const size_t room = source.size() - frame.after(config) - count;
    const Result<size_t> added = reader.tokenizer.Encode(
        text, reader.scratch, source.subspan(count, room));
    if (!added.ok()) return added;
    count += *added;
    if (frame.target_end > 0 && *added > 0 &&
        (count < frame.target_end ||
         !IsLanguage(config, source[frame.target_end - 1]))) {
      return NeedsTargetLanguage(config);
    }
  }
  if (count == frame.before && !frame.has_code) return 0;
  count += CopyIds(config.source_suffix, source.subspan(count));
  if (frame.language_is_last(config)) source[count++] = frame.language;
  return count;
}

// Ends a part whose source_count ids are in `source`.
void EndPart(const SourceFrame& frame, const GenerationConfig& config,
             std::string_view words, std::span<int32_t> source,
             TextPart* part) {
  part->words = words;
  part->words_begin = std::min(frame.before, part->source_count);
  part->words_end = part->source_count > frame.after(config)
                        ? part->source_count - frame.after(config)
                        : part->words_begin;
  part->source_count = PadSource(config, part->source_count, source);
}

// Whether ids of a text of the target have the unknown token. Where a tokenizer
// has none, its id is that of a token that writes text.
bool HasUnknown(const Model& model, std::span<const int32_t> ids) {
  const int32_t unknown = model.target_tokenizer.unknown_id;
  const std::span<const TargetKind> kinds = model.tokenizer.target_kinds;
  const auto i = static_cast<size_t>(unknown);
  return i < kinds.size() && kinds[i] != TargetKind::kText &&
         kinds[i] != TargetKind::kByte && std::ranges::count(ids, unknown) > 0;
}

// What is read of `text` for one part, or its first `bytes`. Cuts no character.
std::string_view NearText(std::string_view text,
                          size_t bytes = kProfile.text_bytes) {
  if (text.size() <= bytes) return text;
  for (int i = 0; i < 3 && LastChar(Slice(text, 0, bytes)).bytes == 0; ++i) {
    --bytes;
  }
  return Slice(text, 0, bytes);
}

// Bytes of white space, except no-break spaces, that `text` begins with.
size_t BreakingSpaceBytes(std::string_view text) {
  size_t bytes = 0;
  for (;;) {
    const Utf8Char c = FirstChar(From(text, bytes));
    if (c.bytes == 0 || !IsBreakingSpace(c.code_point)) return bytes;
    bytes += c.bytes;
  }
}

// Whether sentences are translated by themselves. Attention and alternatives
// are those of one source, and a prefix or a task may be for the whole text.
bool IsBySentences(const GenerationConfig& config,
                   const TranslateOptions& options) {
  return options.sentences && options.attention == AttentionKind::kNone &&
         !options.alternatives && options.prefix.empty() &&
         !IsLanguageInText(config, options) &&
         (config.tasks.empty() || options.task.starts_with("translation"));
}

}  // namespace

Status NeedTargetTokenizer(const ModelDescription& info) {
  if (info.encodes_target) return Status();
  return Status::Error(
      StatusCode::kInvalidArgument,
      "The model cannot turn texts of the target into tokens; "
      "convert it again, without --no-target-tokenizer, or give "
      "token ids.");
}

size_t CopyIds(std::span<const int32_t> from, std::span<int32_t> to) {
  LATIMER_DCHECK(from.size() <= to.size());
  std::copy(from.begin(), from.end(), to.begin());
  return from.size();
}

TokenizerScratch ScratchOf(const Buffers& workspace) {
  if constexpr (!kProfile.tokenizer) return {};
  constexpr size_t kBytes = kProfile.text_bytes;
  constexpr size_t kHeap = kProfile.bpe || kProfile.byte_bpe ? kBytes : 0;
  constexpr size_t kSplits = kProfile.bpe ? kProfile.bpe_unused_pieces : 0;
  constexpr size_t kLatticeOffset = Padded(kBytes);
  constexpr size_t kHeapOffset =
      kLatticeOffset + Padded((kBytes + 1) * sizeof(LatticeNode));
  constexpr size_t kSplitsOffset = kHeapOffset + Padded(kHeap * 4);
  constexpr size_t kSumsOffset = kSplitsOffset + Padded(kSplits * 2);
  constexpr size_t kSums =
      kProfile.unigram && kProfile.metaspace ? kMaxPieceBytes + 1 : 0;
  static_assert(!kProfile.tokenizer ||
                (kBytes >= kMinNormalizedBytes && kHeap <= kMaxBpeBytes &&
                 kSumsOffset + kSums * sizeof(double) <=
                     BufferBytes(kProfile, Buffer::kTokenizer)));
  auto* base = workspace.tokenizer;
  return {{reinterpret_cast<char*>(base), kBytes},
          {reinterpret_cast<LatticeNode*>(base + kLatticeOffset), kBytes + 1},
          {{reinterpret_cast<uint32_t*>(base + kHeapOffset), kHeap},
           {reinterpret_cast<uint16_t*>(base + kSplitsOffset), kSplits}},
          {reinterpret_cast<double*>(base + kSumsOffset), kSums}};
}

SentencePlace TextReader::FindSentence(std::string_view text,
                                       const TranslateOptions& options,
                                       size_t from) const {
  const SentencePlace all = {text.size(), text.size(), SentenceEnd::kText};
  if (!IsBySentences(model.info.generation, options)) return all;
  // A sentence that is longer does not fit, and only what follows it closely
  // says where one ends.
  const std::string_view near = First(text, 2 * kProfile.text_bytes);
  const size_t begin = BreakingSpaceBytes(near);
  using enum SentenceScanner::Lines;
  SentenceScanner scanner(model.info.sentence_rules,
                          options.paragraphs ? kWrapped : kKept);
  SentencePlace place;
  while (scanner.Scan(From(near, begin), /*all=*/true, &place)) {
    const size_t end = begin + place.sentence;
    size_t next = begin + place.bytes;
    next += BreakingSpaceBytes(From(text, next));
    if (next == text.size()) break;
    if (end >= from) return {end, next, place.end};
  }
  return all;
}

Result<TextPart> TextReader::Read(std::string_view text,
                                  const TranslateOptions& options,
                                  std::span<int32_t> source,
                                  size_t from) const {
  const GenerationConfig& config = model.info.generation;
  if (config.source_length > 0 && config.source_length < source.size()) {
    source = source.first(config.source_length);
  }
  TextPart part;
  part.language_code = options.language_code;
  size_t before = 0;
  if (part.language_code.empty()) {
    const std::string_view near = NearText(text);
    before = tokenizer.LanguageCodeBytes(near);
    part.language_code = Slice(near, 0, before);
  }
  SourceFrame frame;
  LATIMER_RETURN_IF_ERROR(
      WriteBefore(*this, part.language_code, options, source, &frame));
  std::string_view body = From(text, before);
  SentencePlace place =
      FindSentence(body, options, from - std::min(from, before));
  // A text of more than text_bytes cannot fit. Tokenizing it whole for each of
  // its parts would take quadratic time.
  const bool is_long = place.sentence > kProfile.text_bytes;
  if (is_long) {
    const size_t space = BreakingSpaceBytes(body);
    before += space;
    body = From(body, space);
    place.sentence -= space;
  }
  const std::string_view near = NearText(Slice(body, 0, place.sentence));
  if (!is_long) {
    const Result<size_t> count = WriteText(*this, frame, near, source);
    if (count.ok()) {
      part.source_count = *count;
      part.bytes = before + place.bytes;
      part.end = place.end;
      part.space =
          NearText(Slice(body, place.sentence, place.bytes - place.sentence),
                   SentenceSplitter::kMostBytes);
      EndPart(frame, config, near, source, &part);
      return part;
    }
    if (count.status().code() != StatusCode::kTextTooLong) {
      return count.status();
    }
  }
  const size_t reserved = frame.before + frame.after(config);
  const TextCut cut = tokenizer.FindCut(
      near, source.size() > reserved ? source.size() - reserved : 1, scratch);
  const Result<size_t> count =
      WriteText(*this, frame, Slice(body, 0, cut.end), source);
  if (!count.ok()) return count.status();
  const size_t next = cut.next + BreakingSpaceBytes(From(body, cut.next));
  part.source_count = *count;
  part.bytes = before + next;
  if (next > cut.end) part.space = " ";
  EndPart(frame, config, Slice(body, 0, cut.end), source, &part);
  return part;
}

Result<size_t> TextReader::ReadIds(std::string_view text,
                                   const TranslateOptions& options,
                                   std::span<int32_t> ids) const {
  const GenerationConfig& config = model.info.generation;
  constexpr size_t kLanguages = 2;
  if (ids.size() <= config.source_prefix.size() + config.source_suffix.size() +
                        kLanguages ||
      ids.size() < config.source_length) {
    return Status::Error(StatusCode::kTextTooLong,
                         "There is no room for any id.");
  }
  const size_t before = tokenizer.LanguageCodeBytes(NearText(text));
  SourceFrame frame;
  LATIMER_RETURN_IF_ERROR(
      WriteBefore(*this, Slice(text, 0, before), options, ids, &frame));
  frame.has_code = true;
  const Result<size_t> count = WriteText(*this, frame, From(text, before), ids);
  return count.ok() ? PadSource(config, *count, ids) : count;
}

Result<std::span<int32_t>> TextReader::ReadTargetPrefix(
    const TranslateOptions& options, std::span<int32_t> room,
    bool source_comes) const {
  size_t count = options.target_prefix_ids.size();
  if (count == 0 && options.target_prefix.empty()) return std::span<int32_t>();
  // A source needs room for itself and what the model puts around it.
  const GenerationConfig& config = model.info.generation;
  const size_t added =
      config.source_prefix.size() + config.source_suffix.size() + 2;
  const size_t kept = !source_comes ? 0
                      : config.source_length > 0
                          ? config.source_length
                          : std::max(room.size() / 2, added);
  const std::span<int32_t> ids = room.subspan(std::min(kept, room.size()));
  const auto too_long = [&] {
    if (source_comes && config.source_length > 0) {
      return Status::Error(
          StatusCode::kInvalidArgument,
          "The target prefix has more than the %zu tokens that there is room "
          "for beside the %u to which the model pads each source; convert it "
          "with a larger max_source_tokens.",
          ids.empty() ? 0 : ids.size() - 1,
          static_cast<unsigned>(config.source_length));
    }
    return Status::Error(StatusCode::kInvalidArgument,
                         "The target prefix has more than the %zu tokens that "
                         "there is room for.",
                         ids.empty() ? 0 : ids.size() - 1);
  };
  if (count > 0) {
    if (count >= ids.size()) return too_long();
    for (const int32_t id : options.target_prefix_ids) {
      LATIMER_RETURN_IF_ERROR(CheckTargetId(
          "Prefix", id, model.info.architecture.target_vocabulary));
    }
    CopyIds(options.target_prefix_ids, ids);
  } else {
    LATIMER_RETURN_IF_ERROR(NeedTargetTokenizer(model.info));
    const Result<size_t> encoded =
        target_tokenizer.Encode(options.target_prefix, scratch, ids);
    if (!encoded.ok() || *encoded >= ids.size()) return too_long();
    count = *encoded;
    if (HasUnknown(model, ids.first(count))) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "The target prefix has a character that the model "
                           "cannot write.");
    }
  }
  if (count == 0) return std::span<int32_t>();
  // Ids may be a whole translation, with its end.
  const bool may_end = !options.target_prefix_ids.empty();
  if (std::ranges::count(ids.first(count - (may_end ? 1 : 0)), config.eos) >
      0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The target prefix has the token that ends a "
                         "translation (id %d).",
                         static_cast<int>(config.eos));
  }
  const std::span<int32_t> last = ids.last(count);
  std::memmove(last.data(), ids.data(), count * sizeof(int32_t));
  return ids.last(count + 1);
}

}  // namespace latimer
