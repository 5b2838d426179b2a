#include <algorithm>

#include "latimer/translation.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Takes a word and the white space around it from the text. False at its end.
bool TakeWord(std::string_view* text) {
  text->remove_prefix(LeadingSpaceBytes(*text));
  if (text->empty()) return false;
  while (!text->empty() && LeadingSpaceBytes(*text) == 0) {
    text->remove_prefix(std::max<size_t>(FirstChar(*text).bytes, 1));
  }
  text->remove_prefix(LeadingSpaceBytes(*text));
  return true;
}

// The number of the word that the byte `at` of the text is in. Precondition: it
// is in one.
size_t WordAt(std::string_view text, size_t at) {
  return CountWords(Slice(text, 0, at + 1)) - 1;
}

// Whether a token has text, and a source.
bool Links(const TokenLink& link) {
  return link.target.size() > 0 && link.source.size() > 0;
}

// The word of the source that most tokens of one target word come from.
size_t MostLinked(std::string_view source, std::span<const TokenLink> links) {
  size_t best = 0, most = 0;
  for (size_t i = 0; i < links.size(); ++i) {
    if (!Links(links[i])) continue;
    const size_t word = WordAt(source, links[i].source.begin);
    size_t count = 1;
    for (const TokenLink& link : links.subspan(i + 1)) {
      count += Links(link) && WordAt(source, link.source.begin) == word;
    }
    if (count > most) best = word;
    most = std::max(most, count);
  }
  return best;
}

}  // namespace

size_t CountWords(std::string_view text) {
  size_t count = 0;
  while (TakeWord(&text)) ++count;
  return count;
}

size_t LinkWords(std::string_view source, std::string_view target,
                 std::span<const TokenLink> links, std::span<WordLink> out) {
  size_t count = 0;
  std::string_view rest = target;
  for (uint32_t word = 0; TakeWord(&rest); ++word) {
    const size_t end = target.size() - rest.size();
    size_t tokens = 0;
    while (tokens < links.size() && links[tokens].target.begin < end) ++tokens;
    const std::span<const TokenLink> of_word = links.first(tokens);
    links = links.subspan(tokens);
    if (std::ranges::none_of(of_word, Links)) continue;
    if (count < out.size()) {
      out[count] = {static_cast<uint32_t>(MostLinked(source, of_word)), word};
    }
    ++count;
  }
  return count;
}

}  // namespace latimer
