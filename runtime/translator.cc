// How a sentence is translated: Begin turns a request into a Sentence
// (text_reader.cc, request.cc), each Advance runs one step of all sentences
// (search/step.cc), and Finish returns the text of one that is done. Translate
// loops over the parts of a text.
#include "latimer/translator.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "base/check.h"
#include "base/clock.h"
#include "base/off_stack.h"
#include "latimer/streams.h"
#include "model/errors.h"
#include "model/generation.h"
#include "phrases/kept_text.h"
#include "phrases/source_phrases.h"
#include "request.h"
#include "search/step.h"
#include "text/slice.h"
#include "text/utf8.h"
#include "translator_state.h"

namespace latimer {
namespace {

constexpr size_t kStateBytes = Elements(Buffer::kState, 1);

Status TooSmall(uint64_t bytes, uint64_t needed) {
  return Status::Error(
      StatusCode::kInvalidArgument,
      "The workspace has %llu bytes, but this model needs at least %llu in "
      "this build; reserve what PlanWorkspace says, in C "
      "latimer_plan_workspace, and compile the caller with profile \"%s\" of "
      "the library.",
      static_cast<unsigned long long>(bytes),
      static_cast<unsigned long long>(needed), kProfile.name);
}

Status ExceedsBuffer(std::span<const char> text) {
  return Status::Error(StatusCode::kTextTooLong,
                       "The text exceeds the buffer of %zu bytes.",
                       text.size());
}

// The mean of the scores of some tokens.
class MeanScore {
 public:
  void Add(std::span<const TokenScore> scores) {
    float sum = 0;
    for (const TokenScore& score : scores) sum += score.log_probability;
    sum_ += sum;
    tokens_ += scores.size();
  }
  std::optional<float> value() const {
    if (tokens_ == 0) return std::nullopt;
    return sum_ / static_cast<float>(tokens_);
  }

 private:
  float sum_ = 0;
  size_t tokens_ = 0;
};

}  // namespace

Translator::~Translator() {
  if (state_ != nullptr) state_->~State();
}

Status Translator::Load(std::span<const std::byte> image, Workspace* workspace,
                        const LoadOptions& options, size_t workspace_bytes) {
  if (workspace == nullptr) workspace_bytes = 0;
  return Load(image, {reinterpret_cast<std::byte*>(workspace), workspace_bytes},
              options);
}

Status Translator::Load(std::span<const std::byte> image,
                        std::span<std::byte> workspace,
                        const LoadOptions& options) {
  if (state_ != nullptr) state_->Reset();
  if (reinterpret_cast<uintptr_t>(workspace.data()) % alignof(Workspace) != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The workspace must start at a multiple of %u.",
                         static_cast<unsigned>(alignof(Workspace)));
  }
  // What is beyond a whole workspace is not used. The state comes last.
  workspace = workspace.first(
      std::min(workspace.size() / alignof(Workspace) * alignof(Workspace),
               sizeof(Workspace)));
  static_assert(sizeof(State) <= kStateBytes);
  static_assert(alignof(State) <= alignof(Workspace));
  if (workspace.size() < kStateBytes) {
    return TooSmall(workspace.size(), kStateBytes);
  }
  LoadOptions unchecked = options;
  if (state_ != nullptr) {
    // With less, the new model could overwrite the old one's state.
    if (workspace.size() >= 3 * kStateBytes) {
      LATIMER_RETURN_IF_ERROR(state_->CheckOther(image, workspace, options));
      unchecked.verify_checksum = false;
    }
    state_->~State();
    state_ = nullptr;
  }
  auto* state = new (workspace.last(kStateBytes).data()) State;
  Status status = state->Prepare(image, workspace, unchecked);
  if (status.ok()) {
    status = state->engine.threads.Start(options.threads, options.pin_threads);
  }
  if (status.ok()) {
    state_ = state;
  } else {
    state->~State();
  }
  return status;
}

Status Translator::State::CheckOther(std::span<const std::byte> image,
                                     std::span<std::byte> workspace,
                                     const LoadOptions& options) const {
  // Between translations, only a state holds anything.
  const auto* const loaded = reinterpret_cast<const std::byte*>(this);
  std::span<std::byte> free = workspace.first(kStateBytes);
  if (free.data() < loaded + kStateBytes &&
      loaded < free.data() + kStateBytes) {
    free = workspace.last(kStateBytes);
  }
  auto* const state = new (free.data()) State;
  const Status status = state->Prepare(image, workspace, options);
  state->~State();
  return status;
}

void Translator::State::Reset() {
  scheduler.Reset(MakeCachePools(engine.architecture(), buffers), buffers);
  finished = {};
}

Status Translator::State::Prepare(std::span<const std::byte> image,
                                  std::span<std::byte> workspace,
                                  const LoadOptions& options) {
  LATIMER_RETURN_IF_ERROR(LoadEngine(image, options, &engine));
  const Architecture& a = engine.architecture();
  if constexpr (kProfile.int8_cross_kv) {
    if (!SizesFor(model(), options).int8_cross_kv) {
      return LeftOut(" keeps", "its source as floats");
    }
  }
  LATIMER_RETURN_IF_ERROR(PlaceBuffers(workspace, options));
  if constexpr (kProfile.speech()) {
    buffers.window = &window;
    if (a.reads_speech()) {
      buffers.most_source_tokens = buffers.most_speech_positions;
    }
  }
  Reset();
  if (model().has_tokenizer) {
    folding_tokenizer = Tokenizer(engine.model.tokenizer);
    tokenizer = Tokenizer(engine.model.tokenizer.WithoutFolds());
  }
  target_tokenizer = Tokenizer(engine.model.target_tokenizer);
  max_source_tokens = std::min(buffers.most_source_tokens, a.source_positions);
  max_target_tokens = std::min(buffers.most_target_tokens, a.target_positions);
  const GenerationConfig& config = model().generation;
  const size_t added = config.source_prefix.size() +
                       config.source_suffix.size() +
                       (config.languages.empty() ? 0 : 2);
  if (config.source_length > max_source_tokens) {
    return ExceedsProfile("fixed source length", config.source_length,
                          max_source_tokens);
  }
  if (added < max_source_tokens) return Status();
  return Status::Error(
      StatusCode::kExceedsProfile,
      "The model puts %u tokens around every text, but profile \"%s\" of this "
      "build has room for %u in all; build with another profile.",
      static_cast<unsigned>(added), kProfile.name,
      static_cast<unsigned>(max_source_tokens));
}

Status Translator::State::PlaceBuffers(std::span<std::byte> workspace,
                                       const LoadOptions& options) {
  uint32_t lanes = options.lanes.value_or(kProfile.lanes);
  if (lanes == 0 || lanes > kProfile.lanes) {
    return Status::Error(
        StatusCode::kInvalidArgument, "lanes %u: this build takes 1 to %u.",
        static_cast<unsigned>(lanes), static_cast<unsigned>(kProfile.lanes));
  }
  // A whole workspace is a struct Workspace, whatever the model.
  if (workspace.size() == sizeof(Workspace)) {
    buffers = Buffers(*reinterpret_cast<Workspace*>(workspace.data()));
    buffers.lanes = lanes;
    return Status();
  }
  LoadOptions all = options;
  for (;; --lanes) {
    all.lanes = lanes;
    const Profile sizes = SizesFor(model(), all);
    const uint64_t needed = BytesFor(sizes);
    if (needed <= workspace.size()) {
      buffers = Buffers(sizes, workspace);
      buffers.lanes = lanes;
      return Status();
    }
    if (options.lanes || lanes <= sizes.beams) {
      return TooSmall(workspace.size(), needed);
    }
  }
}

Status Translator::State::CheckIdle() const {
  if (scheduler.under_way() == 0) return Status();
  return Status::Error(StatusCode::kFailedPrecondition,
                       "%u sentences are under way; call Advance until they "
                       "have finished.",
                       static_cast<unsigned>(scheduler.under_way()));
}

Result<Sentence*> Translator::State::TakeLane(const TranslateOptions& options) {
  if (options.attention != AttentionKind::kNone) {
    LATIMER_RETURN_IF_ERROR(CheckIdle());
  }
  if (scheduler.CanBegin()) return scheduler.FreeLane();
  return Status::Error(StatusCode::kFailedPrecondition,
                       "%u sentences are under way, and no more may begin now; "
                       "call Advance until one has finished.",
                       static_cast<unsigned>(scheduler.under_way()));
}

Status Translator::State::PrepareAlignment(Sentence& sentence,
                                           const TranslateOptions& options,
                                           bool needs) {
  sentence.aligned = nullptr;
  sentence.returns_links = options.alignment;
  if (!options.alignment && !needs) return Status();
  if (!kProfile.alignment || buffers.aligned == nullptr) {
    if (!options.alignment) return Status();
    return NoRoomFor("alignments", kProfile.alignment, "alignment");
  }
  sentence.aligned = buffers.aligned + sentence.lane * max_target_tokens;
  std::fill_n(sentence.aligned, max_target_tokens, kNotAligned);
  return Status();
}

// The bytes of the text that each source token stands for.
LATIMER_OFF_STACK void Translator::State::FindSourceRanges(
    const Sentence& sentence, std::span<TextRange> out) const {
  TextRange ranges[StandIns::kMost] = {};
  size_t count = 0;
  const PhraseList& phrases = sentence.options.phrases;
  Phrase phrase;
  size_t at = 0;
  while (kProfile.phrases && phrases.Next(&at, &phrase)) {
    if (phrase.stand_in < 0) continue;
    count = static_cast<size_t>(phrase.stand_in) + 1;
    ranges[count - 1] = {phrase.source_begin, phrase.source_end};
  }
  tokenizer_for(sentence.folds)
      .With({.text = sentence.text,
             .ranges = {ranges, count},
             .letter = phrases.stand_in_letter})
      .FindRanges(sentence.text, ScratchOf(buffers), out);
}

// The sources of a sentence's links, and of ids the targets, too.
void Translator::State::Align(const Sentence& sentence,
                              std::span<TokenLink> links) {
  if (!sentence.is_text) {
    for (uint32_t i = 0; i < links.size(); ++i) {
      const uint32_t token = sentence.aligned[i];
      links[i] = {.target = {i, i + 1}, .source = {}};
      if (token != kNotAligned) links[i].source = {token, token + 1};
    }
    return;
  }
  const std::span<TextRange> sources =
      buffers.source_ranges.first(sentence.text_end - sentence.text_begin);
  FindSourceRanges(sentence, sources);
  // Of source tokens [begin, end).
  const auto range = [&](size_t begin, size_t end) -> TextRange {
    return {sentence.text_offset + sources[begin - sentence.text_begin].begin,
            sentence.text_offset + sources[end - 1 - sentence.text_begin].end};
  };
  for (size_t i = 0; i < links.size(); ++i) {
    const size_t token = sentence.aligned[i];
    links[i].source = {};
    if (token != kNotAligned) links[i].source = range(token, token + 1);
  }
}

Status Translator::State::Prepare(Sentence& sentence,
                                  const TranslateOptions& options,
                                  const SearchRequest& request) {
  LATIMER_RETURN_IF_ERROR(ResolveOptions(
      engine.model, options, request,
      {max_target_tokens, buffers.beams, scheduler.cached_tokens()},
      &sentence.options));
  if (options.scores && buffers.scores == nullptr) {
    return NoRoomFor("token scores", kProfile.scores, "scores");
  }
  sentence.source_count = request.source.size();
  sentence.is_text = request.is_text;
  LATIMER_RETURN_IF_ERROR(PrepareAlignment(
      sentence, options,
      kProfile.phrases && sentence.options.phrases.keeps_text()));
  sentence.attention = options.attention;
  sentence.records_scores = options.scores;
  // Starts with the pass that records it; here it is only checked.
  LATIMER_RETURN_IF_ERROR(
      AttentionTrace().Start(engine.architecture(), options.attention,
                             request.source.size(), buffers.attention));
  sentence.trace.times = times;
  scheduler.Queue(sentence);
  return Status();
}

LATIMER_OFF_STACK static Status ReadWithoutPhrases(const TextReader& reader,
                                                   const TextCursor& cursor,
                                                   std::span<int32_t> ids,
                                                   TextPart* out) {
  const Result<TextPart> part =
      reader.Read(cursor.rest(), cursor.options(), ids);
  if (!part.ok()) return part.status();
  *out = *part;
  return Status();
}

LATIMER_OFF_STACK Status Translator::State::TakeLaneOfText(
    const TranslateOptions& options, Sentence** sentence,
    std::span<int32_t>* prefix) {
  const Result<Sentence*> lane = TakeLane(options);
  if (!lane.ok()) return lane.status();
  *sentence = *lane;
  // The prefix lies behind the source.
  const Result<std::span<int32_t>> read = reader().ReadTargetPrefix(
      options, {(*lane)->source, max_source_tokens}, /*source_comes=*/true);
  if (read.ok()) *prefix = *read;
  return read.status();
}

Status Translator::State::PrepareText(TextCursor& cursor, uint64_t ticket,
                                      TextPart* out) {
  if (model().reads_speech) return ReadsSpeech();
  if (!CanTokenize()) return NoTokenizer();
  const TranslateOptions& options = cursor.options();
  Sentence* lane = nullptr;
  std::span<int32_t> prefix;
  LATIMER_RETURN_IF_ERROR(TakeLaneOfText(options, &lane, &prefix));
  Sentence& sentence = *lane;
  const std::span<int32_t> free = {sentence.source,
                                   max_source_tokens - prefix.size()};
  TextPart part;
  PhraseList phrases;
  const bool wants_phrases = WantsPhrases(options);
  if (wants_phrases && !kProfile.phrases) {
    return NoRoomFor("terms and protected spans", false, "phrases");
  }
  if (!wants_phrases) {
    LATIMER_RETURN_IF_ERROR(
        ReadWithoutPhrases(reader(options.fold), cursor, free, &part));
  }
  if (kProfile.phrases &&
      (wants_phrases || KeepsUnknown(reader(options.fold), options, part,
                                     free.first(part.source_count)))) {
    const Status status = ReadWithPhrases(
        reader(options.fold), cursor, max_target_tokens, free, &part, &phrases);
    if (!status.ok()) {
      if (wants_phrases) return status;
      phrases = {};  // A source of a few tokens has no room even for one.
      LATIMER_RETURN_IF_ERROR(
          ReadWithoutPhrases(reader(options.fold), cursor, free, &part));
    }
  }
  sentence.is_copy =
      part.source_count > 0 &&
      IsKeptWhole(reader(options.fold), options, part.words, phrases);
  if (sentence.is_copy) part.source_count = 0;
  sentence.ticket = ticket;
  sentence.text = part.words;
  sentence.text_ends = part.end;
  sentence.space = part.space;
  sentence.folds = options.fold;
  sentence.text_offset =
      static_cast<uint32_t>(part.words.data() - cursor.rest().data());
  sentence.text_begin = static_cast<uint32_t>(part.words_begin);
  sentence.text_end = static_cast<uint32_t>(part.words_end);
  LATIMER_RETURN_IF_ERROR(Prepare(sentence, options,
                                  {.source = free.first(part.source_count),
                                   .is_text = true,
                                   .target_prefix = prefix,
                                   .phrases = phrases,
                                   .deadline = cursor.deadline()}));
  cursor.Take(part.bytes, !part.space.empty(), part.end == SentenceEnd::kCut,
              part.language_code, part.protected_bytes);
  if (out != nullptr) *out = part;
  return Status();
}

Sentence& Translator::State::RunUntilDone() {
  Sentence* done;
  while ((done = scheduler.NextFinished()) == nullptr) {
    StepSentences(engine, scheduler, buffers);
  }
  return *done;
}

Result<size_t> Translator::State::WriteTarget(std::span<const int32_t> ids,
                                              const PhraseList& phrases,
                                              const KeptSource& source,
                                              std::span<char> text,
                                              LinkList* links) const {
  if (kProfile.phrases && !phrases.empty()) {
    return WriteKeptText(reader(), phrases, ids, source, text, links);
  }
  const Result<size_t> bytes = tokenizer.Decode(ids, text);
  if (bytes.ok() && links->count > 0) {
    tokenizer.FindTargets(ids, text, links->all());
  }
  return bytes;
}

// The text of a sentence as it is, without white space at its ends.
Result<size_t> Translator::State::CopyText(const Sentence& sentence,
                                           std::span<char> text) const {
  std::string_view words =
      From(sentence.text, LeadingSpaceBytes(sentence.text));
  words.remove_suffix(TrailingSpaceBytes(words));
  if (words.size() > text.size()) {
    return ExceedsBuffer(text);
  }
  std::copy(words.begin(), words.end(), text.begin());
  return words.size();
}

Status Translator::State::Finish(Sentence& sentence, std::span<char> text,
                                 Translation* out) {
  *out = {};
  out->source = sentence.source_ids();
  out->tokens = sentence.target_ids();
  out->stop_reason = sentence.stop_reason;
  out->generated_tokens = sentence.generated;
  scheduler.Release(sentence);
  LinkList links;
  if (sentence.aligns() && !out->tokens.empty()) {
    links = {buffers.links, out->tokens.size()};
    Align(sentence, links.all());
  }
  const PhraseList& phrases = sentence.options.phrases;
  if (sentence.is_text &&
      (sentence.is_copy || !out->tokens.empty() || !phrases.empty())) {
    const Result<size_t> bytes =
        sentence.is_copy
            ? CopyText(sentence, text)
            : WriteTarget(out->tokens, phrases,
                          {sentence.text, sentence.text_offset}, text, &links);
    if (!bytes.ok()) return bytes.status();
    out->text = {text.data(), *bytes};
  }
  if (sentence.is_text) {
    out->space = SpaceAfter(out->text, sentence.space, sentence.text_ends);
  }
  if (kProfile.beams > 1 && sentence.options.beams > 1 &&
      !out->tokens.empty()) {
    out->hypotheses = sentence.beams.hypotheses();
  }
  finished = {sentence.is_text, out->tokens, out->hypotheses, phrases,
              out->text};
  if (out->tokens.empty()) return Status();
  LATIMER_RETURN_IF_ERROR(sentence.trace.attention.End(&out->attention));
  // A loop has more rows than tokens that are kept.
  if (out->attention.kind != AttentionKind::kEncoder) {
    out->attention.rows = std::min(out->attention.rows, out->tokens.size());
  }
  if (sentence.scores != nullptr) {
    out->scores = {sentence.scores, out->tokens.size()};
    MeanScore mean;
    mean.Add(out->scores);
    out->mean_score = mean.value();
  }
  if (sentence.returns_links) out->links = links.all();
  return Status();
}

Status Translator::State::PrepareAlone(TextCursor& cursor, TextPart* part) {
  LATIMER_RETURN_IF_ERROR(CheckIdle());
  return PrepareText(cursor, 0, part);
}

Result<Translation> Translator::State::FinishPart(Sentence& sentence,
                                                  size_t source_bytes,
                                                  TextCursor& cursor,
                                                  std::span<char> text) {
  Translation translation;
  LATIMER_RETURN_IF_ERROR(Finish(sentence, text, &translation));
  translation.source_bytes = source_bytes;
  cursor.Finish(translation);
  return translation;
}

Result<Translation> Translator::State::TranslateNext(TextCursor& cursor,
                                                     std::span<char> text) {
  TextPart part;
  LATIMER_RETURN_IF_ERROR(PrepareAlone(cursor, &part));
  return FinishPart(RunUntilDone(), part.bytes, cursor, text);
}

Result<Translation> Translator::Translate(std::string_view text,
                                          const TranslateOptions& options) {
  if (state_ == nullptr) return NotLoaded();
  const std::span<char> whole = state_->text();
  TextCursor cursor(text, options);
  size_t length = 0;
  MeanScore mean;
  for (;;) {
    Result<Translation> part =
        state_->TranslateNext(cursor, whole.subspan(length));
    if (!part.ok()) return part;
    length += part->text.size();
    mean.Add(part->scores);
    if (cursor.done()) {
      Translation& all = *part;
      if (cursor.parts() > 1) {
        // What belongs to one part would be that of the last.
        all = {};
        state_->finished = {};
      }
      all.text = {whole.data(), length};
      all.stop_reason = cursor.stop_reason();
      all.generated_tokens = cursor.generated_tokens();
      all.mean_score = mean.value();
      all.source_bytes = cursor.source_bytes();
      all.parts = cursor.parts();
      return part;
    }
    if (part->space.size() > whole.size() - length) return ExceedsBuffer(whole);
    std::ranges::copy(part->space, whole.subspan(length).begin());
    length += part->space.size();
  }
}

Result<Translation> Translator::TranslateNext(TextCursor& cursor) {
  if (state_ == nullptr) return NotLoaded();
  return state_->TranslateNext(cursor, state_->text());
}

Result<Translation> Translator::TranslateIds(std::span<const int32_t> source,
                                             const TranslateOptions& options) {
  if (state_ == nullptr) return NotLoaded();
  LATIMER_RETURN_IF_ERROR(state_->CheckIdle());
  LATIMER_RETURN_IF_ERROR(BeginIds(source, options, 0));
  Translation translation;
  LATIMER_RETURN_IF_ERROR(
      state_->Finish(state_->RunUntilDone(), {}, &translation));
  return translation;
}

Status Translator::Begin(TextCursor& cursor, uint64_t ticket) {
  if (state_ == nullptr) return NotLoaded();
  return state_->PrepareText(cursor, ticket, nullptr);
}

Status Translator::BeginIds(std::span<const int32_t> source,
                            const TranslateOptions& options, uint64_t ticket) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  const GenerationConfig& config = state.model().generation;
  if (state.model().reads_speech && state.window.positions == 0) {
    return ReadsSpeech();
  }
  if (source.empty() || source.size() > max_source_tokens()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%llu source ids given, but this model and build take "
                         "1 to %u.",
                         static_cast<unsigned long long>(source.size()),
                         static_cast<unsigned>(max_source_tokens()));
  }
  const uint32_t vocabulary = state.model().architecture.source_vocabulary;
  for (const int32_t id : source) {
    if (id < 0 || static_cast<uint32_t>(id) >= vocabulary) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "Source id %d is outside the vocabulary of %u.",
                           static_cast<int>(id),
                           static_cast<unsigned>(vocabulary));
    }
  }
  const Result<Sentence*> lane = state.TakeLane(options);
  if (!lane.ok()) return lane.status();
  Sentence& sentence = **lane;
  sentence.ticket = ticket;
  sentence.text_begin = 0;
  sentence.text_end = static_cast<uint32_t>(source.size());
  sentence.is_copy = false;
  // The ids may be those of an earlier result, which views the workspace.
  std::memmove(sentence.source, source.data(), source.size_bytes());
  const std::span<int32_t> room = {sentence.source,
                                   state.buffers.most_source_tokens};
  const size_t count = PadSource(config, source.size(), room);
  // Of speech, ids are only counted, so the prefix may take their place.
  const size_t kept = state.model().reads_speech ? 0 : count;
  const Result<std::span<int32_t>> prefix = state.reader().ReadTargetPrefix(
      options, room.subspan(kept), /*source_comes=*/false);
  if (!prefix.ok()) return prefix.status();
  return state.Prepare(sentence, options,
                       {.source = room.first(count),
                        .target_prefix = *prefix,
                        .deadline = DeadlineAfter(options.budget_ms)});
}

bool Translator::Advance(FinishedTranslation* out) {
  if (under_way() == 0) return false;
  State& state = *state_;
  Sentence* done = state.scheduler.NextFinished();
  if (done == nullptr) {
    StepSentences(state.engine, state.scheduler, state.buffers);
    done = state.scheduler.NextFinished();
  }
  if (done == nullptr) return false;
  *out = {};
  out->ticket = done->ticket;
  out->status = state.Finish(*done, state.text(), &out->translation);
  return true;
}

bool Translator::CanBegin() const {
  return state_ != nullptr && state_->scheduler.CanBegin();
}

size_t Translator::under_way() const {
  return state_ == nullptr ? 0 : state_->scheduler.under_way();
}

}  // namespace latimer
