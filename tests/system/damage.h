// Damages model files to see that nothing crashes.
#ifndef LATIMER_TESTS_SYSTEM_DAMAGE_H_
#define LATIMER_TESTS_SYSTEM_DAMAGE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "internals.h"
#include "tests/system/emulator.h"
#include "tests/system/tiny_model.h"

namespace latimer {

// Whether a byte belongs to a tensor's numbers.
inline std::vector<bool> TensorBytes(std::span<const std::byte> file) {
  std::vector<bool> inside(file.size(), false);
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.data());
  const auto fill = [&](const void* data, size_t size) {
    std::fill_n(inside.begin() + (static_cast<const uint8_t*>(data) - bytes),
                size, true);
  };
  for (const schema::Tensor* tensor : *schema::GetModel(bytes)->tensors()) {
    fill(tensor->data()->data(), tensor->data()->size());
    if (tensor->bias() != nullptr) {
      fill(tensor->bias()->data(), tensor->bias()->size() * sizeof(float));
    }
  }
  return inside;
}

// Loads without the checksum and, if that succeeds, translates. Reports
// nothing: what counts is that it returns.
inline bool LoadsAndRuns(std::span<const std::byte> image) {
  Translator translator;
  const Status loaded =
      translator.Load(image, &test_workspace, {.verify_checksum = false});
  if (!loaded.ok()) {
    EXPECT_NE(loaded.message()[0], '\0');
    return false;
  }
  const auto vocabulary =
      Internals::Describe(translator).architecture.target_vocabulary;
  const auto check = [&](const Result<Translation>& result, size_t most) {
    if (!result.ok()) return;
    EXPECT_LE(result->tokens.size(), most);
    for (const int32_t id : result->tokens) {
      EXPECT_LT(static_cast<uint32_t>(id), vocabulary);
    }
  };
  const int32_t source[] = {17, 4, 0};
  check(translator.TranslateIds(source,
                                {.max_target_tokens = 2, .language_code = {}}),
        2);
  if (translator.model_info().encodes_target) {
    // The decoder looks up the rows of ids that come from a text.
    TranslateOptions options;
    options.max_target_tokens = 8;
    options.target_prefix = "a<b\xC3\xA9 z";
    check(translator.TranslateIds(source, options), 8);
  }
  return true;
}

// Each bit that is no tensor's, one after another; under an emulator some.
// Padding may have any value.
inline void FlipBitsOfTheStructure(const ModelBytes& file) {
  Image image(file.bytes());
  const std::vector<bool> is_number = TensorBytes(image.bytes());
  size_t loaded = 0, refused = 0;
  for (size_t i = 0; i < image.bytes().size(); i += kEmulated ? 11 : 1) {
    if (is_number[i]) continue;
    for (int bit = 0; bit < 8; ++bit) {
      const auto mask = static_cast<std::byte>(1 << bit);
      image.bytes()[i] ^= mask;
      ++(LoadsAndRuns(image.bytes()) ? loaded : refused);
      image.bytes()[i] ^= mask;
    }
  }
  std::printf("%zu flips load, %zu are refused\n", loaded, refused);
  EXPECT_GT(2 * refused, loaded);
}

// Some bytes of tensors.
inline void FlipBitsOfNumbers(const ModelBytes& file) {
  Image image(file.bytes());
  const std::vector<bool> is_number = TensorBytes(image.bytes());
  // The upper bits are those of exponents; 7 is coprime to every row.
  for (size_t i = 0; i < image.bytes().size(); i += kEmulated ? 77 : 7) {
    if (!is_number[i]) continue;
    image.bytes()[i] ^= std::byte{0x7f};
    EXPECT_TRUE(LoadsAndRuns(image.bytes()));
    image.bytes()[i] ^= std::byte{0x7f};
  }
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_DAMAGE_H_
