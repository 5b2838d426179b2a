// Takes the text of HTML apart into sentences, and puts their translations back
// in between the tags, in constant memory. Who translates is the caller's
// business: HtmlStream (latimer/streams.h) does it with one model, the
// server with several translators.
//
//   latimer::HtmlText html(rules, &Write, nullptr);
//   latimer::HtmlSentence sentence;
//   while (more) {
//     html.Push(bytes);                         // or html.End();
//     while (html.Next(&sentence) == HtmlText::Got::kSentence) {
//       ... html.Finish(sentence.number, translation, links);
//     }
//   }
//
// Every tag of the input is in the output once, byte for byte, and the output
// is well-formed if the input is. What is not text is not touched: comments,
// scripts, attributes, <pre>, <code> and the like, and elements with
// translate="no" or class="notranslate". The encoding is UTF-8.
#ifndef LATIMER_MARKUP_HTML_TEXT_H_
#define LATIMER_MARKUP_HTML_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/profile_config.h"
#include "latimer/streams.h"
#include "latimer/translation.h"

namespace latimer {

// A sentence to translate.
struct HtmlSentence {
  uint64_t number = 0;
  // Plain text; lives until the sentence has finished.
  std::string_view text;
  // It begins with so many of a protected span: for TextCursor.
  size_t protected_bytes = 0;
  // What in the text stands for something that is not translated, such as
  // <code>: for TranslateOptions. Lives as long.
  std::span<const TextRange> protected_ranges = {};
};

class HtmlText {
 public:
  // Receives the output in order.
  using Receiver = void (*)(void* context, std::string_view html);

  // What Next has.
  enum class Got : uint8_t {
    kSentence,
    kNeedsMore,  // More bytes, or after End no more: all was written.
    kBusy,       // Sentences must finish first.
  };

  // Sentences of which the translations may be in the making.
  static constexpr size_t kMostSentences = 2 * size_t{kProfile.lanes} + 2;

  // `rules` view a model image that outlives this object.
  HtmlText(const SentenceRules& rules, Receiver receiver, void* context);
  HtmlText(const HtmlText&) = delete;
  HtmlText& operator=(const HtmlText&) = delete;
  ~HtmlText();

  // Takes as many bytes as there is room for and returns how many: more than 0
  // after Next has returned kNeedsMore.
  size_t Push(std::string_view bytes);
  // Says that the document has ended. After Next has returned kNeedsMore, bytes
  // that are pushed begin another one.
  void End();

  // The next sentence to translate. Sentences may finish in any order.
  Got Next(HtmlSentence* out);

  // Says that only the first `bytes` of the sentence that Next returned last
  // are translated with it; the rest comes as another sentence, which begins
  // with so many protected bytes.
  void Cut(uint64_t number, size_t bytes, bool space_follows,
           size_t protected_bytes);

  // Gives the translation of a sentence. Its ranges are those of the
  // translation and of the sentence; without links, tags are put at the same
  // portion of the text. Writes it if it is the oldest. If it is not and there
  // is no room for it, Next returns the sentence again.
  void Finish(uint64_t number, std::string_view translation,
              std::span<const TokenLink> links);

 private:
  struct State;

  // What the state takes: windows of the input and of its tags, the sentences
  // that have begun, and scratch for one that finishes.
  static constexpr size_t kWindowBytes = 4096;
  static constexpr size_t kRingBytes = (36 + 2 * size_t{kProfile.lanes}) * 1024;
  static constexpr size_t kStateBytes =
      sizeof(SentenceSplitter) + kRingBytes + 6 * kWindowBytes + 24 * 1024 +
      kMostSentences * 64 + size_t{kProfile.target_tokens} * 24;

  State& state() { return *reinterpret_cast<State*>(state_); }

  alignas(16) std::byte state_[kStateBytes];
};

}  // namespace latimer

#endif  // LATIMER_MARKUP_HTML_TEXT_H_
