// Keys and signatures by openssl, and our own.
// Tests runtime/signature/signature.cc, runtime/signature/pem.cc,
// runtime/signature/signature_c.cc, runtime/model/signed_bytes.cc,
// converter/sign.cc.
#include "latimer/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/sign.h"
#include "latimer/latimer.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::signature_test {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// openssl genpkey -algorithm ed25519 -out key.pem
constexpr char kPrivate[] = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIL99MfyEFHGo2ffUtZ5+PXzuTbeorCPzWMh0r9oztIl5
-----END PRIVATE KEY-----
)";
// openssl pkey -in key.pem -pubout
constexpr char kPublic[] = R"(-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEARF0Ka8L+HGuGrGpSDBDaNq8tOK02NiJaQlinE8do6yA=
-----END PUBLIC KEY-----
)";
constexpr char kOther[] = R"(-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAYznXHPwyF2Fq7nphTiTYprK6epMI9xpcIltWWbpkE94=
-----END PUBLIC KEY-----
)";
constexpr char kX25519[] = R"(-----BEGIN PUBLIC KEY-----
MCowBQYDK2VuAyEA1Mv/GMJaDJ/hs8RWDL2QAy72M1UoxpUSdYuoMI+gm3E=
-----END PUBLIC KEY-----
)";

constexpr std::string_view kText =
    "Not a model, but bytes that openssl has signed.\n";
// openssl pkeyutl -sign -rawin -inkey key.pem -in text
constexpr uint8_t kSignature[] = {
    0x63, 0x73, 0x25, 0xd7, 0x94, 0xe7, 0x93, 0x37, 0x56, 0x1e, 0xe6,
    0x1e, 0x17, 0xb6, 0xdd, 0x70, 0x13, 0x5d, 0x93, 0x19, 0xfe, 0x6f,
    0x4e, 0xe9, 0x0f, 0x0c, 0x0f, 0x4a, 0xc2, 0x70, 0x8c, 0x81, 0xb3,
    0xdc, 0x19, 0xb1, 0xf1, 0xcc, 0xd5, 0x24, 0xe1, 0xdf, 0x95, 0xcb,
    0xfa, 0x4f, 0xd5, 0xae, 0xff, 0x27, 0xd6, 0xf4, 0x56, 0xec, 0x13,
    0x0a, 0x08, 0xe3, 0x44, 0xd9, 0x03, 0x03, 0x0e, 0x00};

std::string SignedByOpenssl() {
  std::string file(kText);
  file += kSignatureMark;
  file.append(reinterpret_cast<const char*>(kSignature), sizeof(kSignature));
  return file;
}

Status Verify(const std::string& file, const char* pem = kPublic) {
  const Result<PublicKey> key = ParsePublicKey(pem);
  EXPECT_TRUE(key.ok()) << key.status().message();
  return VerifySignature(std::as_bytes(std::span(file)), *key);
}

TEST(SignatureTest, OfOpensslIsVerified) {
  const Status status = Verify(SignedByOpenssl());
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(SignatureTest, OurOwnIsOpenssls) {
  const TempFolder folder;
  WriteFile(folder.path() / "key.pem", kPrivate);
  std::string file = std::string(kText) + std::string(kSignatureEndBytes, '\0');
  SigningKey(folder.path() / "key.pem")
      .Sign(std::as_writable_bytes(std::span(file)));
  EXPECT_EQ(file, SignedByOpenssl());
}

TEST(SignatureTest, EveryFlippedBitIsFound) {
  std::string file = SignedByOpenssl();
  for (size_t i = 0; i < file.size(); i += FewerIfSlow(1, 17)) {
    for (int bit = 0; bit < 8; ++bit) {
      file[i] = static_cast<char>(file[i] ^ (1 << bit));
      ASSERT_FALSE(Verify(file).ok()) << "bit " << bit << " of byte " << i;
      file[i] = static_cast<char>(file[i] ^ (1 << bit));
    }
  }
}

TEST(SignatureTest, OfAnotherKeyIsRefused) {
  const Status status = Verify(SignedByOpenssl(), kOther);
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("not of this key"));
}

TEST(SignatureTest, WhatIsNotSignedIsRefusedWhateverItsLength) {
  const std::string file = SignedByOpenssl();
  for (size_t length = 0; length < file.size(); ++length) {
    const Status status = Verify(file.substr(0, length));
    ASSERT_EQ(status.code(), StatusCode::kCorrupt);
    ASSERT_THAT(status.message(), HasSubstr("is not signed")) << length;
  }
}

TEST(SignatureTest, OfPartOfAFileIsRefused) {
  const std::string file = SignedByOpenssl();
  for (const std::string& other : {file + '\0', "x" + file, file + file}) {
    EXPECT_EQ(Verify(other).code(), StatusCode::kCorrupt);
  }
}

TEST(SignatureTest, KeysOfOtherKindsAreRefusedByName) {
  EXPECT_THAT(ParsePublicKey(kPrivate).status().message(),
              HasSubstr("This is a private key"));
  const std::string whole = kPublic;
  std::string damaged = whole;
  damaged[40] = '!';
  for (const std::string& text :
       {std::string(), std::string(kX25519), whole.substr(30), damaged,
        whole.substr(0, 60), whole.substr(0, whole.find("-----END")),
        std::string("-----BEGIN PUBLIC KEY-----"),
        "-----BEGIN PUBLIC KEY-----\n" + std::string(2000, 'A') +
            "-----END PUBLIC KEY-----"}) {
    EXPECT_THAT(ParsePublicKey(text).status().message(),
                HasSubstr("not an Ed25519 public key"))
        << text;
  }
  // Text before it and other line ends do not matter.
  EXPECT_TRUE(ParsePublicKey("Our key:\r\n" + whole).ok());
}

// A signed tiny model, and what a flash partition has behind it.
class PartitionTest : public ::testing::TestWithParam<char> {
 protected:
  PartitionTest() {
    WriteFile(folder_.path() / "key.pem", kPrivate);
    const Outcome outcome =
        RunProgram("latimer-convert",
                   {TinyModel("no_scale").string(), "-o", Path(),
                    "--no-tokenizer", "--sign", folder_.path() / "key.pem"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::string file = ReadFile(Path());
    file_bytes_ = file.size();
    const std::string partition = file + std::string(999, GetParam());
    image_ = Image(std::as_bytes(std::span(partition)));
  }

  std::string Path() const { return folder_.path() / "model.ltm"; }
  std::span<std::byte> image() { return image_.bytes(); }

  TempFolder folder_;
  Image image_{{}};
  size_t file_bytes_ = 0;
};

INSTANTIATE_TEST_SUITE_P(SignatureTest, PartitionTest,
                         ::testing::Values('\xFF', '\0', 'L'));

TEST_P(PartitionTest, HasItsSignedFileFoundAndVerified) {
  const auto file = SignedBytes(image());
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->data(), image().data());
  EXPECT_EQ(file->size(), file_bytes_);
  const PublicKey key = *ParsePublicKey(kPublic);
  EXPECT_TRUE(VerifySignature(*file, key).ok());
  const Status whole = VerifySignature(image(), key);
  EXPECT_EQ(whole.code(), StatusCode::kCorrupt);
  EXPECT_THAT(whole.message(), HasSubstr("SignedBytes"));
  // In C.
  char message[LATIMER_MESSAGE_BYTES];
  size_t bytes = 0;
  EXPECT_EQ(latimer_signed_bytes(image().data(), image().size(), &bytes,
                                 message, sizeof(message)),
            LATIMER_OK);
  EXPECT_EQ(bytes, file_bytes_);
  const auto verify = [&](const char* of) {
    return latimer_verify_signature(image().data(), image().size(), of, message,
                                    sizeof(message));
  };
  EXPECT_EQ(verify(kPublic), LATIMER_OK);
  EXPECT_STREQ(message, "");
  EXPECT_EQ(verify(kOther), LATIMER_CORRUPT);
  EXPECT_EQ(verify("no key"), LATIMER_INVALID_ARGUMENT);
  EXPECT_EQ(verify(nullptr), LATIMER_INVALID_ARGUMENT);
  image()[file_bytes_ - kSignatureEndBytes - 1] ^= std::byte{1};
  EXPECT_EQ(verify(kPublic), LATIMER_CORRUPT);
}

TEST_P(PartitionTest, WithoutASignedFileIsRefused) {
  const auto code = [](std::span<const std::byte> image) {
    return SignedBytes(image).status().code();
  };
  const size_t mark = file_bytes_ - kSignatureEndBytes;
  EXPECT_EQ(code(image().first(mark)), StatusCode::kCorrupt);
  EXPECT_EQ(code(image().first(file_bytes_ - 1)), StatusCode::kCorrupt);
  EXPECT_EQ(code(image().first(mark - 1)), StatusCode::kTruncated);
  EXPECT_EQ(code(image().subspan(1)), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({}), StatusCode::kNotAModel);
  image()[mark] ^= std::byte{1};
  EXPECT_EQ(code(image()), StatusCode::kCorrupt);
  image()[4] ^= std::byte{1};
  EXPECT_EQ(code(image()), StatusCode::kNotAModel);
}

class SignatureCliTest : public ::testing::Test {
 protected:
  SignatureCliTest() {
    WriteFile(Path("key.pem"), kPrivate);
    WriteFile(Path("public.pem"), kPublic);
    WriteFile(Path("other.pem"), kOther);
  }

  std::string Path(const std::string& name) const {
    return folder_.path() / name;
  }

  Outcome Convert(const std::vector<std::string>& options) const {
    std::vector<std::string> words = {TinyModel("no_scale").string(), "-o",
                                      Path("model.ltm"), "--no-tokenizer"};
    words.insert(words.end(), options.begin(), options.end());
    return RunProgram("latimer-convert", words);
  }

  Outcome Inspect(const std::string& key) const {
    return RunProgram("latimer", {"inspect", Path("model.ltm"),
                                  "--require-signature", Path(key)});
  }

  Outcome Translate(const std::vector<std::string>& options) const {
    std::vector<std::string> words = {"translate", Path("model.ltm"), "--ids"};
    words.insert(words.end(), options.begin(), options.end());
    return RunProgram("latimer", words, "5 0\n");
  }

 private:
  TempFolder folder_;
};

TEST_F(SignatureCliTest, ASignedModelIsTakenWithItsKeyAlone) {
  EXPECT_EQ(Convert({"--sign", Path("key.pem")}).code, 0);
  const Outcome outcome = Inspect("public.pem");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("signed +true\n"));
  EXPECT_THAT(ErrorSentence(Inspect("other.pem"), 1),
              HasSubstr("not of this key"));
  EXPECT_THAT(ErrorSentence(Inspect("key.pem"), 1),
              HasSubstr("key.pem: This is a private key"));
  EXPECT_THAT(ErrorSentence(Inspect("missing.pem"), 1),
              HasSubstr("missing.pem: cannot read the key"));
}

TEST_F(SignatureCliTest, ASignatureChangesNoByteOfTheModel) {
  EXPECT_EQ(Convert({}).code, 0);
  const std::string model = ReadFile(Path("model.ltm"));
  const Outcome before = Translate({});
  EXPECT_EQ(before.code, 0) << before.err;
  EXPECT_EQ(Convert({"--sign", Path("key.pem")}).code, 0);
  const std::string file = ReadFile(Path("model.ltm"));
  ASSERT_EQ(file.size(), model.size() + kSignatureEndBytes);
  EXPECT_TRUE(file.starts_with(model));
  // Without --require-signature the signature does not matter.
  EXPECT_EQ(Translate({}).out, before.out);
  EXPECT_EQ(Translate({"--copy"}).out, before.out);
}

TEST_F(SignatureCliTest, AModelThatWasChangedIsNeverUsed) {
  EXPECT_EQ(Convert({"--sign", Path("key.pem")}).code, 0);
  const std::string file = ReadFile(Path("model.ltm"));
  std::string other = file;  // The last byte of the model is another.
  other[other.size() - kSignatureEndBytes - 1] ^= 1;
  for (const std::string& bytes :
       {other, file + "x", file.substr(0, file.size() - 1)}) {
    WriteFile(Path("model.ltm"), bytes);
    for (const char* option : {"--skip-checksum", "--copy"}) {
      const Outcome outcome =
          Translate({"--require-signature", Path("public.pem"), option});
      EXPECT_THAT(ErrorSentence(outcome, 1), HasSubstr("sign"));
    }
  }
}

TEST_F(SignatureCliTest, AModelThatIsNotSignedIsRefused) {
  EXPECT_EQ(Convert({}).code, 0);
  EXPECT_THAT(RunProgram("latimer", {"inspect", Path("model.ltm")}).out,
              ContainsRegex("signed +false\n"));
  EXPECT_THAT(ErrorSentence(Inspect("public.pem"), 1),
              HasSubstr("latimer-convert --sign"));
}

TEST_F(SignatureCliTest, AKeyThatCannotSignLeavesNoModel) {
  EXPECT_THAT(ErrorSentence(Convert({"--sign", Path("public.pem")}), 1),
              HasSubstr("openssl genpkey -algorithm ed25519"));
  EXPECT_FALSE(std::filesystem::exists(Path("model.ltm")));
}

}  // namespace latimer::signature_test
