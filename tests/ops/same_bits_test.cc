// Every kernel of every table gives the same bits, on every architecture: the
// expected hashes are constants.
#include "tests/ops/vector_kernels_testing.h"

namespace latimer {
namespace {

constexpr uint64_t kSeed = 14695981039346656037u;

uint64_t HashElementwise(const VectorKernels& table) {
  uint64_t hash = kSeed;
  for (size_t n : OddSizes()) {
    GuardedFloats x(n), y(n);
    FillNoise(x, 1, 30.0f);
    FillNoise(y, 2);
    table.scale_add(n, x.data(), 22.627417f, y.data(), y.data());
    table.add(n, x.data(), y.data());
    hash = HashBits(hash, y.data(), n);
    for (int kind = 0; kind <= static_cast<int>(Activation::kSigmoid); ++kind) {
      FillNoise(x, 3, kind % 2 == 0 ? 4.0f : 20.0f);
      table.activate(static_cast<Activation>(kind), n, x.data());
      hash = HashBits(hash, x.data(), n);
    }
  }
  return hash;
}

uint64_t HashRows(const VectorKernels& table) {
  uint64_t hash = kSeed;
  for (size_t n : OddSizes()) {
    GuardedFloats x(2 * n), residual(2 * n), gamma(n), beta(n);
    FillNoise(x, 4, 3.0f);
    FillNoise(residual, 5);
    FillNoise(gamma, 6);
    FillNoise(beta, 7);
    table.add_layer_norm(2, n, x.data(), residual.data(), gamma.data(),
                         beta.data(), 1e-5f, x.data());
    hash = HashBits(hash, x.data(), 2 * n);
    FillNoise(x, 8, 30.0f);
    table.softmax(2 * n, x.data());
    hash = HashBits(hash, x.data(), 2 * n);
    hash = (hash ^ table.argmax(2 * n, x.data())) * 1099511628211u;
  }
  return hash;
}

uint64_t HashAttention(const VectorKernels& table) {
  uint64_t hash = kSeed;
  for (size_t dim : {4, 5, 16, 23, 32, 50, 64, 96, 256}) {
    for (size_t rows : {1, 6}) {
      for (size_t kv : {1, 3, 16, 45}) {
        const size_t stride = 3 * dim;
        GuardedFloats q(rows * stride), kv_rows(kv * 2 * stride);
        GuardedFloats scratch(AttentionScratchSize(3, kv));
        FillNoise(q, 9, 2.0f);
        FillNoise(kv_rows, 10, 2.0f);
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
                      .out_stride = stride});
        hash = HashBits(hash, q.data(), rows * stride);
      }
    }
  }
  return hash;
}

TEST(SameBitsTest, ElementwiseKernelsGiveTheSameBitsEverywhere) {
  for (const VectorKernels* table : AllTables()) {
    EXPECT_EQ(HashElementwise(*table), 0x93c653437fb78df1u) << table->name;
  }
}

TEST(SameBitsTest, RowKernelsGiveTheSameBitsEverywhere) {
  for (const VectorKernels* table : AllTables()) {
    EXPECT_EQ(HashRows(*table), 0x325819545b787819u) << table->name;
  }
}

TEST(SameBitsTest, AttentionGivesTheSameBitsEverywhere) {
  for (const VectorKernels* table : AllTables()) {
    EXPECT_EQ(HashAttention(*table), 0xce9738ec4004d8ffu) << table->name;
  }
}

}  // namespace
}  // namespace latimer
