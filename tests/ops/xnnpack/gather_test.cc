// Channels that are copied out of a packed matrix are packed as if they had
// been the whole matrix.
// Tests runtime/ops/xnnpack/gather.cc.
#include "ops/xnnpack/gather.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "ops/xnnpack/pack.h"
#include "tests/ops/guarded_memory.h"

namespace latimer::gather_test {

struct Weights {
  Weights(WeightType type, size_t n, size_t k) {
    std::mt19937 random(static_cast<uint32_t>(n * 31 + k));
    std::uniform_int_distribution<int> integer(InfoOf(type).least,
                                               InfoOf(type).most);
    std::uniform_real_distribution<float> real(-1.0f, 1.0f);
    for (size_t i = 0; i < n * k; ++i) {
      integers.push_back(static_cast<int8_t>(integer(random)));
      floats.push_back(real(random));
    }
    for (size_t i = 0; i < n; ++i) scales.push_back(0.01f + real(random) / 128);
  }

  // Rows [k] of these, in order.
  Weights(const Weights& all, std::span<const uint32_t> rows, size_t k) {
    for (const uint32_t row : rows) {
      const auto begin = static_cast<std::ptrdiff_t>(row * k);
      const auto end = begin + static_cast<std::ptrdiff_t>(k);
      integers.insert(integers.end(), all.integers.begin() + begin,
                      all.integers.begin() + end);
      floats.insert(floats.end(), all.floats.begin() + begin,
                    all.floats.begin() + end);
      scales.push_back(all.scales[row]);
    }
  }

  void Pack(WeightType type, Tile tile, size_t k, std::byte* out) const {
    PackMatrix(type, tile, scales.size(), k, floats.data(), integers.data(),
               scales.data(), out);
  }

  std::vector<int8_t> integers;
  std::vector<float> floats, scales;
};

void ExpectGathered(WeightType type, Tile tile, size_t k) {
  constexpr size_t kChannels = 75;
  // The last block is full, one short of it, and has one channel; every place
  // in a block moves to every other.
  for (const size_t count : {1u, 15u, 16u, 48u, 49u}) {
    SCOPED_TRACE(testing::Message() << NameOf(type) << " " << NameOf(tile)
                                    << ", k " << k << ", " << count);
    std::vector<uint32_t> channels;
    std::mt19937 random(static_cast<uint32_t>(count));
    while (channels.size() < count) {
      channels.push_back(static_cast<uint32_t>(random() % kChannels));
    }
    const Weights all(type, kChannels, k);
    GuardedBytes packed(PackedBytes(type, tile, kChannels, k));
    all.Pack(type, tile, k, packed.As<std::byte>());
    const WeightType gathered = GatheredType(type);
    const size_t bytes = PackedBytes(gathered, tile, count, k);
    GuardedBytes expected(bytes), actual(bytes);
    Weights(all, channels, k).Pack(gathered, tile, k, expected.As<std::byte>());
    std::memset(actual.As<std::byte>(), 0xA5, bytes);
    const PackedMatrix w = GatherChannels(
        tile,
        {packed.As<std::byte>(), kChannels, static_cast<uint32_t>(k), type},
        channels, actual.As<std::byte>());
    EXPECT_EQ(w.data, actual.As<std::byte>());
    EXPECT_EQ(w.n, count);
    EXPECT_EQ(w.k, k);
    EXPECT_EQ(w.type, gathered);
    const size_t nr = ShapeOf(gathered, tile).nr;
    EXPECT_EQ(std::memcmp(
                  w.data, expected.As<std::byte>(),
                  (count + nr - 1) / nr * PackedBlockBytes(gathered, tile, k)),
              0);
  }
}

TEST(GatherTest, EveryTypeInEveryTile) {
  for (uint32_t value = 1; value < sizeof(kTiles) / sizeof(kTiles[0]);
       ++value) {
    const auto tile = static_cast<Tile>(value);
    ForEachWeightType([&](WeightType type) {
      if (!MayBeIn(WeightTypeOf(tile), type)) return;
      if (!InProfile(kProfile, type)) return;
      for (const size_t k : {1u, 9u, 64u, 100u}) ExpectGathered(type, tile, k);
    });
  }
}

}  // namespace latimer::gather_test
