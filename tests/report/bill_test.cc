// What a model costs in flash, RAM and bytes read, and which board it fits.
// Tests programs/report/bill.cc.
#include "report/bill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "converter/model_writer.h"
#include "converter/readers/open_model.h"
#include "internals.h"
#include "latimer/internal/memory_plan.h"
#include "model/model_file.h"
#include "tests/converter/model_folder.h"

namespace latimer::bill_test {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

struct Billed {
  Json bill;
  Profile profile;
  uint64_t file_bytes;
};

Billed BillOf(const char* name, WeightType weights) {
  const CanonicalModel source =
      ReadHuggingFaceBart(TinyModelsFolder() / name, false);
  const ModelBytes file =
      WriteModel(source, {.weights = weights, .progress = {}});
  const auto model = std::make_unique<Model>();
  EXPECT_TRUE(ReadModelFile(file.bytes(), true, model.get()).ok());
  const Profile profile = *ExactProfile(model->info, {}, "tiny");
  return {MakeBill(model->info, profile), profile, file.bytes().size()};
}

uint64_t Sum(const Json& items) {
  uint64_t sum = 0;
  for (const auto& [name, bytes] : items.items()) sum += bytes.get<uint64_t>();
  return sum;
}

TEST(BillTest, FlashGroupsAddUpToTheFile) {
  for (const char* name : {"no_scale", "untied", "learned_positions"}) {
    for (const WeightType weights : {WeightType::kF32, WeightType::kInt8}) {
      const Billed billed = BillOf(name, weights);
      EXPECT_EQ(Sum(billed.bill["flash"]), billed.file_bytes) << name;
      EXPECT_EQ(billed.bill["flash_bytes"], billed.file_bytes) << name;
    }
  }
}

TEST(BillTest, EmbeddingsCostFlashOnlyWhereTheyAreNotTied) {
  const Json tied = BillOf("no_scale", WeightType::kF32).bill;
  EXPECT_EQ(tied["flash"]["embeddings"], 0);
  const Json untied = BillOf("untied", WeightType::kF32).bill;
  // Two matrices [100, 24] in blocks of 8 channels, without bias.
  EXPECT_EQ(untied["flash"]["embeddings"],
            2 * PackedBytes(WeightType::kF32, Tile::k8x1, 100, 24));
}

TEST(BillTest, RamIsTheWorkspaceAndTheStacks) {
  const Billed billed = BillOf("no_scale", WeightType::kInt8);
  // With the stacks, and without the features of speech.
  EXPECT_EQ(billed.bill["ram"].size(), static_cast<size_t>(kBufferCount));
  EXPECT_FALSE(billed.bill["ram"].contains("features"));
  EXPECT_EQ(Sum(billed.bill["ram"]), billed.bill["ram_bytes"]);
  EXPECT_EQ(billed.bill["ram_bytes"], RamBytes(billed.profile));
  EXPECT_EQ(billed.bill["workspace_bytes"], WorkspaceBytes(billed.profile));
  // float [L, S, 2D] and [L, T, 2D].
  EXPECT_EQ(billed.bill["ram"]["cross_kv"], 2 * 40 * 2 * 24 * sizeof(float));
  EXPECT_EQ(billed.bill["ram"]["self_kv"], 2 * 40 * 2 * 24 * sizeof(float));
}

TEST(BillTest, ATokenStreamsTheDecoderAndTheOutput) {
  const Json bill = BillOf("no_scale", WeightType::kInt8).bill;
  EXPECT_EQ(bill["weight_bytes_per_token"],
            bill["flash"]["decoder"].get<uint64_t>() +
                bill["flash"]["output"].get<uint64_t>());
  EXPECT_LT(
      bill["weight_bytes_per_token"],
      BillOf("no_scale", WeightType::kF32).bill["weight_bytes_per_token"]);
}

TEST(BillTest, ASentenceReadsTheEncoderAndTheKeysAndValuesOfIt) {
  const Json bill = BillOf("no_scale", WeightType::kInt8).bill;
  EXPECT_EQ(bill["weight_bytes_per_sentence"],
            bill["flash"]["encoder"].get<uint64_t>() +
                bill["flash"]["cross_kv"].get<uint64_t>());
}

TEST(BillTest, TheTextNamesEachItemWithItsBytes) {
  const Json bill = BillOf("no_scale", WeightType::kInt8).bill;
  const std::string text = BillText(bill);
  for (const char* part : {"flash", "ram"}) {
    for (const auto& [name, bytes] : bill[part].items()) {
      EXPECT_THAT(text, HasSubstr(name));
      EXPECT_THAT(text, HasSubstr(bytes.dump() + " bytes"));
    }
  }
  EXPECT_THAT(text, HasSubstr("40 source and 40 target tokens"));
}

TEST(BillTest, BoardsAreFoundByTheirNames) {
  std::string error;
  EXPECT_EQ(FindBoard("no_such_board", &error), nullptr);
  EXPECT_THAT(error, HasSubstr("--board no_such_board: the boards are "));
  EXPECT_EQ(FindBoard("", &error), nullptr);
  EXPECT_EQ(FindBoard("no_such_board.cmake", &error), nullptr);
  EXPECT_EQ(error,
            "no_such_board.cmake: cannot be read (No such file or directory).");
  const Board* board = FindBoard("raspberry_pi_4", &error);
  ASSERT_NE(board, nullptr);
  EXPECT_STREQ(board->name, "raspberry_pi_4");
  EXPECT_THAT(BoardNames(), HasSubstr("raspberry_pi_4"));
}

TEST(BillTest, ABoardReadsItsOwnTileAndF32) {
  std::string error;
  const Board* board = FindBoard("raspberry_pi_4", &error);
  ASSERT_NE(board, nullptr);
  ModelDescription info = {};
  info.weights = "int8";
  info.tile = board->tile;
  EXPECT_TRUE(ReadsTile(*board, info));
  info.tile = "16x8";
  EXPECT_FALSE(ReadsTile(*board, info));
  info.weights = "f32";
  EXPECT_FALSE(ReadsTile(*board, info));
  info.tile = "8x1";
  EXPECT_TRUE(ReadsTile(*board, info));
  info.weights = "f16";
  info.tile = "16x1";
  EXPECT_TRUE(ReadsTile(*board, info));
}

TEST(BillTest, FitIsToTheByte) {
  EXPECT_THAT(FitText(100, 100, "x"), HasSubstr("x: fits: 100 bytes"));
  EXPECT_THAT(FitText(101, 100, "x"), HasSubstr("x: DOES NOT FIT: 101 bytes"));
}

}  // namespace latimer::bill_test
