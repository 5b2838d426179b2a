// The time of each operation, and the bytes that it reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "latimer/translator.h"
#include "tests/system/demo_model.h"
#include "tests/system/recurrent_models.h"
#include "tests/system/tiny_model.h"

namespace latimer::operation_times_test {

constexpr int32_t kSource[] = {5, 6, 7, 0};

uint64_t Sum(const OperationTimes& times) {
  uint64_t sum = 0;
  for (const auto& station : times.nanoseconds) {
    for (const uint64_t group : station) sum += group;
  }
  return sum;
}

uint64_t TimeOf(const OperationTimes& times, Phase station, Operation group) {
  return times.nanoseconds[static_cast<int>(station)][static_cast<int>(group)];
}

class GroupTimesTest : public ::testing::Test {
 protected:
  void Load(ModelBytes file) {
    file_ = std::move(file);
    const Status status = translator_.Load(file_->bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  void Translate(OperationTimes* times) {
    TranslateOptions options;
    options.times = times;
    ASSERT_TRUE(translator_.TranslateIds(kSource, options).ok());
  }

  std::optional<ModelBytes> file_;
  Translator translator_;
};

TEST_F(GroupTimesTest, GroupsAddUpToNoMoreThanTheTranslationTook) {
  Load(ConvertModel(TinyModel("no_scale"), WeightType::kInt8));
  OperationTimes times;
  const auto start = std::chrono::steady_clock::now();
  Translate(&times);
  const std::chrono::nanoseconds passed =
      std::chrono::steady_clock::now() - start;
  EXPECT_GT(Sum(times), 0u);
  EXPECT_LE(Sum(times), static_cast<uint64_t>(passed.count()));
}

TEST_F(GroupTimesTest, TimesAreAddedToWhatIsThere) {
  Load(ConvertModel(TinyModel("no_scale"), WeightType::kInt8));
  OperationTimes times;
  Translate(&times);
  const OperationTimes first = times;
  Translate(&times);
  for (int s = 0; s < kPhaseCount; ++s) {
    for (int g = 0; g < kOperationCount; ++g) {
      EXPECT_GE(times.nanoseconds[s][g], first.nanoseconds[s][g]);
    }
  }
  EXPECT_GT(Sum(times), Sum(first));
}

TEST_F(GroupTimesTest, ATranslationWithoutTimesLeavesTheLastOnesAlone) {
  Load(ConvertModel(TinyModel("no_scale"), WeightType::kInt8));
  OperationTimes times;
  Translate(&times);
  const uint64_t before = Sum(times);
  Translate(nullptr);
  EXPECT_EQ(Sum(times), before);
}

TEST_F(GroupTimesTest, EachGroupOfAModelOfGrusHasItsTime) {
  Load(ConvertRecurrent(RecurrentNames().front(), WeightType::kInt8));
  OperationTimes times;
  Translate(&times);
  for (const Operation group :
       {Operation::kEmbedding, Operation::kRecurrent,
        Operation::kCrossAttention, Operation::kOutput, Operation::kSearch}) {
    EXPECT_GT(TimeOf(times, Phase::kDecoder, group), 0u)
        << static_cast<int>(group);
  }
  EXPECT_GT(TimeOf(times, Phase::kEncoder, Operation::kRecurrent), 0u);
}

// What a token reads besides weights: gamma and beta of three norms in each
// layer.
uint64_t BytesOfAllGroups(const Translator& translator) {
  const Architecture& a = translator.model_info().architecture;
  EXPECT_FALSE(a.embedding_norm || a.final_norm);
  uint64_t bytes =
      uint64_t{a.decoder_layers} * 3 * 2 * a.d_model * sizeof(float);
  for (int g = 0; g < kOperationCount; ++g) {
    bytes += translator.weight_bytes_per_token(static_cast<Operation>(g));
  }
  return bytes;
}

TEST_F(GroupTimesTest, WeightBytesOfAllGroupsAreWhatATokenReads) {
  for (const WeightType weights : {WeightType::kInt8, WeightType::kF32}) {
    Load(ConvertModel(TinyModel("no_scale"), weights));
    EXPECT_EQ(BytesOfAllGroups(translator_),
              translator_.model_info().sizes.streamed_per_token);
  }
}

TEST_F(GroupTimesTest, WeightBytesOfAModelWithInt4AreWhatATokenReads) {
  Load(ConvertDemoToInt4(UsableTile()));
  ASSERT_GT(translator_.model_info().int4_matrices, 0u);
  EXPECT_EQ(BytesOfAllGroups(translator_),
            translator_.model_info().sizes.streamed_per_token);
}

}  // namespace latimer::operation_times_test
