// T5's biases by distance, as tables.
// Tests converter/readers/relative_bias.cc.
#include "converter/readers/relative_bias.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace latimer::relative_bias_test {

TEST(RelativeBiasTest, BucketsAreThoseOfTransformers) {
  std::ifstream file(std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" /
                     "data" / "t5" / "buckets.json");
  const auto cases = nlohmann::json::parse(file);
  for (const auto& json : cases) {
    const RelativeBuckets buckets = {.both_ways = json["both_ways"],
                                     .count = json["buckets"],
                                     .max_distance = json["max_distance"]};
    const auto& runs = json["runs"];
    for (size_t i = 0; i < runs.size(); ++i) {
      const int64_t end =
          i + 1 < runs.size() ? runs[i + 1][0].get<int64_t>() : 1101;
      for (int64_t d = runs[i][0].get<int64_t>(); d < end; ++d) {
        ASSERT_EQ(BucketOf(buckets, d), runs[i][1].get<uint32_t>())
            << buckets.count << " buckets up to " << buckets.max_distance
            << ", both ways " << buckets.both_ways << ", distance " << d;
      }
    }
  }
  EXPECT_GE(cases.size(), 18u);
}

// 4 buckets of 2 heads; the value shows bucket and head.
class RelativeBiasTableTest : public ::testing::Test {
 protected:
  RelativeBiasTableTest() {
    biases_.shape = {4, 2};
    biases_.data = std::as_bytes(std::span(values_));
  }

  const float values_[8] = {0, 100, 1, 101, 2, 102, 3, 103};
  SourceTensor biases_;
};

TEST_F(RelativeBiasTableTest, HasEveryDistanceBothWays) {
  const RelativeBuckets buckets = {
      .both_ways = true, .count = 4, .max_distance = 8};
  const std::vector<float> expected = {
      1,   1,   0,   3,   3,  // From two before the query to two after it.
      101, 101, 100, 103, 103};
  EXPECT_EQ(BiasByDistance(buckets, biases_, 3), expected);
}

TEST_F(RelativeBiasTableTest, EndsAtTheQueryInADecoder) {
  const RelativeBuckets buckets = {
      .both_ways = false, .count = 4, .max_distance = 8};
  const std::vector<float> expected = {2, 2, 1, 0, 102, 102, 101, 100};
  EXPECT_EQ(BiasByDistance(buckets, biases_, 4), expected);
}

TEST_F(RelativeBiasTableTest, OfOnePositionIsTheQuerysOwn) {
  const RelativeBuckets buckets = {
      .both_ways = true, .count = 4, .max_distance = 8};
  EXPECT_EQ(BiasByDistance(buckets, biases_, 1), (std::vector<float>{0, 100}));
}

}  // namespace latimer::relative_bias_test
