// Files as others published them. None is committed: LATIMER_PUBLISHED_FILES
// names a folder that has some, and what is not there is skipped.
// Tests converter/readers/shortlist.cc,
// converter/readers/sentencepiece_model.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/shortlist.h"

namespace latimer::published_files_test {

namespace fs = std::filesystem;

class PublishedFilesTest : public ::testing::Test {
 protected:
  // Skips the test unless the file or folder is there.
  void Find(const std::string& name) {
    const char* folder = std::getenv("LATIMER_PUBLISHED_FILES");
    path_ = fs::path(folder == nullptr ? "" : folder) / name;
    if (folder == nullptr || !fs::exists(path_)) {
      GTEST_SKIP() << "LATIMER_PUBLISHED_FILES has no " << name;
    }
  }

  fs::path path_;
};

// Mozilla's models of 2024: the last of 32,000 words has no list.
TEST_F(PublishedFilesTest, AShortlistOfFirefox) {
  Find("firefox-en-es/lex.50.50.enes.s2t.bin");
  if (IsSkipped()) return;
  ShortlistSides sides;
  sides.source_vocabulary = sides.target_vocabulary = 32000;
  const CanonicalShortlist list = ReadShortlist(path_, {}, sides);
  EXPECT_EQ(list.first, 50u);
  ASSERT_EQ(list.offsets.size(), 32001u);
  EXPECT_EQ(list.offsets[31999], list.offsets[32000]);
  EXPECT_EQ(list.tokens.size(), 772764u);
}

TEST_F(PublishedFilesTest, AVocabularyOfFirefox) {
  Find("firefox-en-es/vocab.enes.spm");
  if (IsSkipped()) return;
  EXPECT_EQ(ReadSentencePieceModel(path_).pieces.size(), 32000u);
}

}  // namespace latimer::published_files_test
