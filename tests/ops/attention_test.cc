// attend() against double precision.
// Tests runtime/ops/attention_isa.cc, runtime/ops/attention_packed_isa.cc.
#include <math.h>

#include <algorithm>

#include "latimer/profile_config.h"
#include "tests/ops/vector_kernels_testing.h"

namespace latimer::attention_test {

constexpr float kUntouched = -1234567.0f;

struct Shape {
  size_t rows, heads, dim, kv;
};

// Queries, keys and values of one call, with a gap after each row.
struct Case {
  static constexpr size_t kGap = 3;
  explicit Case(const Shape& s)
      : shape(s),
        stride(s.heads * s.dim + kGap),
        queries(s.rows * stride - kGap),
        kv_rows(s.kv * 2 * stride - kGap),
        scratch(AttentionScratchSize(s.heads, s.kv)),
        bias(s.heads * (s.rows + s.kv - 1)),
        packed(AttentionPackedSize(s.dim, s.kv)),
        out(s.rows * stride - kGap) {
    bias.Fill(3, 2.0f);
    queries.Fill(1, 2.0f);
    kv_rows.Fill(2, 2.0f);
    for (size_t i = 0; i < out.size(); ++i) out[i] = kUntouched;
  }
  AttentionArgs Args() {
    return {.query_rows = shape.rows,
            .heads = shape.heads,
            .head_dim = shape.dim,
            .kv_count = shape.kv,
            .queries = queries.data(),
            .query_stride = stride,
            .keys = kv_rows.data(),
            .values = kv_rows.data() + stride,
            .kv_stride = 2 * stride,
            .scale = 1.0f / sqrtf(static_cast<float>(shape.dim)),
            .scratch = scratch.data(),
            .out = out.data(),
            .out_stride = stride};
  }
  AttentionArgs ArgsWithBias() {
    AttentionArgs args = Args();
    args.bias = bias.data() + shape.rows - 1;
    args.bias_stride = shape.rows + shape.kv - 1;
    return args;
  }
  AttentionArgs PackedArgs() {
    AttentionArgs args = ArgsWithBias();
    args.packed = packed.data();
    return args;
  }
  AttentionArgs CappedArgs() {
    AttentionArgs args = ArgsWithBias();
    args.cap = 1.5f;
    return args;
  }
  AttentionArgs CappedPackedArgs() {
    AttentionArgs args = CappedArgs();
    args.packed = packed.data();
    return args;
  }
  Shape shape;
  size_t stride;
  GuardedFloats queries, kv_rows, scratch, bias, packed, out;
};

double ExactOne(const AttentionArgs& a, size_t row, size_t head,
                size_t column) {
  std::vector<double> weights(a.kv_count);
  double max = -INFINITY;
  const float* q = a.queries + row * a.query_stride + head * a.head_dim;
  for (size_t t = 0; t < a.kv_count; ++t) {
    const float* k = a.keys + t * a.kv_stride + head * a.head_dim;
    for (size_t i = 0; i < a.head_dim; ++i) {
      weights[t] += static_cast<double>(q[i]) * k[i] * a.scale;
    }
    if (a.cap > 0) weights[t] = a.cap * tanh(weights[t] / a.cap);
    if (a.bias != nullptr) weights[t] += a.bias[head * a.bias_stride + t - row];
    max = fmax(max, weights[t]);
  }
  double sum = 0;
  double result = 0;
  for (size_t t = 0; t < a.kv_count; ++t) {
    const double w = exp(weights[t] - max);
    sum += w;
    result += w * a.values[t * a.kv_stride + head * a.head_dim + column];
  }
  return result / sum;
}

const Shape kShapes[] = {
    {1, 8, 64, 128}, {1, 1, 4, 1},    {1, 3, 5, 2},   {1, 2, 7, 3},
    {1, 8, 32, 5},   {1, 2, 17, 9},   {2, 5, 31, 17}, {3, 4, 48, 16},
    {4, 1, 16, 4},   {4, 2, 33, 15},  {5, 3, 9, 33},  {7, 2, 100, 7},
    {8, 8, 64, 8},   {9, 1, 256, 70}, {6, 2, 20, 1},  {1, 16, 80, 131},
    {33, 9, 64, 33}, {8, 1, 3, 6},    {4, 2, 4, 4},   {19, 2, 12, 31},
    {16, 3, 32, 48}, {10, 1, 15, 47}, {4, 1, 4, 3},
};

void ExpectFormula(AttentionArgs (Case::*args_of)()) {
  ForEachTable([&](const VectorKernels& table) {
    for (const Shape& s : kShapes) {
      Case c(s);
      const AttentionArgs args = (c.*args_of)();
      table.attend(args);
      for (size_t i = 0; i < c.out.size(); ++i) {
        const size_t row = i / c.stride;
        const size_t column = i % c.stride;
        if (column >= s.heads * s.dim) {
          ASSERT_EQ(c.out[i], kUntouched);
          continue;
        }
        ASSERT_NEAR(c.out[i],
                    ExactOne(args, row, column / s.dim, column % s.dim), 2e-6)
            << "rows=" << s.rows << " heads=" << s.heads << " dim=" << s.dim
            << " kv=" << s.kv << " row=" << row << " column=" << column;
      }
    }
  });
}

TEST(AttentionTest, EqualsTheFormulaOnOddShapesAndLeavesGapsAlone) {
  ExpectFormula(&Case::Args);
}

TEST(AttentionTest, AddsABiasByDistance) { ExpectFormula(&Case::ArgsWithBias); }

TEST(AttentionTest, EqualsTheFormulaWhereKeysAndValuesArePacked) {
  ExpectFormula(&Case::PackedArgs);
}

TEST(AttentionTest, CapsScoresBeforeTheBiasIsAdded) {
  ExpectFormula(&Case::CappedArgs);
  ExpectFormula(&Case::CappedPackedArgs);
}

TEST(AttentionTest, OfARowDoesNotDependOnTheOtherRows) {
  ForEachTable([](const VectorKernels& table) {
    for (const Shape& s : kShapes) {
      Case together(s);
      table.attend(together.PackedArgs());
      Case alone(s);
      for (size_t row = 0; row < s.rows; ++row) {
        AttentionArgs args = alone.ArgsWithBias();
        args.bias -= row;
        args.query_rows = 1;
        args.queries += row * args.query_stride;
        args.out += row * args.out_stride;
        table.attend(args);
      }
      ASSERT_EQ(together.out.Copy(), alone.out.Copy())
          << "rows=" << s.rows << " dim=" << s.dim;
    }
  });
}

// Rows of three beams side by side, and those of one beam's ancestors.
TEST(AttentionTest, OfABeamReadsTheRowsOfItsAncestors) {
  if constexpr (kProfile.beams == 1) GTEST_SKIP() << "there are no beams";
  constexpr size_t kBeams = 3;
  ForEachTable([](const VectorKernels& table) {
    for (Shape s : kShapes) {
      s.rows = 1;
      Case alone(s);
      const size_t row = 2 * alone.stride;  // Of a key and a value.
      GuardedFloats beams(s.kv * kBeams * row, 7);
      GuardedBytes ancestors(s.kv);
      for (size_t t = 0; t < s.kv; ++t) {
        const size_t beam = (t * 5 + s.dim) % kBeams;
        ancestors.As<uint8_t>()[t] = static_cast<uint8_t>(beam);
        const float* found = beams.data() + (t * kBeams + beam) * row;
        const size_t used = alone.stride + s.heads * s.dim;
        std::copy(found, found + used, alone.kv_rows.data() + t * row);
      }
      table.attend(alone.ArgsWithBias());
      Case gathered(s);
      AttentionArgs args = gathered.ArgsWithBias();
      args.keys = beams.data();
      args.values = beams.data() + alone.stride;
      args.ancestors = ancestors.As<uint8_t>();
      args.beams = kBeams;
      table.attend(args);
      ASSERT_EQ(gathered.out.Copy(), alone.out.Copy())
          << "heads=" << s.heads << " dim=" << s.dim << " kv=" << s.kv;
    }
  });
}

TEST(AttentionTest, MayWriteOverTheQueries) {
  ForEachTable([](const VectorKernels& table) {
    for (const Shape& s : kShapes) {
      Case apart(s);
      table.attend(apart.Args());
      Case over(s);
      AttentionArgs args = over.Args();
      if (s.rows % 2 == 0) args.packed = over.packed.data();
      args.out = over.queries.data();
      table.attend(args);
      for (size_t i = 0; i < apart.out.size(); ++i) {
        if (i % apart.stride < s.heads * s.dim) {
          ASSERT_EQ(apart.out[i], over.queries[i]);
        }
      }
    }
  });
}

TEST(AttentionTest, ToOneKeyIsItsValue) {
  ForEachTable([](const VectorKernels& table) {
    Case c({5, 2, 24, 1});
    const AttentionArgs args = c.Args();
    table.attend(args);
    for (size_t row = 0; row < 5; ++row) {
      for (size_t i = 0; i < 48; ++i) {
        EXPECT_EQ(c.out[row * c.stride + i], args.values[i]);
      }
    }
  });
}

TEST(AttentionTest, SurvivesScoresFarApart) {
  ForEachTable([](const VectorKernels& table) {
    Case c({4, 1, 16, 20});
    AttentionArgs args = c.Args();
    args.scale = 1e4f;
    table.attend(args);
    for (size_t i = 0; i < c.out.size(); ++i) {
      EXPECT_TRUE(isfinite(c.out[i]));
    }
  });
}

}  // namespace latimer::attention_test
