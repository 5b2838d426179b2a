#include "latimer/pivot.h"

#include <algorithm>

namespace latimer {
namespace {

// These keep the results of the translators off the stack of the functions
// below. An error names the model.
[[gnu::noinline]] Status Given(const Result<Translation>& result,
                               const char* model, Translation* out) {
  if (result.ok()) {
    *out = *result;
    return Status();
  }
  return Status::Error(result.status().code(), "%s model: %s", model,
                       result.status().message());
}
[[gnu::noinline]] Status Whole(Translator& translator, std::string_view text,
                               const TranslateOptions& options,
                               const char* model, Translation* out) {
  return Given(translator.Translate(text, options), model, out);
}
[[gnu::noinline]] Status Part(Translator& translator, TextCursor& cursor,
                              const char* model, Translation* out) {
  return Given(translator.TranslateNext(cursor), model, out);
}

// What is left of a translation once the next call has begun.
struct Counted {
  explicit Counted(const Translation& in)
      : stop_reason(in.stop_reason),
        generated_tokens(in.generated_tokens),
        source_bytes(in.source_bytes) {}
  void AddTo(Translation* out) const {
    out->stop_reason = std::max(stop_reason, out->stop_reason);
    out->generated_tokens += generated_tokens;
    out->source_bytes = source_bytes;
  }

  StopReason stop_reason;
  size_t generated_tokens;
  size_t source_bytes;
};

}  // namespace

Result<Translation> Pivot::Translate(std::string_view text,
                                     const TranslateOptions& first,
                                     const TranslateOptions& second) {
  Translation out;
  LATIMER_RETURN_IF_ERROR(Whole(first_, text, first, "First", &out));
  const Counted begun(out);
  const std::string_view between = out.text;
  out = {};
  if (!between.empty()) {
    LATIMER_RETURN_IF_ERROR(Whole(second_, between, second, "Second", &out));
  }
  begun.AddTo(&out);
  return out;
}

Result<Translation> Pivot::TranslateNext(PivotCursor& cursor) {
  Translation out;
  if (!cursor.second_.has_value()) {
    LATIMER_RETURN_IF_ERROR(Part(first_, cursor.first_, "First", &out));
    cursor.stop_reason_ = std::max(cursor.stop_reason_,  // A budget's, too.
                                   cursor.first_.stop_reason());
    if (!out.text.empty()) {
      cursor.second_.emplace(out.text, cursor.second_options_);
    }
  }
  const Counted begun(out);
  out = {};
  if (cursor.second_.has_value()) {
    TextCursor& rest = *cursor.second_;
    LATIMER_RETURN_IF_ERROR(Part(second_, rest, "Second", &out));
    cursor.stop_reason_ = std::max(cursor.stop_reason_, rest.stop_reason());
    if (rest.done()) cursor.second_.reset();
  }
  begun.AddTo(&out);
  return out;
}

}  // namespace latimer
