// What stands in the place of a token that was pruned.
// Tests converter/lost_tokens.cc.
#include "converter/lost_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "converter/text_tokenizer.h"
#include "converter/vocabulary_pruning.h"
#include "tests/text/tokenizer_fixture.h"

namespace latimer::lost_tokens_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LostTokensTest : public ::testing::Test {
 protected:
  // Without these source pieces of the demo model.
  LostTokens Find(const std::vector<std::string>& left_out,
                  const std::vector<std::string>& lines, size_t most = 10) {
    const TokenizerData whole = DemoTokenizerData();
    const TextTokenizer tokenizer(whole);
    KeptTokens kept;
    for (uint32_t id = 0; id < whole.source_vocabulary; ++id) {
      if (std::ranges::find(left_out, tokenizer.pieces()[id]) ==
          left_out.end()) {
        kept.source.push_back(id);
      }
    }
    EXPECT_EQ(kept.source.size() + left_out.size(), whole.source_vocabulary);
    kept.target.resize(whole.target_kinds.size());
    std::iota(kept.target.begin(), kept.target.end(), 0u);
    CanonicalModel model;
    model.architecture.source_vocabulary = whole.source_vocabulary;
    model.architecture.target_vocabulary =
        static_cast<uint32_t>(kept.target.size());
    model.tokenizer = whole;
    PruneVocabulary(kept, &model);
    return FindLostTokens(lines, whole, *model.tokenizer, kept.source, most);
  }
};

TEST_F(LostTokensTest, NothingIsLostWhereNothingIsLeftOut) {
  const LostTokens lost = Find({}, {"Tom was there.", "I know."});
  EXPECT_EQ(lost.lines, 2u);
  EXPECT_EQ(lost.tokens, 7u);
  EXPECT_EQ(lost.lost, 0u);
  EXPECT_EQ(lost.changed_lines, 0u);
  EXPECT_THAT(lost.examples, IsEmpty());
}

TEST_F(LostTokensTest, SaysWhatStandsInThePlaceOfALostToken) {
  const std::vector<std::string> lines = {"Tom was there.", "I know.",
                                          "There was Tom, there was I."};
  const LostTokens lost = Find({"\u2581was", "\u2581know"}, lines);
  EXPECT_EQ(lost.lines, 3u);
  EXPECT_EQ(lost.changed_lines, 3u);
  EXPECT_EQ(lost.lost, 4u);
  EXPECT_EQ(lost.different, 2u);
  ASSERT_EQ(lost.examples.size(), 2u);
  EXPECT_EQ(lost.examples[0].count, 3u);
  EXPECT_THAT(lost.examples[0].before, ElementsAre("\u2581was"));
  EXPECT_EQ(lost.examples[1].count, 1u);
  EXPECT_THAT(lost.examples[1].before, ElementsAre("\u2581know"));
  for (const LostTokens::Example& example : lost.examples) {
    std::string now;
    for (const std::string& piece : example.now) now += piece;
    EXPECT_EQ(now, example.before[0]);
    EXPECT_GT(example.now.size(), 1u);
  }
  EXPECT_EQ(Find({"\u2581was", "\u2581know"}, lines, 1).examples.size(), 1u);
}

TEST_F(LostTokensTest, ACharacterThatIsLostIsUnknown) {
  const LostTokens lost = Find({"\u00F6"}, {"a\u00F6zb"});
  EXPECT_EQ(lost.changed_lines, 1u);
  ASSERT_EQ(lost.examples.size(), 1u);
  EXPECT_THAT(lost.examples[0].now, ::testing::Contains("<unk>"));
}

}  // namespace latimer::lost_tokens_test
