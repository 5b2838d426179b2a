// Compares the int8 products of this machine's kernels, and those of int6 if
// the profile has them, with sums in plain C++, to the bit, for odd sizes and
// for more inputs than a kernel takes at a time. Tests
// runtime/ops/gemm_int8_dsp_isa.cc, runtime/ops/gemm_int8_mve_isa.cc,
// runtime/ops/gemm_int_codes_dsp_isa.cc.
#include <cstring>

#include "base/cpu.h"
#include "latimer/profile_config.h"
#include "machine.h"
#include "ops/xnnpack/gemm.h"

namespace {

using latimer::RowQuantization;
using latimer::WeightType;

struct Problem {
  size_t rows, n, k;
};
constexpr Problem kProblems[] = {
    {1, 1, 1},    {1, 7, 9},    {1, 16, 64},  {1, 33, 31},  {2, 8, 8},
    {3, 17, 5},   {4, 15, 65},  {5, 24, 40},  {6, 9, 127},  {2, 6, 1023},
    {1, 5, 1024}, {3, 4, 1025}, {1, 3, 2048}, {2, 7, 2579}, {8, 5, 24},
};
constexpr size_t kMostRows = 8;
constexpr size_t kMostChannels = 48;
constexpr size_t kMostInputs = 2592;

int8_t weights[kMostChannels][kMostInputs];
int8_t q[kMostRows * kMostInputs + latimer::kActivationPaddingBytes];
RowQuantization quantization[kMostRows];
float scales[kMostChannels];
float y[kMostRows * kMostChannels];
alignas(64) uint8_t packed[kMostChannels * (kMostInputs + 12)];
alignas(64) uint8_t packed_int6[kMostChannels * (kMostInputs + 12)];
alignas(64) std::byte scratch[16 * (kMostInputs + 12) + 256];

uint32_t Random() {
  static uint32_t state = 1;
  state = state * 1664525 + 1013904223;
  return state >> 8;
}

// Numbers of the whole range, the ends of it now and then.
int8_t RandomByte(int least) {
  const uint32_t random = Random();
  if (random % 8 == 0) return static_cast<int8_t>(random % 16 ? least : 127);
  return static_cast<int8_t>(least +
                             static_cast<int>(random / 8 % (128 - least)));
}

template <typename T>
void Append(T value, uint8_t** out) {
  std::memcpy(*out, &value, sizeof(value));
  *out += sizeof(value);
}

// The layout that packed_matrix.h describes.
void Pack(const Problem& p, latimer::TileShape tile) {
  uint8_t* out = packed;
  const size_t group = tile.kr * tile.sr;
  for (size_t block = 0; block < p.n; block += tile.nr) {
    const auto of_each_channel = [&](const auto& append) {
      for (size_t c = 0; c < tile.nr; ++c) append(block + c, c);
    };
    of_each_channel([&](size_t channel, size_t) {
      int32_t sum = 0;
      for (size_t i = 0; channel < p.n && i < p.k; ++i) {
        sum += weights[channel][i];
      }
      Append(-sum, &out);
    });
    for (size_t i = 0; i < (p.k + group - 1) / group * group; i += tile.kr) {
      of_each_channel([&](size_t channel, size_t c) {
        for (size_t j = 0; j < tile.kr; ++j) {
          const size_t input =
              i / group * group + (i + j + c * tile.kr) % group;
          const bool inside = channel < p.n && input < p.k;
          Append(inside ? weights[channel][input] : int8_t{0}, &out);
        }
      });
    }
    of_each_channel([&](size_t channel, size_t) {
      Append(channel < p.n ? scales[channel] : 0.0f, &out);
    });
    of_each_channel([&](size_t, size_t) { Append(0.0f, &out); });
  }
}

// The layout of int6 from that of int8: packed_matrix.h.
void PackInt6(const Problem& p, latimer::Tile tile) {
  const auto bytes = [&](WeightType type) {
    return static_cast<size_t>(latimer::PackedBlockBytes(type, tile, p.k));
  };
  const size_t nr = latimer::ShapeOf(tile).nr;
  const size_t begin = nr * sizeof(int32_t), end = nr * 2 * sizeof(float);
  const size_t codes = bytes(WeightType::kInt8) - begin - end;
  const size_t padded = static_cast<size_t>(
      latimer::PackedInputs(WeightType::kInt6, tile, p.k) * nr);
  const uint8_t* from = packed;
  uint8_t* to = packed_int6;
  std::memset(packed_int6, 0, sizeof(packed_int6));
  for (size_t block = 0; block < p.n; block += nr) {
    std::memcpy(to, from, begin);
    for (size_t i = 0; i < padded; ++i) {
      const int weight =
          i < codes ? static_cast<int8_t>(from[begin + i]) : int8_t{0};
      const int code = 32 + weight;
      uint8_t* chunk = to + begin + i / 128 * 96;
      const size_t quarter = i / 32 % 4;
      chunk[quarter / 2 * 32 + i % 32] |= code % 16 << quarter % 2 * 4;
      chunk[64 + i % 32] |= code / 16 << quarter * 2;
    }
    from += bytes(WeightType::kInt8);
    to += bytes(WeightType::kInt6);
    std::memcpy(to - end, from - end, end);
  }
}

float Expected(const Problem& p, size_t row, size_t channel) {
  const RowQuantization& of_row = quantization[row];
  int32_t sum = 0;
  for (size_t i = 0; i < p.k; ++i) {
    sum += (q[row * p.k + i] - of_row.zero_point) * weights[channel][i];
  }
  return static_cast<float>(sum) * of_row.scale * scales[channel] + 0.0f;
}

bool Agrees(const latimer::GemmKernels& kernels, latimer::Tile tile,
            WeightType type, const Problem& p) {
  const bool int6 = type == WeightType::kInt6;
  for (size_t i = 0; i < sizeof(q); ++i) q[i] = RandomByte(-128);
  for (size_t row = 0; row < p.rows; ++row) {
    quantization[row] = {RandomByte(-128),
                         0.001f * static_cast<float>(1 + Random() % 99)};
  }
  for (size_t channel = 0; channel < p.n; ++channel) {
    scales[channel] = 0.0001f * static_cast<float>(1 + Random() % 99);
    for (size_t i = 0; i < p.k; ++i) {
      const int8_t weight = RandomByte(-127);
      weights[channel][i] = int6 ? static_cast<int8_t>(weight / 4) : weight;
    }
  }
  Pack(p, latimer::ShapeOf(tile));
  if (int6) PackInt6(p, tile);
  latimer::GemmInt8(
      kernels, p.rows,
      {reinterpret_cast<const std::byte*>(int6 ? packed_int6 : packed),
       static_cast<uint32_t>(p.n), static_cast<uint32_t>(p.k), type},
      0, static_cast<uint32_t>(p.n), q, p.k, quantization, y, p.n, scratch);
  for (size_t row = 0; row < p.rows; ++row) {
    for (size_t channel = 0; channel < p.n; ++channel) {
      const float expected = Expected(p, row, channel);
      if (std::memcmp(&y[row * p.n + channel], &expected, sizeof(float)) != 0) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

int Main() {
  const latimer::CpuFeatures cpu = latimer::DetectCpuFeatures();
  latimer::Tile tile;
  latimer::GemmKernels kernels;
  if (!latimer::FastestTile(cpu, WeightType::kInt8, &tile) ||
      !latimer::SelectGemmKernels(cpu, WeightType::kInt8, tile, &kernels)
           .ok()) {
    machine::Write("no kernels\n");
    return 1;
  }
  (void)latimer::AddGemmKernels(cpu, WeightType::kInt6, tile, &kernels);
  int failures = 0;
  for (const WeightType type : {WeightType::kInt8, WeightType::kInt6}) {
    if (type == WeightType::kInt6 && !latimer::kProfile.int6_weights) continue;
    machine::Write(type == WeightType::kInt6 ? "int6" : "int8");
    for (const Problem& problem : kProblems) {
      const bool agrees = Agrees(kernels, tile, type, problem);
      machine::Write(agrees ? " ok" : " WRONG");
      failures += agrees ? 0 : 1;
    }
    machine::Write("\n");
  }
  return failures;
}
