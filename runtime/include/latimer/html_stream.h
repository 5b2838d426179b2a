// Translates HTML of any size with one model, in constant memory.
//
//   latimer::HtmlStream stream(translator, {}, &Write, nullptr);
//   while (more) status = stream.Push(bytes);
//   status = stream.Finish();
//
// latimer/html_text.h says what becomes of tags. The profile needs `alignment`.
//
// With two models, the receiver of the first stream pushes what it gets into
// the second one, on top of the stack of the first. After the first has
// finished, so must the second.
#ifndef LATIMER_HTML_STREAM_H_
#define LATIMER_HTML_STREAM_H_

#include <cstdint>
#include <string_view>

#include "latimer/html_text.h"
#include "latimer/translator.h"

namespace latimer {

class HtmlStream {
 public:
  // Borrows the translator, which has loaded a model with room for alignments
  // (LoadOptions::alignment), and what `options` view. They apply to each
  // sentence by itself: each has the whole budget and begins with the target
  // prefix. Protected ranges are refused. The receiver may not use the
  // translator.
  HtmlStream(Translator& translator, const TranslateOptions& options,
             HtmlText::Receiver receiver, void* context);

  // Takes more of the document, any bytes. As many sentences as the workspace
  // has lanes for are under way when it returns, so the translator is not idle
  // before Finish. Errors: those of Translator::Begin and Advance; the document
  // then ends there, and this object is of no further use.
  Status Push(std::string_view bytes);

  // Writes the translations of all sentences that have begun.
  Status Flush() { return Translate(/*all=*/true); }

  // Translates what is left. The next Push begins another document.
  Status Finish();

  // Of all sentences so far: how many, and the most severe reason.
  uint64_t sentences() const { return sentences_; }
  StopReason stop_reason() const { return stop_reason_; }

 private:
  Status Translate(bool all);
  Status Begin(const HtmlSentence& sentence);
  Status Advance();

  Translator& translator_;
  TranslateOptions options_;
  uint64_t sentences_ = 0;
  StopReason stop_reason_ = StopReason::kEos;
  // A sentence that waits for a lane.
  bool waits_ = false;
  HtmlSentence waiting_;
  HtmlText html_;
};

}  // namespace latimer

#endif  // LATIMER_HTML_STREAM_H_
