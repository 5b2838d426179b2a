#include "search/sampling.h"

#include <algorithm>
#include <bit>

#include "search/logits_processors.h"

namespace latimer {
namespace {

// Numbers in the order of the floats: a < b if Key(a) < Key(b).
uint32_t Key(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

// The largest key for which `holds`, which is true for 0 and false from some
// key on.
template <typename Holds>
uint32_t LargestKey(const Holds& holds) {
  uint32_t key = 0;
  for (uint32_t bit = 0x80000000u; bit != 0; bit >>= 1) {
    if (holds(key | bit)) key |= bit;
  }
  return key;
}

void KeepMostLikely(size_t count, std::span<float> logits) {
  const uint32_t least = LargestKey([&](uint32_t key) {
    size_t found = 0;
    for (const float logit : logits) found += Key(logit) >= key;
    return found >= count;
  });
  for (float& logit : logits) {
    if (Key(logit) < least) logit = kBannedLogit;
  }
}

// Of probabilities: the smallest set of the most likely whose sum reaches
// `share`; the others become 0, and the sum 1 again.
void KeepShare(float share, std::span<float> probabilities) {
  const auto sum_from = [&](uint32_t key) {
    double sum = 0;
    for (const float p : probabilities) {
      if (Key(p) >= key) sum += static_cast<double>(p);
    }
    return sum;
  };
  const auto wanted = static_cast<double>(share);
  uint32_t least =
      LargestKey([&](uint32_t key) { return sum_from(key) >= wanted; });
  // Rounding may leave the sum of all below a share near 1.
  const double sum = sum_from(least);
  for (float& p : probabilities) {
    p = Key(p) >= least ? static_cast<float>(static_cast<double>(p) / sum)
                        : 0.0f;
  }
}

// Those below `share` of the largest become 0, and the sum 1 again.
void KeepWithinShare(float share, std::span<float> probabilities) {
  const float least = share * *std::ranges::max_element(probabilities);
  double sum = 0;
  for (const float p : probabilities) {
    if (p >= least) sum += static_cast<double>(p);
  }
  for (float& p : probabilities) {
    p = p >= least ? static_cast<float>(static_cast<double>(p) / sum) : 0.0f;
  }
}

// SplitMix64's output function.
uint64_t Mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

}  // namespace

void WarpLogits(const Engine& engine, const Sampling& sampling,
                std::span<float> logits) {
  if (sampling.temperature != 1.0f) {
    // Without the largest one, no quotient is above 0, however low the
    // temperature.
    const float max =
        logits[engine.vector->argmax(logits.size(), logits.data())];
    for (float& logit : logits) logit = (logit - max) / sampling.temperature;
  }
  if (sampling.top_k && *sampling.top_k < logits.size()) {
    KeepMostLikely(*sampling.top_k, logits);
  }
  engine.vector->softmax(logits.size(), logits.data());
  if (sampling.top_p < 1.0f) KeepShare(sampling.top_p, logits);
  if (sampling.min_p > 0.0f) KeepWithinShare(sampling.min_p, logits);
}

double RandomNumber(const Sampling& sampling, uint64_t position) {
  constexpr uint64_t kGolden = 0x9E3779B97F4A7C15u;
  uint64_t x = Mix(sampling.seed + kGolden);
  x = Mix(x + sampling.stream * kGolden + kGolden);
  x = Mix(x + position * kGolden + kGolden);
  return static_cast<double>(x >> 11) * 0x1p-53;
}

size_t TokenAt(std::span<const float> probabilities, double number) {
  double total = 0;
  for (const float p : probabilities) total += static_cast<double>(p);
  const double wanted = number * total;
  double sum = 0;
  size_t last = 0;
  for (size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] == 0.0f) continue;
    last = i;
    sum += static_cast<double>(probabilities[i]);
    if (sum > wanted) break;
  }
  return last;
}

}  // namespace latimer
