// The tiny models of tests/data/tiny_marian, converted in memory.
#ifndef LATIMER_TESTS_SYSTEM_TINY_MODEL_H_
#define LATIMER_TESTS_SYSTEM_TINY_MODEL_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "converter/model_writer.h"
#include "converter/readers/open_model.h"
#include "latimer/translator.h"
#include "model/checksum.h"
#include "model_generated.h"
#include "tests/converter/model_folder.h"
#include "tests/system/test_workspace.h"
#include "tests/system/usable_tile.h"

namespace latimer {

inline std::filesystem::path TinyModel(const std::string& name) {
  return TestData("tiny_marian") / name;
}

inline std::vector<std::string> TinyModelNames() {
  return NamesIn(TestData("tiny_marian"));
}

// The folders of tests/data/family_texts, but for those with more layers than
// the profile: a board's has fewer than a PC's.
inline std::vector<std::string> FamiliesWithTexts() {
  std::vector<std::string> names = NamesIn(TestData("family_texts"));
  std::erase_if(names, [](const std::string& name) {
    const auto config = nlohmann::json::parse(
        ReadFile(TestData("family_texts") / name / "config.json"));
    return config.value("num_layers", 0u) > kProfile.encoder_layers ||
           config.value("num_decoder_layers", 0u) > kProfile.decoder_layers;
  });
  return names;
}

inline ModelBytes ConvertModel(const std::filesystem::path& folder,
                               WeightType weights, Tile tile = UsableTile()) {
  return WriteForThisCpu(OpenModel(folder, /*with_tokenizer=*/false), weights,
                         tile);
}

inline nlohmann::json ReadFixture(const std::filesystem::path& folder) {
  std::ifstream file(folder / "fixture.json");
  EXPECT_TRUE(file.is_open()) << folder;
  return nlohmann::json::parse(file);
}

// A copy that may be changed, with no byte to spare after it.
class Image {
 public:
  explicit Image(std::span<const std::byte> bytes) : size_(bytes.size()) {
    void* memory = nullptr;
    EXPECT_EQ(posix_memalign(&memory, 64, std::max<size_t>(size_, 1)), 0);
    bytes_.reset(static_cast<std::byte*>(memory));
    if (size_ > 0) std::memcpy(bytes_.get(), bytes.data(), size_);
  }

  std::span<std::byte> bytes() { return {bytes_.get(), size_}; }
  schema::Model& root() {
    return *flatbuffers::GetMutableRoot<schema::Model>(bytes_.get());
  }

  // Makes the checksum right again, so that other checks are reached.
  void FixChecksum() {
    const auto* field =
        reinterpret_cast<const flatbuffers::Table*>(&root())->GetAddressOf(
            schema::Model::VT_CHECKSUM);
    const auto offset = static_cast<size_t>(
        reinterpret_cast<const std::byte*>(field) - bytes_.get());
    EXPECT_TRUE(root().mutate_checksum(ComputeChecksum(bytes(), offset)));
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { free(memory); }
  };

  size_t size_;
  std::unique_ptr<std::byte, Free> bytes_;
};

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_TINY_MODEL_H_
