// Layer norm, softmax and argmax against double precision.
// Tests runtime/ops/row_kernels_isa.cc.
#include <math.h>

#include "tests/ops/vector_kernels_testing.h"

namespace latimer::row_kernels_test {

enum class Norm { kLayerNorm, kStdNorm, kRmsNorm };

void ExpectNorm(const VectorKernels& table, Norm norm, size_t rows, size_t cols,
                bool with_residual) {
  const size_t n = rows * cols;
  constexpr float kEpsilon = 1e-5f;
  GuardedFloats x(n, 1, 4.0f), residual(n, 2), gamma(cols, 3, 2.0f),
      beta(cols, 4), out(n);
  const bool std_norm = norm == Norm::kStdNorm;
  const bool rms_norm = norm == Norm::kRmsNorm;
  const float* added = with_residual ? residual.data() : nullptr;
  if (rms_norm) {
    for (size_t c = 0; c < cols; ++c) beta[c] = 0;
    table.add_rms_norm(rows, cols, x.data(), added, gamma.data(), kEpsilon,
                       out.data());
  } else {
    const auto add_norm = std_norm ? table.add_std_norm : table.add_layer_norm;
    add_norm(rows, cols, x.data(), added, gamma.data(), beta.data(), kEpsilon,
             out.data());
  }
  for (size_t r = 0; r < rows; ++r) {
    std::vector<double> v(cols);
    double mean = 0;
    for (size_t c = 0; c < cols; ++c) {
      v[c] = x[r * cols + c];
      if (with_residual) v[c] += residual[r * cols + c];
      mean += v[c] / static_cast<double>(cols);
    }
    if (rms_norm) mean = 0;
    double squares = 0;
    for (double e : v) squares += (e - mean) * (e - mean);
    const auto count = static_cast<double>(cols);
    const double deviation = std_norm ? sqrt(squares / (count - 1)) + kEpsilon
                                      : sqrt(squares / count + kEpsilon);
    for (size_t c = 0; c < cols; ++c) {
      const double expected = (v[c] - mean) / deviation * gamma[c] + beta[c];
      ASSERT_NEAR(out[r * cols + c], expected, 5e-6)
          << "cols=" << cols << " row=" << r << " col=" << c;
    }
  }
}

TEST(LayerNormTest, EqualsTheFormulaOnEverySize) {
  ForEachSize([](const VectorKernels& table, size_t cols) {
    ExpectNorm(table, Norm::kLayerNorm, 3, cols, false);
    ExpectNorm(table, Norm::kLayerNorm, 2, cols, true);
  });
}

TEST(StdNormTest, EqualsTheFormulaOnEverySizeFromTwo) {
  ForEachSize([](const VectorKernels& table, size_t cols) {
    if (cols < 2) return;
    ExpectNorm(table, Norm::kStdNorm, 3, cols, false);
    ExpectNorm(table, Norm::kStdNorm, 2, cols, true);
  });
}

TEST(RmsNormTest, EqualsTheFormulaOnEverySize) {
  ForEachSize([](const VectorKernels& table, size_t cols) {
    ExpectNorm(table, Norm::kRmsNorm, 3, cols, false);
    ExpectNorm(table, Norm::kRmsNorm, 2, cols, true);
  });
}

TEST(RmsNormTest, MayWriteOverItsInput) {
  ForEachTable([](const VectorKernels& table) {
    GuardedFloats x(3 * 45, 1), gamma(45, 3), out(3 * 45);
    table.add_rms_norm(3, 45, x.data(), nullptr, gamma.data(), 1e-6f,
                       out.data());
    table.add_rms_norm(3, 45, x.data(), nullptr, gamma.data(), 1e-6f, x.data());
    EXPECT_EQ(x.Copy(), out.Copy());
  });
}

TEST(LayerNormTest, MayWriteOverEitherInput) {
  ForEachTable([](const VectorKernels& table) {
    GuardedFloats x(3 * 45, 1), residual(3 * 45, 2), gamma(45, 3), beta(45, 4),
        out(3 * 45);
    const auto run = [&](float* to) {
      table.add_layer_norm(3, 45, x.data(), residual.data(), gamma.data(),
                           beta.data(), 1e-6f, to);
    };
    run(out.data());
    const std::vector<float> expected = out.Copy();
    run(x.data());
    EXPECT_EQ(x.Copy(), expected);
    x.Fill(1);
    run(residual.data());
    EXPECT_EQ(residual.Copy(), expected);
  });
}

TEST(LayerNormTest, OfAConstantRowIsBeta) {
  ForEachTable([](const VectorKernels& table) {
    GuardedFloats x(20), gamma(20), beta(20);
    for (size_t i = 0; i < 20; ++i) x[i] = 4.0f;
    gamma.Fill(3);
    beta.Fill(4);
    table.add_layer_norm(1, 20, x.data(), nullptr, gamma.data(), beta.data(),
                         1e-5f, x.data());
    EXPECT_EQ(x.Copy(), beta.Copy());
  });
}

TEST(SoftmaxTest, EqualsTheFormulaOnEverySize) {
  ForEachSize([](const VectorKernels& table, size_t n) {
    GuardedFloats x(n, static_cast<uint32_t>(n), 10.0f);
    const std::vector<float> before = x.Copy();
    table.softmax(n, x.data());
    float max = -INFINITY;
    for (float e : before) max = fmaxf(max, e);
    double sum = 0;
    for (float e : before) sum += exp(static_cast<double>(e - max));
    for (size_t i = 0; i < n; ++i) {
      const double p = exp(static_cast<double>(before[i] - max)) / sum;
      ASSERT_NEAR(x[i], p, 6e-7 * p);
    }
  });
}

TEST(SumExpTest, EqualsTheFormulaOnEverySizeAndChangesNothing) {
  ForEachSize([](const VectorKernels& table, size_t n) {
    if (table.sum_exp == nullptr) GTEST_SKIP() << "there are no beams";
    GuardedFloats x(n, static_cast<uint32_t>(n), 10.0f);
    x[n / 2] = -INFINITY;
    const std::vector<float> before = x.Copy();
    double sum = 0;
    for (float e : before) sum += exp(static_cast<double>(e) - 11);
    EXPECT_NEAR(table.sum_exp(n, x.data(), 11.0f), sum, 6e-7 * sum);
    EXPECT_EQ(x.Copy(), before);
  });
}

TEST(SoftmaxTest, TakesLargeAndInfinitelySmallScores) {
  ForEachTable([](const VectorKernels& table) {
    GuardedFloats x(5);
    x.Fill({3e38f, -3e38f, 3e38f, -INFINITY, 0.0f});
    table.softmax(5, x.data());
    EXPECT_EQ(x.Copy(), (std::vector<float>{0.5f, 0, 0.5f, 0, 0}));
  });
}

TEST(SoftmaxTest, IsNanForNanInfinityAndNothing) {
  const std::vector<float> rows[] = {{1.0f, NAN, 2.0f},
                                     {NAN, 1.0f, 2.0f},
                                     {1.0f, INFINITY, 2.0f},
                                     {-INFINITY, -INFINITY, -INFINITY}};
  ForEachTable([&](const VectorKernels& table) {
    for (const std::vector<float>& row : rows) {
      GuardedFloats x(3);
      x.Fill(row);
      table.softmax(3, x.data());
      for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(isnan(x[i]));
    }
  });
}

TEST(ArgmaxTest, FindsTheMaximumAtEveryPlace) {
  ForEachSize([](const VectorKernels& table, size_t n) {
    GuardedFloats x(n, 7);
    for (size_t i = 0; i<n; i += n> 100 ? 13 : 1) {
      const float saved = x[i];
      x[i] = 2.0f;
      ASSERT_EQ(table.argmax(n, x.data()), i);
      x[i] = saved;
    }
  });
}

TEST(ArgmaxTest, OfATieIsTheFirst) {
  ForEachSize([](const VectorKernels& table, size_t n) {
    GuardedFloats x(n);
    for (size_t i = 0; i < n; ++i) x[i] = -1.0f;
    EXPECT_EQ(table.argmax(n, x.data()), 0u);
    // Each next place comes before the ones already set.
    for (size_t i = n; i-- > 0;) {
      x[i] = i % 2 == 0 ? 0.0f : -0.0f;
      if (n < 100 || i % 37 == 0) {
        ASSERT_EQ(table.argmax(n, x.data()), i);
      }
    }
  });
}

TEST(ArgmaxTest, NeverChoosesNanUnlessThereIsNothingElse) {
  ForEachTable([](const VectorKernels& table) {
    for (size_t n : OddSizes()) {
      GuardedFloats x(n);
      for (size_t i = 0; i < n; ++i) x[i] = NAN;
      EXPECT_EQ(table.argmax(n, x.data()), 0u);
      x[n - 1] = -INFINITY;
      EXPECT_EQ(table.argmax(n, x.data()), n - 1);
      x[n / 2] = -3e38f;
      EXPECT_EQ(table.argmax(n, x.data()), n / 2);
      x[n - 1] = INFINITY;
      EXPECT_EQ(table.argmax(n, x.data()), n - 1);
    }
    EXPECT_EQ(table.argmax(0, nullptr), 0u);
  });
}

}  // namespace latimer::row_kernels_test
