#include <algorithm>
#include <new>

#include "internals.h"
#include "latimer/streams.h"
#include "markup/html_text.h"

namespace latimer {

struct __attribute__((visibility("hidden"))) HtmlStream::Document {
  HtmlText html;
  // A sentence that waits for a lane.
  bool waits = false;
  HtmlSentence waiting = {};
};

HtmlStream::HtmlStream(Translator& translator, const TranslateOptions& options,
                       Receiver receiver, void* context)
    : translator_(translator), options_(options) {
  static_assert(sizeof(Document) <= kDocumentBytes);
  static_assert(alignof(Document) <= 16);
  new (document_) Document{
      HtmlText(translator.model_info().sentence_rules, receiver, context)};
  options_.alignment = true;
}

HtmlStream::~HtmlStream() { document().~Document(); }

// Begins the sentence that waits, or as much of it as fits the longest source.
Status HtmlStream::BeginWaiting() {
  ++sentences_;
  return Internals::BeginHtml(translator_, document().waiting, &options_,
                              &document().html);
}

Status HtmlStream::Advance() {
  FinishedTranslation finished;
  if (!translator_.Advance(&finished)) return Status();
  LATIMER_RETURN_IF_ERROR(finished.status);
  const Translation& translation = finished.translation;
  stop_reason_ = std::max(stop_reason_, translation.stop_reason);
  document().html.Finish(finished.ticket, translation.text, translation.links);
  return Status();
}

// Begins sentences until more bytes are needed; with `all`, until none are
// under way.
Status HtmlStream::Translate(bool all) {
  auto& [html, waits, waiting] = document();
  for (;;) {
    bool is_busy = waits;
    if (!waits) {
      const HtmlText::Got got = html.Next(&waiting);
      waits = got == HtmlText::Got::kSentence;
      is_busy = waits || got == HtmlText::Got::kBusy;
    }
    if (waits && translator_.CanBegin()) {
      LATIMER_RETURN_IF_ERROR(BeginWaiting());
      waits = false;
    } else if (is_busy || (all && translator_.under_way() > 0)) {
      LATIMER_RETURN_IF_ERROR(Advance());
    } else {
      return Status();
    }
  }
}

Status HtmlStream::Push(std::string_view bytes) {
  while (!bytes.empty()) {
    bytes.remove_prefix(document().html.Push(bytes));
    LATIMER_RETURN_IF_ERROR(Translate(/*all=*/false));
  }
  return Status();
}

Status HtmlStream::Finish() {
  document().html.End();
  return Translate(/*all=*/true);
}

}  // namespace latimer
