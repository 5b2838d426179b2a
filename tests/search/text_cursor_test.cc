// The parts of a text, their budget and their deadline.
// Tests runtime/text/text_cursor.cc.
#include "latimer/text_cursor.h"

#include <gtest/gtest.h>

namespace latimer::text_cursor_test {

Translation Part(size_t tokens, StopReason reason = StopReason::kEos) {
  Translation part;
  part.generated_tokens = tokens;
  part.stop_reason = reason;
  return part;
}

TEST(TextCursorTest, AnEmptyTextHasOnePart) {
  TextCursor cursor("", {});
  EXPECT_FALSE(cursor.done());
  cursor.Take(0, false, false, "", 0);
  EXPECT_TRUE(cursor.done());
}

TEST(TextCursorTest, PartsAreTakenFromTheBeginning) {
  TextCursor cursor("One. Two.", {});
  EXPECT_TRUE(cursor.CanBegin());
  cursor.Take(5, true, false, ">>deu<<", 0);
  EXPECT_EQ(cursor.rest(), "Two.");
  EXPECT_TRUE(cursor.space_follows());
  EXPECT_FALSE(cursor.has_cut());
  EXPECT_EQ(cursor.language_code(), ">>deu<<");
  EXPECT_EQ(cursor.options().language_code, ">>deu<<");
  EXPECT_FALSE(cursor.done());
  EXPECT_TRUE(cursor.CanBegin());
  cursor.Take(4, false, false, ">>deu<<", 0);
  EXPECT_TRUE(cursor.done());
  EXPECT_FALSE(cursor.CanBegin());
  EXPECT_EQ(cursor.source_bytes(), 9u);
  EXPECT_EQ(cursor.parts(), 2u);
}

TEST(TextCursorTest, KnowsWhetherASentenceWasCut) {
  TextCursor cursor("One two.", {});
  cursor.Take(4, true, true, "", 0);
  cursor.Take(4, false, false, "", 0);
  EXPECT_TRUE(cursor.has_cut());
}

TEST(TextCursorTest, TheMostSevereReasonAndAllTokensCount) {
  TextCursor cursor("abc", {});
  for (const StopReason reason :
       {StopReason::kEos, StopReason::kLoop, StopReason::kLengthLimit}) {
    cursor.Take(1, false, false, "", 0);
    cursor.Finish(Part(4, reason));
  }
  EXPECT_EQ(cursor.stop_reason(), StopReason::kLoop);
  EXPECT_EQ(cursor.generated_tokens(), 12u);
}

TEST(TextCursorTest, WithABudgetPartsGoOneAfterAnother) {
  TranslateOptions options;
  options.budget_tokens = 10;
  TextCursor cursor("abc", options);
  cursor.Take(1, false, false, "", 0);
  EXPECT_FALSE(cursor.done());
  EXPECT_FALSE(cursor.CanBegin());
  cursor.Finish(Part(4));
  EXPECT_TRUE(cursor.CanBegin());
  EXPECT_EQ(cursor.options().budget_tokens, 6u);
}

TEST(TextCursorTest, ASpentBudgetEndsTheText) {
  TranslateOptions options;
  options.budget_tokens = 10;
  TextCursor cursor("abc", options);
  cursor.Take(1, false, false, "", 0);
  cursor.Finish(Part(10));
  EXPECT_TRUE(cursor.done());
  EXPECT_EQ(cursor.stop_reason(), StopReason::kBudget);
  EXPECT_EQ(cursor.rest(), "bc");
}

TEST(TextCursorTest, ABudgetThatIsJustEnoughIsNoReasonToStop) {
  TranslateOptions options;
  options.budget_tokens = 10;
  TextCursor cursor("a", options);
  cursor.Take(1, false, false, "", 0);
  cursor.Finish(Part(10));
  EXPECT_TRUE(cursor.done());
  EXPECT_EQ(cursor.stop_reason(), StopReason::kEos);
}

TEST(TextCursorTest, APartThatTheCallerEndsEndsTheText) {
  TextCursor cursor("ab", {});
  cursor.Take(1, false, false, "", 0);
  cursor.Finish(Part(3, StopReason::kCancelled));
  EXPECT_TRUE(cursor.done());
  EXPECT_EQ(cursor.rest(), "b");
}

TEST(TextCursorTest, ADeadlineIsThatOfTheWholeText) {
  TranslateOptions options;
  EXPECT_EQ(TextCursor("a", options).deadline(), 0u);
  options.budget_ms = 1'000'000;
  TextCursor cursor("ab", options);
  const uint64_t deadline = cursor.deadline();
  EXPECT_GT(deadline, 0u);
  cursor.Take(1, false, false, "", 0);
  cursor.Finish(Part(3));
  EXPECT_EQ(cursor.deadline(), deadline);
  EXPECT_TRUE(cursor.CanBegin());
}

}  // namespace latimer::text_cursor_test
