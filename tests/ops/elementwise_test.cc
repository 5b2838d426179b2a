// scale_add, add, multiply and the activations against double precision.
// Tests runtime/ops/vector_kernels_isa.cc.
#include <math.h>

#include <numbers>

#include "tests/ops/vector_kernels_testing.h"

namespace latimer::elementwise_test {

constexpr Activation kAllActivations[] = {
    Activation::kRelu,  Activation::kGelu, Activation::kGeluTanh,
    Activation::kSwish, Activation::kTanh, Activation::kSigmoid};

double Exact(Activation kind, double x) {
  switch (kind) {
    case Activation::kRelu:
      return x > 0 ? x : 0;
    case Activation::kGelu:
      return 0.5 * x * erfc(-x * (std::numbers::sqrt2 / 2));
    case Activation::kGeluTanh:
      return 0.5 * x *
             (1 +
              tanh(sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case Activation::kSwish:
      return x / (1 + exp(-x));
    case Activation::kTanh:
      return tanh(x);
    case Activation::kSigmoid:
      return 1 / (1 + exp(-x));
  }
  return 0;
}

float ActivateOne(const VectorKernels& table, Activation kind, float x) {
  table.activate(kind, 1, &x);
  return x;
}

TEST(ElementwiseTest, ScaleAddMultipliesThenAddsOnEverySize) {
  ForEachSize([](const VectorKernels& table, size_t n) {
    GuardedFloats x(n, 1, 3.0f), addend(n, 2), out(n);
    table.scale_add(n, x.data(), 22.627417f, addend.data(), out.data());
    for (size_t i = 0; i < n; ++i) {
      ASSERT_NEAR(out[i], 22.627417 * x[i] + addend[i], 8e-6) << i;
    }
  });
}

TEST(ElementwiseTest, MultiplyIsExactOnEverySizeAndMayWriteOverEitherInput) {
  ForEachSize([](const VectorKernels& table, size_t n) {
    GuardedFloats x(n, 1, 3.0f), y(n, 2), out(n);
    std::vector<float> expected;
    for (size_t i = 0; i < n; ++i) expected.push_back(x[i] * y[i]);
    table.multiply(n, x.data(), y.data(), out.data());
    ASSERT_EQ(out.Copy(), expected);
    out.Fill(1, 3.0f);
    table.multiply(n, out.data(), y.data(), out.data());
    ASSERT_EQ(out.Copy(), expected);
    table.multiply(n, x.data(), y.data(), y.data());
    ASSERT_EQ(y.Copy(), expected);
  });
}

TEST(ElementwiseTest, ScaleAddMayWriteOverEitherInput) {
  ForEachTable([](const VectorKernels& table) {
    GuardedFloats x(37, 1), addend(37, 2), out(37);
    table.scale_add(37, x.data(), 2.0f, addend.data(), out.data());
    const std::vector<float> expected = out.Copy();
    out.Fill(1);
    table.scale_add(37, out.data(), 2.0f, addend.data(), out.data());
    EXPECT_EQ(out.Copy(), expected);
    table.scale_add(37, x.data(), 2.0f, addend.data(), addend.data());
    EXPECT_EQ(addend.Copy(), expected);
  });
}

TEST(ElementwiseTest, AddIsTheRoundedSumOnEverySize) {
  ForEachSize([](const VectorKernels& table, size_t n) {
    GuardedFloats x(n, 3), y(n, 4);
    const std::vector<float> before = y.Copy();
    table.add(n, x.data(), y.data());
    for (size_t i = 0; i < n; ++i) {
      ASSERT_EQ(y[i], before[i] + x[i]);
    }
  });
}

TEST(ElementwiseTest, ActivationsOnEverySizeTouchNothingElse) {
  ForEachTable([](const VectorKernels& table) {
    for (Activation kind : kAllActivations) {
      for (size_t n : OddSizes()) {
        GuardedFloats x(n, 5, 6.0f);
        const std::vector<float> before = x.Copy();
        table.activate(kind, n, x.data());
        for (size_t i = 0; i < n; ++i) {
          ASSERT_EQ(x[i], ActivateOne(table, kind, before[i]));
        }
      }
    }
  });
}

TEST(ElementwiseTest, ActivationsKeepTheirDocumentedError) {
  constexpr size_t kPoints = 1 << 18;
  ForEachTable([](const VectorKernels& table) {
    for (Activation kind : kAllActivations) {
      for (float range : {0.01f, 1.0f, 8.0f, 100.0f}) {
        GuardedFloats x(kPoints, 6, range);
        const std::vector<float> before = x.Copy();
        table.activate(kind, kPoints, x.data());
        for (size_t i = 0; i < kPoints; ++i) {
          const double magnitude = fmax(1.0, fabs(before[i]));
          ASSERT_NEAR(x[i], Exact(kind, before[i]), 2e-7 * magnitude)
              << "kind " << static_cast<int>(kind) << " x " << before[i];
        }
      }
    }
  });
}

TEST(ElementwiseTest, ActivationsSaturateOnLargeInputs) {
  ForEachTable([](const VectorKernels& table) {
    for (float x : {50.0f, 1e3f, 1e30f, 3e38f, INFINITY}) {
      for (Activation kind : {Activation::kRelu, Activation::kGelu,
                              Activation::kGeluTanh, Activation::kSwish}) {
        EXPECT_EQ(ActivateOne(table, kind, x), x);
        if (isfinite(x)) {
          EXPECT_NEAR(ActivateOne(table, kind, -x), 0, 1e-19);
        }
      }
      EXPECT_EQ(ActivateOne(table, Activation::kTanh, x), 1);
      EXPECT_EQ(ActivateOne(table, Activation::kTanh, -x), -1);
      EXPECT_EQ(ActivateOne(table, Activation::kSigmoid, x), 1);
      EXPECT_NEAR(ActivateOne(table, Activation::kSigmoid, -x), 0, 1e-19);
    }
  });
}

TEST(ElementwiseTest, ActivationsPassNanOn) {
  ForEachTable([](const VectorKernels& table) {
    for (Activation kind : kAllActivations) {
      EXPECT_TRUE(isnan(ActivateOne(table, kind, NAN)))
          << static_cast<int>(kind);
    }
  });
}

}  // namespace latimer::elementwise_test
