// Logarithms and powers beside those of the C library.
// Tests runtime/search/log_probability.cc.
#include "search/log_probability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/cpu.h"

namespace latimer::log_probability_test {

TEST(LogTest, IsThatOfTheLibraryToFifteenDigits) {
  for (double x = 1e-300; x < 1e300; x *= 1.7) {
    EXPECT_NEAR(Log(x), std::log(x), 4e-16 * std::fabs(std::log(x)) + 4e-16)
        << x;
  }
  for (double x = 0.5; x < 2; x += 1.0 / 1024) {
    EXPECT_NEAR(Log(x), std::log(x), 4e-16) << x;
  }
  EXPECT_EQ(Log(1.0), 0.0);
}

TEST(PowerTest, IsThatOfTheLibraryRoundedOnce) {
  for (const float exponent : {0.6f, 0.8f, 1.2f, 2.0f, -0.5f, -2.0f, 10.0f}) {
    for (size_t base = 1; base <= 1024; ++base) {
      const double exact = std::pow(static_cast<double>(base), exponent);
      EXPECT_NEAR(Power(base, exponent), exact, 6.1e-8 * exact)
          << base << " ^ " << exponent;
    }
  }
  EXPECT_EQ(Power(7, 0.0f), 1.0f);
  EXPECT_EQ(Power(7, 1.0f), 7.0f);
  EXPECT_EQ(Power(7, 1e6f), std::numeric_limits<float>::infinity());
  EXPECT_EQ(Power(7, -1e6f), 0.0f);
}

TEST(LogSumTest, PiecesMakeUpTheWhole) {
  Engine engine;
  const VectorKernels* tables[kMaxVectorKernels] = {};
  ASSERT_GT(ListVectorKernels(DetectCpuFeatures(), tables), 0u);
  engine.vector = tables[0];
  if (engine.vector->sum_exp == nullptr) GTEST_SKIP() << "there are no beams";
  std::vector<float> numbers;
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(static_cast<float>(i * 37 % 101) - 30.0f);
  }
  numbers[10] = -std::numeric_limits<float>::infinity();
  double sum = 0;
  for (const float x : numbers) sum += std::exp(static_cast<double>(x));
  for (const size_t piece : {size_t{1000}, size_t{100}, size_t{16}}) {
    LogSum log_sum;
    for (size_t i = 0; i < numbers.size(); i += piece) {
      log_sum.Add(engine,
                  {numbers.data() + i, std::min(piece, numbers.size() - i)});
    }
    log_sum.Finish();
    EXPECT_NEAR(log_sum.LogProbability(60.0f), 60.0 - std::log(sum), 1e-5);
  }
  LogSum nothing;
  nothing.Add(engine, {numbers.data() + 10, 1});
  nothing.Finish();
  EXPECT_EQ(nothing.LogProbability(-1.0f), -1.0f);
}

}  // namespace latimer::log_probability_test
