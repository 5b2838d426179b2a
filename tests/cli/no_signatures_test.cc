// A build without libsodium: linked with the functions that replace those for
// signatures.
// Tests runtime/signature/left_out.cc, converter/sign_left_out.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/error.h"
#include "converter/sign.h"
#include "latimer/signature.h"

namespace latimer::no_signatures_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(NoSignaturesTest, NothingIsTakenForSigned) {
  const std::string key =
      "-----BEGIN PUBLIC KEY-----\n"
      "MCowBQYDK2VwAyEARF0Ka8L+HGuGrGpSDBDaNq8tOK02NiJaQlinE8do6yA=\n"
      "-----END PUBLIC KEY-----\n";
  const auto says_what_to_do =
      AllOf(HasSubstr("LATIMER_SIGNATURES=ON"),
            HasSubstr("FETCHCONTENT_SOURCE_DIR_SODIUM="));
  EXPECT_FALSE(ParsePublicKey(key).ok());
  EXPECT_THAT(ParsePublicKey(key).status().message(), says_what_to_do);
  const Status status = VerifySignature({}, PublicKey());
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), says_what_to_do);
}

TEST(NoSignaturesTest, NothingIsSigned) {
  try {
    SigningKey("key.pem");
    FAIL();
  } catch (const ConversionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("LATIMER_SIGNATURES=ON"));
  }
}

}  // namespace latimer::no_signatures_test
