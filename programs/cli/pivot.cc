#include "cli/pivot.h"

#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/lines.h"

namespace latimer::cli {

TextCollector::TextCollector(std::span<Translator* const> translator,
                             Input& input, Unit unit,
                             const TranslateOptions& options, uint32_t lanes,
                             Insight& insight, const char* model)
    : OrderedWriter(translator, input, unit, options, lanes, insight, model) {
  translation_.reserve(kProfile.text_bytes);
  space_.reserve(SentenceSplitter::kMostBytes);
}

InputText TextCollector::text() const {
  return {.line = line_,
          .text = translation_,
          .space = space_,
          .end = end_,
          .cut_reported = end_ == SentenceEnd::kCut};
}

void TextCollector::Release() {
  if (!has_text_) return;
  has_text_ = false;
  translation_.clear();
}

bool TextCollector::Write(OutputPart& part) {
  translation_ += TranslationOf(part);
  NoteReason(part);
  if (!part.ends_text) {
    translation_ += SpaceOf(part);
    return true;
  }
  Report(part);
  line_ = part.line;
  taken_ = part.taken;
  end_ = part.end;
  space_ = SpaceOf(part);
  has_text_ = true;
  return true;
}

Input::Got PivotInput::Next(bool wait, InputText* text) {
  texts_.Release();
  for (;;) {
    if (Interrupted()) return Got::kEnd;
    if (texts_.has_text()) {
      *text = texts_.text();
      return Got::kText;
    }
    if (failed_) return Got::kEnd;
    switch (texts_.Work(wait)) {
      case TextCollector::Round::kWorked:
        break;
      case TextCollector::Round::kNothingYet:
        if (!wait && !texts_.has_text()) return Got::kNothingYet;
        break;
      case TextCollector::Round::kFailed:
        failed_ = true;
        return Got::kEnd;
      case TextCollector::Round::kEnded:
        if (!texts_.has_text()) return Got::kEnd;
    }
  }
}

int PivotInput::End() {
  if (!failed_) return input_.End();
  const int code = FinishLines(0);
  return code == kSuccess
             ? ComplainOfLine(texts_.failed_line(), texts_.failure())
             : code;
}

}  // namespace latimer::cli
