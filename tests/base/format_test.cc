// Text with numbers in a buffer, beside snprintf's.
// Tests runtime/base/format.cc.
#include "base/format.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <string>

namespace latimer::format_test {

// What both write into memory of this size. The compiler must not know the
// size, or it warns of the text that is cut.
#define EXPECT_AS_SNPRINTF(bytes, ...)                           \
  do {                                                           \
    const volatile size_t size = bytes;                          \
    char ours[bytes + 1], theirs[bytes + 1];                     \
    ours[bytes] = theirs[bytes] = '!'; /* Must stay. */          \
    const int length = std::snprintf(theirs, size, __VA_ARGS__); \
    EXPECT_EQ(FormatText(ours, size, __VA_ARGS__),               \
              static_cast<size_t>(length));                      \
    EXPECT_STREQ(ours, theirs);                                  \
    EXPECT_EQ(ours[bytes], '!');                                 \
  } while (false)

TEST(FormatTest, WritesEachConversionAsSnprintfDoes) {
  EXPECT_AS_SNPRINTF(64, "%s", "text");
  EXPECT_AS_SNPRINTF(64, "%.*s|", 2, "text");
  EXPECT_AS_SNPRINTF(64, "%.*s|", 9, "text");
  EXPECT_AS_SNPRINTF(64, "%d %d %d %d", 0, 7, INT_MIN, INT_MAX);
  EXPECT_AS_SNPRINTF(64, "%u %u", 0u, UINT_MAX);
  EXPECT_AS_SNPRINTF(64, "%llu %llu", 0ull, ULLONG_MAX);
  EXPECT_AS_SNPRINTF(64, "%zu", SIZE_MAX);
  EXPECT_AS_SNPRINTF(64, "100 %% of %s%s", "", "all");
}

TEST(FormatTest, CutsWhatDoesNotFit) {
  EXPECT_AS_SNPRINTF(1, "%s", "text");
  EXPECT_AS_SNPRINTF(4, "%s", "text");
  EXPECT_AS_SNPRINTF(5, "%s", "text");
  EXPECT_AS_SNPRINTF(6, "a%d%s", -123456, "text");
}

}  // namespace latimer::format_test
