#include "latimer/text_cursor.h"

#include <algorithm>

#include "base/clock.h"

namespace latimer {

TextCursor::TextCursor(std::string_view text, const TranslateOptions& options,
                       size_t protected_bytes)
    : rest_(text),
      protected_bytes_(protected_bytes),
      options_(options),
      deadline_(DeadlineAfter(options.budget_ms)),
      has_budget_(options.budget_tokens || options.budget_ms) {}

void TextCursor::Move(std::string_view rest, std::string_view language_code) {
  unseen_bytes_ = rest_bytes() - rest.size();
  rest_ = rest;
  options_.language_code = language_code;
}

void TextCursor::Take(size_t bytes, bool space_follows, bool cuts_sentence,
                      std::string_view language_code, size_t protected_bytes) {
  rest_.remove_prefix(bytes);
  protected_bytes_ = protected_bytes;
  source_bytes_ += bytes;
  space_follows_ = space_follows;
  has_cut_ = has_cut_ || cuts_sentence;
  options_.language_code = language_code;
  // Each part draws numbers of its own.
  options_.sampling.stream += uint64_t{1} << 40;
  options_.target_prefix = {};
  options_.target_prefix_ids = {};
  ++parts_;
}

void TextCursor::Finish(const Translation& part) {
  ++finished_;
  generated_tokens_ += part.generated_tokens;
  stop_reason_ = std::max(stop_reason_, part.stop_reason);
  if (stop_reason_ < StopReason::kBudget && has_budget_ && rest_bytes() > 0) {
    std::optional<uint32_t>& budget = options_.budget_tokens;
    const bool spent = budget && part.generated_tokens >= *budget;
    if (spent || HasPassed(deadline_)) stop_reason_ = StopReason::kBudget;
    if (budget && !spent) {
      *budget -= static_cast<uint32_t>(part.generated_tokens);
    }
  }
  ended_ = stop_reason_ >= StopReason::kBudget;
}

}  // namespace latimer
