// Positions beyond the limits that a model is converted for are left out.
// Tests converter/canonical_model.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/canonical_model.h"
#include "converter/model_writer.h"
#include "converter/readers/open_model.h"
#include "tests/converter/model_folder.h"

namespace latimer::position_limits_test {

CanonicalModel Tiny() {
  return OpenModel(TinyModelsFolder() / "prenorm", false);
}

TEST(PositionLimitsTest, ASharedTableKeepsTheLongerLimitAndItsNumbers) {
  CanonicalModel model = Tiny();
  ASSERT_TRUE(model.architecture.positions_shared);
  const std::vector<float> whole = model.tables.at("source_positions");
  const size_t file = WriteModel(model, {}).bytes().size();
  LimitPositions({.source = 7, .target = 9}, &model);
  const std::vector<float>& cut = model.tables.at("source_positions");
  ASSERT_EQ(cut.size(), 9 * model.architecture.d_model);
  EXPECT_TRUE(std::equal(cut.begin(), cut.end(), whole.begin()));
  EXPECT_EQ(model.architecture.source_positions, 9u);
  EXPECT_EQ(model.architecture.target_positions, 9u);
  EXPECT_EQ(model.generation.max_target_tokens, 9u);
  const ModelBytes written = WriteModel(model, {});
  EXPECT_LE(written.bytes().size() + (whole.size() - cut.size()) * 4,
            file + 64);
  EXPECT_EQ(ReadInfo(written.bytes(), true).architecture.source_positions, 9u);
}

TEST(PositionLimitsTest, WithoutBothLimitsASharedTableStaysWhole) {
  CanonicalModel model = Tiny();
  const size_t whole = model.tables.at("source_positions").size();
  LimitPositions({.source = 7}, &model);
  LimitPositions({.source = 100'000, .target = 100'000}, &model);
  EXPECT_EQ(model.tables.at("source_positions").size(), whole);
}

TEST(PositionLimitsTest, APaddedSourceKeepsItsPositions) {
  CanonicalModel model = Tiny();
  model.architecture.positions_shared = false;
  model.generation.source_length = 12;
  model.tables["target_positions"] = model.tables.at("source_positions");
  LimitPositions({.source = 7, .target = 5}, &model);
  EXPECT_EQ(model.tables.at("source_positions").size(),
            12 * model.architecture.d_model);
  EXPECT_EQ(model.tables.at("target_positions").size(),
            5 * model.architecture.d_model);
}

}  // namespace latimer::position_limits_test
