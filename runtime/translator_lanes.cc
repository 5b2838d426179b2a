#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/clock.h"
#include "text/slice.h"
#include "text/utf8.h"
#include "transformer/capture.h"
#include "translate_rules.h"
#include "translator_state.h"

namespace latimer {
namespace {

// 0: none.
uint64_t DeadlineOf(const TranslateOptions& options) {
  if (options.budget_ms == 0) return 0;
  return MonotonicNanoseconds() + options.budget_ms * kNanosecondsPerMs;
}

// Leaves to the parts that follow what `tokens` and the time have left of a
// budget; false: nothing.
bool SpendBudget(size_t tokens, uint64_t deadline, TranslateOptions* options) {
  if (options->budget_tokens > 0) {
    if (tokens >= options->budget_tokens) return false;
    options->budget_tokens -= static_cast<uint32_t>(tokens);
  }
  if (deadline == 0) return true;
  const uint64_t now = MonotonicNanoseconds();
  if (now >= deadline) return false;
  options->budget_ms = static_cast<uint32_t>(
      (deadline - now + kNanosecondsPerMs - 1) / kNanosecondsPerMs);
  return true;
}

}  // namespace

Result<Translator::State::Frame> Translator::State::BeginSource(
    std::string_view code, const TranslateOptions& options, int32_t* source) {
  const GenerationConfig& rules = info().generation;
  Frame frame = {.before = 0, .has_code = !code.empty(), .language = -1};
  if (!rules.languages.empty()) {
    LATIMER_RETURN_IF_ERROR(NeedLanguages(rules, options));
  }
  if (rules.source_language != SourceLanguage::kNone) {
    const Result<int32_t> found =
        FindLanguage(rules, "source", options.source_language);
    if (!found.ok()) return found.status();
    frame.language = *found;
  }
  const Result<const Task*> task = FindTask(rules, options.task);
  if (!task.ok()) return task.status();
  std::string_view prefix = options.prefix.empty() && *task != nullptr
                                ? std::string_view((*task)->prefix)
                                : options.prefix;
  LATIMER_RETURN_IF_ERROR(CheckPrefix(context.model.tokenizer, &prefix));

  const std::span<int32_t> ids(source, max_source_tokens - frame.after(rules));
  frame.before = CopyIds(rules.source_prefix, ids);
  if (frame.language >= 0 &&
      rules.source_language == SourceLanguage::kBeforeText) {
    ids[frame.before++] = frame.language;
  }
  for (const std::string_view part : {code, prefix}) {
    if (part.empty()) continue;
    const Result<size_t> added = tokenizer.Encode(part, ScratchOf(workspace()),
                                                  ids.subspan(frame.before));
    if (!added.ok()) return added.status();
    frame.before += *added;
  }
  return frame;
}

Result<size_t> Translator::State::EncodeSource(const Frame& frame,
                                               std::string_view text,
                                               int32_t* source) {
  const GenerationConfig& rules = info().generation;
  const std::span<int32_t> ids(source, max_source_tokens);
  size_t count = frame.before;
  if (!text.empty()) {
    const size_t room = ids.size() - frame.after(rules) - count;
    const Result<size_t> added = tokenizer.Encode(text, ScratchOf(workspace()),
                                                  ids.subspan(count, room));
    if (!added.ok()) return added;
    count += *added;
  }
  if (count == frame.before && !frame.has_code) return 0;
  count += CopyIds(rules.source_suffix, ids.subspan(count));
  if (frame.after(rules) > rules.source_suffix.size()) {
    ids[count++] = frame.language;
  }
  return count;
}

bool Translator::State::CanBegin() const {
  return !exclusive && search.under_way() < kProfile.lanes;
}

Status Translator::State::CheckIdle() const {
  if (search.under_way() == 0) return Status();
  return Status::Error(StatusCode::kFailedPrecondition,
                       "%u sentences are under way; call Advance until they "
                       "have finished.",
                       static_cast<unsigned>(search.under_way()));
}

Result<Lane*> Translator::State::TakeLane(const TranslateOptions& options) {
  if (options.attention != AttentionKind::kNone || options.scores) {
    LATIMER_RETURN_IF_ERROR(CheckIdle());
  }
  if (CanBegin()) return search.FreeLane();
  return Status::Error(StatusCode::kFailedPrecondition,
                       "%u sentences are under way, and no more may begin now; "
                       "call Advance until one has finished.",
                       static_cast<unsigned>(search.under_way()));
}

Status Translator::State::BeginLane(Lane& lane, size_t source_tokens,
                                    const TranslateOptions& options,
                                    const Begun& of) {
  SearchRules rules;
  LATIMER_RETURN_IF_ERROR(
      ResolveRules(info(), options, max_target_tokens, &rules));
  if (options.scores && !kProfile.token_scores) {
    return Status::Error(StatusCode::kFailedPrecondition,
                         "Profile \"%s\" of this build keeps no token scores; "
                         "write the profile with latimer-convert --insight.",
                         kProfile.name);
  }
  if (of.is_text && options.guards) {
    GuardText({lane.source(context), source_tokens}, &rules);
  }
  rules.deadline = of.deadline;
  LATIMER_RETURN_IF_ERROR(
      BeginCapture(context, options.attention, source_tokens));
  exclusive = options.attention != AttentionKind::kNone || options.scores;
  begun[lane.number] = of;
  search.Begin(lane, source_tokens, rules);
  return Status();
}

void Translator::State::Finish(Lane& lane, FinishedTranslation* out) {
  *out = FinishedTranslation{};
  out->ticket = begun[lane.number].ticket;
  Translation& result = out->translation;
  result.source = {lane.source(context), lane.source_tokens};
  result.tokens = {lane.target(context), lane.count};
  result.stop_reason = lane.stop_reason;
  result.generated_tokens = lane.generated;
  if (lane.count > 0) {
    out->status = EndCapture(context, &result.attention);
    // Of a loop more tokens were made than are left.
    if (result.attention.kind != AttentionKind::kEncoder) {
      result.attention.rows = std::min(result.attention.rows, lane.count);
    }
    if (lane.rules.scores) {
      result.scores = {workspace().token_scores, lane.count};
    }
  }
  exclusive = false;
  search.Free(lane);
  if (!out->status.ok() || !begun[lane.number].is_text || lane.count == 0) {
    return;
  }
  const std::span<char> text(workspace().text, kProfile.text_bytes);
  const Result<size_t> bytes = tokenizer.Decode(result.tokens, text);
  out->status = bytes.status();
  if (bytes.ok()) result.text = {text.data(), *bytes};
}

Result<Translation> Translator::State::FinishOnly() {
  Lane* done;
  while ((done = search.Done()) == nullptr) search.Step(context);
  FinishedTranslation finished;
  Finish(*done, &finished);
  if (!finished.status.ok()) return finished.status;
  return finished.translation;
}

namespace {

// Bytes of `text` that are read for one part, up to the end of a character.
size_t Window(std::string_view text) {
  size_t bytes = kProfile.text_bytes;
  if (text.size() <= bytes) return text.size();
  for (int i = 0; i < 3 && LastChar(Slice(text, 0, bytes)).bytes == 0; ++i) {
    --bytes;
  }
  return bytes;
}

// White space that `text` begins with, where a line may be broken.
size_t BreakingSpaceBytes(std::string_view text) {
  size_t bytes = 0;
  for (;;) {
    const Utf8Char c = FirstChar(From(text, bytes));
    if (c.bytes == 0 || !IsBreakingSpace(c.code_point)) return bytes;
    bytes += c.bytes;
  }
}

}  // namespace

Result<Translation> Translator::BeginPart(std::string_view text,
                                          const TranslateOptions& options,
                                          uint64_t ticket) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  const uint64_t deadline = DeadlineOf(options);
  std::string_view code = options.language_code;
  const bool own_code = code.empty();
  if (own_code) code = Slice(text, 0, Window(text));
  if (own_code) code = Slice(code, 0, state.tokenizer.LanguageCodeBytes(code));
  size_t before = own_code ? code.size() : 0;
  // What is longer cannot fit, and is not looked at for each part of a text.
  const bool is_long = text.size() - before > kProfile.text_bytes;
  if (is_long) before += BreakingSpaceBytes(From(text, before));
  const std::string_view body = From(text, before);
  const std::string_view near = Slice(body, 0, Window(body));

  const Result<Lane*> taken = state.TakeLane(options);
  if (!taken.ok()) return taken.status();
  Lane& lane = **taken;
  int32_t* ids = lane.source(state.context);
  const Result<State::Frame> frame = state.BeginSource(code, options, ids);
  if (!frame.ok()) return frame.status();
  TextCut cut = {text.size(), text.size()};
  Result<size_t> source = 0;
  if (!is_long) source = state.EncodeSource(*frame, near, ids);
  if (is_long ||
      (!source.ok() && source.status().code() == StatusCode::kTextTooLong)) {
    const size_t reserved =
        frame->before + frame->after(state.info().generation);
    cut = state.tokenizer.FindCut(near,
                                  state.max_source_tokens > reserved
                                      ? state.max_source_tokens - reserved
                                      : 1,
                                  ScratchOf(state.workspace()));
    source = state.EncodeSource(*frame, Slice(body, 0, cut.end), ids);
    cut.next += BreakingSpaceBytes(From(body, cut.next));
    cut.end += before;
    cut.next += before;
  }
  if (!source.ok()) return source.status();

  LATIMER_RETURN_IF_ERROR(
      state.BeginLane(lane, *source, options, {ticket, deadline, true}));
  Translation result;
  result.source = {ids, *source};
  result.source_bytes = cut.next;
  result.space_follows = cut.next > cut.end;
  result.language_code = code;
  return result;
}

Status Translator::BeginIds(std::span<const int32_t> source,
                            const TranslateOptions& options, uint64_t ticket) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (source.empty() || source.size() > state.max_source_tokens) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%llu source ids given, but this model and build take "
                         "1 to %u.",
                         static_cast<unsigned long long>(source.size()),
                         static_cast<unsigned>(state.max_source_tokens));
  }
  const uint32_t vocabulary = state.info().architecture.source_vocabulary;
  for (const int32_t id : source) {
    if (id < 0 || static_cast<uint32_t>(id) >= vocabulary) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "Source id %d is outside the vocabulary of %u.",
                           static_cast<int>(id),
                           static_cast<unsigned>(vocabulary));
    }
  }
  const Result<Lane*> lane = state.TakeLane(options);
  if (!lane.ok()) return lane.status();
  std::memmove((*lane)->source(state.context), source.data(),
               source.size_bytes());
  return state.BeginLane(**lane, source.size(), options,
                         {ticket, DeadlineOf(options), false});
}

bool Translator::Advance(FinishedTranslation* out) {
  if (state_ == nullptr || state_->search.under_way() == 0) return false;
  State& state = *state_;
  Lane* done = state.search.Done();
  if (done == nullptr) {
    state.search.Step(state.context);
    done = state.search.Done();
  }
  if (done != nullptr) state.Finish(*done, out);
  return done != nullptr;
}

bool Translator::CanBegin() const {
  return state_ != nullptr && state_->CanBegin();
}

size_t Translator::under_way() const {
  return state_ == nullptr ? 0 : state_->search.under_way();
}

Result<Translation> Translator::TranslatePart(std::string_view text,
                                              const TranslateOptions& options) {
  if (state_ == nullptr) return NotLoaded();
  LATIMER_RETURN_IF_ERROR(state_->CheckIdle());
  const Result<Translation> begun = BeginPart(text, options, 0);
  if (!begun.ok()) return begun;
  Result<Translation> finished = state_->FinishOnly();
  if (!finished.ok()) return finished;
  Translation result = *finished;
  result.source_bytes = begun->source_bytes;
  result.space_follows = begun->space_follows;
  result.language_code = begun->language_code;
  return result;
}

Result<Translation> Translator::TranslateIds(std::span<const int32_t> source,
                                             const TranslateOptions& options) {
  if (state_ == nullptr) return NotLoaded();
  LATIMER_RETURN_IF_ERROR(state_->CheckIdle());
  LATIMER_RETURN_IF_ERROR(BeginIds(source, options, 0));
  return state_->FinishOnly();
}

Result<Translation> Translator::Translate(std::string_view text,
                                          const TranslateOptions& options) {
  const uint64_t deadline = DeadlineOf(options);
  Result<Translation> first = TranslatePart(text, options);
  if (!first.ok() || first->source_bytes == text.size()) return first;

  // Each part is decoded to the front of workspace.text; the whole grows at
  // its end, from where it is moved to the front when all is done.
  Workspace& workspace = state_->workspace();
  char* const end = workspace.text + kProfile.text_bytes;
  char* whole = end;
  Translation part = *first;
  TranslateOptions rest = options;
  StopReason worst = StopReason::kEos;
  size_t source_bytes = 0, generated = 0;
  for (;;) {
    const size_t bytes = part.text.size();
    const size_t needed = bytes + (part.space_follows ? 1 : 0);
    if (static_cast<size_t>(whole - workspace.text) < bytes + needed) {
      return Status::Error(
          StatusCode::kTextTooLong,
          "The translation exceeds the %u bytes that profile \"%s\" of this "
          "build holds; translate it in parts (TranslatePart).",
          static_cast<unsigned>(kProfile.text_bytes), kProfile.name);
    }
    // Everything so far moves down to make room behind it.
    const size_t length = static_cast<size_t>(end - whole);
    std::memmove(whole - needed, whole, length);
    whole -= needed;
    std::memcpy(whole + length, part.text.data(), bytes);
    text.remove_prefix(part.source_bytes);
    source_bytes += part.source_bytes;
    generated += part.generated_tokens;
    worst = std::max(worst, part.stop_reason);
    if (worst < StopReason::kBudget && !text.empty() &&
        !SpendBudget(part.generated_tokens, deadline, &rest)) {
      worst = StopReason::kBudget;
    }
    if (worst >= StopReason::kBudget || text.empty()) {
      part.text = {whole, length + bytes};
      part.stop_reason = worst;
      part.source_bytes = source_bytes;
      part.generated_tokens = generated;
      return part;
    }
    if (part.space_follows) whole[length + bytes] = ' ';
    rest.language_code = part.language_code;
    const Result<Translation> next = TranslatePart(text, rest);
    if (!next.ok()) return next;
    part = *next;
  }
}

}  // namespace latimer
