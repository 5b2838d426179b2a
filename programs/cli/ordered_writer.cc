#include "cli/ordered_writer.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "cli/progress.h"
#include "latimer/number_check.h"
#include "text/utf8.h"

namespace latimer::cli {
namespace {

// No part begins while this many per lane wait to be written, or while there is
// no room for the translations of all.
constexpr size_t kWaitingPerLane = 16;
// Of the longest texts, this many may wait besides those of the lanes.
constexpr size_t kLongestWaiting = 4;

size_t MostBytesOfTranslation(uint32_t max_target_tokens) {
  return std::max<size_t>(kProfile.text_bytes, kIdBytes * max_target_tokens);
}

// What a part takes of the store: its translation, and white space.
size_t MostBytesOfPart(uint32_t max_target_tokens) {
  return MostBytesOfTranslation(max_target_tokens) +
         SentenceSplitter::kMostBytes + 2 * TextStore::kOverhead;
}

// Whether a translation may have something of its text as it is, so that the
// text must be there when it ends.
bool MayView(const TranslateOptions& options) {
  return options.sentences || options.protect || options.keep_unknown ||
         !options.protected_patterns.empty();
}

}  // namespace

OrderedWriter::OrderedWriter(std::span<Translator* const> translators,
                             Input& input, Unit unit,
                             const TranslateOptions& options, uint32_t lanes,
                             Insight& insight, const char* model)
    : translators_(translators),
      input_(input),
      unit_(unit),
      options_(options),
      lanes_(lanes),
      insight_(insight),
      model_(model),
      parts_(kWaitingPerLane * lanes * translators.size(),
             (lanes * translators.size() + kLongestWaiting) *
                 MostBytesOfPart(translators.front()->max_target_tokens())) {
  const Translator& any = *translators.front();
  ids_.reserve(any.max_source_tokens());
  // Of the texts that are under way, and the one at hand.
  for (size_t i = 0; i <= lanes * translators.size(); ++i) {
    copies_.push_back(std::make_shared<std::string>());
    copies_.back()->reserve(SentenceSplitter::kMostBytes);
  }
  text_of_ids_.reserve(kIdBytes * any.max_target_tokens());
}

const char* OrderedWriter::NameOfUnit() const {
  return unit_ == Unit::kSentence ? "the sentence at line" : "line";
}

// Takes the next text of the input. Returns false if there is none, or none
// yet.
bool OrderedWriter::TakeText(bool wait) {
  if (text_state_ == TextState::kNoMore) return false;
  switch (input_.Next(wait, &text_)) {
    case Input::Got::kNothingYet:
      return false;
    case Input::Got::kEnd:
      text_state_ = TextState::kNoMore;
      return false;
    case Input::Got::kText:
      text_state_ = TextState::kBeginning;
      break;
  }
  TranslateOptions options = options_;
  options.sentences = options.sentences && unit_ == Unit::kLine;
  if (!text_.language_code.empty()) {
    options.language_code = text_.language_code;
  }
  ++texts_taken_;
  options.sampling.stream = texts_taken_;
  kept_text_ = nullptr;
  if (ShowsTexts() || (unit_ != Unit::kIds && MayView(options))) {
    kept_text_ = CopyOfText();
  }
  cursor_.emplace(kept_text_ != nullptr ? *kept_text_ : text_.text, options);
  return true;
}

// Whether texts are needed when their translations are written.
bool OrderedWriter::ShowsTexts() const {
  return options_.alignment || insight_.checks_numbers() ||
         (insight_.writes_json() && unit_ == Unit::kSentence);
}

// A copy of the text at hand: in memory that no text uses any more, if there is
// some.
std::shared_ptr<const std::string> OrderedWriter::CopyOfText() {
  for (const std::shared_ptr<std::string>& free : copies_) {
    if (free.use_count() > 1) continue;
    free->assign(text_.text);
    return free;
  }
  return std::make_shared<const std::string>(text_.text);
}

// What decides the translation of the text at hand: the options are the same
// for all texts, but for the language code of a sentence.
std::string OrderedWriter::CacheKey() const {
  std::string key(text_.language_code);
  key += '\0';
  return key += text_.text;
}

// Takes the translation of the text at hand from those that were kept; this is
// then its only part. Returns false if it is not there; then its first part has
// a key to keep it by.
bool OrderedWriter::TakeKept(OutputPart& part) {
  // The end of a sentence that was cut decides warnings.
  if (!cache_ || cursor_->parts() > 0 || cut_reported_ ||
      text_.end == SentenceEnd::kCut) {
    return false;
  }
  std::string key = CacheKey();
  const Kept* const kept = cache_->Find(key);
  if (kept == nullptr) {
    part.cache_key = std::move(key);
    return false;
  }
  part.state = OutputPart::State::kDone;
  part.stop_reason = kept->stop_reason;
  part.warning = kept->warning;
  part.count = kept->parts;
  part.text = kept_text_;
  parts_.Keep(kept->translation, &part.translation);
  return true;
}

// Adds a part to what is kept of its text, and after the last one keeps that.
void OrderedWriter::KeepTranslation(OutputPart& part) {
  if (!part.cache_key.empty()) {
    key_to_keep_ = std::move(part.cache_key);
    to_keep_ = {};
  }
  if (key_to_keep_.empty()) return;
  to_keep_.translation += TranslationOf(part);
  to_keep_.stop_reason = std::max(to_keep_.stop_reason, part.stop_reason);
  if (!part.ends_text) {
    to_keep_.translation += SpaceOf(part);
    return;
  }
  to_keep_.warning = part.warning;
  to_keep_.parts = part.count;
  const size_t bytes = to_keep_.translation.size();
  if (to_keep_.stop_reason < StopReason::kBudget &&
      bytes <=
          MostBytesOfTranslation(translators_.front()->max_target_tokens())) {
    cache_->Add(std::move(key_to_keep_), std::move(to_keep_), bytes);
  }
  key_to_keep_.clear();
}

// Begins one part. Returns false if none can begin now.
bool OrderedWriter::BeginPart(Translator& translator, uint32_t most,
                              bool wait) {
  const bool has_text = text_state_ == TextState::kBeginning;
  if ((has_text && !cursor_->CanBegin()) || !translator.CanBegin() ||
      translator.under_way() >= most || parts_.full() ||
      parts_.room() <
          (under_way_ + 1) * MostBytesOfPart(translator.max_target_tokens())) {
    return false;
  }
  // It may wait for input only while it owes no translation.
  if (!has_text && !TakeText(wait && parts_.empty())) return false;
  OutputPart& part = parts_.Add();
  part.text_number = texts_taken_;
  part.line = text_.line;
  part.taken = input_.taken();
  const size_t before = translator.under_way();
  if (unit_ == Unit::kIds) {
    BeginIds(translator, part);
  } else {
    BeginText(translator, part);
  }
  under_way_ += translator.under_way() - before;
  return true;
}

void OrderedWriter::BeginIds(Translator& translator, OutputPart& part) {
  const uint64_t ticket = parts_.last_ticket();
  Status status = ParseIds(text_.text, &ids_);
  if (status.ok() && ids_.empty()) {
    part.state = OutputPart::State::kDone;
  } else if (status.ok() && !TakeKept(part)) {
    status = translator.BeginIds(ids_, cursor_->options(), ticket);
  }
  EndText(part);
  if (!status.ok()) Fail(ticket, status);
}

void OrderedWriter::BeginText(Translator& translator, OutputPart& part) {
  if (text_.text.empty()) {
    part.state = OutputPart::State::kDone;
    return EndText(part);
  }
  if (TakeKept(part)) return EndText(part);
  const uint64_t ticket = parts_.last_ticket();
  const std::string_view rest = cursor_->rest();
  const Status status = translator.Begin(*cursor_, ticket);
  if (!status.ok()) return Fail(ticket, status);
  part.text = kept_text_;
  if (part.text != nullptr) {
    part.source = rest.substr(0, rest.size() - cursor_->rest().size());
  }
  part.space_follows = cursor_->space_follows();
  if (!cursor_->rest().empty()) return;
  if (text_.end == SentenceEnd::kCut && !cut_reported_ && !text_.cut_reported) {
    part.warning = OutputPart::Warning::kCut;
  } else if (cursor_->parts() > 1 && cursor_->has_cut() && !cut_reported_) {
    part.warning = OutputPart::Warning::kInParts;
    part.count = cursor_->parts();
  } else if (!IsUtf8(text_.text)) {
    part.warning = OutputPart::Warning::kNotUtf8;
  }
  EndText(part);
}

// Marks a part as the last one of the text.
void OrderedWriter::EndText(OutputPart& part) {
  part.ends_text = true;
  part.text_bytes = text_.text.size();
  parts_.Keep(text_.space, &part.space);
  part.end = text_.end;
  cut_reported_ = part.end == SentenceEnd::kCut &&
                  (cut_reported_ || part.warning != OutputPart::Warning::kNone);
  text_state_ = TextState::kNone;
}

void OrderedWriter::Fail(uint64_t ticket, const Status& status) {
  text_state_ = TextState::kNoMore;
  parts_.Fail(ticket, model_ == nullptr
                          ? status
                          : Status::Error(status.code(), "%s: %s", model_,
                                          status.message()));
}

// Of a text whose last part has not begun, nothing more is written.
void OrderedWriter::TakeNoMoreTexts() {
  const bool has_text = text_state_ == TextState::kBeginning;
  text_state_ = TextState::kNoMore;
  while (has_text && !parts_.empty() &&
         parts_.last().text_number == texts_taken_) {
    parts_.RemoveLast();
  }
}

void OrderedWriter::Finish(Translator& translator,
                           const FinishedTranslation& finished) {
  --under_way_;
  OutputPart* const found = parts_.Find(finished.ticket);
  if (found == nullptr) return;  // Nothing more of its text is written.
  if (!finished.status.ok()) return Fail(finished.ticket, finished.status);
  OutputPart& part = *found;
  const Translation& translation = finished.translation;
  part.state = OutputPart::State::kDone;
  if (unit_ == Unit::kIds) FormatIds(translation.tokens, &text_of_ids_);
  parts_.Keep(unit_ == Unit::kIds ? text_of_ids_ : translation.text,
              &part.translation);
  part.stop_reason = translation.stop_reason;
  part.insight = insight_.Take(translator, translation, part.source);
  if (!ShowsTexts()) part.text = nullptr;
  const bool is_at_hand =
      text_state_ == TextState::kBeginning && part.text_number == texts_taken_;
  if (is_at_hand) cursor_->Finish(translation);
  if (!is_at_hand || !cursor_->done()) {
    if (!part.ends_text) parts_.Keep(translation.space, &part.space);
    return;
  }
  // A budget ended the text.
  part.stop_reason = cursor_->stop_reason();
  part.warning = OutputPart::Warning::kLeft;
  part.count = cursor_->rest().size();
  EndText(part);
}

void OrderedWriter::BeginWarning(const OutputPart& part) const {
  HideProgress();
  std::fprintf(stderr, "latimer: warning: %s%s%s %llu",
               model_ == nullptr ? "" : model_, model_ == nullptr ? "" : ": ",
               NameOfUnit(), part.line);
}

void OrderedWriter::Warn(const OutputPart& part) const {
  const auto text_bytes = static_cast<unsigned long long>(part.text_bytes);
  const auto count = static_cast<unsigned long long>(part.count);
  if (part.warning != OutputPart::Warning::kNone) BeginWarning(part);
  switch (part.warning) {
    case OutputPart::Warning::kNone:
      break;
    case OutputPart::Warning::kCut:
      std::fprintf(stderr, " exceeds %zu bytes and was translated in parts.\n",
                   SentenceSplitter::kMostBytes);
      break;
    case OutputPart::Warning::kInParts:
      std::fprintf(
          stderr,
          " (%llu bytes) exceeds %u tokens and was translated in "
          "%llu parts.\n",
          text_bytes,
          static_cast<unsigned>(translators_.front()->max_source_tokens()),
          count);
      break;
    case OutputPart::Warning::kLeft:
      std::fprintf(stderr, ": %llu of its %llu bytes were left untranslated.\n",
                   count, text_bytes);
      break;
    case OutputPart::Warning::kNotUtf8:
      std::fputs(" is not UTF-8; convert the text, for example with iconv.\n",
                 stderr);
      break;
  }
}

void OrderedWriter::Report(const OutputPart& part) {
  Warn(part);
  if (worst_reason_ == StopReason::kEos) return;
  BeginWarning(part);
  std::fprintf(stderr, ": %s.\n", WhyItStopped(worst_reason_));
  worst_reason_ = StopReason::kEos;
}

// Compares the numbers of a text whose last part this is with those of its
// translation. Returns them for --json; null: they are not compared.
Json OrderedWriter::CheckNumbersOf(const OutputPart& part) {
  if (!insight_.checks_numbers()) return nullptr;
  const std::string_view text =
      part.text != nullptr ? std::string_view(*part.text) : std::string_view();
  NumberCheck check;
  CheckNumbers(text, translation_, &check);
  Json json = {{"missing", Json::array()}, {"surplus", Json::array()}};
  std::string list;
  const auto add = [&](const char* kind, const char* what, std::string_view in,
                       std::span<const TextRange> found) {
    const char* before = what;
    for (const TextRange& range : found) {
      const std::string number(in.substr(range.begin, range.size()));
      json[kind].push_back(number);
      list += before + number;
      before = ", ";
    }
  };
  add("missing", " lacks ", text, check.missing());
  if (check.missing_count > 0 && check.surplus_count > 0) list += ", and";
  add("surplus", " has more often ", translation_, check.surplus());
  if (!check.ok()) {
    BeginWarning(part);
    std::fprintf(stderr, ": the translation%s.\n", list.c_str());
  }
  return json;
}

bool OrderedWriter::WriteJson(const OutputPart& part) {
  worst_reason_ = std::max(worst_reason_, part.stop_reason);
  if (!part.ends_text) return true;
  Warn(part);
  Json place = {{"line", part.line}};
  if (unit_ == Unit::kSentence && part.text_bytes > 0) {
    place["paragraph"] = paragraph_;
    place["source"] = *part.text;
  }
  if (Json numbers = CheckNumbersOf(part); !numbers.is_null()) {
    place["numbers"] = std::move(numbers);
  }
  bool written = true;
  if (unit_ != Unit::kSentence || part.text_bytes > 0) {
    // Else there is only white space.
    WriteText(insight_.JsonLine(std::move(place),
                                unit_ == Unit::kIds ? nullptr : &translation_,
                                worst_reason_));
    written = EndLine();
    paragraph_has_text_ = true;
  }
  if (part.end == SentenceEnd::kParagraph && paragraph_has_text_) {
    ++paragraph_;
    paragraph_has_text_ = false;
  }
  translation_.clear();
  worst_reason_ = StopReason::kEos;
  return written;
}

// Writes what follows a sentence.
bool OrderedWriter::WriteSpace(const OutputPart& part) {
  const std::string_view space = parts_.View(part.space);
  const std::string_view after =
      SpaceAfter(parts_.View(part.translation), space, part.end);
  line_has_text_ = line_has_text_ || part.text_bytes > 0;
  if (after.find('\n') != after.npos) EndLineOfSentences();
  WriteText(after);
  // A reader who waits sees each paragraph when it ends.
  return CheckText(/*flush=*/space.find('\n') != space.npos);
}

PartEnd OrderedWriter::EndOf(const OutputPart& part) const {
  const std::string_view space = SpaceOf(part);
  if (!part.ends_text) {
    return {.space = space,
            .cuts_source_word = !part.space_follows,
            .cuts_target_word = space.empty()};
  }
  return {.cuts_source_word = space.empty(),
          .cuts_target_word =
              SpaceAfter(TranslationOf(part), space, part.end).empty()};
}

bool OrderedWriter::Write(OutputPart& part) {
  insight_.Add(std::move(part.insight), EndOf(part));
  if (insight_.writes_json() || insight_.checks_numbers()) {
    translation_ += TranslationOf(part);
    if (!part.ends_text) translation_ += SpaceOf(part);
  }
  if (insight_.writes_json()) return WriteJson(part);
  const bool n_best = insight_.writes_n_best();
  if (!n_best) WriteOnOneLine(parts_.View(part.translation));
  NoteReason(part);
  if (!part.ends_text) {
    if (!n_best) WriteOnOneLine(SpaceOf(part));
    return true;
  }
  Report(part);
  (void)CheckNumbersOf(part);
  translation_.clear();
  if (unit_ != Unit::kSentence) {
    WriteText(n_best ? insight_.NBestLines(part.line) : insight_.EndLine());
    return EndLine();
  }
  return WriteSpace(part);
}

// Writes what belongs after a line of sentences, if there is one.
void OrderedWriter::EndLineOfSentences() {
  if (line_has_text_) WriteText(insight_.EndLine());
  line_has_text_ = false;
}

// Counts a text whose last part was written.
void OrderedWriter::Count(const OutputPart& part) {
  bytes_written_ = part.taken;
  if (unit_ != Unit::kSentence || part.text_bytes > 0) ++texts_written_;
}

int OrderedWriter::Run() {
  if (!parts_.ok()) {
    std::fprintf(stderr,
                 "latimer: there are no %zu bytes of memory for translations; "
                 "--lanes 1 needs the least.\n",
                 parts_.room());
    return kFailure;
  }
  if (RunWorkers(translators_, lanes_, *this) == Round::kFailed) {
    return !parts_.empty() && parts_.first().failed()
               ? ComplainOfLine(failed_line(), failure())
               : kFailure;
  }
  EndLineOfSentences();
  const int code = input_.End();
  if (code == kSuccess) EndProgress(bytes_written_, texts_written_);
  return code;
}

void OrderedWriter::Show() const {
  ShowProgress(bytes_written_, texts_written_);
}

OrderedWriter::Round OrderedWriter::Begin(Translator& translator, uint32_t most,
                                          bool wait) {
  if (Interrupted()) TakeNoMoreTexts();
  while (BeginPart(translator, most, wait)) {
  }
  while (!parts_.empty() && parts_.first().finished() && CanWrite()) {
    OutputPart& part = parts_.first();
    if (part.failed()) return Round::kFailed;
    if (cache_) KeepTranslation(part);
    if (!Write(part)) return Round::kFailed;
    if (part.ends_text) Count(part);
    parts_.RemoveFirst();
  }
  if (parts_.empty() && text_state_ == TextState::kNoMore) {
    return Round::kEnded;
  }
  Show();
  return translator.under_way() == 0 ? Round::kNothingYet : Round::kWorked;
}

OrderedWriter::Round OrderedWriter::Work(bool wait) {
  Translator& translator = *translators_.front();
  const Round round = Begin(translator, lanes_, wait);
  FinishedTranslation finished;
  if (round == Round::kWorked && translator.Advance(&finished)) {
    Finish(translator, finished);
  }
  return round;
}

}  // namespace latimer::cli
