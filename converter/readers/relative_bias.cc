#include "converter/readers/relative_bias.h"

#include <algorithm>
#include <cmath>

namespace latimer {

uint32_t BucketOf(const RelativeBuckets& buckets, int64_t distance) {
  const uint32_t count = buckets.both_ways ? buckets.count / 2 : buckets.count;
  const uint32_t first = buckets.both_ways && distance > 0 ? count : 0;
  const int64_t away =
      buckets.both_ways ? std::abs(distance) : std::max<int64_t>(-distance, 0);
  // One bucket for each small distance, then wider and wider ones.
  const uint32_t exact = count / 2;
  if (away < exact) return first + static_cast<uint32_t>(away);
  // In float, as in PyTorch: rounding decides where a bucket ends.
  const auto near = static_cast<float>(exact);
  const auto range = static_cast<float>(
      std::log(static_cast<double>(buckets.max_distance) / exact));
  const float position = std::log(static_cast<float>(away) / near) / range *
                         static_cast<float>(count - exact);
  const auto wide = static_cast<int64_t>(position);
  return first + static_cast<uint32_t>(
                     std::min<int64_t>(exact + wide, int64_t{count} - 1));
}

std::vector<float> BiasByDistance(const RelativeBuckets& buckets,
                                  const SourceTensor& biases,
                                  uint32_t positions) {
  const std::vector<float> values = biases.Values();
  const size_t heads = values.size() / buckets.count;
  const size_t columns =
      buckets.both_ways ? 2 * size_t{positions} - 1 : positions;
  std::vector<float> table(heads * columns);
  for (size_t column = 0; column < columns; ++column) {
    const int64_t distance =
        static_cast<int64_t>(column) - (int64_t{positions} - 1);
    const size_t bucket = BucketOf(buckets, distance);
    for (size_t head = 0; head < heads; ++head) {
      table[head * columns + column] = values[bucket * heads + head];
    }
  }
  return table;
}

}  // namespace latimer
