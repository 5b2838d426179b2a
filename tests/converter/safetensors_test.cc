// Files of safetensors, whole and damaged.
// Tests converter/readers/safetensors.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/error.h"
#include "converter/readers/tensor_file.h"
#include "tests/base/growth.h"
#include "tests/converter/model_folder.h"

namespace latimer::safetensors_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Opens a file of these bytes.
std::string OpenError(const std::string& bytes) {
  TempFolder folder;
  const auto path = folder.path() / "weights.safetensors";
  WriteFile(path, bytes);
  const std::string message = ErrorOf([&] { (void)ReadSafetensors(path); });
  EXPECT_THAT(message, HasSubstr("weights.safetensors"));
  EXPECT_EQ(message.back(), '.') << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

std::string HeaderError(const std::string& header,
                        const std::string& data = std::string(16, '\0')) {
  return OpenError(SafetensorsBytes(header, data));
}

TEST(SafetensorsTest, ReadsTensorsByName) {
  TempFolder folder;
  const auto path = folder.path() / "weights.safetensors";
  WriteFile(path,
            SafetensorsBytes({F32Tensor("a", {2, 1}, {1.5f, -2.0f}),
                              {"b", "F16", {1}, std::string("\x00\x3c", 2)},
                              {"c", "BF16", {1}, std::string("\x80\xbf", 2)},
                              F32Tensor("empty", {0, 4}, {})}));
  const TensorFile file = ReadSafetensors(path);
  ASSERT_EQ(file.tensors.size(), 4u);
  const SourceTensor& a = file.tensors.at("a");
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.shape, (std::vector<uint64_t>{2, 1}));
  EXPECT_EQ(a.Values(), (std::vector<float>{1.5f, -2.0f}));
  EXPECT_EQ(file.tensors.at("b").Values(), std::vector<float>{1.0f});
  EXPECT_EQ(file.tensors.at("c").Values(), std::vector<float>{-1.0f});
  EXPECT_EQ(file.tensors.at("empty").size(), 0u);
}

TEST(SafetensorsTest, RefusesAFileThatIsMissingOrAFolder) {
  TempFolder folder;
  EXPECT_THAT(ErrorOf([&] { (void)ReadSafetensors(folder.path() / "none"); }),
              AllOf(HasSubstr("none"), HasSubstr("No such file")));
  EXPECT_THAT(ErrorOf([&] { (void)ReadSafetensors(folder.path()); }),
              HasSubstr("not a regular file"));
}

TEST(SafetensorsTest, RefusesWhatIsNoSafetensorsFile) {
  EXPECT_THAT(OpenError(""), HasSubstr("not a safetensors file"));
  EXPECT_THAT(OpenError("1234567"), HasSubstr("not a safetensors file"));
  EXPECT_THAT(OpenError(std::string(64, '\xff')),
              HasSubstr("not a safetensors file"));
  for (const char* header : {"", "no json", "[1]", "{\"a\": "}) {
    EXPECT_THAT(HeaderError(header), HasSubstr("header is not valid JSON"))
        << header;
  }
}

TEST(SafetensorsTest, RefusesEveryTruncation) {
  const std::string whole =
      SafetensorsBytes({F32Tensor("a.weight", {2}, {1.5f, -2.0f})});
  const size_t header_end = whole.size() - 2 * sizeof(float);
  for (size_t length = sizeof(uint64_t); length < whole.size(); ++length) {
    const std::string message = OpenError(whole.substr(0, length));
    EXPECT_THAT(message, HasSubstr("truncated")) << length;
    if (length < header_end) {
      EXPECT_THAT(message, HasSubstr("inside its header"));
    } else {
      EXPECT_THAT(message, HasSubstr("tensor a.weight"));
    }
  }
}

TEST(SafetensorsTest, NamesTheTensorWhoseSizeIsWrong) {
  EXPECT_THAT(HeaderError(R"({"q": {"dtype": "F32", "shape": [3],
                              "data_offsets": [0, 8]}})"),
              AllOf(HasSubstr("tensor q"), HasSubstr("8 bytes"),
                    HasSubstr("needs 12")));
  EXPECT_THAT(HeaderError(R"({"q": {"dtype": "F16", "shape": [2],
                              "data_offsets": [0, 5]}})"),
              AllOf(HasSubstr("tensor q"), HasSubstr("5 bytes")));
}

TEST(SafetensorsTest, RefusesShapesThatOverflow) {
  const std::string shape = "[4294967296, 4294967296, 4]";
  EXPECT_THAT(HeaderError(R"({"q": {"dtype": "F32", "shape": )" + shape +
                          R"(, "data_offsets": [0, 0]}})"),
              AllOf(HasSubstr("tensor q"), HasSubstr("impossible shape"),
                    HasSubstr(shape)));
}

TEST(SafetensorsTest, KeepsATypeThatCannotBeConvertedApart) {
  TempFolder folder;
  const auto path = folder.path() / "weights.safetensors";
  WriteFile(path, SafetensorsBytes({{"q", "I64", {1}, std::string(8, '\0')},
                                    F32Tensor("r", {1}, {1})}));
  const TensorFile file = ReadSafetensors(path);
  EXPECT_EQ(file.tensors.size(), 1u);
  EXPECT_EQ(file.unreadable.at("q"), "has type I64");
}

TEST(SafetensorsTest, NamesTheTensorWhoseEntryIsMalformed) {
  for (const char* entry :
       {"1", "{}", R"({"dtype": 4, "shape": [1], "data_offsets": [0, 4]})",
        R"({"dtype": "F32", "shape": 1, "data_offsets": [0, 4]})",
        R"({"dtype": "F32", "shape": ["1"], "data_offsets": [0, 4]})",
        R"({"dtype": "F32", "shape": [1.5], "data_offsets": [0, 4]})",
        R"({"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]})",
        R"({"dtype": "F32", "shape": [1], "data_offsets": [0]})",
        R"({"dtype": "F32", "shape": [1], "data_offsets": [4, 0]})",
        R"({"dtype": "F32", "shape": [1], "data_offsets": [0, 4, 8]})",
        R"({"dtype": "F32", "shape": [1], "data_offsets": [0, 4.5]})",
        R"({"dtype": "F32", "shape": [1]})"}) {
    EXPECT_THAT(HeaderError(std::string("{\"q\": ") + entry + "}"),
                HasSubstr("tensor q has a malformed entry"))
        << entry;
  }
}

TEST(SafetensorsTest, TimeGrowsWithTheHeader) {
  TempFolder folder;
  const auto path = folder.path() / "weights.safetensors";
  const auto read = [&](const std::string& bytes) {
    WriteFile(path, bytes);
    try {
      (void)ReadSafetensors(path);
    } catch (const ConversionError&) {
    }
  };
  const auto entries = [](const std::string& entry) {
    return [entry](size_t n) {
      std::string header = "{";
      for (size_t i = 0; i < n; ++i) {
        header += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":" + entry;
      }
      return SafetensorsBytes(header + "}", std::string(n, '\0'));
    };
  };
  for (const char* entry :
       {R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})",
        R"({"dtype":"I64","shape":[],"data_offsets":[0,4]})", "{}", "[]"}) {
    SCOPED_TRACE(entry);
    ExpectLinear(5000, entries(entry), read);
  }
  const auto extents = [](size_t n) {
    return SafetensorsBytes(R"({"a":{"dtype":"F32","shape":[)" +
                                Repeated("1,", n) +
                                R"(1],"data_offsets":[0,4]}})",
                            std::string(4, '\0'));
  };
  ExpectLinear(50'000, extents, read);
}

}  // namespace latimer::safetensors_test
