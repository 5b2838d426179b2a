// The model.bin of CTranslate2, of each version, whole and damaged.
// Tests converter/readers/ctranslate2_file.cc.
#include "converter/readers/ctranslate2_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "converter/error.h"
#include "tests/base/growth.h"
#include "tests/converter/ctranslate2_bytes.h"
#include "tests/converter/model_folder.h"

namespace latimer::ctranslate2_file_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The bytes of a file with these variables.
std::string FileOf(
    const std::vector<Ct2Variable>& variables,
    const std::vector<std::pair<std::string, std::string>>& aliases = {},
    uint32_t version = 6) {
  return Ct2Bytes(
      {.version = version, .variables = variables, .aliases = aliases});
}

const std::vector<Ct2Variable> kQuantized = {
    {"b", kCt2F16, {2}, std::string("\x00\x3c\x00\x40", 4)},
    {"heads", kCt2Int16, {}, Raw<int16_t>({12})},
    {"scale", kCt2F32, {}, Raw<float>({0.5f})},
    {"w", kCt2Int8, {2, 3}, Raw<int8_t>({1, -127, 3, 4, 127, 0})},
    {"w_scale", kCt2F32, {2}, Raw<float>({4, 0.5f})},
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
  const CTranslate2File file = Open(FileOf(kQuantized, {{"v", "w"}}));
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
  const CTranslate2File file = Open(FileOf(kQuantized));
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
  const std::vector<Ct2Variable> own = {
      {"w", kCt2Int16, {1, 2}, Raw<int16_t>({512, -3})},
      {"w_scale", kCt2F32, {}, Raw<float>({256})}};
  EXPECT_THAT(Open(FileOf(own)).tensors.tensors.at("w").Values(),
              ElementsAre(2, -3 / 256.0f));
  // Without a scale it is 1000; so it was before version 4, too.
  for (const uint32_t version : {3u, 6u}) {
    const CTranslate2File file = Open(FileOf({own[0]}, {}, version));
    EXPECT_FLOAT_EQ(file.tensors.tensors.at("w").Values()[0], 0.512f);
  }
}

TEST(CTranslate2FileTest, SaysWhatCannotBeConverted) {
  const CTranslate2File file =
      Open(FileOf({{"a", kCt2Int32, {1}, Raw<int32_t>({1})},
                   {"c", kCt2Int8, {1, 1, 1}, Raw<int8_t>({1})},
                   {"eos_token", kCt2Int8, {4}, "</s>"}}));
  EXPECT_EQ(file.tensors.unreadable.at("a"), "has type int32");
  EXPECT_EQ(file.tensors.unreadable.at("c"), "is quantized and no matrix");
  EXPECT_EQ(file.tensors.texts.at("eos_token"), "</s>");
}

TEST(CTranslate2FileTest, RefusesWhatDoesNotFit) {
  const auto one = [](Ct2Variable variable) { return FileOf({variable}); };
  EXPECT_THAT(OpenError(FileOf({}, {}, 7)), HasSubstr("binary version 7"));
  EXPECT_THAT(OpenError(FileOf({}, {}, 0)), HasSubstr("binary version 0"));
  EXPECT_THAT(OpenError(one({"a", kCt2F32, {2}, Raw<float>({1})})),
              HasSubstr("a [2] has 4 bytes instead of 8"));
  EXPECT_THAT(OpenError(one({"a", 9, {1}, "x"})), HasSubstr("unknown type 9"));
  EXPECT_THAT(OpenError(one({"w", kCt2Int8, {1, 1}, "x"})),
              HasSubstr("w is int8, but there is no w_scale"));
  EXPECT_THAT(OpenError(FileOf({kQuantized[0], kQuantized[0]})),
              HasSubstr("two variables named b"));
  std::vector<Ct2Variable> bad = {kQuantized[3], kQuantized[4]};
  bad[1] = {"w_scale", kCt2F32, {3}, Raw<float>({1, 1, 1})};
  EXPECT_THAT(OpenError(FileOf(bad)), HasSubstr("3 numbers, but the matrix"));
  for (const float scale : {0.0f, -1.0f, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    bad[1] = {"w_scale", kCt2F32, {2}, Raw<float>({1, scale})};
    EXPECT_THAT(OpenError(FileOf(bad)), HasSubstr("is no scale"));
  }
}

TEST(CTranslate2FileTest, RefusesScalesThatAreQuantizedThemselves) {
  const std::string bytes = Raw<int8_t>({64, 64});
  const std::string longer = Raw<int16_t>({64, 64});
  const Ct2Variable scales[] = {{"w_scale", kCt2Int8, {2, 1}, bytes},
                                {"w_scale", kCt2Int16, {2, 1}, longer},
                                {"w_scale", kCt2Int8, {2}, bytes},
                                {"w_scale", kCt2Int16, {2}, longer},
                                {"w_scale", kCt2Int32, {1}, longer},
                                {"w_scale", kCt2Int8, {}, "@"}};
  for (const Ct2Variable& scale : scales) {
    for (const uint8_t type : {kCt2Int8, kCt2Int16}) {
      Ct2Variable matrix = kQuantized[3];
      matrix.type = type;
      matrix.data.resize(6 * Ct2ItemBytes(type));
      EXPECT_THAT(OpenError(FileOf({matrix, scale})),
                  HasSubstr("w_scale holds no floats"));
      // With scales of the scales, too.
      EXPECT_THAT(
          OpenError(FileOf({matrix,
                            scale,
                            {"w_scale_scale", kCt2F32, {}, Raw<float>({1})}})),
          HasSubstr("w_scale holds no floats"));
    }
  }
}

TEST(CTranslate2FileTest, GivesNumbersAndTextsTheirAliases) {
  const CTranslate2File file =
      Open(FileOf({{"a", kCt2Int32, {1}, Raw<int32_t>({1})},
                   {"heads", kCt2Int16, {}, Raw<int16_t>({12})},
                   {"eos_token", kCt2Int8, {4}, "</s>"}},
                  {{"b", "a"},
                   {"decoder/heads", "heads"},
                   {"bos_token", "eos_token"},
                   {"nothing", "else"}}));
  EXPECT_EQ(file.tensors.unreadable.at("b"), "has type int32");
  EXPECT_EQ(file.numbers.at("decoder/heads").value, 12);
  EXPECT_EQ(file.tensors.texts.at("bos_token"), "</s>");
}

TEST(CTranslate2FileTest, GivesVersion1TheNamesOfVersion2) {
  const std::pair<const char*, const char*> names[] = {
      {"transformer/encoder/w_embs:0", "encoder/embeddings/weight"},
      {"transformer/encoder/LayerNorm/beta:0", "encoder/layer_norm/beta"},
      {"transformer/encoder/layer_0/multi_head/conv1d/kernel:0",
       "encoder/layer_0/self_attention/linear_0/weight"},
      {"transformer/decoder/layer_1/masked_multi_head/conv1d_1/bias:0",
       "decoder/layer_1/self_attention/linear_1/bias"},
      {"transformer/decoder/layer_1/multi_head/conv1d_2/kernel:0",
       "decoder/layer_1/attention/linear_2/weight"},
      {"transformer/decoder/dense/kernel:0", "decoder/projection/weight"}};
  std::vector<Ct2Variable> variables;
  for (const auto& [old, name] : names) {
    variables.push_back({old, kCt2F32, {1, 1}, Raw<float>({1})});
  }
  const CTranslate2File file = Open(FileOf(variables, {}, 1));
  EXPECT_EQ(file.spec, "TransformerBase");
  EXPECT_EQ(file.revision, 1u);
  for (const auto& [old, name] : names) {
    EXPECT_TRUE(file.tensors.tensors.contains(name)) << name;
  }
}

TEST(CTranslate2FileTest, KnowsItsFiles) {
  TempFolder folder;
  const auto path = folder.path() / "model.bin";
  const auto is = [&](const std::string& bytes) {
    WriteFile(path, bytes);
    return IsCTranslate2File(path);
  };
  EXPECT_TRUE(is(FileOf({})));
  EXPECT_TRUE(is(FileOf({}, {}, 9)));
  const Ct2Variable old = {"transformer/w:0", kCt2F32, {}, Raw<float>({1})};
  EXPECT_TRUE(is(FileOf({old}, {}, 1)));
  EXPECT_FALSE(is(FileOf({kQuantized[0]}, {}, 1)));
  EXPECT_FALSE(is(""));
  EXPECT_FALSE(is(Bytes(1, 8) + Bytes(3, 8) + std::string(64, 'x')));
  EXPECT_FALSE(is(SafetensorsBytes({})));
  EXPECT_FALSE(IsCTranslate2File(folder.path()));
}

TEST(CTranslate2FileTest, WithstandsTruncationAndChangedBytes) {
  ForEachDamage(FileOf(kQuantized, {{"v", "w"}}), [](const std::string& bytes) {
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

TEST(CTranslate2FileTest, ASmallFileCannotFillTheMemory) {
  const auto aliases = [](size_t count) {
    std::vector<std::pair<std::string, std::string>> all;
    for (size_t i = 0; i < count; ++i) all.emplace_back(std::to_string(i), "a");
    return FileOf({{"a", kCt2Int8, {100'000}, std::string(100'000, 'a')}}, all);
  };
  EXPECT_EQ(Open(aliases(1)).tensors.texts.at("0").size(), 100'000u);
  EXPECT_THAT(OpenError(aliases(1000)),
              HasSubstr("repeat more text than the file has"));
}

TEST(CTranslate2FileTest, TimeGrowsWithTheFile) {
  TempFolder folder;
  const auto read = [&](const std::string& bytes) {
    WriteFile(folder.path() / "model.bin", bytes);
    try {
      (void)ReadCTranslate2File(folder.path() / "model.bin");
    } catch (const ConversionError&) {
    }
  };
  const std::vector<Ct2Variable> kinds = {
      {"heads", kCt2Int16, {}, Raw<int16_t>({12})},
      {"f32", kCt2F32, {1, 1, 1}, Raw<float>({1})},
      {"int32", kCt2Int32, {1}, Raw<int32_t>({1})},
      {"w", kCt2Int16, {1, 1}, Raw<int16_t>({1})},
      {"text", kCt2Int8, {1}, "a"}};
  for (const Ct2Variable& kind : kinds) {
    SCOPED_TRACE(kind.name);
    const auto variables = [&](size_t n) {
      std::vector<Ct2Variable> all;
      for (size_t i = 0; i < n; ++i) {
        all.push_back(kind);
        all.back().name += std::to_string(i);
      }
      return FileOf(all);
    };
    ExpectLinear(5000, variables, read);
    // Of one that is as large as all its aliases.
    const auto aliases = [&](size_t n) {
      Ct2Variable variable = kind;
      if (kind.shape.size() == 1) {
        variable.data = Repeated(kind.data, 20 * n);
        variable.shape = {static_cast<uint32_t>(20 * n)};
      }
      std::vector<std::pair<std::string, std::string>> all;
      for (size_t i = 0; i < n; ++i) {
        all.emplace_back("v" + std::to_string(i), kind.name);
      }
      return FileOf({variable}, all);
    };
    ExpectLinear(4000, aliases, read);
  }
}

}  // namespace latimer::ctranslate2_file_test
