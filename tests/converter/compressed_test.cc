// Compressed files are read as they are, and what stands in for a file is
// named. Tests converter/readers/compressed.cc,
// converter/readers/other_formats.cc.
#include "converter/readers/compressed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/readers/open_model.h"
#include "converter/readers/other_formats.h"
#include "converter/readers/tensor_file.h"
#include "converter/readers/text_file.h"
#include "tests/converter/compressed_bytes.h"
#include "tests/converter/model_folder.h"

namespace latimer::compressed_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;

class CompressedTest : public ::testing::Test {
 protected:
  // Writes a file and returns its path.
  fs::path Write(const std::string& name, const std::string& bytes) {
    WriteFile(folder_.path() / name, bytes);
    return folder_.path() / name;
  }
  std::string OpenError(const fs::path& path) {
    const std::string message = ErrorOf([&] {
      RefuseOtherFormats(path);
      (void)OpenModel(path, /*with_tokenizer=*/true);
    });
    EXPECT_EQ(message.back(), '.') << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }

  TempFolder folder_;
};

TEST_F(CompressedTest, EachReaderTakesBothFormatsWhateverTheNameIs) {
  const std::string text = R"({"a": 1})" + std::string(1000, ' ');
  const std::string tensors = SafetensorsBytes({});
  for (const auto pack : {&GzipBytes, &ZstandardBytes}) {
    const fs::path json = Write("config.json", pack(text));
    EXPECT_EQ(ReadTextFile(json), text);
    EXPECT_EQ(FirstBytes(json), text.substr(0, 512));
    EXPECT_NO_THROW((void)OpenTensorFile(Write("model.bin", pack(tensors))));
    EXPECT_THAT(OpenError(Write("model.bin", pack(text))),
                HasSubstr("model.bin"));
  }
}

TEST_F(CompressedTest, AHeaderOfSafetensorsMayHaveALengthThatBeginsAsGzipDoes) {
  const std::string header = SafetensorsBytes({});
  // 0x8b1f bytes.
  const std::string json = header.substr(8);
  const std::string bytes =
      SafetensorsBytes(json + std::string(0x8b1f - json.size(), ' '), "");
  ASSERT_EQ(bytes.substr(0, 2), GzipBytes("").substr(0, 2));
  EXPECT_NO_THROW((void)OpenTensorFile(Write("model.safetensors", bytes)));
}

TEST_F(CompressedTest, UnpacksSeveralStreamsAndRefusesPartsOfThem) {
  const std::string lines = "5 2 0.1\n7 2 0.5\n";
  std::string many;
  for (int i = 0; i < 40; ++i) many += lines;
  // By Python's gzip, and by zstd -19 with and without a checksum.
  const std::pair<std::string, std::string> packed[] = {
      {std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33\x55\x30\x52"
                   "\x30\xd0\x33\xe4\x32\x07\xd3\xa6\x5c\x00\x26\x85\xff\x8c"
                   "\x10\x00\x00\x00",
                   32),
       lines},
      {std::string("\x28\xb5\x2f\xfd\x00\x68\xbd\x00\x00\x80\x35\x20\x32\x20"
                   "\x30\x2e\x31\x0a\x37\x20\x32\x20\x30\x2e\x35\x0a\x01\x00"
                   "\xda\x4c\x35\x97",
                   32),
       many},
      {std::string("\x28\xb5\x2f\xfd\x04\x68\xbd\x00\x00\x80\x35\x20\x32\x20"
                   "\x30\x2e\x31\x0a\x37\x20\x32\x20\x30\x2e\x35\x0a\x01\x00"
                   "\xda\x4c\x35\x97\x36\x9c\xc1\x76",
                   36),
       many}};
  for (const auto& [bytes, text] : packed) {
    EXPECT_EQ(Unpack(bytes, "lex"), text);
    EXPECT_EQ(Unpack(bytes + bytes, "lex"), text + text);
    EXPECT_EQ(UnpackBegin(bytes, 5), text.substr(0, 5));
    for (size_t size = 4; size < bytes.size(); ++size) {
      EXPECT_THAT(ErrorOf([&] { (void)Unpack(bytes.substr(0, size), "lex"); }),
                  HasSubstr("lex: is damaged"));
      (void)UnpackBegin(bytes.substr(0, size), 5);
    }
  }
  std::string wrong = packed[2].first;
  wrong.back() = 'x';  // The checksum.
  EXPECT_THAT(ErrorOf([&] { (void)Unpack(wrong, "lex"); }),
              HasSubstr("is damaged Zstandard; download it again"));
}

TEST_F(CompressedTest, ASmallFileCannotFillTheMemory) {
  const std::string bytes = ZstandardZeros(4096);  // 512 MiB of 16 KB.
  ASSERT_LT(bytes.size(), 20000u);
  EXPECT_THAT(OpenError(Write("model.bin", bytes)),
              HasSubstr("model.bin: unpacks into more than 8 MB, which is no "
                        "model's file; download it again"));
}

TEST_F(CompressedTest, ArchivesAreNamedWithTheCommand) {
  for (const char* name : {"opus.tar.gz", "opus.tgz", "opus.tar.zst"}) {
    const fs::path path = Write(name, GzipBytes("x"));
    EXPECT_THAT(OpenError(path),
                HasSubstr("is an archive; unpack it first (tar -xf " +
                          path.string() + ")"));
  }
}

TEST_F(CompressedTest, WeightsOfHuggingFaceAreFoundUnpackedOnly) {
  Write("config.json", "{}");
  const fs::path weights = Write("model.safetensors.zst", ZstandardBytes("x"));
  EXPECT_THAT(OpenError(folder_.path()),
              HasSubstr("model.safetensors.zst: is compressed; unpack it first "
                        "(unzstd --rm " +
                        weights.string() + ")"));
}

}  // namespace latimer::compressed_test
