#include "converter/readers/ctranslate2_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/converter/model_folder.h"
#include "tests/converter/zip_bytes.h"

namespace latimer::ctranslate2_file_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// CTranslate2's type numbers.
constexpr uint8_t kF32 = 0, kInt8 = 1, kInt16 = 2, kInt32 = 3, kF16 = 4;

struct Variable {
  std::string name;
  uint8_t type;
  std::vector<uint32_t> shape;
  std::string data;
};

std::string Text(const std::string& text) {
  return Bytes(text.size() + 1, 2) + text + '\0';
}

// As ModelSpec._serialize writes it, or an older version.
std::string Ct2Bytes(
    const std::vector<Variable>& variables,
    const std::vector<std::pair<std::string, std::string>>& aliases = {},
    uint32_t version = 6) {
  std::string out = Bytes(version, 4) + Text("TransformerSpec") + Bytes(7, 4) +
                    Bytes(variables.size(), 4);
  for (const Variable& variable : variables) {
    out += Text(variable.name) + Bytes(variable.shape.size(), 1);
    for (const uint32_t extent : variable.shape) out += Bytes(extent, 4);
    const size_t item = variable.type == kF32 ? 4 : variable.type;
    out += version >= 4
               ? Bytes(variable.type, 1) + Bytes(variable.data.size(), 4)
               : Bytes(item, 1) + Bytes(variable.data.size() / item, 4);
    out += variable.data;
  }
  out += Bytes(aliases.size(), 4);
  for (const auto& [alias, name] : aliases) out += Text(alias) + Text(name);
  return out;
}

const std::vector<Variable> kQuantized = {
    {"b", kF16, {2}, std::string("\x00\x3c\x00\x40", 4)},
    {"heads", kInt16, {}, Raw<int16_t>({12})},
    {"scale", kF32, {}, Raw<float>({0.5f})},
    {"w", kInt8, {2, 3}, Raw<int8_t>({1, -127, 3, 4, 127, 0})},
    {"w_scale", kF32, {2}, Raw<float>({4, 0.5f})},
};

CTranslate2File Open(const std::string& bytes) {
  TempFolder folder;
  WriteFile(folder.path() / "model.bin", bytes);
  return ReadCTranslate2File(folder.path() / "model.bin");
}

std::string OpenError(const std::string& bytes) {
  const std::string message = ErrorOf([&] { (void)Open(bytes); });
  EXPECT_THAT(message, HasSubstr("model.bin"));
  EXPECT_EQ(message.back(), '.') << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

TEST(CTranslate2FileTest, ReadsTensorsNumbersAndAliases) {
  const CTranslate2File file = Open(Ct2Bytes(kQuantized, {{"v", "w"}}));
  EXPECT_EQ(file.spec, "TransformerSpec");
  EXPECT_EQ(file.revision, 7u);
  EXPECT_THAT(file.tensors.tensors.at("b").Values(), ElementsAre(1, 2));
  EXPECT_EQ(file.numbers.at("heads").value, 12);
  EXPECT_TRUE(file.numbers.at("heads").is_integer);
  EXPECT_EQ(file.numbers.at("scale").value, 0.5);
  EXPECT_FALSE(file.numbers.at("scale").is_integer);
  EXPECT_FALSE(file.tensors.tensors.contains("w_scale"));
  EXPECT_TRUE(
      file.tensors.tensors.at("v").SameAs(file.tensors.tensors.at("w")));
}

TEST(CTranslate2FileTest, KeepsIntegersWithTheScalesOfTheirRows) {
  const CTranslate2File file = Open(Ct2Bytes(kQuantized));
  const SourceTensor& w = file.tensors.tensors.at("w");
  EXPECT_EQ(w.type, SourceType::kInt8);
  EXPECT_EQ(w.ScaleOf(0), 0.25f);
  EXPECT_EQ(w.ScaleOf(1), 2.0f);
  EXPECT_THAT(w.Values(), ElementsAre(0.25f, -31.75f, 0.75f, 8, 254, 0));
  std::vector<float> middle(3);
  w.Read(2, middle);
  EXPECT_THAT(middle, ElementsAre(0.75f, 8, 254));
  std::vector<int8_t> integers(3);
  w.ReadIntegers(2, integers);
  EXPECT_THAT(integers, ElementsAre(3, 4, 127));
}

TEST(CTranslate2FileTest, ReadsInt16) {
  const std::vector<Variable> own = {
      {"w", kInt16, {1, 2}, Raw<int16_t>({512, -3})},
      {"w_scale", kF32, {}, Raw<float>({256})}};
  EXPECT_THAT(Open(Ct2Bytes(own)).tensors.tensors.at("w").Values(),
              ElementsAre(2, -3 / 256.0f));
  // Without a scale it is 1000; so it was before version 4, too.
  for (const uint32_t version : {3u, 6u}) {
    const CTranslate2File file = Open(Ct2Bytes({own[0]}, {}, version));
    EXPECT_FLOAT_EQ(file.tensors.tensors.at("w").Values()[0], 0.512f);
  }
}

TEST(CTranslate2FileTest, SaysWhatCannotBeConverted) {
  const CTranslate2File file =
      Open(Ct2Bytes({{"a", kInt32, {1}, Raw<int32_t>({1})},
                     {"c", kInt8, {1, 1, 1}, Raw<int8_t>({1})},
                     {"eos_token", kInt8, {4}, "</s>"}}));
  EXPECT_EQ(file.tensors.unreadable.at("a"), "has type int32");
  EXPECT_EQ(file.tensors.unreadable.at("c"), "is quantized and no matrix");
  EXPECT_EQ(file.tensors.texts.at("eos_token"), "</s>");
}

TEST(CTranslate2FileTest, RefusesWhatDoesNotFit) {
  const auto one = [](Variable variable) { return Ct2Bytes({variable}); };
  EXPECT_THAT(OpenError(Ct2Bytes({}, {}, 7)), HasSubstr("binary version 7"));
  EXPECT_THAT(OpenError(Ct2Bytes({}, {}, 1)), HasSubstr("binary version 1"));
  EXPECT_THAT(OpenError(one({"a", kF32, {2}, Raw<float>({1})})),
              HasSubstr("a [2] has 4 bytes instead of 8"));
  EXPECT_THAT(OpenError(one({"a", 9, {1}, "x"})), HasSubstr("unknown type 9"));
  EXPECT_THAT(OpenError(one({"w", kInt8, {1, 1}, "x"})),
              HasSubstr("w is int8, but there is no w_scale"));
  EXPECT_THAT(OpenError(Ct2Bytes({kQuantized[0], kQuantized[0]})),
              HasSubstr("two variables named b"));
  std::vector<Variable> bad = {kQuantized[3], kQuantized[4]};
  bad[1] = {"w_scale", kF32, {3}, Raw<float>({1, 1, 1})};
  EXPECT_THAT(OpenError(Ct2Bytes(bad)), HasSubstr("3 numbers, but the matrix"));
  for (const float scale : {0.0f, -1.0f, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    bad[1] = {"w_scale", kF32, {2}, Raw<float>({1, scale})};
    EXPECT_THAT(OpenError(Ct2Bytes(bad)), HasSubstr("is no scale"));
  }
}

TEST(CTranslate2FileTest, KnowsItsFiles) {
  TempFolder folder;
  const auto path = folder.path() / "model.bin";
  const auto is = [&](const std::string& bytes) {
    WriteFile(path, bytes);
    return IsCTranslate2File(path);
  };
  EXPECT_TRUE(is(Ct2Bytes({})));
  EXPECT_TRUE(is(Ct2Bytes({}, {}, 9)));
  EXPECT_FALSE(is(""));
  EXPECT_FALSE(is(Bytes(1, 8) + Bytes(3, 8) + std::string(64, 'x')));
  EXPECT_FALSE(is(SafetensorsBytes({})));
  EXPECT_FALSE(IsCTranslate2File(folder.path()));
}

TEST(CTranslate2FileTest, WithstandsTruncationAndChangedBytes) {
  ForEachDamage(Ct2Bytes(kQuantized, {{"v", "w"}}),
                [](const std::string& bytes) {
                  try {
                    const CTranslate2File file = Open(bytes);
                    for (const auto& [name, tensor] : file.tensors.tensors) {
                      (void)tensor.Values();
                    }
                  } catch (const ConversionError& error) {
                    EXPECT_THAT(error.what(), HasSubstr("model.bin"));
                  }
                });
}

}  // namespace latimer::ctranslate2_file_test
