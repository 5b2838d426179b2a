// What is left of a text that is translated in parts, each of which fits the
// longest source.
//
// A part is a sentence, or a line if that ends first: models are trained on
// sentences, and lose some of a text that has several. White space between them
// is kept. Sentences end where SentenceSplitter says, but not within a term or
// a protected span, and unless TranslateOptions::paragraphs says otherwise a
// line break always ends one. A sentence that exceeds the longest source is
// cut, and its parts are joined with spaces. Without
// TranslateOptions::sentences a part is as much of the text as fits. So it is
// for attention, alternatives, a prefix, and models with tasks, but for tasks
// whose names begin with "translation".
//
//   latimer::TextCursor cursor(text, options);
//   while (!cursor.done()) {
//     auto part = translator.TranslateNext(cursor);
//     if (!part.ok()) return part.status();
//     Write(part->text);
//     if (!cursor.done()) Write(part->space);
//   }
#ifndef LATIMER_TEXT_CURSOR_H_
#define LATIMER_TEXT_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "latimer/translation.h"

namespace latimer {

class TextCursor {
 public:
  // Borrows the text and what the options view; see TranslateOptions. The text
  // begins with `protected_bytes` of a protected span.
  TextCursor(std::string_view text, const TranslateOptions& options,
             size_t protected_bytes = 0);

  // Whether no further part will begin: the text has ended, or a budget or the
  // caller ended it. An empty text has one part.
  bool done() const { return ended_ || (rest_bytes() == 0 && parts_ > 0); }
  // Whether the next part may begin. With a budget, parts go one after another,
  // because each may use what those before it have left.
  bool CanBegin() const {
    return !done() && (!has_budget_ || parts_ == finished_);
  }

  // The text whose translation has not begun, or as much of it as Move has
  // given, and the bytes of all of it.
  std::string_view rest() const { return rest_; }
  size_t rest_bytes() const { return rest_.size() + unseen_bytes_; }
  // From now on the rest lies elsewhere, for example in memory of fixed size
  // through which a text of any length goes; parts that have begun stay where
  // they are. `rest` is all of it or its
  // beginning; with twice the profile's text_bytes, parts are those of the
  // whole text, but for white space that is longer. `language_code` is a copy
  // of language_code(), which may view the text.
  void Move(std::string_view rest, std::string_view language_code);
  // Parts that have begun, and their bytes, white space after them included.
  size_t parts() const { return parts_; }
  size_t source_bytes() const { return source_bytes_; }
  // Whether white space follows the part that began last, and whether a
  // sentence was cut so far.
  bool space_follows() const { return space_follows_; }
  bool has_cut() const { return has_cut_; }
  // The >>language<< code that the text began with or was given; it holds for
  // all parts.
  std::string_view language_code() const { return options_.language_code; }

  // Accounts for a part that has finished. TranslateNext calls it; after
  // Translator::Begin the caller must, once and in any order.
  void Finish(const Translation& part);
  // Of the parts that have finished: the most severe reason (kBudget if nothing
  // was left for the next part), and how many tokens they have.
  StopReason stop_reason() const { return stop_reason_; }
  size_t generated_tokens() const { return generated_tokens_; }

  // For Translator: a part of `bytes` bytes has begun. The rest then begins
  // with `protected_bytes` of a protected span that the part had no room for.
  void Take(size_t bytes, bool space_follows, bool cuts_sentence,
            std::string_view language_code, size_t protected_bytes);
  size_t protected_bytes() const { return protected_bytes_; }
  // The options of the next part: with the language code, with what is left of
  // the budget in tokens, and with a target prefix only for the first.
  const TranslateOptions& options() const { return options_; }
  // The deadline of all parts in ns of the monotonic clock; 0: none.
  uint64_t deadline() const { return deadline_; }

 private:
  std::string_view rest_;
  size_t unseen_bytes_ = 0;  // Of the rest, after rest_.
  size_t protected_bytes_;   // The rest begins with these.
  TranslateOptions options_;
  uint64_t deadline_;
  bool has_budget_;
  bool ended_ = false;
  bool space_follows_ = false;
  bool has_cut_ = false;
  StopReason stop_reason_ = StopReason::kEos;
  size_t parts_ = 0;
  size_t finished_ = 0;
  size_t source_bytes_ = 0;
  size_t generated_tokens_ = 0;
};

}  // namespace latimer

#endif  // LATIMER_TEXT_CURSOR_H_
