#include "latimer/html_stream.h"

#include <algorithm>

namespace latimer {

HtmlStream::HtmlStream(Translator& translator, const TranslateOptions& options,
                       HtmlText::Receiver receiver, void* context)
    : translator_(translator),
      options_(options),
      html_(translator.model_info().sentence_rules, receiver, context) {
  options_.alignment = true;
}

// Begins a sentence, or as much of it as fits the longest source.
Status HtmlStream::Begin(const HtmlSentence& sentence) {
  ++sentences_;
  // Not how many have begun: one may begin again.
  options_.sampling.stream = sentence.number + 1;
  TextCursor cursor(sentence.text, options_, sentence.protected_bytes);
  LATIMER_RETURN_IF_ERROR(translator_.Begin(cursor, sentence.number));
  html_.Cut(sentence.number, cursor.source_bytes(), cursor.space_follows(),
            cursor.protected_bytes());
  return Status();
}

Status HtmlStream::Advance() {
  FinishedTranslation finished;
  if (!translator_.Advance(&finished)) return Status();
  LATIMER_RETURN_IF_ERROR(finished.status);
  const Translation& translation = finished.translation;
  stop_reason_ = std::max(stop_reason_, translation.stop_reason);
  html_.Finish(finished.ticket, translation.text, translation.links);
  return Status();
}

// Begins sentences until more bytes are needed; with `all`, until none are
// under way.
Status HtmlStream::Translate(bool all) {
  for (;;) {
    bool is_busy = waits_;
    if (!waits_) {
      const HtmlText::Got got = html_.Next(&waiting_);
      waits_ = got == HtmlText::Got::kSentence;
      is_busy = waits_ || got == HtmlText::Got::kBusy;
    }
    if (waits_ && translator_.CanBegin()) {
      LATIMER_RETURN_IF_ERROR(Begin(waiting_));
      waits_ = false;
    } else if (is_busy || (all && translator_.under_way() > 0)) {
      LATIMER_RETURN_IF_ERROR(Advance());
    } else {
      return Status();
    }
  }
}

Status HtmlStream::Push(std::string_view bytes) {
  while (!bytes.empty()) {
    bytes.remove_prefix(html_.Push(bytes));
    LATIMER_RETURN_IF_ERROR(Translate(/*all=*/false));
  }
  return Status();
}

Status HtmlStream::Finish() {
  html_.End();
  return Translate(/*all=*/true);
}

}  // namespace latimer
