// Marian's .bin files, whole, damaged, or packed for one CPU.
// Tests converter/readers/marian_bin_file.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "converter/error.h"
#include "converter/readers/tensor_file.h"
#include "tests/base/growth.h"
#include "tests/converter/model_folder.h"
#include "tests/converter/zip_bytes.h"

namespace latimer::marian_bin_file_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kFloat32 = 0x404;
constexpr uint64_t kIntgemm8 = 0x10001;
constexpr uint64_t kIntgemm8Browsermt = 0x4101;

struct Item {
  std::string name;
  uint64_t type;
  std::vector<int32_t> shape;
  std::string data;
};

// As Marian's saveItems writes it.
std::string BinBytes(const std::vector<Item>& items) {
  std::string out = Bytes(1, 8) + Bytes(items.size(), 8);
  std::string names, shapes, data;
  for (const Item& item : items) {
    std::string padded = item.data;
    padded.resize((padded.size() + 255) / 256 * 256);
    out += Bytes(item.name.size() + 1, 8) + Bytes(item.type, 8) +
           Bytes(item.shape.size(), 8) + Bytes(padded.size(), 8);
    names += item.name + '\0';
    shapes += Raw(item.shape);
    data += padded;
  }
  out += names + shapes;
  const size_t padding = 256 - (out.size() + 8) % 256;
  return out + Bytes(padding, 8) + std::string(padding, '\0') + data;
}

std::filesystem::path WriteBin(const TempFolder& folder,
                               const std::string& bytes) {
  const auto path = folder.path() / "model.bin";
  WriteFile(path, bytes);
  return path;
}

std::string OpenError(const std::string& bytes) {
  TempFolder folder;
  const auto path = WriteBin(folder, bytes);
  const std::string message = ErrorOf([&] { (void)ReadMarianBin(path); });
  EXPECT_THAT(message, HasSubstr("model.bin"));
  EXPECT_EQ(message.back(), '.') << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

TEST(MarianBinFileTest, ReadsFloatsAndText) {
  TempFolder folder;
  const TensorFile file = ReadMarianBin(WriteBin(
      folder,
      BinBytes({{"a", kFloat32, {1, 3}, Raw<float>({1, 2, 3})},
                {"special:model.yml", 0x101, {6}, std::string("a: 1\n\0", 6)},
                {"b", 0x402, {1, 1}, std::string("\x00\x3c", 2)}})));
  ASSERT_EQ(file.tensors.size(), 2u);
  EXPECT_THAT(file.tensors.at("a").shape, ElementsAre(1, 3));
  EXPECT_THAT(file.tensors.at("a").Values(), ElementsAre(1, 2, 3));
  EXPECT_THAT(file.tensors.at("b").Values(), ElementsAre(1));
  EXPECT_EQ(file.texts.at("special:model.yml"), "a: 1\n");
}

// The file holds the transpose of all matrices except embeddings.
TEST(MarianBinFileTest, TakesIntgemmsIntegersWithTheirScale) {
  const std::string data =
      Raw<int8_t>({1, -127, 3, 4, 127, 0}) + Raw<float>({4.0f});
  for (const uint64_t type : {kIntgemm8, kIntgemm8Browsermt}) {
    TempFolder folder;
    const TensorFile file = ReadMarianBin(
        WriteBin(folder, BinBytes({{"decoder_Wemb", type, {3, 2}, data},
                                   {"decoder_l1_rnn_W", type, {3, 2}, data}})));
    const SourceTensor& embedding = file.tensors.at("decoder_Wemb");
    EXPECT_EQ(embedding.type, SourceType::kInt8);
    EXPECT_EQ(embedding.scale, 0.25f);
    EXPECT_THAT(embedding.Values(),
                ElementsAre(0.25f, -31.75f, 0.75f, 1.0f, 31.75f, 0.0f));
    std::vector<int8_t> integers(6);
    const SourceTensor& matrix = file.tensors.at("decoder_l1_rnn_W");
    EXPECT_THAT(matrix.shape, ElementsAre(3, 2));
    matrix.ReadIntegers(0, integers);
    EXPECT_THAT(integers, ElementsAre(1, 4, -127, 127, 3, 0));
    matrix.Transposed().ReadIntegers(0, integers);
    EXPECT_THAT(integers, ElementsAre(1, -127, 3, 4, 127, 0));
  }
}

TEST(MarianBinFileTest, LeavesScalesOfActivationsOut) {
  TempFolder folder;
  const TensorFile file = ReadMarianBin(WriteBin(
      folder,
      BinBytes({{"Wemb_QuantMultA",
                 kIntgemm8,
                 {1, 1},
                 Raw<int8_t>({127}) + Raw<float>({0.0f})},
                {"none_QuantMultA", kFloat32, {1, 1}, Raw<float>({20})}})));
  EXPECT_TRUE(file.tensors.empty());
}

TEST(MarianBinFileTest, RefusesWhatIsPackedForOneCpu) {
  for (const auto& [type, name] :
       std::vector<std::pair<uint64_t, std::string>>{{0x802, "packed16"},
                                                     {0x1801, "packed8avx2"},
                                                     {0x2801, "packed8avx512"},
                                                     {0x11001, "intgemm8avx2"},
                                                     {0x10002, "intgemm16"},
                                                     {0x4102, "intgemm16"}}) {
    EXPECT_THAT(
        OpenError(BinBytes({{"Wemb", type, {1, 1}, std::string(8, '\0')}})),
        AllOf(HasSubstr("tensor Wemb is stored as " + name + ","),
              HasSubstr("give the .npz")));
  }
}

TEST(MarianBinFileTest, RefusesAnEncryptedFile) {
  EXPECT_THAT(OpenError(Bytes(2, 8) + Bytes(0, 8)), HasSubstr("encrypted"));
}

TEST(MarianBinFileTest, SaysWhichTypesItCannotRead) {
  TempFolder folder;
  const TensorFile file = ReadMarianBin(WriteBin(
      folder, BinBytes({{"ids", 0x208, {1, 1}, std::string(8, '\0')}})));
  EXPECT_EQ(file.unreadable.at("ids"), "has Marian's type 520");
}

TEST(MarianBinFileTest, RefusesSizesThatDisagree) {
  constexpr int32_t kHuge = std::numeric_limits<int32_t>::max();
  const auto one = [](uint64_t type, const std::vector<int32_t>& shape,
                      const std::string& data) {
    return BinBytes({{"W", type, shape, data}});
  };
  EXPECT_THAT(OpenError(one(kFloat32, {65, 1}, Raw<float>({1}))),
              HasSubstr("tensor W has 256 bytes where its shape needs 260"));
  EXPECT_THAT(OpenError(one(kIntgemm8, {16, 16}, std::string(256, '\1'))),
              HasSubstr("has 256 bytes where its shape needs 256"));
  EXPECT_THAT(OpenError(one(kFloat32, {kHuge, kHuge, kHuge}, "")),
              HasSubstr("has an impossible shape"));
  EXPECT_THAT(OpenError(one(kFloat32, {-1}, "")), HasSubstr("negative size"));
  EXPECT_THAT(OpenError(one(kIntgemm8, {4}, std::string(8, '\1'))),
              HasSubstr("is int8 and no matrix"));
}

TEST(MarianBinFileTest, RefusesMultipliersThatAreNone) {
  for (const float multiplier :
       {0.0f, -1.0f, std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_THAT(OpenError(BinBytes(
                    {{"W",
                      kIntgemm8,
                      {1, 4},
                      std::string(4, '\1') + Raw<float>({multiplier})}})),
                HasSubstr("the multiplier of tensor W"));
  }
}

TEST(MarianBinFileTest, RefusesTwoTensorsOfOneName) {
  EXPECT_THAT(OpenError(BinBytes({{"W", kFloat32, {1}, Raw<float>({1})},
                                  {"W", kFloat32, {1}, Raw<float>({1})}})),
              HasSubstr("two tensors named W"));
}

TEST(MarianBinFileTest, RefusesCountsBeyondTheFile) {
  const std::string huge = Bytes(uint64_t{1} << 60, 8);
  EXPECT_THAT(OpenError(Bytes(1, 8) + huge + std::string(64, '\0')),
              HasSubstr("truncated or damaged"));
  for (const int field : {0, 2, 3}) {
    std::string header;
    for (int i = 0; i < 4; ++i) header += i == field ? huge : Bytes(1, 8);
    EXPECT_THAT(
        OpenError(Bytes(1, 8) + Bytes(1, 8) + header + std::string(64, '\0')),
        HasSubstr("truncated or damaged"))
        << field;
  }
}

TEST(MarianBinFileTest, WithstandsTruncationAndChangedBytes) {
  TempFolder folder;
  const std::string whole = BinBytes(
      {{"Wemb", kIntgemm8, {2, 2}, Raw<int8_t>({1, 2, 3, 4}) + Raw<float>({2})},
       {"b", kFloat32, {1, 2}, Raw<float>({1, 2})},
       {"special:model.yml", 0x101, {2}, std::string("x\0", 2)}});
  const auto open = [&](const std::string& bytes) {
    const auto path = WriteBin(folder, bytes);
    try {
      const TensorFile file = ReadMarianBin(path);
      for (const auto& [name, tensor] : file.tensors) (void)tensor.Values();
    } catch (const ConversionError& error) {
      EXPECT_THAT(error.what(), HasSubstr("model.bin"));
    }
  };
  ForEachDamage(whole, open);
}

TEST(MarianBinFileTest, TimeGrowsWithTheFile) {
  TempFolder folder;
  const auto read = [&](const std::string& bytes) {
    const auto path = WriteBin(folder, bytes);
    try {
      (void)ReadMarianBin(path);
    } catch (const ConversionError&) {
    }
  };
  const auto items = [](const std::string& prefix, uint64_t type) {
    return [=](size_t n) {
      std::vector<Item> all;
      for (size_t i = 0; i < n; ++i) {
        all.push_back({prefix + std::to_string(i), type, {}, ""});
      }
      return BinBytes(all);
    };
  };
  for (const uint64_t type : {kFloat32, uint64_t{7}, uint64_t{0x101}}) {
    ExpectLinear(5000, items("", type), read);
    ExpectLinear(5000, items("special:", type), read);
    ExpectLinear(5000, items("x_QuantMultA", type), read);
  }
  ExpectLinear(
      100'000,
      [](size_t n) {
        return BinBytes({{"a", kFloat32, std::vector<int32_t>(n, 1), "1234"},
                         {std::string(n, 'b'), 7, {}, ""},
                         {"special:c", 7, {}, std::string(n, 'c')}});
      },
      read);
}

}  // namespace latimer::marian_bin_file_test
