// On a CPU that lacks what the program was built for, the program says so.
// Tests programs/cli/cpu_guard.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/system/program.h"

namespace latimer::cpu_guard_test {

using ::testing::HasSubstr;

// A CPU for QEMU, and which of the features that the flags of this build, and
// so of this test, allow it lacks; null: none.
struct LesserCpu {
  const char* name;
  const char* lacks;
};

#if defined(__AVX2__)
constexpr LesserCpu kLesser = {"Nehalem", "AVX2"};
#elif defined(__SSE4_1__)
constexpr LesserCpu kLesser = {"core2duo", "SSE4.1"};
#elif defined(__ARM_FEATURE_ATOMICS)
constexpr LesserCpu kLesser = {"cortex-a53", "atomics (LSE)"};
#elif defined(__ARM_FEATURE_FMA) && defined(__arm__)
constexpr LesserCpu kLesser = {"cortex-a8", "VFPv4"};
#elif defined(__riscv_v_fixed_vlen)
constexpr LesserCpu kLesser = {"rv64", "vectors of 256 bits"};
#else
constexpr LesserCpu kLesser = {};
#endif

TEST(CpuGuard, EveryCommandSaysWhatTheCpuLacks) {
  if (kLesser.name == nullptr) {
    GTEST_SKIP() << "QEMU has no CPU that lacks what this build needs";
  }
  if (std::string(LATIMER_EMULATOR).empty()) GTEST_SKIP() << "no emulator";
  const std::string emulator =
      std::string(LATIMER_EMULATOR) + " -cpu " + kLesser.name;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--version"},
        {"doctor"},
        {"translate", "none.ltm"}}) {
    const std::string sentence =
        ErrorSentence(RunProgram("latimer", arguments, "", emulator), 1);
    EXPECT_THAT(sentence, HasSubstr("this CPU lacks "));
    EXPECT_THAT(sentence, HasSubstr(kLesser.lacks));
  }
}

TEST(CpuGuard, ACpuThatHasAllIsWelcome) {
  const Outcome outcome = RunProgram("latimer", {"--version"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("latimer"));
}

}  // namespace latimer::cpu_guard_test
