// Errors, their sentences, and how they are passed on.
// Tests runtime/base/status.cc.
#include "latimer/status.h"

#include <gtest/gtest.h>

#include <string>

namespace latimer::status_test {

TEST(StatusTest, IsOkWithoutAMessageByDefault) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kOk);
  EXPECT_STREQ(status.message(), "");
}

TEST(StatusTest, AnErrorHasACodeAndAFormattedSentence) {
  const Status status =
      Status::Error(StatusCode::kCorrupt, "tensor %s is %d.", "output", 7);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_STREQ(status.message(), "tensor output is 7.");
}

TEST(StatusTest, ALongSentenceIsCutAndEnded) {
  const std::string text(3 * Status::kMaxMessageBytes, 'x');
  const Status status = Status::Error(StatusCode::kCorrupt, "%s", text.c_str());
  EXPECT_EQ(status.message(), text.substr(0, Status::kMaxMessageBytes - 1));
}

TEST(StatusTest, ACopyOwnsItsSentence) {
  Status copy;
  {
    const Status original = Status::Error(StatusCode::kTruncated, "short");
    copy = original;
  }
  EXPECT_STREQ(copy.message(), "short");
}

TEST(StatusTest, CodesHaveNames) {
  EXPECT_STREQ(NameOf(StatusCode::kOk), "OK");
  EXPECT_STREQ(NameOf(StatusCode::kNotAModel), "NOT_A_MODEL");
  EXPECT_STREQ(NameOf(StatusCode::kResourceUnavailable),
               "RESOURCE_UNAVAILABLE");
  EXPECT_STREQ(NameOf(static_cast<StatusCode>(12)), "UNKNOWN");
}

TEST(ResultTest, HoldsAValueOrAStatus) {
  const Result<int> good = 7;
  EXPECT_TRUE(good.ok());
  EXPECT_TRUE(good.status().ok());
  EXPECT_EQ(*good, 7);
  const Result<int> bad = Status::Error(StatusCode::kTruncated, "short");
  EXPECT_FALSE(bad.ok());
  EXPECT_STREQ(bad.status().message(), "short");
}

Status ReturnsEarly(const Status& inner, int* steps) {
  ++*steps;
  LATIMER_RETURN_IF_ERROR(inner);
  ++*steps;
  return Status();
}

TEST(StatusTest, TheEarlyReturnMacroPassesErrorsOn) {
  int steps = 0;
  EXPECT_TRUE(ReturnsEarly(Status(), &steps).ok());
  EXPECT_EQ(steps, 2);
  const Status status =
      ReturnsEarly(Status::Error(StatusCode::kCorrupt, "bad"), &steps);
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_STREQ(status.message(), "bad");
  EXPECT_EQ(steps, 3);
}

}  // namespace latimer::status_test
