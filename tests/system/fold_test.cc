// What the demo's vocabulary lacks is read as what it has, in texts and nowhere
// else.
// Tests runtime/translator.cc, runtime/text_reader.cc.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "latimer/profile_config.h"
#include "latimer/translator.h"
#include "tests/system/demo_model.h"
#include "tests/system/test_workspace.h"

namespace latimer::fold_system_test {

using Ids = std::vector<int32_t>;

class FoldTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Status status = translator_.Load(file_.bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  // The ids that the encoder reads.
  Ids SourceOf(const std::string& text, const TranslateOptions& options = {}) {
    TextCursor cursor(text, options);
    const Result<Translation> result = translator_.TranslateNext(cursor);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return {result->source.begin(), result->source.end()};
  }
  Ids IdsOf(const std::string& text) {
    Ids ids(200);
    const Result<size_t> count = translator_.Tokenize(text, ids);
    EXPECT_TRUE(count.ok()) << count.status().message();
    ids.resize(*count);
    return ids;
  }

  const ModelBytes file_ = ConvertDemo(WeightType::kInt8);
  Translator translator_;
};

const std::string kText = "Erdo\u011fan and Chi\u015fin\u0103u are here.";
const std::string kComposed =
    "Erdog\u0306an and Chis\u0327ina\u0306u are here.";
const std::string kFolded = "Erdogan and Chisinau are here.";

TEST_F(FoldTest, TextsAreFolded) {
  EXPECT_EQ(SourceOf(kText), IdsOf(kFolded));
  EXPECT_EQ(SourceOf(kComposed), IdsOf(kFolded));
}

TEST_F(FoldTest, WithoutItTheIdsAreThoseOfTheOriginalLibrary) {
  const Ids ids = IdsOf(kText);  // Tokenize never folds.
  EXPECT_NE(ids, IdsOf(kFolded));
  EXPECT_EQ(SourceOf(kText, {.fold = false, .keep_unknown = false}), ids);
}

// Folded ones are not kept, and so not written twice.
TEST_F(FoldTest, NothingIsKeptOfThem) {
  const Result<Translation> folded = translator_.Translate(kFolded);
  ASSERT_TRUE(folded.ok());
  const std::string expected(folded->text);
  const Result<Translation> result = translator_.Translate(kText);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->text, expected);
}

TEST_F(FoldTest, LinksStandForTheTextsOwnBytes) {
  if (!kProfile.alignment) GTEST_SKIP();
  const Result<Translation> result =
      translator_.Translate(kComposed, {.alignment = true});
  ASSERT_TRUE(result.ok()) << result.status().message();
  bool last = false;
  for (const TokenLink& link : result->links) {
    ASSERT_LE(link.source.end, kComposed.size());
    if (link.source.size() == 0) continue;
    // No mark is cut from its letter.
    EXPECT_NE(kComposed[link.source.begin] & 0xC0, 0x80);
    last = last || link.source.end == kComposed.size();
  }
  EXPECT_TRUE(last);
}

}  // namespace latimer::fold_system_test
