// What a CPU can do, what a user takes away of it, and the table of levels.
// Tests runtime/base/cpu.cc, runtime/base/cpu_table.cc.
#include "base/cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace latimer::cpu_test {

using ::testing::HasSubstr;

TEST(CpuFeatures, EveryLevelImpliesTheOnesBelow) {
  const CpuFeatures cpu = DetectCpuFeatures();
  EXPECT_LE(cpu.avx2, cpu.sse41);
  EXPECT_LE(cpu.avxvnni, cpu.avx2);
  EXPECT_LE(cpu.avx512, cpu.avx2);
  EXPECT_LE(cpu.avx512vnni, cpu.avx512);
  EXPECT_LE(cpu.dotprod, cpu.neon);
  EXPECT_LE(cpu.i8mm, cpu.dotprod);
}

#if defined(__x86_64__)
TEST(CpuFeatures, AgreeWithTheCompilersOwnDetection) {
  const CpuFeatures cpu = DetectCpuFeatures();
  EXPECT_EQ(cpu.sse41, __builtin_cpu_supports("sse4.1") != 0);
  EXPECT_EQ(cpu.avx2, __builtin_cpu_supports("avx2") != 0 &&
                          __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(cpu.avx512vnni,
            __builtin_cpu_supports("avx512vnni") != 0 && cpu.avx512);
}

TEST(CpuFeatures, ALimitTakesAwayAllThatIsNewer) {
  CpuFeatures all;
  all.sse41 = all.avx2 = all.avxvnni = all.avx512 = all.avx512vnni = true;
  const CpuFeatures sse41 = LimitCpuFeatures(all, "sse41").value();
  EXPECT_TRUE(sse41.sse41);
  EXPECT_FALSE(sse41.avx2 || sse41.avxvnni || sse41.avx512 || sse41.avx512vnni);
  const CpuFeatures avx2 = LimitCpuFeatures(all, "avx2").value();
  EXPECT_TRUE(avx2.sse41 && avx2.avx2);
  EXPECT_FALSE(avx2.avxvnni || avx2.avx512 || avx2.avx512vnni);
  const CpuFeatures avxvnni = LimitCpuFeatures(all, "avxvnni").value();
  EXPECT_TRUE(avxvnni.avxvnni);
  EXPECT_FALSE(avxvnni.avx512 || avxvnni.avx512vnni);
  const CpuFeatures avx512 = LimitCpuFeatures(all, "avx512").value();
  EXPECT_TRUE(avx512.avx512 && avx512.avx512vnni);
}

TEST(CpuFeatures, ALimitThatTheCpuDoesNotReachIsAnError) {
  CpuFeatures old;
  old.sse41 = true;
  const auto result = LimitCpuFeatures(old, "avx2");
  EXPECT_EQ(result.status().code(), StatusCode::kUnsupportedCpu);
  EXPECT_THAT(result.status().message(), HasSubstr("avx2"));
}
#endif

TEST(CpuFeatures, AnUnknownLimitIsAnErrorThatListsTheKnown) {
  const auto result = LimitCpuFeatures(DetectCpuFeatures(), "sse9");
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(result.status().message(), HasSubstr("sse9"));
  EXPECT_THAT(result.status().message(), HasSubstr("use "));
}

}  // namespace latimer::cpu_test
