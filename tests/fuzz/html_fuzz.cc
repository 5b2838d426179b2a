// Takes HTML of any bytes apart and puts it together again: the same in one
// piece and in small ones, whatever the translations.
#include <memory>
#include <string>
#include <vector>

#include "markup/html_text.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/input.h"
#include "tests/markup/push_in_pieces.h"

namespace latimer {
namespace {

// Some translation of a sentence, with links that may be wrong.
std::string Translate(std::string_view text, uint32_t seed,
                      std::vector<TokenLink>* links) {
  std::string out;
  for (size_t i = 0; i < text.size() % 7 + seed % 3; ++i) {
    seed = seed * 1664525 + 1013904223;
    const auto begin = static_cast<uint32_t>(out.size());
    const size_t at = text.empty() ? 0 : (seed >> 8) % text.size();
    out += text.substr(at, 1 + (seed >> 4) % 9);
    if ((seed >> 12) % 2 == 0) out += ' ';
    const auto from = static_cast<uint32_t>(at);
    links->push_back({{begin, static_cast<uint32_t>(out.size())},
                      {from, from + (seed >> 20) % 11}});
  }
  return out;
}

std::string Run(std::string_view html, size_t chunk, size_t lanes,
                uint32_t seed) {
  std::string out;
  const auto text = std::make_unique<HtmlText>(
      SentenceRules{},
      [](void* to, std::string_view bytes) {
        static_cast<std::string*>(to)->append(bytes);
      },
      &out);
  std::vector<HtmlSentence> open;
  const auto work = [&](bool all) {
    for (;;) {
      HtmlSentence sentence;
      const HtmlText::Got got =
          open.size() < lanes ? text->Next(&sentence) : HtmlText::Got::kBusy;
      if (got == HtmlText::Got::kSentence) {
        open.push_back(sentence);
      } else if (open.empty() || (got == HtmlText::Got::kNeedsMore && !all)) {
        LATIMER_EXPECT(got == HtmlText::Got::kNeedsMore);
        return;
      } else {
        std::vector<TokenLink> links;
        const std::string translation =
            Translate(open.back().text, seed, &links);
        text->Finish(open.back().number, translation, links);
        open.pop_back();
      }
    }
  };
  PushInPieces(
      html, [chunk] { return chunk; }, *text, work);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  const size_t chunk = size_t{1} + input.Byte();
  const size_t lanes = 1 + input.Byte() % 5;
  const uint32_t seed = input.Byte();
  const std::string whole = Run(input.rest(), input.rest().size() + 1, 1, seed);
  LATIMER_EXPECT(Run(input.rest(), chunk, lanes, seed) == whole);
  return 0;
}

}  // namespace latimer
