// The number of threads changes the time, never the translation.
// Tests runtime/base/thread_pool.cc, runtime/transformer/linear.cc,
// runtime/transformer/engine.cc.
#include <gtest/gtest.h>

#include <cstdio>

#include "internals.h"
#include "tests/system/tiny_model.h"

namespace latimer::threads_test {

using Ids = std::vector<int32_t>;

// Sources from one token to more than the rows that are split.
std::vector<Ids> Sources(uint32_t vocabulary) {
  std::vector<Ids> sources;
  uint32_t random = 1;
  for (const size_t length : {1, 2, 5, 17, 33, 64}) {
    Ids ids;
    for (size_t i = 0; i + 1 < length; ++i) {
      random = random * 1664525 + 1013904223;
      ids.push_back(static_cast<int32_t>(1 + (random >> 8) % (vocabulary - 2)));
    }
    ids.push_back(0);
    sources.push_back(ids);
  }
  return sources;
}

std::vector<Ids> TranslateAll(const ModelBytes& file, uint32_t threads,
                              bool pin) {
  Translator translator;
  const Status loaded = translator.Load(
      file.bytes(), &test_workspace, {.threads = threads, .pin_threads = pin});
  EXPECT_TRUE(loaded.ok()) << loaded.message();
  if (!loaded.ok()) return {};
  EXPECT_EQ(translator.threads(), threads);
  std::vector<Ids> results;
  const uint32_t vocabulary =
      Internals::Describe(translator).architecture.source_vocabulary;
  for (const Ids& source : Sources(vocabulary)) {
    const size_t fit =
        std::min<size_t>(source.size(), translator.max_source_tokens());
    const Result<Translation> result =
        translator.TranslateIds(std::span(source).first(fit),
                                {.max_target_tokens = 24, .language_code = {}});
    EXPECT_TRUE(result.ok()) << result.status().message();
    results.emplace_back(result->tokens.begin(), result->tokens.end());
  }
  return results;
}

void ExpectSameForAllThreads(const ModelBytes& file) {
  const std::vector<Ids> expected = TranslateAll(file, 1, false);
  ASSERT_EQ(expected.size(), 6u);
  for (const uint32_t threads : {2u, 3u, 4u}) {
    EXPECT_EQ(TranslateAll(file, threads, false), expected) << threads;
  }
}

TEST(ThreadsTest, TinyModelsGiveTheSameIds) {
  for (const char* name : {"learned_positions", "prenorm_all"}) {
    for (const WeightType weights : {WeightType::kF32, WeightType::kInt8}) {
      ExpectSameForAllThreads(ConvertModel(TinyModel(name), weights));
    }
  }
}

TEST(ThreadsTest, TheDemoModelGivesTheSameIds) {
  const std::filesystem::path demo =
      std::filesystem::path(LATIMER_SOURCE_DIR) / "examples" / "en-de";
  for (const WeightType weights : {WeightType::kF32, WeightType::kInt8}) {
    ExpectSameForAllThreads(ConvertModel(demo, weights));
  }
}

// Each thread has the biases of its own heads.
TEST(ThreadsTest, AModelWithRelativePositionsGivesTheSameIds) {
  const std::filesystem::path t5 = std::filesystem::path(LATIMER_SOURCE_DIR) /
                                   "tests" / "data" / "t5" /
                                   "gated_gelu_untied";
  for (const WeightType weights : {WeightType::kF32, WeightType::kInt8}) {
    ExpectSameForAllThreads(ConvertModel(t5, weights));
  }
}

TEST(ThreadsTest, LoadRefusesMoreThreadsThanTheProfile) {
  const ModelBytes file =
      ConvertModel(TinyModel("no_scale"), WeightType::kInt8);
  Translator translator;
  for (const uint32_t threads : {0u, kProfile.threads + 1}) {
    EXPECT_EQ(
        translator.Load(file.bytes(), &test_workspace, {.threads = threads})
            .code(),
        StatusCode::kInvalidArgument);
  }
  // A translator may be loaded again, also with other threads.
  for (const uint32_t threads : {2u, 1u, kProfile.threads}) {
    ASSERT_TRUE(
        translator.Load(file.bytes(), &test_workspace, {.threads = threads})
            .ok());
    EXPECT_EQ(translator.threads(), threads);
  }
}

}  // namespace latimer::threads_test
