#include "cli/text_queue.h"

#include <cstdio>

#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/lines.h"

namespace latimer::cli {
namespace {

// Parts that wait for one before them, for each lane: then nothing is begun.
constexpr size_t kWaitingPerLane = 16;

constexpr size_t kReadBytes = size_t{64} * 1024;

}  // namespace

TextQueue::TextQueue(Translator& translator, const char* text,
                     const TranslateOptions& options, uint32_t lanes)
    : translator_(translator),
      options_(options),
      lanes_(lanes),
      reads_input_(text == nullptr),
      splitter_(translator.model_info().sentence_rules) {
  if (text != nullptr) {
    pending_ = text;
    input_ended_ = true;
  }
}

// Gets more of the text. False: there is none yet.
bool TextQueue::Read(bool wait) {
  if (pending_.empty() && !input_ended_) {
    buffer_.resize(kReadBytes);
    const InputBytes input = ReadInput(buffer_.data(), kReadBytes, wait);
    if (input.got == InputBytes::Got::kNothingYet) return false;
    input_ended_ = input.got == InputBytes::Got::kEnd;
    error_ = input.error;
    pending_ = std::string_view(buffer_).substr(0, input.bytes);
  }
  if (!pending_.empty()) {
    pending_.remove_prefix(splitter_.Push(pending_));
  } else if (input_ended_) {
    splitter_.End();
    told_end_ = true;
  }
  return true;
}

// False where there is no piece, or none yet.
bool TextQueue::TakePiece(bool wait) {
  if (has_piece_) return true;
  for (;;) {
    ended_ = ended_ || Interrupted();
    if (ended_) return false;
    if (splitter_.Next(&piece_)) break;
    if (told_end_) {
      ended_ = true;
    } else if (!Read(wait)) {
      return false;
    }
  }
  has_piece_ = true;
  // While it begins nothing is pushed.
  rest_ = splitter_.JoinLines(piece_);
  sentence_bytes_ = rest_.size();
  parts_of_piece_ = 0;
  piece_options_ = options_;
  if (translator_.LanguageCodeBytes(rest_) > 0) {
    piece_options_.language_code = {};
    code_.assign(rest_.substr(0, translator_.LanguageCodeBytes(rest_)));
  } else if (!code_.empty()) {
    piece_options_.language_code = code_;
  }
  return true;
}

void TextQueue::Fail(Part& part, const Status& status) {
  part.status = status;
  part.done = true;
  ended_ = true;
  has_piece_ = false;
}

void TextQueue::BeginPart() {
  Part& part = parts_.emplace_back();
  part.line = piece_.line;
  part.end = piece_.end;
  if (rest_.empty()) {
    part.done = true;
  } else {
    const uint64_t ticket = written_ + parts_.size() - 1;
    const Result<Translation> begun =
        translator_.BeginPart(rest_, piece_options_, ticket);
    if (!begun.ok()) return Fail(part, begun.status());
    ++parts_of_piece_;
    rest_.remove_prefix(begun->source_bytes);
    if (begun->space_follows) part.space = " ";
    piece_options_.language_code = code_.empty() ? begun->language_code : code_;
  }
  part.ends_sentence = rest_.empty();
  if (!part.ends_sentence) return;
  has_piece_ = false;
  part.space = piece_.space;
  if (parts_of_piece_ < 2 && piece_.end != SentenceEnd::kCut) return;
  char warning[200];
  std::snprintf(warning, sizeof(warning),
                "latimer: warning: the sentence at line %llu (%llu bytes%s) "
                "exceeds %u tokens and was translated in parts.\n",
                part.line, static_cast<unsigned long long>(sentence_bytes_),
                piece_.end == SentenceEnd::kCut ? " or more" : "",
                static_cast<unsigned>(translator_.max_source_tokens()));
  part.warning = warning;
}

// Begins one sentence. False where none can begin now.
bool TextQueue::BeginMore() {
  if (!translator_.CanBegin() || translator_.under_way() >= lanes_ ||
      parts_.size() >= kWaitingPerLane * lanes_) {
    return false;
  }
  // Nobody waits for an answer while nothing is left to be written.
  if (!TakePiece(/*wait=*/parts_.empty())) return false;
  BeginPart();
  return true;
}

bool TextQueue::Write(const Part& part) {
  WriteText(part.text);
  if (!part.warning.empty()) std::fputs(part.warning.c_str(), stderr);
  if (part.stop_reason != StopReason::kEos) {
    std::fprintf(stderr, "latimer: warning: the sentence at line %llu: %s.\n",
                 part.line, WhyItStopped(part.stop_reason));
  }
  WriteText(part.ends_sentence ? SpaceAfter(part.text, part.space, part.end)
                               : part.space);
  // Where somebody waits, a paragraph is shown at its end.
  return CheckText(/*flush=*/part.space.find('\n') != std::string::npos);
}

int TextQueue::Run() {
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
      if (ended_ && !has_piece_) break;
      continue;
    }
    FinishedTranslation finished;
    if (!translator_.Advance(&finished)) continue;
    Part& part = parts_[static_cast<size_t>(finished.ticket - written_)];
    part.done = true;
    part.text = finished.translation.text;
    part.stop_reason = finished.translation.stop_reason;
    if (!finished.status.ok()) Fail(part, finished.status);
  }
  if (!reads_input_) WriteText("\n");
  return FinishLines(error_);
}

}  // namespace latimer::cli
