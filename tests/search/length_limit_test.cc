// Tests: runtime/search/length_limit.h
// Tests runtime/search/length_limit.h.
#include "search/length_limit.h"

#include <gtest/gtest.h>

#include <ostream>

namespace latimer {

void PrintTo(const TargetLength& length, std::ostream* out) {
  *out << length.max_tokens << " tokens, the last is "
       << length.forced_last_token;
}

namespace length_limit_test {

constexpr int32_t kEos = 2;

struct Case {
  const char* name;
  LengthLimits limits;
  TargetLength expected;
};

constexpr Case kCases[] = {
    {"the model's forces EOS", {512, kEos}, {512, kEos}},
    {"a model may force nothing", {512, -1}, {512, -1}},
    {"a shorter one of the caller just stops", {512, kEos, 100}, {100, -1}},
    {"a longer one goes before the model's", {512, kEos, 600}, {600, -1}},
    {"the caller may ask for the model's", {512, kEos, 512}, {512, kEos}},
    {"a build with less room just stops", {512, kEos, 0, 300}, {300, -1}},
    {"a build with as much room", {512, kEos, 0, 512}, {512, kEos}},
    {"the caller's ends where room does", {512, kEos, 600, 550}, {550, -1}},
    {"room brings it back to the model's", {512, kEos, 600, 512}, {512, kEos}},
    {"caches with less room", {512, kEos, 0, 512, 60}, {60, -1}},
    {"caches with as much room", {512, kEos, 0, 512, 512}, {512, kEos}},
    {"the guard", {512, kEos, 0, 512, kNoLimit, 104}, {104, -1}},
    {"the guard at the model's",
     {512, kEos, 0, 512, kNoLimit, 512},
     {512, kEos}},
    {"the guard beyond all", {512, kEos, 0, 512, kNoLimit, 513}, {512, kEos}},
    {"guard and caches: the lower one", {512, kEos, 0, 512, 90, 104}, {90, -1}},
    {"caches and guard: the lower one",
     {512, kEos, 0, 512, 110, 104},
     {104, -1}},
    // The caller wanted another limit, so what lowers it forces nothing.
    {"caches at the model's, lowered to it",
     {512, kEos, 600, 600, 512},
     {512, -1}},
    {"the guard at the model's, lowered to it",
     {512, kEos, 600, 600, 600, 512},
     {512, -1}},
};

TEST(LengthLimitTest, TheLowestLimitCountsAndOnlyTheModelsForcesALastToken) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(LimitLength(c.limits), c.expected);
  }
}

TEST(LengthLimitTest, TheGuardGrowsWithTheSourceAndWithWhatMustCome) {
  EXPECT_EQ(LengthGuard(5, 0), 104u);
  EXPECT_EQ(LengthGuard(5, 30), 134u);
  // A minimum length may be as large as its type.
  EXPECT_EQ(LengthGuard(5, UINT32_MAX), 104u + uint64_t{UINT32_MAX});
}

TEST(LengthLimitTest, TheGuardLeavesRoomAfterATargetPrefix) {
  for (const uint64_t prefix : {0u, 1u, 1000u}) {
    EXPECT_GT(LengthGuard(1, prefix), prefix);
  }
}

}  // namespace length_limit_test
}  // namespace latimer
