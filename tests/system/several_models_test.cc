// Several models in one program: one after another in the same workspace, or at
// the same time, each in its own.
// Tests runtime/translator.cc, api/latimer_c.cc.
#include <gtest/gtest.h>

#include <memory>

#include "internals.h"
#include "latimer/latimer.h"
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

TEST_F(SeveralModelsTest, AFailedLoadKeepsTheModel) {
  const Memory memory(std::max(BytesFor(demo_), BytesFor(tiny_))),
      other(BytesFor(tiny_));
  Translator translator;
  ASSERT_TRUE(
      translator.Load(demo_.bytes(), memory.bytes(), {.lanes = 1}).ok());
  EXPECT_EQ(Text(translator), "Wo ist der Bahnhof?");
  Image damaged(tiny_.bytes());
  damaged.bytes()[damaged.bytes().size() / 2] ^= std::byte{1};
  struct {
    std::span<const std::byte> image;
    std::span<std::byte> workspace;
    LoadOptions options;
    StatusCode code;
  } const kRefused[] = {
      {damaged.bytes(), memory.bytes(), {.lanes = 1}, StatusCode::kCorrupt},
      {damaged.bytes(), other.bytes(), {.lanes = 1}, StatusCode::kCorrupt},
      {damaged.bytes().first(damaged.bytes().size() - 1),
       memory.bytes(),
       {},
       StatusCode::kTruncated},
      {tiny_.bytes(),
       other.bytes().first(64),
       {},
       StatusCode::kInvalidArgument},
      {tiny_.bytes(),
       memory.bytes().first(9 * 4096),
       {.lanes = 1},
       StatusCode::kInvalidArgument},
      {tiny_.bytes(),
       memory.bytes().subspan(1),
       {},
       StatusCode::kInvalidArgument},
      {tiny_.bytes(),
       memory.bytes(),
       {.threads = 9999, .lanes = 1},
       StatusCode::kInvalidArgument},
      {tiny_.bytes(),
       memory.bytes(),
       {.lanes = 1, .cpu = "z80"},
       StatusCode::kInvalidArgument}};
  for (const auto& refused : kRefused) {
    // A sentence that is under way is dropped.
    const int32_t source[] = {5, 6, 7, 0};
    ASSERT_TRUE(translator.BeginIds(source, {}, 1).ok());
    const Status status =
        translator.Load(refused.image, refused.workspace, refused.options);
    EXPECT_EQ(status.code(), refused.code) << status.message();
    EXPECT_EQ(Text(translator), "Wo ist der Bahnhof?");
    EXPECT_EQ(translator.model_info().eos, 0);
  }
  ASSERT_TRUE(translator.Load(tiny_.bytes(), other.bytes(), {.lanes = 1}).ok());
  EXPECT_FALSE(Ids(translator).empty());
}

// Parts of one block, at each distance of the old one's state: wherever that
// lies, it is not overwritten.
TEST_F(SeveralModelsTest, AFailedLoadKeepsTheModelInAnOverlappingWorkspace) {
  const size_t bytes = BytesFor(tiny_);
  const Memory memory(3 * bytes);
  Image damaged(tiny_.bytes());
  damaged.bytes()[damaged.bytes().size() / 2] ^= std::byte{1};
  const std::span<std::byte> old = memory.bytes().subspan(bytes, bytes);
  Translator translator;
  ASSERT_TRUE(translator.Load(tiny_.bytes(), old, {.lanes = 1}).ok());
  const std::vector<int32_t> ids = Ids(translator);
  for (size_t begin = 0; begin <= 2 * bytes; begin += 64 * 97) {
    EXPECT_EQ(translator
                  .Load(damaged.bytes(), memory.bytes().subspan(begin, bytes),
                        {.lanes = 1})
                  .code(),
              StatusCode::kCorrupt);
    EXPECT_EQ(Ids(translator), ids) << begin;
  }
}

TEST_F(SeveralModelsTest, AFailedReloadInCKeepsTheModel) {
  const Memory memory(std::max(BytesFor(demo_), BytesFor(tiny_)) + 1024);
  latimer_load_options options = {};
  options.struct_bytes = sizeof(options);
  options.lanes = 1;
  latimer_translator* translator = nullptr;
  char message[LATIMER_MESSAGE_BYTES];
  ASSERT_EQ(latimer_load(demo_.bytes().data(), demo_.bytes().size(),
                         memory.bytes().data(), memory.bytes().size(), &options,
                         &translator, message, sizeof(message)),
            LATIMER_OK)
      << message;
  const auto reload = [&](std::span<const std::byte> image) {
    return latimer_reload(translator, image.data(), image.size(), &options);
  };
  const auto text = [&]() -> std::string {
    latimer_translation out = {};
    out.struct_bytes = sizeof(out);
    if (latimer_translate(translator, "Where is the station?", 21, nullptr,
                          &out) != LATIMER_OK) {
      return latimer_message(translator);
    }
    return {out.text, out.text_bytes};
  };
  EXPECT_EQ(text(), "Wo ist der Bahnhof?");
  EXPECT_EQ(reload(tiny_.bytes().first(tiny_.bytes().size() - 1)),
            LATIMER_TRUNCATED);
  EXPECT_NE(std::string(latimer_message(translator)).find("truncated"),
            std::string::npos);
  EXPECT_EQ(reload({}), LATIMER_INVALID_ARGUMENT);
  EXPECT_EQ(text(), "Wo ist der Bahnhof?");
  EXPECT_EQ(reload(tiny_.bytes()), LATIMER_OK);
  EXPECT_NE(text(), "Wo ist der Bahnhof?");
  EXPECT_EQ(reload(demo_.bytes()), LATIMER_OK);
  EXPECT_EQ(text(), "Wo ist der Bahnhof?");
  latimer_unload(translator);
}

}  // namespace latimer::several_models_test
