// Translation by two models, the second of which translates what the first one
// gives: from German by way of English to French, where there is no model for
// German and French.
//
//   first.Load(de_en, memory.first(bytes));   // of PlanWorkspace(de_en)
//   second.Load(en_fr, memory.subspan(bytes));
//   latimer::Pivot pivot(first, second);
//   auto translation = pivot.Translate("Wie geht es dir?");
//
// Both workspaces may be parts of one block of memory: what PlanWorkspace says
// is a multiple of their alignment. The text between is in the first one.
#ifndef LATIMER_PIVOT_H_
#define LATIMER_PIVOT_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "latimer/status.h"
#include "latimer/text_cursor.h"
#include "latimer/translation.h"
#include "latimer/translator.h"

namespace latimer {

// What is left of a text that is translated in parts: each part of the first
// model is a text of the second one.
class PivotCursor {
 public:
  // Borrows the text and what the options view, until it is done. Each model
  // has options, and with them a budget, of its own.
  PivotCursor(std::string_view text, const TranslateOptions& first,
              const TranslateOptions& second)
      : first_(text, first), second_options_(second) {}

  // Whether no further part follows. An empty text has one part.
  bool done() const { return first_.done() && !second_.has_value(); }
  // Whether white space follows the last part.
  bool space_follows() const {
    return second_.has_value() ? second_->space_follows()
                               : first_.space_follows();
  }
  // Of the text, what the first model has translated.
  size_t source_bytes() const { return first_.source_bytes(); }
  // Of all parts, the most severe of both models' reasons.
  StopReason stop_reason() const { return stop_reason_; }

 private:
  friend class Pivot;

  TextCursor first_;
  TranslateOptions second_options_;
  // The translation of the first model's last part, unless it is done.
  std::optional<TextCursor> second_;
  StopReason stop_reason_ = StopReason::kEos;
};

class Pivot {
 public:
  // Borrows two different translators, each of which has loaded a model. Both
  // may also translate by themselves, between the calls.
  Pivot(Translator& first, Translator& second)
      : first_(first), second_(second) {}

  // Gives what second.Translate(first.Translate(text)) gives, with the most
  // severe of both reasons, the tokens that both generated, and the
  // source_bytes of the text. If the first translation is empty, so is the
  // second. Valid until the next call with either translator. Errors: those of
  // Translator::Translate, with "First model: " or "Second model: " before the
  // message.
  Result<Translation> Translate(std::string_view text,
                                const TranslateOptions& first = {},
                                const TranslateOptions& second = {});

  // Translates the next part of a text of any length. Its source_bytes are
  // those of the first model's part that it begins, or 0 if it begins none.
  // Precondition: !cursor.done(), and neither translator was used since the
  // last part. Errors: those of Translator::TranslateNext, named likewise.
  Result<Translation> TranslateNext(PivotCursor& cursor);

 private:
  Translator& first_;
  Translator& second_;
};

}  // namespace latimer

#endif  // LATIMER_PIVOT_H_
