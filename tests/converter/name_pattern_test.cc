// Names of tensors with choices, numbers and stars.
// Tests converter/readers/name_pattern.cc.
#include "converter/readers/name_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/converter/model_folder.h"

namespace latimer::name_pattern_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NamePatternTest, ChoicesGiveEveryNameInOrder) {
  EXPECT_THAT(ExpandChoices("fc"), ElementsAre("fc"));
  EXPECT_THAT(ExpandChoices("{a|b}.{layer}.{x|y|}"),
              ElementsAre("a.{layer}.x", "a.{layer}.y", "a.{layer}.",
                          "b.{layer}.x", "b.{layer}.y", "b.{layer}."));
  EXPECT_THAT(ExpandChoices("{|model.}w"), ElementsAre("w", "model.w"));
}

TEST(NamePatternTest, BracesThatAreNoChoiceAreRefused) {
  const auto error = [](const std::string& pattern) {
    return ErrorOf([&] { (void)ExpandChoices(pattern); });
  };
  EXPECT_THAT(error("a.{n}.b"), HasSubstr("{n} is neither {layer} nor {head}"));
  EXPECT_THAT(error("a.{}.b"), HasSubstr("{} is neither"));
  EXPECT_THAT(error("a.{x|{y}"), HasSubstr("is neither"));
  EXPECT_THAT(error("a.{x"), HasSubstr("a brace has no partner"));
  EXPECT_THAT(error("a.x}"), HasSubstr("a brace has no partner"));
  std::string many;
  for (int i = 0; i < 10; ++i) many += "{a|b}";
  EXPECT_THAT(error(many), HasSubstr("more than 1000 names"));
}

TEST(NamePatternTest, FillsInNumbersAndFindsThem) {
  EXPECT_EQ(FillIn("e.{layer}.heads.{head}.q", 12, 3), "e.12.heads.3.q");
  const std::string pattern = "e.{layer}.heads.{head}.q";
  EXPECT_EQ(NumberIn("e.12.heads.0.q", pattern, "{layer}"), 12u);
  EXPECT_EQ(NumberIn("e.0.heads.7.q", pattern, "{head}"), 7u);
  for (const char* name :
       {"e.12.heads.0.k", "e.x.heads.0.q", "e.", "", "f.1.heads.0.q",
        "e.01.heads.0.q", "e.-1.heads.0.q", "e.1.heads.0.q.weight",
        "e.1000.heads.0.q", "e.99999999999999999999.heads.0.q"}) {
    EXPECT_EQ(NumberIn(name, pattern, "{layer}"), std::nullopt) << name;
  }
}

TEST(NamePatternTest, ComputesWithTheNumberOfALayer) {
  EXPECT_THAT(ExpandChoices("{a|b}.{2*layer+1}"),
              ElementsAre("a.{2*layer+1}", "b.{2*layer+1}"));
  EXPECT_EQ(FillIn("l.{3*layer}.{layer+2}.{layer}.w", 4, 0), "l.12.6.4.w");
  EXPECT_EQ(NumberIn("l.9.w", "l.{2*layer+1}.w", "{layer}"), 4u);
  EXPECT_EQ(NumberIn("l.0.w", "l.{2*layer}.w", "{layer}"), 0u);
  EXPECT_EQ(NumberIn("l.8.w", "l.{2*layer+1}.w", "{layer}"), std::nullopt);
  EXPECT_EQ(NumberIn("l.0.w", "l.{2*layer+1}.w", "{layer}"), std::nullopt);
  EXPECT_EQ(NumberIn("l.0.w", "l.0.w", "{layer}"), std::nullopt);
  EXPECT_TRUE(HasLayerNumber("{head}.{layer+1}"));
  EXPECT_FALSE(HasLayerNumber("{head}.layer+1"));
  for (const char* pattern :
       {"{2*head}", "{*layer}", "{layer+}", "{0*layer}", "{layer*2}",
        "{2000*layer}", "{-1*layer}", "{layer+1+1}"}) {
    EXPECT_THAT(ErrorOf([&] { (void)ExpandChoices(pattern); }),
                HasSubstr("is neither {layer}"))
        << pattern;
  }
}

TEST(NamePatternTest, AStarStandsForAnything) {
  EXPECT_TRUE(MatchesWildcard("*.mask", "decoder.0.mask"));
  EXPECT_TRUE(MatchesWildcard("*", ""));
  EXPECT_TRUE(MatchesWildcard("a*b*c", "a.b.b.c"));
  EXPECT_TRUE(MatchesWildcard("a**", "a"));
  EXPECT_TRUE(MatchesWildcard("a", "a"));
  EXPECT_FALSE(MatchesWildcard("a", "ab"));
  EXPECT_FALSE(MatchesWildcard("*.mask", "decoder.0.masks"));
  EXPECT_FALSE(MatchesWildcard("a*b", "b.a"));
  EXPECT_FALSE(MatchesWildcard("", "a"));
}

}  // namespace latimer::name_pattern_test
