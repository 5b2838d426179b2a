// The bytes that each token stands for, as Hugging Face's tokenizers and
// sentencepiece give them: tests/reference/make_token_ranges.py.
// Tests runtime/text/tokenize.cc, runtime/text/detokenize.cc.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "converter/readers/huggingface_tokenizer.h"
#include "tests/text/tokenizer_fixture.h"

namespace latimer::token_ranges_test {

std::filesystem::path Data() { return SourceDirectory() / "tests" / "data"; }

std::unique_ptr<OwnedTokenizer> Make(const std::string& name) {
  return std::make_unique<OwnedTokenizer>(
      name.ends_with(".spm")
          ? SentencePieceOnly(Data() / name)
          : HuggingFaceTokenizerOf(Data() / "huggingface_tokenizer" / name)
                .data);
}

TEST(TokenRangesTest, EqualThoseOfTheOriginals) {
  std::map<std::string, std::unique_ptr<OwnedTokenizer>> tokenizers;
  size_t tokens = 0;
  ForEachLine(Data() / "token_ranges.jsonl", [&](const auto& line) {
    auto& owned = tokenizers[line["tokenizer"]];
    if (owned == nullptr) owned = Make(line["tokenizer"]);
    const std::string text =
        FromBase64(line["text"].template get<std::string>());
    EXPECT_EQ(owned->Encode(text),
              line["ids"].template get<std::vector<int32_t>>())
        << line;
    std::vector<TextRange> ranges(line["ids"].size());
    owned->tokenizer().FindRanges(text, owned->scratch(), ranges);
    nlohmann::json found = nlohmann::json::array();
    for (const TextRange& range : ranges) {
      const bool empty = range.size() == 0;
      found.push_back({empty ? 0 : range.begin, empty ? 0 : range.end});
    }
    EXPECT_EQ(found, line["ranges"]) << line;
    tokens += ranges.size();
  });
  EXPECT_EQ(tokenizers.size(), 11u);
  EXPECT_GT(tokens, 2000u);
}

TEST(TokenRangesTest, OfATranslationAreItsText) {
  const std::unique_ptr<OwnedTokenizer> bart = Make("bart_json");
  const std::unique_ptr<OwnedTokenizer> bpe =
      Make("sentencepiece_bpe/bpe_byte_fallback.spm");
  for (OwnedTokenizer* owned : {bart.get(), bpe.get()}) {
    for (const std::string text :
         {"Hello world, \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x99\x82.", "a", "",
          "W\xC3\xBCrde (x) y"}) {
      const std::vector<int32_t> ids = owned->Encode(text);
      std::string out(1000, '\0');
      std::vector<TokenLink> links(ids.size());
      owned->tokenizer().FindTargets(ids, out, links);
      const std::string decoded = owned->Decode(ids);
      EXPECT_EQ(out.substr(0, decoded.size()), decoded);
      std::string joined;
      uint32_t end = 0;
      for (const TokenLink& link : links) {
        EXPECT_GE(link.target.begin, end);
        EXPECT_LE(link.target.end, decoded.size());
        end = std::max(end, link.target.end);
        joined += decoded.substr(link.target.begin, link.target.size());
      }
      std::string expected = decoded;
      std::erase(expected, ' ');
      EXPECT_EQ(joined, expected) << text;
    }
  }
}

}  // namespace latimer::token_ranges_test
