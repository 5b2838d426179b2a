// Translators of different threads share one image. For the thread sanitizer:
// preset host-tsan.
// Tests runtime/translator.cc.
#include <gtest/gtest.h>

#include <thread>

#include "latimer/translator.h"
#include "tests/system/demo_model.h"

namespace latimer::shared_image_test {

using Texts = std::vector<std::string>;

Texts TranslateAll(const ModelBytes& model, const Texts& lines,
                   uint32_t threads) {
  const std::unique_ptr<Workspace> workspace(new Workspace);  // Not zeroed.
  Translator translator;
  const Status status =
      translator.Load(model.bytes(), workspace.get(), {.threads = threads});
  EXPECT_TRUE(status.ok()) << status.message();
  Texts texts;
  for (const std::string& line : lines) {
    const Result<Translation> result = translator.Translate(line);
    EXPECT_TRUE(result.ok()) << result.status().message();
    texts.emplace_back(result->text);
  }
  return texts;
}

// Each thread in another order.
void ExpectSameInThreads(const ModelBytes& model, uint32_t threads) {
  Texts lines = ReadLines(DemoDirectory() / "data" / "test.en");
  lines.resize(12);
  const Texts expected = TranslateAll(model, lines, 1);
  std::vector<Texts> found(3);
  std::vector<std::thread> users;
  for (size_t i = 0; i < found.size(); ++i) {
    users.emplace_back([&, i] {
      Texts rotated = lines;
      std::rotate(rotated.begin(), rotated.begin() + i, rotated.end());
      found[i] = TranslateAll(model, rotated, threads);
      std::rotate(found[i].begin(), found[i].end() - i, found[i].end());
    });
  }
  for (std::thread& user : users) user.join();
  for (const Texts& texts : found) EXPECT_EQ(texts, expected);
}

TEST(SharedImageTest, TranslatorsOfSeveralThreadsAgree) {
  ExpectSameInThreads(ConvertSmallDemo(WeightType::kInt8), 1);
  ExpectSameInThreads(ConvertSmallDemo(WeightType::kF32), 1);
}

TEST(SharedImageTest, TranslatorsWithThreadsOfTheirOwnAgree) {
  ExpectSameInThreads(ConvertSmallDemo(WeightType::kInt8), 2);
}

}  // namespace latimer::shared_image_test
