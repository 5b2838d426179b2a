// The lexical shortlist limits the tokens of a translation, and changes nothing
// else.
// Tests runtime/search/shortlist.cc, converter/readers/shortlist.cc,
// runtime/search/choose.cc, runtime/search/choose_shortlists.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/readers/open_model.h"
#include "internals.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/tiny_model.h"

namespace latimer::shortlist_test {

using ::testing::HasSubstr;

using Ids = std::vector<int32_t>;

constexpr size_t kSentences = FewerIfSlow(20, 5);

// The demo model with lists made by a simple formula.
CanonicalModel DemoWithShortlist(uint32_t first, uint32_t of_each) {
  CanonicalModel model = OpenModel(DemoDirectory(), /*with_tokenizer=*/false);
  const Architecture& a = model.architecture;
  CanonicalShortlist& list = model.shortlist.emplace();
  list.first = first;
  for (uint32_t id = 0; id < a.source_vocabulary; ++id) {
    list.offsets.push_back(static_cast<uint32_t>(list.tokens.size()));
    for (uint32_t i = 0; i < of_each; ++i) {
      list.tokens.push_back(
          static_cast<uint16_t>((id * 31 + i * 257) % a.target_vocabulary));
    }
  }
  list.offsets.push_back(static_cast<uint32_t>(list.tokens.size()));
  return model;
}

std::vector<Ids> TranslateAll(const ModelBytes& file, uint32_t threads) {
  Translator translator;
  const Status status =
      translator.Load(file.bytes(), &test_workspace, {.threads = threads});
  EXPECT_TRUE(status.ok()) << status.message();
  std::vector<Ids> all;
  for (const FixtureRow& row : ReadDemoFixture()) {
    if (all.size() == kSentences) break;
    const auto result = translator.TranslateIds(row.source);
    EXPECT_TRUE(result.ok());
    all.emplace_back(result->tokens.begin(), result->tokens.end());
  }
  return all;
}

TEST(ShortlistTest, AListOfAllTokensChangesNothing) {
  for (const WeightType weights : {WeightType::kInt8, WeightType::kF32}) {
    CanonicalModel model = DemoWithShortlist(65535, 0);
    const ModelBytes with = WriteForThisCpu(model, weights);
    model.shortlist.reset();
    EXPECT_EQ(TranslateAll(with, 1),
              TranslateAll(WriteForThisCpu(model, weights), 1));
  }
}

TEST(ShortlistTest, OnlyTokensOfTheListsCome) {
  const CanonicalModel model = DemoWithShortlist(40, 6);
  const CanonicalShortlist& list = *model.shortlist;
  const std::vector<FixtureRow> rows = ReadDemoFixture();
  const std::vector<Ids> all =
      TranslateAll(WriteForThisCpu(model, WeightType::kInt8), 1);
  ASSERT_EQ(all.size(), kSentences);
  for (size_t i = 0; i < all.size(); ++i) {
    for (const int32_t token : all[i]) {
      bool allowed = token < 40 || token == model.generation.eos;
      for (const int32_t id : rows[i].source) {
        const auto begin = list.tokens.begin() + list.offsets[id];
        const auto end = list.tokens.begin() + list.offsets[id + 1];
        allowed = allowed || std::find(begin, end, token) != end;
      }
      EXPECT_TRUE(allowed) << token << " in row " << i;
    }
  }
}

TEST(ShortlistTest, ThreadsGiveTheSameIds) {
  for (const WeightType weights : {WeightType::kInt8, WeightType::kF32}) {
    const ModelBytes file = WriteForThisCpu(DemoWithShortlist(100, 9), weights);
    const std::vector<Ids> expected = TranslateAll(file, 1);
    for (const uint32_t threads : {2u, 3u}) {
      EXPECT_EQ(TranslateAll(file, threads), expected) << threads;
    }
  }
}

class ShortlistFileTest : public ::testing::Test {
 protected:
  static const ModelBytes& File() {
    static const ModelBytes file =
        ConvertModel(std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" /
                         "data" / "tiny_native" / "student_shortlist",
                     WeightType::kF32);
    return file;
  }

  // The error of Load for the file after `change`.
  static std::string ErrorAfter(
      const std::function<void(schema::Shortlist&)>& change) {
    Image image(File().bytes());
    change(*image.root().mutable_shortlist());
    image.FixChecksum();
    Translator translator;
    const Status status = translator.Load(image.bytes(), &test_workspace);
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    return status.message();
  }
};

TEST_F(ShortlistFileTest, RefusesListsOutsideTheVocabulary) {
  constexpr char kMessage[] = "its shortlist does not match its vocabularies";
  EXPECT_THAT(ErrorAfter([](schema::Shortlist& list) {
                list.mutable_tokens()->Mutate(0, 90);
              }),
              HasSubstr(kMessage));
  EXPECT_THAT(ErrorAfter([](schema::Shortlist& list) {
                list.mutable_offsets()->Mutate(1, 0xffffffff);
              }),
              HasSubstr(kMessage));
  EXPECT_THAT(ErrorAfter([](schema::Shortlist& list) {
                auto* offsets = list.mutable_offsets();
                offsets->Mutate(offsets->size() - 1, 0);
              }),
              HasSubstr(kMessage));
}

TEST_F(ShortlistFileTest, TheProfileKeepsRoomForIt) {
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(File().bytes(), true, &test_workspace, &info).ok());
  EXPECT_TRUE(info.has_shortlist);
  EXPECT_GT(info.sizes.shortlist, 91 * sizeof(uint32_t));
  const Result<Profile> profile = ExactProfile(info, {}, "student");
  ASSERT_TRUE(profile.ok());
  EXPECT_TRUE(profile->shortlist);
  EXPECT_EQ(BufferBytes(*profile, Buffer::kShortlist), 64u);
}

}  // namespace latimer::shortlist_test
