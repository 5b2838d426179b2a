// The tokenizers of Hugging Face's families: ids and text equal those of
// transformers.
#include "converter/readers/huggingface_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "converter/readers/text_file.h"
#include "tokenizer_fixture.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

Architecture RowsOf(const fs::path& folder) {
  const auto config =
      nlohmann::json::parse(ReadTextFile(folder / "config.json"));
  Architecture architecture{};
  architecture.source_vocabulary = config.at("vocab_size").get<uint32_t>();
  architecture.target_vocabulary = architecture.source_vocabulary;
  return architecture;
}

HuggingFaceTokenizer Read(const fs::path& folder) {
  return ReadHuggingFaceTokenizer(folder, TokenizerClassOf(folder),
                                  RowsOf(folder));
}

// Each folder with its fixture; returns how many lines.
size_t ExpectFolders(const fs::path& root, size_t folders) {
  size_t count = 0;
  size_t lines = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().filename().string());
    OwnedTokenizer owned(Read(entry.path()).data);
    const size_t of_folder =
        ForEachLine(entry.path() / "fixture.jsonl",
                    [&](const auto& line) { ExpectLine(owned, line); });
    EXPECT_GT(of_folder, 0u);
    lines += of_folder;
    ++count;
  }
  EXPECT_EQ(count, folders);
  return lines;
}

fs::path Data() {
  return SourceDirectory() / "tests" / "data" / "huggingface_tokenizer";
}

TEST(HuggingFaceTokenizerTest, IdsAndTextEqualThoseOfTransformers) {
  EXPECT_GT(ExpectFolders(Data(), 18), 4000u);
}

TEST(HuggingFaceTokenizerTest, EqualsTransformersOnEachLineOfAGivenFixture) {
  const char* path = std::getenv("LATIMER_HUGGINGFACE_TOKENIZER_FIXTURE");
  if (path == nullptr) {
    GTEST_SKIP() << "LATIMER_HUGGINGFACE_TOKENIZER_FIXTURE names no folder; "
                    "make one with "
                    "tests/reference/huggingface_tokenizer_fixture.py --out";
  }
  std::cout << ExpectFolders(path, 18) << " lines compared\n";
}

}  // namespace
}  // namespace latimer
