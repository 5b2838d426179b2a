// A lexical shortlist that is learned from a text and its translation.
// Tests converter/lexical_shortlist.cc.
#include "converter/lexical_shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "converter/readers/open_model.h"
#include "converter/text_tokenizer.h"
#include "tests/converter/model_folder.h"

namespace latimer::lexical_shortlist_test {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// Source token i is translated as i + 10; token 0 has no translation, and 19
// translates none.
std::vector<SentencePair> Dictionary() {
  return {{{1, 2}, {12, 11}},
          {{2, 3, 0}, {13, 12, 19}},
          {{1, 3}, {11, 13, 19}},
          {{0, 1}, {11}}};
}

TEST(LexicalShortlistTest, Model1FindsTheTranslationOfEachToken) {
  const LexicalTable table = LearnModel1(Dictionary(), 5);
  ASSERT_EQ(table.size(), 5u);
  for (const size_t source : {1, 2, 3}) {
    const auto best = std::ranges::max_element(
        table[source], {}, [](const auto& entry) { return entry.second; });
    EXPECT_EQ(best->first, source + 10);
    float sum = 0;
    for (const auto& [token, probability] : table[source]) sum += probability;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  EXPECT_THAT(table[4], IsEmpty());
}

// The same in the simplest way, with maps.
std::map<std::pair<int, int>, double> PlainModel1(
    const std::vector<SentencePair>& pairs, int null) {
  std::map<std::pair<int, int>, double> t;
  std::map<int, double> row_size;
  for (const SentencePair& pair : pairs) {
    std::vector<int> sources(pair.source.begin(), pair.source.end());
    sources.push_back(null);
    for (const int s : sources) {
      for (const int e : pair.target) {
        if (t.emplace(std::pair(s, e), 1).second) ++row_size[s];
      }
    }
  }
  for (auto& [key, value] : t) value = 1 / row_size[key.first];
  for (int i = 0; i < 5; ++i) {
    std::map<std::pair<int, int>, double> counts;
    std::map<int, double> sums;
    for (const SentencePair& pair : pairs) {
      std::vector<int> sources(pair.source.begin(), pair.source.end());
      sources.push_back(null);
      for (const int e : pair.target) {
        double all = 0;
        for (const int s : sources) all += t[{s, e}];
        for (const int s : sources) {
          counts[{s, e}] += t[{s, e}] / all;
          sums[s] += t[{s, e}] / all;
        }
      }
    }
    for (auto& [key, value] : t) value = counts[key] / sums[key.first];
  }
  return t;
}

TEST(LexicalShortlistTest, Model1IsWhatItsDefinitionGives) {
  std::vector<SentencePair> pairs;
  for (int i = 0; i < 300; ++i) {
    SentencePair& pair = pairs.emplace_back();
    for (int j = 0; j < 3 + i % 5; ++j) {
      pair.source.push_back(i * j % 17);
      pair.target.push_back((i * j + j) % 13);
    }
  }
  const LexicalTable table = LearnModel1(pairs, 17);
  size_t entries = 0;
  for (const auto& [key, probability] : PlainModel1(pairs, 17)) {
    if (key.first == 17) continue;
    const auto& row = table[static_cast<size_t>(key.first)];
    const auto found =
        std::ranges::find(row, static_cast<uint32_t>(key.second),
                          [](const auto& entry) { return entry.first; });
    ASSERT_NE(found, row.end());
    EXPECT_NEAR(found->second, probability, 1e-4);
    ++entries;
  }
  for (const auto& row : table) entries -= row.size();
  EXPECT_EQ(entries, 0u);
}

TEST(LexicalShortlistTest, LinksAreCountedByTheirTokens) {
  std::vector<SentencePair> pairs = {
      {{1, 2}, {11, 12, 13}, {{0, 0}, {1, 1}, {1, 2}}},
      {{2, 2}, {12}, {{0, 0}, {1, 0}}}};
  const LexicalTable table = CountLinks(pairs, 3);
  EXPECT_THAT(table[0], IsEmpty());
  EXPECT_THAT(table[1], ElementsAre(Pair(11u, Eq(1.0f))));
  EXPECT_THAT(table[2], ElementsAre(Pair(12u, FloatNear(0.75f, 1e-6f)),
                                    Pair(13u, FloatNear(0.25f, 1e-6f))));
}

const CanonicalModel& Demo() {
  static const CanonicalModel model = OpenModel(
      std::filesystem::path(LATIMER_SOURCE_DIR) / "examples/en-de-tiny",
      /*with_tokenizer=*/true);
  return model;
}

class LearnShortlistTest : public testing::Test {
 protected:
  // Writes a text next to the others.
  std::filesystem::path Write(const std::string& name,
                              const std::string& text) {
    WriteFile(folder_.path() / name, text);
    return folder_.path() / name;
  }

  std::vector<int32_t> SourceIds(const std::string& text) {
    return TextTokenizer(*model_.tokenizer).Encode(text);
  }
  std::vector<int32_t> TargetIds(const std::string& text) {
    const TokenizerData data = model_.tokenizer->target_text();
    return TextTokenizer(data).Encode(text);
  }

  // The candidates of a source token.
  static std::vector<int32_t> List(const CanonicalShortlist& shortlist,
                                   int32_t id) {
    const auto i = static_cast<size_t>(id);
    const auto begin = shortlist.tokens.begin();
    return {begin + static_cast<std::ptrdiff_t>(shortlist.offsets[i]),
            begin + static_cast<std::ptrdiff_t>(shortlist.offsets[i + 1])};
  }

  const TempFolder folder_;
  CanonicalModel model_ = Demo();
  const ParallelText text_ = {
      .source = Write("text.en", "the house\n\nthe dog\nnothing\n"),
      .target = Write("text.de", "das Haus\nleer\nder Hund\n\n"),
      .alignment = Write("links", "0-0 1-1\n\n0-0 1-1\n\n")};
  std::vector<std::string> warnings_;
};

TEST_F(LearnShortlistTest, LinkedWordsAreCandidatesOfEachOther) {
  const CanonicalShortlist shortlist =
      LearnShortlist(model_, text_, {.first = 0}, &warnings_);
  const Architecture& a = model_.architecture;
  ASSERT_EQ(shortlist.offsets.size(), a.source_vocabulary + 1);
  EXPECT_TRUE(shortlist.copies_source);  // One vocabulary.
  std::vector<int32_t> articles = TargetIds("das");
  for (const int32_t id : TargetIds("der")) articles.push_back(id);
  std::ranges::sort(articles);
  EXPECT_EQ(List(shortlist, SourceIds("the").at(0)), articles);
  std::vector<int32_t> house = TargetIds("Haus");
  std::ranges::sort(house);
  EXPECT_EQ(List(shortlist, SourceIds("house").at(0)), house);
  // Its line has no translation.
  EXPECT_THAT(List(shortlist, SourceIds("nothing").at(0)), IsEmpty());
}

TEST_F(LearnShortlistTest, TheMostFrequentTokensAreCandidatesOfEverySource) {
  ParallelText text = text_;
  text.alignment.clear();
  text.target = Write("more.de", "das Haus das\nx\ndas\n\n");
  const CanonicalShortlist shortlist =
      LearnShortlist(model_, text, {.first = 1, .best = 0}, &warnings_);
  EXPECT_EQ(shortlist.first, 0u);
  EXPECT_EQ(List(shortlist, model_.generation.source_suffix.at(0)),
            TargetIds("das"));
  EXPECT_EQ(shortlist.tokens.size(), TargetIds("das").size());
}

TEST_F(LearnShortlistTest, TheThresholdLeavesOutWhatIsImprobable) {
  const auto list = [&](float threshold) {
    return List(
        LearnShortlist(model_, text_, {.first = 0, .threshold = threshold},
                       &warnings_),
        SourceIds("the").at(0));
  };
  EXPECT_EQ(list(0.3f).size(), 2u);
  EXPECT_THAT(list(0.7f), IsEmpty());
}

TEST_F(LearnShortlistTest, WarnsOfATextThatIsTooShort) {
  LearnShortlist(model_, text_, {}, &warnings_);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("text.en is short: about")));
  warnings_.clear();
  std::string source, target;
  for (int i = 0; i < 100; ++i) {
    source += "the house\nthe dog\n";
    target += "das Haus\nder Hund\n";
  }
  LearnShortlist(model_,
                 {.source = Write("long.en", source),
                  .target = Write("long.de", target),
                  .alignment = {}},
                 {}, &warnings_);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(LearnShortlistTest, RefusesTextsThatDoNotBelongTogether) {
  const auto error = [&](ParallelText text) {
    return ErrorOf([&] { LearnShortlist(model_, text, {}, &warnings_); });
  };
  ParallelText text = text_;
  text.target = Write("short.de", "das Haus\n");
  EXPECT_THAT(error(text), HasSubstr("has 4 lines and"));
  text = text_;
  text.alignment = Write("short", "0-0\n");
  EXPECT_THAT(error(text), HasSubstr("short has 1;"));
  for (const char* link : {"0-2", "2-0", "0-", "0-0x"}) {
    text.alignment = Write("bad", std::string(link) + "\n\n0-0\n\n");
    EXPECT_THAT(error(text), HasSubstr("bad, line 1: '")) << link;
  }
  text = text_;
  text.source = Write("empty", "\n\n\n\n");
  EXPECT_THAT(error(text), HasSubstr("no line with text in both"));
}

TEST_F(LearnShortlistTest, RefusesModelsThatCannotHaveOne) {
  const auto error = [&](const CanonicalModel& model) {
    return ErrorOf([&] { LearnShortlist(model, text_, {}, &warnings_); });
  };
  CanonicalModel model = model_;
  model.shortlist.emplace();
  EXPECT_THAT(error(model), HasSubstr("already comes with a shortlist"));
  model = model_;
  model.architecture.source_vocabulary = 65537;
  model.architecture.target_vocabulary = 65537;
  EXPECT_THAT(error(model), HasSubstr("65537 tokens is too large"));
  model = model_;
  model.tokenizer.reset();
  EXPECT_THAT(error(model), HasSubstr("--no-tokenizer"));
}

}  // namespace latimer::lexical_shortlist_test
