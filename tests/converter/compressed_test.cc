// Files that are still compressed are named with the command that unpacks them.
// Tests converter/readers/compressed.cc, converter/readers/other_formats.cc.
#include "converter/readers/compressed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/readers/open_model.h"
#include "converter/readers/other_formats.h"
#include "converter/readers/tensor_file.h"
#include "converter/readers/text_file.h"
#include "tests/converter/model_folder.h"

namespace latimer::compressed_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kGzip = "\x1f\x8b\x08" + std::string(7, '\0');
const std::string kZstandard = "\x28\xb5\x2f\xfd" + std::string(8, 'x');

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

TEST_F(CompressedTest, EachReaderNamesTheCommand) {
  for (const char* name : {"vocab.spm", "model.safetensors", "config.json"}) {
    for (const std::string& bytes : {kGzip, kZstandard}) {
      const fs::path path = Write(name, bytes);
      const bool gzip = bytes == kGzip;
      const std::string suffix = gzip ? ".gz" : ".zst";
      const std::string command =
          "(mv " + path.string() + " " + path.string() + suffix + " && " +
          (gzip ? "gunzip " : "unzstd --rm ") + path.string() + suffix + ")";
      EXPECT_THAT(ErrorOf([&] { (void)ReadTextFile(path); }),
                  AllOf(HasSubstr(path.string() + ": is compressed with " +
                                  (gzip ? "gzip" : "Zstandard")),
                        HasSubstr(command)));
      EXPECT_THAT(ErrorOf([&] { (void)OpenTensorFile(path); }),
                  HasSubstr(command));
      EXPECT_THAT(OpenError(path), HasSubstr(command));
    }
  }
  EXPECT_THAT(OpenError(Write("model.bin.gz", kGzip)),
              HasSubstr("(gunzip " + folder_.path().string()));
  EXPECT_THAT(OpenError(Write("model.bin.zst", kZstandard)),
              HasSubstr("(unzstd --rm " + folder_.path().string()));
  EXPECT_THAT(OpenError(Write("opus.tar.gz", kGzip)), HasSubstr("(tar -xzf "));
}

TEST_F(CompressedTest, AHeaderOfSafetensorsMayHaveALengthThatBeginsAsGzipDoes) {
  const std::string header = SafetensorsBytes({});
  // 0x8b1f bytes.
  const std::string json = header.substr(8);
  const std::string bytes =
      SafetensorsBytes(json + std::string(0x8b1f - json.size(), ' '), "");
  ASSERT_EQ(bytes.substr(0, 2), kGzip.substr(0, 2));
  EXPECT_NO_THROW((void)OpenTensorFile(Write("model.safetensors", bytes)));
}

TEST_F(CompressedTest, AFolderWithCompressedWeightsIsNamed) {
  Write("model.enes.intgemm.alphas.bin.gz", kGzip);
  Write("lex.50.50.enes.s2t.bin", "x");
  EXPECT_THAT(
      OpenError(folder_.path()),
      AllOf(HasSubstr("alphas.bin.gz: is compressed"), HasSubstr("(gunzip ")));
  fs::remove(folder_.path() / "model.enes.intgemm.alphas.bin.gz");
  Write("model.bin", kZstandard);
  EXPECT_THAT(OpenError(folder_.path()),
              HasSubstr("model.bin: is compressed with Zstandard"));
}

TEST_F(CompressedTest, UnpacksGzipOfSeveralStreams) {
  const std::string one(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33\x55\x30\x52\x30\xd0"
      "\x33\xe4\x32\x07\xd3\xa6\x5c\x00\x26\x85\xff\x8c\x10\x00\x00\x00",
      32);
  const auto unpack = [](const std::string& bytes) {
    return Gunzip(std::as_bytes(std::span(bytes)), "lex.gz");
  };
  const std::string text = "5 2 0.1\n7 2 0.5\n";
  EXPECT_EQ(unpack(one), text);
  EXPECT_EQ(unpack(one + one), text + text);
  for (size_t size = 2; size < one.size(); ++size) {
    EXPECT_THAT(ErrorOf([&] { (void)unpack(one.substr(0, size)); }),
                HasSubstr("is damaged gzip"));
  }
}

}  // namespace latimer::compressed_test
