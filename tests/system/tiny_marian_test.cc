// Ids and logits equal those of Hugging Face's Marian for models of many
// shapes; see tests/reference/README.md.
// Tests runtime/transformer/network.cc, runtime/transformer/encoder.cc,
// runtime/transformer/decoder.cc, runtime/transformer/layers.cc,
// runtime/transformer/linear.cc.
#include <gtest/gtest.h>

#include "tests/system/fixture_check.h"

namespace latimer::tiny_marian_test {

class TinyMarianTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, TinyMarianTest,
                         ::testing::ValuesIn(TinyModelNames()),
                         [](const auto& model) { return model.param; });

TEST_P(TinyMarianTest, IdsAndLogitsEqualTheReference) {
  ExpectFixture(TinyModel(GetParam()));
}

// Most ids are those of f32, whatever the tile.
class TinyMarianInt8Test : public ::testing::TestWithParam<Tile> {};

INSTANTIATE_TEST_SUITE_P(Tiles, TinyMarianInt8Test,
                         ::testing::Values(Tile::k8x8, Tile::k16x8, Tile::k4x8,
                                           Tile::k8x2s4, Tile::k16x4,
                                           Tile::k4x4),
                         [](const auto& tile) {
                           return std::string("Tile") + NameOf(tile.param);
                         });

TEST_P(TinyMarianInt8Test, MostIdsAreThoseOfTheReference) {
  Agreement agreement;
  for (const std::string& name : TinyModelNames()) {
    if (!AddModel(TinyModel(name), GetParam(), &agreement)) {
      GTEST_SKIP() << "no kernels here for tile " << NameOf(GetParam());
    }
  }
  std::printf("tile %s: %zu of %zu rows, %zu of %zu tokens equal\n",
              NameOf(GetParam()), agreement.equal_rows, agreement.rows,
              agreement.equal_tokens, agreement.tokens);
  // Widths of 24 quantize badly; real models agree far more.
  EXPECT_GT(10 * agreement.equal_tokens, 8 * agreement.tokens);
}

}  // namespace latimer::tiny_marian_test
