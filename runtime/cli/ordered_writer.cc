#include "cli/ordered_writer.h"

#include <algorithm>
#include <cstdio>

#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/lines.h"

namespace latimer::cli {
namespace {

// No part begins while this many per lane wait to be written.
constexpr size_t kWaitingPerLane = 16;

template <typename... Values>
std::string Format(const char* format, Values... values) {
  char text[240];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

}  // namespace

const char* OrderedWriter::NameOfUnit() const {
  return unit_ == Unit::kSentence ? "the sentence at line" : "line";
}

// Takes the next text of the input. Returns false if there is none, or none
// yet.
bool OrderedWriter::TakeText(bool wait) {
  if (ended_) return false;
  switch (input_.Next(wait, &text_)) {
    case Input::Got::kNothingYet:
      return false;
    case Input::Got::kEnd:
      ended_ = true;
      return false;
    case Input::Got::kText:
      break;
  }
  TranslateOptions options = options_;
  if (!text_.language_code.empty()) {
    options.language_code = text_.language_code;
  }
  cursor_.emplace(text_.text, options);
  ++texts_;
  return true;
}

// Begins one part. Returns false if none can begin now.
bool OrderedWriter::BeginMore() {
  if ((cursor_.has_value() && !cursor_->CanBegin()) ||
      !translator_.CanBegin() || translator_.under_way() >= lanes_ ||
      parts_.size() >= kWaitingPerLane * lanes_) {
    return false;
  }
  // It may wait for input only while it owes no translation.
  if (!cursor_.has_value() && !TakeText(/*wait=*/parts_.empty())) return false;
  Part& part = parts_.emplace_back();
  part.text_number = texts_;
  part.line = text_.line;
  if (unit_ == Unit::kIds) {
    BeginIds(part);
  } else {
    BeginText(part);
  }
  return true;
}

void OrderedWriter::BeginIds(Part& part) {
  EndText(part);
  Status status = ParseIds(text_.text, &ids_);
  part.done = status.ok() && ids_.empty();
  if (part.done) return;
  if (status.ok()) {
    const uint64_t ticket = written_ + parts_.size() - 1;
    status = translator_.BeginIds(ids_, options_, ticket);
  }
  if (!status.ok()) Fail(part, status);
}

void OrderedWriter::BeginText(Part& part) {
  if (text_.text.empty()) {
    part.done = true;
    return EndText(part);
  }
  const uint64_t ticket = written_ + parts_.size() - 1;
  const Status status = translator_.Begin(*cursor_, ticket);
  if (!status.ok()) return Fail(part, status);
  part.space_follows = cursor_->space_follows();
  if (!cursor_->rest().empty()) return;
  if (text_.end == SentenceEnd::kCut && !goes_on_) {
    part.warning = Format(
        "latimer: warning: %s %llu exceeds %zu bytes and was translated in "
        "parts.\n",
        NameOfUnit(), part.line, SentenceSplitter::kMostBytes);
  } else if (cursor_->parts() > 1 && !goes_on_) {
    part.warning = Format(
        "latimer: warning: %s %llu (%llu bytes) exceeds %u tokens and was "
        "translated in %llu parts.\n",
        NameOfUnit(), part.line,
        static_cast<unsigned long long>(text_.text.size()),
        static_cast<unsigned>(translator_.max_source_tokens()),
        static_cast<unsigned long long>(cursor_->parts()));
  }
  EndText(part);
}

// Marks a part as the last one of the text.
void OrderedWriter::EndText(Part& part) {
  part.ends_text = true;
  part.space = text_.space;
  part.end = text_.end;
  goes_on_ =
      part.end == SentenceEnd::kCut && (goes_on_ || !part.warning.empty());
  cursor_.reset();
}

void OrderedWriter::Fail(Part& part, const Status& status) {
  part.status = status;
  part.done = ended_ = true;
  cursor_.reset();
}

// Takes no more texts. Of one whose last part has not begun, nothing more is
// written.
void OrderedWriter::Leave() {
  ended_ = true;
  if (!cursor_.has_value()) return;
  cursor_.reset();
  while (!parts_.empty() && parts_.back().text_number == texts_) {
    parts_.pop_back();
  }
}

void OrderedWriter::Finish(const FinishedTranslation& finished) {
  const auto index = static_cast<size_t>(finished.ticket - written_);
  if (index >= parts_.size()) return;  // Its text was left.
  Part& part = parts_[index];
  if (!finished.status.ok()) return Fail(part, finished.status);
  const Translation& translation = finished.translation;
  part.done = true;
  part.translation = unit_ == Unit::kIds ? FormatIds(translation.tokens)
                                         : std::string(translation.text);
  part.stop_reason = translation.stop_reason;
  insight_.Add(translator_, translation);
  if (!cursor_.has_value() || part.text_number != texts_) return;
  cursor_->Finish(translation);
  if (!cursor_->done()) return;
  // A budget ended the text.
  part.stop_reason = cursor_->stop_reason();
  part.warning = Format(
      "latimer: warning: %s %llu: %llu of its %llu bytes were left "
      "untranslated.\n",
      NameOfUnit(), part.line,
      static_cast<unsigned long long>(cursor_->rest().size()),
      static_cast<unsigned long long>(text_.text.size()));
  EndText(part);
}

bool OrderedWriter::Write(const Part& part) {
  WriteText(part.translation);
  worst_ = std::max(worst_, part.stop_reason);
  if (!part.ends_text) {
    if (part.space_follows) WriteText(" ");
    return true;
  }
  std::fputs(part.warning.c_str(), stderr);
  if (worst_ != StopReason::kEos) {
    std::fprintf(stderr, "latimer: warning: %s %llu: %s.\n", NameOfUnit(),
                 part.line, WhyItStopped(worst_));
    worst_ = StopReason::kEos;
  }
  if (unit_ != Unit::kSentence) {
    WriteText(insight_.EndLine());
    return EndLine();
  }
  WriteText(SpaceAfter(part.translation, part.space, part.end));
  // A reader who waits sees each paragraph when it ends.
  return CheckText(/*flush=*/part.space.find('\n') != std::string::npos);
}

int OrderedWriter::Run() {
  for (;;) {
    if (Interrupted()) Leave();
    while (BeginMore()) {
    }
    while (!parts_.empty() && parts_.front().done) {
      const Part& part = parts_.front();
      if (!part.status.ok()) return ComplainOfLine(part.line, part.status);
      if (!Write(part)) return kFailure;
      parts_.pop_front();
      ++written_;
    }
    if (parts_.empty() && ended_ && !cursor_.has_value()) {
      return FinishLines(input_.error());
    }
    FinishedTranslation finished;
    if (translator_.Advance(&finished)) Finish(finished);
  }
}

}  // namespace latimer::cli
