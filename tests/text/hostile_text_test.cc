// Hostile texts through every kind of tokenizer: nothing is lost, and each byte
// that is no UTF-8 is U+FFFD.
// Tests runtime/text/tokenize.cc, runtime/text/detokenize.cc,
// runtime/text/text_cut.cc, runtime/text/byte_text.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/text/hostile_texts.h"
#include "tests/text/tokenizer_fixture.h"

namespace latimer::hostile_text_test {

struct Kind {
  std::string name;
  std::function<TokenizerData()> make;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

std::vector<Kind> Kinds() {
  const std::filesystem::path data = SourceDirectory() / "tests" / "data";
  std::vector<Kind> kinds = {{"demo", DemoTokenizerData}};
  const auto add = [&](std::string name, std::function<TokenizerData()> make) {
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    kinds.push_back({std::move(name), std::move(make)});
  };
  for (const char* area : {"sentencepiece", "sentencepiece_bpe"}) {
    for (const auto& entry : std::filesystem::directory_iterator(data / area)) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() != ".spm") continue;
      add(std::string(area) + "_" + path.stem().string(),
          [path] { return SentencePieceOnly(path); });
    }
  }
  for (const std::string kind : {"lower_words", "characters_without_spaces"}) {
    add(kind, [data, kind] { return WordTokenizer(data / "words", kind); });
  }
  for (const std::string folder :
       {"bart_prefix_space", "t5", "pegasus", "mbart", "nllb_pairs", "m2m100",
        "byt5", "gemma"}) {
    add(folder, [data, folder] {
      return HuggingFaceTokenizerOf(data / "huggingface_tokenizer" / folder)
          .data;
    });
  }
  std::ranges::sort(kinds, {}, &Kind::name);
  return kinds;
}

class HostileTextTest : public testing::TestWithParam<Kind> {
 protected:
  OwnedTokenizer owned_{GetParam().make()};
};

INSTANTIATE_TEST_SUITE_P(Kinds, HostileTextTest, testing::ValuesIn(Kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(HostileTextTest, IdsAreInTheVocabularyAndTheirTextIsUtf8) {
  const auto rows = static_cast<int32_t>(owned_.data().target_kinds.size());
  for (const std::string& text : HostileTexts()) {
    SCOPED_TRACE(testing::PrintToString(text.substr(0, 60)));
    const std::vector<int32_t> ids = owned_.Encode(text);
    for (const int32_t id : ids) ASSERT_TRUE(id >= 0 && id < rows) << id;
    EXPECT_TRUE(IsUtf8(owned_.Decode(ids)));
  }
}

// It is put there after normalization, so a rule for U+FFFD does not see it.
// Another character that no rule and no piece knows shows that.
TEST_P(HostileTextTest, WhatIsNoUtf8IsTheReplacementCharacter) {
  const bool has_rule = owned_.Encode("a\xff") != owned_.Encode("a\ufffd");
  const std::string_view as = has_rule ? "\ue000" : kReplacementCharacter;
  for (const std::string& text : HostileTexts()) {
    EXPECT_EQ(owned_.Encode(text), owned_.Encode(Repaired(text, as)))
        << testing::PrintToString(text.substr(0, 60));
  }
}

TEST_P(HostileTextTest, EveryByteIsInAPartOrIsSpaceBetweenTwo) {
  for (const std::string& text : HostileTexts()) {
    SCOPED_TRACE(testing::PrintToString(text.substr(0, 60)));
    std::string_view rest = text;
    for (const std::string_view part : ExpectParts(owned_, text, 60)) {
      const size_t begin = static_cast<size_t>(part.data() - rest.data());
      ASSERT_EQ(LeadingSpaceBytes(rest.substr(0, begin)), begin);
      rest.remove_prefix(begin + part.size());
    }
    EXPECT_EQ(LeadingSpaceBytes(rest), rest.size());
  }
}

}  // namespace latimer::hostile_text_test
