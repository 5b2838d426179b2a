// The time of each operation, and the bytes that it reads. A program of its
// own, because its clock takes the place of base/clock.cc.
// Tests api/internals.cc, runtime/base/operation_times.h,
// runtime/transformer/trace.cc, runtime/model/operation_bytes.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/clock.h"
#include "internals.h"
#include "latimer/translator.h"
#include "tests/system/demo_model.h"
#include "tests/system/recurrent_models.h"
#include "tests/system/tiny_model.h"

namespace latimer {

// The nanoseconds are the readings of the clock.
uint64_t MonotonicNanoseconds() {
  static uint64_t readings = 0;
  return ++readings;
}

namespace operation_times_test {

constexpr int32_t kSource[] = {5, 6, 7, 0};

uint64_t Sum(const OperationTimes& times) {
  uint64_t sum = 0;
  for (const auto& phase : times.nanoseconds) {
    for (const uint64_t time : phase) sum += time;
  }
  return sum;
}

uint64_t TimeOf(const OperationTimes& times, Phase phase, Operation operation) {
  return times
      .nanoseconds[static_cast<int>(phase)][static_cast<int>(operation)];
}

class OperationTimesTest : public ::testing::Test {
 protected:
  void Load(ModelBytes file) {
    file_ = std::move(file);
    const Status status = translator_.Load(file_->bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  // Returns the number of target tokens.
  size_t Translate(OperationTimes* times) {
    TranslateOptions options;
    Internals::RecordTimes(translator_, times);
    const Result<Translation> result =
        translator_.TranslateIds(kSource, options);
    EXPECT_TRUE(result.ok());
    return result.ok() ? result->tokens.size() : 0;
  }

  std::optional<ModelBytes> file_;
  Translator translator_;
};

TEST_F(OperationTimesTest, OperationsAddUpToTheTranslation) {
  Load(ConvertModel(TinyModel("no_scale"), WeightType::kInt8));
  OperationTimes times;
  const uint64_t start = MonotonicNanoseconds();
  const size_t tokens = Translate(&times);
  const uint64_t passed = MonotonicNanoseconds() - start;
  // All readings end an operation but the one at the end and those that begin
  // the encoder, cross_kv and each step of the decoder.
  EXPECT_EQ(Sum(times), passed - 1 - 2 - tokens);
  EXPECT_GT(tokens, 0u);
}

TEST_F(OperationTimesTest, TimesAreAddedToWhatIsThere) {
  Load(ConvertModel(TinyModel("no_scale"), WeightType::kInt8));
  OperationTimes times;
  Translate(&times);
  const OperationTimes first = times;
  Translate(&times);
  for (int p = 0; p < kPhaseCount; ++p) {
    for (int o = 0; o < kOperationCount; ++o) {
      EXPECT_EQ(times.nanoseconds[p][o], 2 * first.nanoseconds[p][o]);
    }
  }
  EXPECT_GT(Sum(times), Sum(first));
}

TEST_F(OperationTimesTest, ATranslationWithoutTimesLeavesTheLastOnesAlone) {
  Load(ConvertModel(TinyModel("no_scale"), WeightType::kInt8));
  OperationTimes times;
  Translate(&times);
  const uint64_t before = Sum(times);
  Translate(nullptr);
  EXPECT_EQ(Sum(times), before);
}

TEST_F(OperationTimesTest, EachOperationOfAModelOfGrusHasItsTime) {
  Load(ConvertRecurrent(RecurrentNames().front(), WeightType::kInt8));
  OperationTimes times;
  Translate(&times);
  for (const Operation operation :
       {Operation::kEmbedding, Operation::kRecurrent,
        Operation::kCrossAttention, Operation::kOutput, Operation::kSearch}) {
    EXPECT_GT(TimeOf(times, Phase::kDecoder, operation), 0u)
        << static_cast<int>(operation);
  }
  EXPECT_GT(TimeOf(times, Phase::kEncoder, Operation::kRecurrent), 0u);
}

// What a token reads besides weights: gamma and beta of three norms in each
// layer.
uint64_t BytesOfAllOperations(const Translator& translator) {
  const Architecture& a = Internals::Describe(translator).architecture;
  EXPECT_FALSE(a.embedding_norm || a.final_norm);
  uint64_t bytes =
      uint64_t{a.decoder_layers} * 3 * 2 * a.d_model * sizeof(float);
  for (int o = 0; o < kOperationCount; ++o) {
    bytes +=
        Internals::WeightBytesPerToken(translator, static_cast<Operation>(o));
  }
  return bytes;
}

TEST_F(OperationTimesTest, WeightBytesOfAllOperationsAreWhatATokenReads) {
  for (const WeightType weights : {WeightType::kInt8, WeightType::kF32}) {
    Load(ConvertModel(TinyModel("no_scale"), weights));
    EXPECT_EQ(BytesOfAllOperations(translator_),
              Internals::Describe(translator_).sizes.streamed_per_token);
  }
}

TEST_F(OperationTimesTest, WeightBytesOfAModelWithInt4AreWhatATokenReads) {
  Load(ConvertDemoToInt4(UsableTile()));
  ASSERT_GT(Internals::Describe(translator_).int4_matrices, 0u);
  EXPECT_EQ(BytesOfAllOperations(translator_),
            Internals::Describe(translator_).sizes.streamed_per_token);
}

}  // namespace operation_times_test
}  // namespace latimer
