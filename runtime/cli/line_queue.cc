#include "cli/line_queue.h"

#include <algorithm>
#include <cstdio>

#include "cli/lines.h"

namespace latimer::cli {
namespace {

// Parts that wait for one before them, for each lane: then nothing is begun.
constexpr size_t kWaitingPerLane = 16;

}  // namespace

LineQueue::Part& LineQueue::Append() {
  Part& part = parts_.emplace_back();
  part.line = reader_.number();
  part.ends_line = true;
  return part;
}

// False where there is no line, or none yet.
bool LineQueue::TakeLine(bool wait) {
  if (has_line_) return true;
  if (ended_) return false;
  std::string_view line;
  switch (reader_.Next(wait, &line)) {
    case LineReader::Got::kNothingYet:
      return false;
    case LineReader::Got::kEnd:
      ended_ = true;
      return false;
    case LineReader::Got::kLine:
      break;
  }
  has_line_ = true;
  line_ = line;
  rest_ = line_;
  line_options_ = options_;
  parts_of_line_ = 0;
  if (options_.budget_ms > 0) line_begun_ = std::chrono::steady_clock::now();
  return true;
}

void LineQueue::BeginIds() {
  has_line_ = false;
  Part& part = Append();
  part.status = ParseIds(line_, &line_ids_);
  if (part.status.ok() && !line_ids_.empty()) {
    const uint64_t ticket = written_ + parts_.size() - 1;
    part.status = translator_.BeginIds(line_ids_, options_, ticket);
    part.done = !part.status.ok();
  } else {
    part.done = true;
  }
  ended_ = ended_ || !part.status.ok();
}

void LineQueue::BeginPart() {
  Part& part = Append();
  if (rest_.empty()) {
    part.done = true;
    has_line_ = false;
    return;
  }
  const uint64_t ticket = written_ + parts_.size() - 1;
  const Result<Translation> begun =
      translator_.BeginPart(rest_, line_options_, ticket);
  part.status = begun.status();
  if (!begun.ok()) {
    part.done = ended_ = true;
    has_line_ = false;
    return;
  }
  ++parts_of_line_;
  rest_.remove_prefix(begun->source_bytes);
  part.ends_line = rest_.empty();
  has_line_ = !rest_.empty();
  part.space_follows = begun->space_follows;
  line_options_.language_code = begun->language_code;
  if (part.ends_line && parts_of_line_ > 1) {
    char warning[200];
    std::snprintf(warning, sizeof(warning),
                  "latimer: warning: line %llu (%llu bytes) exceeds %u tokens "
                  "and was translated in %llu parts.\n",
                  part.line, static_cast<unsigned long long>(line_.size()),
                  static_cast<unsigned>(translator_.max_source_tokens()),
                  static_cast<unsigned long long>(parts_of_line_));
    part.warning = warning;
  }
}

// With a budget the parts of a line go one after another: each has what those
// before it have left.
bool LineQueue::MustWait() const {
  return (options_.budget_tokens > 0 || options_.budget_ms > 0) && has_line_ &&
         parts_of_line_ > 0 && !parts_.empty() && !parts_.back().done;
}

// Leaves what there is of the line's budget to its next part; false: nothing.
bool LineQueue::SpendBudget(size_t tokens) {
  using std::chrono::milliseconds;
  if (options_.budget_tokens > 0) {
    if (tokens >= line_options_.budget_tokens) return false;
    line_options_.budget_tokens -= static_cast<uint32_t>(tokens);
  }
  if (options_.budget_ms == 0) return true;
  const auto left = line_begun_ + milliseconds(options_.budget_ms) -
                    std::chrono::steady_clock::now();
  if (left.count() <= 0) return false;
  line_options_.budget_ms =
      static_cast<uint32_t>(std::chrono::ceil<milliseconds>(left).count());
  return true;
}

// Leaves out what has not been begun of the line that `part` is of.
void LineQueue::EndLineEarly(Part& part) {
  part.stop_reason = std::max(part.stop_reason, StopReason::kBudget);
  part.ends_line = true;
  char warning[200];
  std::snprintf(warning, sizeof(warning),
                "latimer: warning: line %llu: %llu of its %llu bytes were left "
                "untranslated.\n",
                part.line, static_cast<unsigned long long>(rest_.size()),
                static_cast<unsigned long long>(line_.size()));
  part.warning = warning;
  has_line_ = false;
}

// Begins one sentence. False where none can begin now.
bool LineQueue::BeginMore() {
  if (MustWait() || !translator_.CanBegin() ||
      translator_.under_way() >= lanes_ ||
      parts_.size() >= kWaitingPerLane * lanes_) {
    return false;
  }
  // Nobody waits for an answer while nothing is left to be written.
  if (!TakeLine(/*wait=*/parts_.empty())) return false;
  if (ids_) {
    BeginIds();
  } else {
    BeginPart();
  }
  return true;
}

void LineQueue::Finish(const FinishedTranslation& finished) {
  Part& part = parts_[static_cast<size_t>(finished.ticket - written_)];
  const Translation& translation = finished.translation;
  part.done = true;
  part.status = finished.status;
  if (!finished.status.ok()) {
    ended_ = true;
    has_line_ = false;
    return;
  }
  part.text =
      ids_ ? FormatIds(translation.tokens) : std::string(translation.text);
  insight_.Add(translator_, translation);
  part.stop_reason = translation.stop_reason;
  if (has_line_ && &part == &parts_.back() && parts_of_line_ > 0 &&
      (part.stop_reason >= StopReason::kBudget ||
       !SpendBudget(translation.generated_tokens))) {
    EndLineEarly(part);
  }
}

void LineQueue::WarnOfStop(const Part& part) {
  if (worst_ == StopReason::kEos) return;
  std::fprintf(stderr, "latimer: warning: line %llu: %s.\n", part.line,
               WhyItStopped(worst_));
  worst_ = StopReason::kEos;
}

bool LineQueue::Write(const Part& part) {
  WriteText(part.text);
  worst_ = std::max(worst_, part.stop_reason);
  if (!part.ends_line) {
    if (part.space_follows) WriteText(" ");
    return true;
  }
  if (!part.warning.empty()) std::fputs(part.warning.c_str(), stderr);
  WarnOfStop(part);
  WriteText(insight_.EndLine());
  return EndLine();
}

int LineQueue::Run() {
  for (;;) {
    while (BeginMore()) {
    }
    while (!parts_.empty() && parts_.front().done) {
      const Part& part = parts_.front();
      if (!part.status.ok()) return ComplainOfLine(part.line, part.status);
      if (!Write(part)) return kFailure;
      parts_.pop_front();
      ++written_;
    }
    if (parts_.empty()) {
      if (ended_ && !has_line_) return FinishLines(reader_.error());
      continue;
    }
    FinishedTranslation finished;
    if (translator_.Advance(&finished)) Finish(finished);
  }
}

}  // namespace latimer::cli
