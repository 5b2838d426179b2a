// Reads HTML and writes it again, sentence by sentence: each word as it is, or
// with `--shuffle SEED` in another order, for tests/reference/check_html.py.
// With `--text BYTES` it reads so many bytes at a time, and writes only the
// text of the sentences, a line each, for tests/reference/check_references.py.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "markup/html_text.h"

namespace latimer {
namespace {

struct Echo {
  std::string text;
  std::vector<TokenLink> links;
};

std::vector<TextRange> WordsOf(std::string_view text) {
  std::vector<TextRange> words;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ' ') continue;
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
    at = end;
  }
  return words;
}

Echo Translate(const std::string& text, std::mt19937* random) {
  Echo echo = {text, {}};
  std::vector<TextRange> words = WordsOf(text);
  if (random == nullptr) {
    for (const TextRange& word : words) echo.links.push_back({word, word});
    return echo;
  }
  echo.text.clear();
  for (size_t i = words.size(); i > 1; --i) {
    std::swap(words[i - 1], words[(*random)() % i]);
  }
  for (const TextRange& word : words) {
    if (!echo.text.empty()) echo.text += ' ';
    const auto begin = static_cast<uint32_t>(echo.text.size());
    echo.text += text.substr(word.begin, word.size());
    echo.links.push_back(
        {{begin, static_cast<uint32_t>(echo.text.size())}, word});
  }
  return echo;
}

int Run(std::mt19937* random, bool only_text, size_t read_bytes) {
  const auto html = std::make_unique<HtmlText>(
      SentenceRules{},
      [](void* discards, std::string_view bytes) {
        if (discards == nullptr) {
          std::fwrite(bytes.data(), 1, bytes.size(), stdout);
        }
      },
      only_text ? &only_text : nullptr);
  // A few sentences are in the making, and finish in any order.
  std::deque<std::pair<uint64_t, std::string>> open;
  const auto work = [&](bool all) {
    for (;;) {
      HtmlSentence sentence;
      const HtmlText::Got got = html->Next(&sentence);
      if (got == HtmlText::Got::kSentence) {
        if (only_text) std::printf("%s\n", std::string(sentence.text).c_str());
        open.emplace_back(sentence.number, sentence.text);
      } else if (open.empty() || (got == HtmlText::Got::kNeedsMore && !all)) {
        return;
      } else {
        const auto i = static_cast<ptrdiff_t>(
            random == nullptr ? 0 : (*random)() % open.size());
        const Echo echo = Translate(open.begin()[i].second, random);
        html->Finish(open.begin()[i].first, echo.text, echo.links);
        open.erase(open.begin() + i);
      }
    }
  };
  std::string buffer(read_bytes, '\0');
  while (const size_t bytes =
             std::fread(buffer.data(), 1, buffer.size(), stdin)) {
    std::string_view rest(buffer.data(), bytes);
    while (!rest.empty()) {
      rest.remove_prefix(html->Push(rest));
      work(false);
    }
  }
  html->End();
  work(true);
  return 0;
}

}  // namespace
}  // namespace latimer

int main(int argc, char** argv) {
  constexpr size_t kReadBytes = 3000;
  if (argc == 3 && std::strcmp(argv[1], "--shuffle") == 0) {
    std::mt19937 random(static_cast<uint32_t>(std::atoi(argv[2])));
    return latimer::Run(&random, /*only_text=*/false, kReadBytes);
  }
  if (argc == 3 && std::strcmp(argv[1], "--text") == 0) {
    return latimer::Run(nullptr, /*only_text=*/true,
                        static_cast<size_t>(std::atoi(argv[2])));
  }
  return latimer::Run(nullptr, /*only_text=*/false, kReadBytes);
}
