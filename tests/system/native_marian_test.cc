// Native Marian models give the ids and logits of tests/reference's
// marian_numpy.py, whatever file they lie in.
#include "converter/readers/native_marian.h"

#include <gtest/gtest.h>

#include "converter/readers/tensor_file.h"
#include "ops/xnnpack/pack.h"
#include "tests/system/fixture_check.h"

namespace latimer {
namespace {

std::filesystem::path NativeModel(const std::string& name) {
  return std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" / "data" /
         "tiny_native" / name;
}

std::vector<std::string> NativeModelNames() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(NativeModel(""))) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

class NativeMarianModelTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, NativeMarianModelTest,
                         ::testing::ValuesIn(NativeModelNames()),
                         [](const auto& model) { return model.param; });

TEST_P(NativeMarianModelTest, IdsAndLogitsEqualTheReference) {
  ExpectFixture(NativeModel(GetParam()));
}

TEST(NativeMarianInt8Test, MostIdsAreThoseOfTheReference) {
  Agreement agreement;
  for (const std::string& name : NativeModelNames()) {
    Agreement own;
    if (!AddModel(NativeModel(name), UsableTile(), &own)) {
      GTEST_SKIP() << "no kernels here for any tile";
    }
    std::printf("%s: %zu of %zu rows, %zu of %zu tokens equal\n", name.c_str(),
                own.equal_rows, own.rows, own.equal_tokens, own.tokens);
    agreement.tokens += own.tokens;
    agreement.equal_tokens += own.equal_tokens;
  }
  // Widths of 24 quantize badly; real models agree far more.
  EXPECT_GT(10 * agreement.equal_tokens, 8 * agreement.tokens);
}

}  // namespace
}  // namespace latimer
