// Several models in one program: one after another in the same workspace, or at
// the same time, each in its own.
// Tests runtime/translator.cc.
#include <gtest/gtest.h>

#include <memory>

#include "internals.h"
#include "latimer/translator.h"
#include "tests/system/demo_model.h"
#include "tests/system/tiny_model.h"

namespace latimer::several_models_test {

struct alignas(64) Block {
  std::byte bytes[64];
};

class Memory {
 public:
  explicit Memory(size_t bytes)
      : blocks_(bytes / sizeof(Block)), memory_(new Block[blocks_]) {}
  std::span<std::byte> bytes() const {
    return std::as_writable_bytes(std::span(memory_.get(), blocks_));
  }

 private:
  size_t blocks_;
  std::unique_ptr<Block[]> memory_;
};

class SeveralModelsTest : public testing::Test {
 protected:
  static size_t BytesFor(const ModelBytes& model) {
    auto scratch = std::make_unique<InfoScratch>();
    ModelDescription info;
    EXPECT_TRUE(ReadModelInfo(model.bytes(), false, scratch.get(), &info).ok());
    return static_cast<size_t>(PlanWorkspace(info, {.lanes = 1}).bytes);
  }

  // Translations of the demo, and of the tiny model.
  static std::string Text(Translator& translator) {
    const auto result = translator.Translate("Where is the station?");
    EXPECT_TRUE(result.ok()) << result.status().message();
    return std::string(result->text);
  }
  static std::vector<int32_t> Ids(Translator& translator) {
    const int32_t source[] = {5, 6, 7, 0};
    const auto result = translator.TranslateIds(source);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return {result->tokens.begin(), result->tokens.end()};
  }

  const ModelBytes demo_ = ConvertSmallDemo(WeightType::kInt8);
  const ModelBytes tiny_ =
      ConvertModel(TinyModel("heads_1_relu"), WeightType::kInt8);
};

TEST_F(SeveralModelsTest, TakeTurnsInOneWorkspaceThatHoldsTheLargest) {
  const size_t bytes = std::max(BytesFor(demo_), BytesFor(tiny_));
  const Memory memory(bytes);
  Translator translator;
  std::string text;
  std::vector<int32_t> ids;
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(
        translator.Load(demo_.bytes(), memory.bytes(), {.lanes = 1}).ok());
    if (turn == 0) text = Text(translator);
    EXPECT_EQ(Text(translator), text);
    ASSERT_TRUE(
        translator.Load(tiny_.bytes(), memory.bytes(), {.lanes = 1}).ok());
    if (turn == 0) ids = Ids(translator);
    EXPECT_EQ(Ids(translator), ids);
  }
  EXPECT_EQ(text, "Wo ist der Bahnhof?");
  EXPECT_FALSE(ids.empty());
  // The larger one does not fit into the memory of the smaller one.
  const size_t least = std::min(BytesFor(demo_), BytesFor(tiny_));
  ASSERT_LT(least, bytes);
  const ModelBytes& large = least == BytesFor(demo_) ? tiny_ : demo_;
  const Status status =
      translator.Load(large.bytes(), memory.bytes().first(least), {.lanes = 1});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
}

TEST_F(SeveralModelsTest, WorkAtTheSameTimeInAWorkspaceEach) {
  const Memory first(BytesFor(demo_)), second(BytesFor(tiny_));
  Translator demo, tiny;
  ASSERT_TRUE(demo.Load(demo_.bytes(), first.bytes(), {.lanes = 1}).ok());
  ASSERT_TRUE(tiny.Load(tiny_.bytes(), second.bytes(), {.lanes = 1}).ok());
  const std::vector<int32_t> ids = Ids(tiny);
  EXPECT_EQ(Text(demo), "Wo ist der Bahnhof?");
  EXPECT_EQ(Ids(tiny), ids);
  EXPECT_EQ(Text(demo), "Wo ist der Bahnhof?");
}

}  // namespace latimer::several_models_test
