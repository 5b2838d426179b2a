// HTML as sentences, and back. The server translates a document's sentences in
// any order, beside those of others, so it reads the document twice: once for
// its sentences, and once to put their translations between its tags.
#ifndef LATIMER_SERVER_HTML_H_
#define LATIMER_SERVER_HTML_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "latimer/streams.h"
#include "latimer/translation.h"

namespace latimer::server {

// What a model made of a part of a sentence.
struct HtmlPart {
  size_t source_bytes = 0;  // White space after the part included.
  bool space_follows = false;
  size_t protected_bytes = 0;  // Of a span that goes on in the next part.
  std::string text = {};
  std::vector<TokenLink> links = {};
};

// A sentence as plain text, and what in it is for
// TranslateOptions::protected_ranges.
struct HtmlSource {
  std::string text;
  std::vector<TextRange> kept;
};

// The sentences of a document.
std::vector<HtmlSource> SentencesOfHtml(std::string_view html,
                                        const SentenceRules& rules);

// The document with translations in place of its sentences. Of each sentence
// the parts, in order; one without parts becomes nothing.
std::string TranslatedHtml(
    std::string_view html, const SentenceRules& rules,
    std::span<const std::span<const HtmlPart>> sentences);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_HTML_H_
