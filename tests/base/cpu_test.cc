// What a CPU can do, what a user takes away of it, and the table of levels.
// Tests runtime/base/cpu.cc, runtime/base/cpu_table.cc.
#include "base/cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "base/cpu_table.h"

namespace latimer::cpu_test {

using ::testing::HasSubstr;

std::span<const Isa> Isas() { return {kIsas, static_cast<size_t>(kIsaCount)}; }

TEST(CpuFeatures, EveryLevelImpliesTheOnesBelow) {
  const CpuFeatures cpu = DetectCpuFeatures();
  EXPECT_FALSE(Isas().empty());
  for (const Isa& isa : Isas()) {
    if (isa.implied == nullptr) continue;
    EXPECT_LE(cpu.*isa.usable, cpu.*isa.implied) << isa.name;
  }
}

TEST(CpuFeatures, EveryLimitKeepsItselfAndTakesAwayAllThatIsNewer) {
  CpuFeatures all;
  for (const Isa& isa : Isas()) all.*isa.usable = true;
  for (const Isa& limit : Isas()) {
    const Result<CpuFeatures> cpu = LimitCpuFeatures(all, limit.name);
    ASSERT_EQ(cpu.ok(), !limit.goes_with_previous) << limit.name;
    if (!cpu.ok()) continue;
    for (const Isa& isa : Isas()) {
      // One that goes with the limit follows it.
      const bool newer =
          &isa > &limit && !(isa.goes_with_previous && &isa == &limit + 1);
      EXPECT_EQ((*cpu).*isa.usable, !newer)
          << isa.name << ", limited to " << limit.name;
    }
  }
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
