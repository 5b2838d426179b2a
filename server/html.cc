#include "html.h"

#include <memory>

#include "markup/html_text.h"

namespace latimer::server {
namespace {

// Calls `finish` with each sentence of a document, which it must finish.
template <typename Finish>
void Read(std::string_view html, const SentenceRules& rules,
          HtmlText::Receiver receiver, void* context, const Finish& finish) {
  const auto text = std::make_unique<HtmlText>(rules, receiver, context);
  for (bool ended = false; !ended;) {
    ended = html.empty();
    if (ended) text->End();
    html.remove_prefix(text->Push(html));
    HtmlSentence sentence;
    while (text->Next(&sentence) == HtmlText::Got::kSentence) {
      finish(*text, sentence);
    }
  }
}

}  // namespace

std::vector<HtmlSource> SentencesOfHtml(std::string_view html,
                                        const SentenceRules& rules) {
  std::vector<HtmlSource> sentences;
  Read(
      html, rules, [](void*, std::string_view) {}, nullptr,
      [&](HtmlText& text, const HtmlSentence& sentence) {
        sentences.push_back({std::string(sentence.text),
                             {sentence.protected_ranges.begin(),
                              sentence.protected_ranges.end()}});
        text.Finish(sentence.number, "", {});
      });
  return sentences;
}

std::string TranslatedHtml(
    std::string_view html, const SentenceRules& rules,
    std::span<const std::span<const HtmlPart>> sentences) {
  std::string out;
  const auto write = [](void* to, std::string_view bytes) {
    static_cast<std::string*>(to)->append(bytes);
  };
  size_t next = 0;  // Of sentences; of the parts of the one before, the next.
  size_t part = 0;
  Read(html, rules, write, &out,
       [&](HtmlText& text, const HtmlSentence& sentence) {
         const std::span<const HtmlPart> parts = sentences[next];
         if (parts.empty()) {
           text.Finish(sentence.number, "", {});
           ++next;
           return;
         }
         const HtmlPart& given = parts[part++];
         if (part < parts.size()) {
           text.Cut(sentence.number, given.source_bytes, given.space_follows,
                    given.protected_bytes);
         } else {
           part = 0;
           ++next;
         }
         text.Finish(sentence.number, given.text, given.links);
       });
  return out;
}

}  // namespace latimer::server
