// The header, the library and the project have one version.
// Tests runtime/base/version.cc.
#include "latimer/version.h"

#include <gtest/gtest.h>

#include <string>

namespace latimer::version_test {

TEST(VersionTest, TheHeaderTheLibraryAndTheProjectAgree) {
  const std::string parts = std::to_string(LATIMER_VERSION_MAJOR) + "." +
                            std::to_string(LATIMER_VERSION_MINOR) + "." +
                            std::to_string(LATIMER_VERSION_PATCH);
  EXPECT_EQ(parts, LATIMER_VERSION);
  EXPECT_EQ(parts, latimer_version());
  EXPECT_EQ(parts, LATIMER_PROJECT_VERSION);
}

}  // namespace latimer::version_test
