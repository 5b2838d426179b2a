// Every kernel of every table gives the same bits on every architecture; the
// expected hashes are constants.
// Tests runtime/ops/vector_kernels.cc, runtime/ops/row_kernels_isa.cc,
// runtime/ops/attention_isa.cc, runtime/ops/vector_kernels_isa.cc,
// runtime/ops/attention_packed_isa.cc.
#include "tests/ops/vector_kernels_testing.h"

namespace latimer::same_bits_test {

constexpr uint64_t kSeed = 14695981039346656037u;

uint64_t HashElementwise(const VectorKernels& table) {
  uint64_t hash = kSeed;
  for (size_t n : OddSizes()) {
    GuardedFloats x(n, 1, 30.0f), y(n, 2);
    table.scale_add(n, x.data(), 22.627417f, y.data(), y.data());
    table.add(n, x.data(), y.data());
    hash = HashBits(hash, y.data(), n);
    for (int kind = 0; kind <= static_cast<int>(Activation::kSigmoid); ++kind) {
      x.Fill(3, kind % 2 == 0 ? 4.0f : 20.0f);
      table.activate(static_cast<Activation>(kind), n, x.data());
      hash = HashBits(hash, x.data(), n);
    }
  }
  return hash;
}

uint64_t HashRows(const VectorKernels& table) {
  uint64_t hash = kSeed;
  for (size_t n : OddSizes()) {
    GuardedFloats x(2 * n, 4, 3.0f), residual(2 * n, 5), gamma(n, 6),
        beta(n, 7);
    table.add_layer_norm(2, n, x.data(), residual.data(), gamma.data(),
                         beta.data(), 1e-5f, x.data());
    hash = HashBits(hash, x.data(), 2 * n);
    x.Fill(8, 30.0f);
    table.softmax(2 * n, x.data());
    hash = HashBits(hash, x.data(), 2 * n);
    hash = (hash ^ table.argmax(2 * n, x.data())) * 1099511628211u;
  }
  return hash;
}

uint64_t HashAttention(const VectorKernels& table, bool with_bias,
                       bool packed) {
  uint64_t hash = kSeed;
  for (size_t dim : {4, 5, 16, 23, 32, 50, 64, 96, 256}) {
    for (size_t rows : {1, 6}) {
      for (size_t kv : {1, 3, 16, 45}) {
        const size_t stride = 3 * dim;
        GuardedFloats q(rows * stride), kv_rows(kv * 2 * stride);
        GuardedFloats scratch(AttentionScratchSize(3, kv));
        GuardedFloats bias(3 * (rows + kv - 1));
        GuardedFloats packed_kv(AttentionPackedSize(dim, kv));
        bias.Fill(11, 2.0f);
        q.Fill(9, 2.0f);
        kv_rows.Fill(10, 2.0f);
        table.attend({.query_rows = rows,
                      .heads = 3,
                      .head_dim = dim,
                      .kv_count = kv,
                      .queries = q.data(),
                      .query_stride = stride,
                      .keys = kv_rows.data(),
                      .values = kv_rows.data() + stride,
                      .kv_stride = 2 * stride,
                      .scale = 0.25f,
                      .scratch = scratch.data(),
                      .out = q.data(),
                      .out_stride = stride,
                      .bias = with_bias ? bias.data() + rows - 1 : nullptr,
                      .bias_stride = rows + kv - 1,
                      .packed = packed ? packed_kv.data() : nullptr});
        hash = HashBits(hash, q.data(), rows * stride);
      }
    }
  }
  return hash;
}

// The kernels that only T5 uses, except the bias of its attention.
uint64_t HashT5(const VectorKernels& table) {
  uint64_t hash = kSeed;
  for (size_t n : OddSizes()) {
    GuardedFloats x(2 * n, 4, 3.0f), residual(2 * n, 5), gamma(n, 6);
    table.add_rms_norm(2, n, x.data(), residual.data(), gamma.data(), 1e-6f,
                       x.data());
    table.multiply(2 * n, x.data(), residual.data(), x.data());
    hash = HashBits(hash, x.data(), 2 * n);
  }
  return hash;
}

TEST(SameBitsTest, CapsGiveTheSameBitsEverywhere) {
  ForEachTable([](const VectorKernels& table) {
    uint64_t hash = kSeed;
    for (size_t n : OddSizes()) {
      GuardedFloats x(n, 8, 90.0f);
      table.cap(n, 30.0f, x.data());
      hash = HashBits(hash, x.data(), n);
    }
    EXPECT_EQ(hash, 0x416ad68d6c5e163u);
  });
}

TEST(SameBitsTest, ElementwiseKernelsGiveTheSameBitsEverywhere) {
  ForEachTable([](const VectorKernels& table) {
    EXPECT_EQ(HashElementwise(table), 0x93c653437fb78df1u);
  });
}

TEST(SameBitsTest, RowKernelsGiveTheSameBitsEverywhere) {
  ForEachTable([](const VectorKernels& table) {
    EXPECT_EQ(HashRows(table), 0x325819545b787819u);
  });
}

TEST(SameBitsTest, KernelsOfT5GiveTheSameBitsEverywhere) {
  ForEachTable([](const VectorKernels& table) {
    EXPECT_EQ(HashT5(table), 0x5de70e3ee14ac5a6u);
    for (const bool packed : {false, true}) {
      EXPECT_EQ(HashAttention(table, true, packed), 0x4796214666d9c959u)
          << packed;
    }
  });
}

TEST(SameBitsTest, AttentionGivesTheSameBitsEverywhere) {
  ForEachTable([](const VectorKernels& table) {
    for (const bool packed : {false, true}) {
      EXPECT_EQ(HashAttention(table, false, packed), 0xce9738ec4004d8ffu)
          << packed;
    }
  });
}

}  // namespace latimer::same_bits_test
