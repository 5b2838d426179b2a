// Ids and logits of larger models than the repository has. ctest leaves it out;
// a person runs it with a folder of model folders, each with a fixture.json
// (tests/reference/README.md):
//   LATIMER_LARGER_MODELS=FOLDER build/host/bin/tests/system_test
//   larger_models_test
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/system/fixture_check.h"

namespace latimer::larger_models_test {

namespace fs = std::filesystem;

std::vector<fs::path> Folders() {
  std::vector<fs::path> folders;
  const char* models = std::getenv("LATIMER_LARGER_MODELS");
  if (models == nullptr) return folders;
  for (const auto& entry : fs::directory_iterator(models)) {
    if (fs::exists(entry.path() / "fixture.json")) folders.push_back(entry);
  }
  std::ranges::sort(folders);
  return folders;
}

class LargerModelsTest : public ::testing::TestWithParam<fs::path> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LargerModelsTest);
INSTANTIATE_TEST_SUITE_P(Models, LargerModelsTest,
                         ::testing::ValuesIn(Folders()),
                         [](const auto& folder) {
                           return folder.param.filename().string();
                         });

TEST_P(LargerModelsTest, IdsAndLogitsEqualTheReference) {
  ExpectFixture(GetParam());
}

TEST_P(LargerModelsTest, ABinOfTransformers4EqualsTheSafetensors) {
  const fs::path bin = GetParam().string() + "_bin";
  if (!fs::exists(bin)) return;
  const auto converted = [](const fs::path& folder) {
    CanonicalModel model = OpenModel(folder, /*with_tokenizer=*/false);
    model.source = "the same";  // By default the folder's name.
    return WriteModel(model, {.progress = {}});
  };
  const ModelBytes expected = converted(GetParam());
  EXPECT_TRUE(std::ranges::equal(converted(bin).bytes(), expected.bytes()));
}

}  // namespace latimer::larger_models_test
