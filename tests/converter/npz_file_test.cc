// NumPy's .npz files, whole and damaged.
// Tests converter/readers/npz_file.cc, converter/readers/zip_file.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/readers/tensor_file.h"
#include "tests/base/growth.h"
#include "tests/converter/model_folder.h"
#include "tests/converter/zip_bytes.h"

namespace latimer::npz_file_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Npy(const std::string& header, const std::string& data) {
  return std::string("\x93NUMPY\x01\x00", 8) + Bytes(header.size(), 2) +
         header + data;
}

std::string Floats(const std::vector<float>& values) {
  std::string data(values.size() * sizeof(float), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return data;
}

std::string Header(const std::string& type, const std::string& shape,
                   const std::string& fortran_order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran_order +
         ", 'shape': " + shape + ", }     \n";
}

std::filesystem::path WriteNpz(
    const TempFolder& folder,
    const std::vector<std::pair<std::string, std::string>>& arrays) {
  const auto path = folder.path() / "model.npz";
  WriteFile(path, ZipBytes(arrays));
  return path;
}

// The error for a file whose only array is `npy`.
std::string ErrorOfArray(const std::string& npy) {
  TempFolder folder;
  const auto path = WriteNpz(folder, {{"Wemb.npy", npy}});
  const std::string message = ErrorOf([&] { (void)ReadNpz(path); });
  EXPECT_THAT(message, AllOf(HasSubstr("model.npz"), HasSubstr("Wemb")));
  EXPECT_EQ(message.back(), '.') << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

TEST(NpzFileTest, ReadsFloatsOfEachSize) {
  TempFolder folder;
  const double wide = -0.5;
  std::string f64(sizeof(wide), '\0');
  std::memcpy(f64.data(), &wide, sizeof(wide));
  const TensorFile file = ReadNpz(WriteNpz(
      folder,
      {{"a.npy", Npy(Header("<f4", "(1, 2)"), Floats({1.5f, -2.0f}))},
       {"b.npy", Npy(Header("<f2", "(1,)"), std::string("\x00\x3c", 2))},
       {"c.npy", Npy(Header("<f8", "()"), f64)},
       {"empty.npy", Npy(Header("<f4", "(0, 7)"), "")}}));
  ASSERT_EQ(file.tensors.size(), 4u);
  EXPECT_EQ(file.tensors.at("a").shape, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(file.tensors.at("a").Values(), (std::vector<float>{1.5f, -2.0f}));
  EXPECT_EQ(file.tensors.at("b").Values(), std::vector<float>{1.0f});
  EXPECT_EQ(file.tensors.at("c").Values(), std::vector<float>{-0.5f});
  EXPECT_TRUE(file.tensors.at("empty").Values().empty());
}

TEST(NpzFileTest, ReadsFortransOrder) {
  TempFolder folder;
  const TensorFile file =
      ReadNpz(WriteNpz(folder, {{"a.npy", Npy(Header("<f4", "(2, 3)", "True"),
                                              Floats({1, 4, 2, 5, 3, 6}))}}));
  EXPECT_EQ(file.tensors.at("a").Values(),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(NpzFileTest, ReadsHeadersOfVersion2AndOfPython2) {
  TempFolder folder;
  const std::string header =
      "{\"shape\": (2L, 1L), \"fortran_order\": False, \"descr\": \"<f4\"}";
  const TensorFile file =
      ReadNpz(WriteNpz(folder, {{"a.npy", std::string("\x93NUMPY\x02\x00", 8) +
                                              Bytes(header.size(), 4) + header +
                                              Floats({3, 4})}}));
  EXPECT_EQ(file.tensors.at("a").shape, (std::vector<uint64_t>{2, 1}));
  EXPECT_EQ(file.tensors.at("a").Values(), (std::vector<float>{3, 4}));
}

TEST(NpzFileTest, ReadsTheTextOfSpecialArrays) {
  TempFolder folder;
  const TensorFile file = ReadNpz(WriteNpz(
      folder, {{"special:model.yml.npy",
                Npy(Header("|i1", "(9,)"), std::string("dim: 24\n\0", 9))}}));
  EXPECT_EQ(file.texts.at("special:model.yml"), "dim: 24\n");
  EXPECT_TRUE(file.tensors.empty());
}

TEST(NpzFileTest, SaysWhatItCannotRead) {
  TempFolder folder;
  const TensorFile file = ReadNpz(WriteNpz(
      folder,
      {{"big.npy", Npy(Header(">f4", "(1,)"), Floats({1}))},
       {"count.npy", Npy(Header("<i8", "(1,)"), std::string(8, '\0'))},
       {"cube.npy", Npy(Header("<f4", "(1, 1, 1)", "True"), Floats({1}))},
       {"record.npy",
        Npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
            Floats({1}))}}));
  EXPECT_EQ(file.unreadable.at("big"), "has type >f4");
  EXPECT_EQ(file.unreadable.at("count"), "has type <i8");
  EXPECT_EQ(file.unreadable.at("cube"), "is in Fortran's order");
  EXPECT_TRUE(file.unreadable.contains("record"));
}

TEST(NpzFileTest, RefusesShapesThatDisagreeWithTheBytes) {
  EXPECT_THAT(ErrorOfArray(Npy(Header("<f4", "(3,)"), Floats({1, 2}))),
              HasSubstr("has 8 bytes where its shape needs 12"));
  EXPECT_THAT(
      ErrorOfArray(Npy(Header("<f4", "(4294967296, 4294967296)"), Floats({1}))),
      HasSubstr("has an impossible shape [4294967296, 4294967296]"));
}

TEST(NpzFileTest, RefusesHeadersThatAreDamaged) {
  constexpr char kMalformed[] = "has a malformed header";
  for (const std::string& header : std::vector<std::string>{
           "", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4",
           Header("<f4", "(-1,)"), Header("<f4", "(1"), Header("<f4", "1"),
           Header("<f4", "(99999999999999999999,)"),
           Header("<f4", "(1,)", "Maybe"),
           "{'descr': '<f4', 'descr': '<f4', 'descr': '<f4', 'shape': (1,)}",
           "{'other': 1, 'descr': '<f4', 'fortran_order': False}",
           "{'descr': [('a', '<f4')", "{'descr': [1]"}) {
    EXPECT_THAT(ErrorOfArray(Npy(header, Floats({1}))), HasSubstr(kMalformed))
        << header;
  }
  EXPECT_THAT(ErrorOfArray(""), HasSubstr(kMalformed));
  EXPECT_THAT(ErrorOfArray("\x93NUMPY"), HasSubstr(kMalformed));
  EXPECT_THAT(ErrorOfArray(std::string("\x93NUMPY\x04\x00\x01\x00....", 14)),
              HasSubstr(kMalformed));
}

TEST(NpzFileTest, RefusesAHeaderThatClaimsToBeHuge) {
  EXPECT_THAT(ErrorOfArray(std::string("\x93NUMPY\x02\x00", 8) +
                           Bytes(0xffffffff, 4) + "{'descr': '<f4'}"),
              HasSubstr("has a malformed header"));
}

// No byte may be read outside the file and every failure is a sentence.
TEST(NpzFileTest, WithstandsTruncationAndChangedBytes) {
  TempFolder folder;
  const std::string whole =
      ZipBytes({{"a.npy", Npy(Header("<f4", "(2, 1)", "True"), Floats({1, 2}))},
                {"special:model.yml.npy",
                 Npy(Header("|i1", "(2,)"), std::string("x\0", 2))}});
  const auto path = folder.path() / "model.npz";
  const auto open = [&](const std::string& bytes) {
    WriteFile(path, bytes);
    try {
      const TensorFile file = ReadNpz(path);
      for (const auto& [name, tensor] : file.tensors) (void)tensor.Values();
    } catch (const ConversionError& error) {
      EXPECT_THAT(error.what(), HasSubstr("model.npz"));
    }
  };
  ForEachDamage(whole, open);
}

TEST(NpzFileTest, TimeGrowsWithTheFile) {
  TempFolder folder;
  const auto read = [&](const std::string& bytes) {
    const auto path = folder.path() / "model.npz";
    WriteFile(path, bytes);
    try {
      (void)ReadNpz(path);
    } catch (const ConversionError&) {
    }
  };
  const auto arrays = [](const std::string& npy) {
    return [npy](size_t n) {
      std::vector<std::pair<std::string, std::string>> entries;
      for (size_t i = 0; i < n; ++i) {
        entries.emplace_back(std::to_string(i) + ".npy", npy);
      }
      return ZipBytes(entries);
    };
  };
  ExpectLinear(2000, arrays(Npy(Header("<f4", "(1,)"), Floats({1}))), read);
  ExpectLinear(2000, arrays(Npy(Header("<i4", "(1,)"), Floats({1}))), read);
  for (const char* text : {"'", "(", "'a': ", "[", "1,", " ", "]["}) {
    SCOPED_TRACE(text);
    ExpectLinear(
        10000,
        [&](size_t n) {
          const std::string header = "{'shape': (" + Repeated(text, n);
          const std::string type = "{'descr': [" + Repeated(text, n);
          const std::string npy = std::string("\x93NUMPY\x02\x00", 8);
          return ZipBytes({{"a.npy", npy + Bytes(type.size(), 4) + type},
                           {"b.npy", npy + Bytes(header.size(), 4) + header}});
        },
        read);
  }
  // The beginning of a directory is looked for.
  for (const char* text : {"PK", "PK\x05\x06", "PK\x01\x02", "P"}) {
    ExpectLinear(
        100000, [&](size_t n) { return Repeated(text, n); }, read);
  }
}

}  // namespace latimer::npz_file_test
