// Relative positions of T5 (Raffel et al., "Exploring the Limits of Transfer
// Learning with a Unified Text-to-Text Transformer", 2020): distances fall into
// buckets, each of which has a number for each head.
#ifndef LATIMER_CONVERTER_READERS_RELATIVE_BIAS_H_
#define LATIMER_CONVERTER_READERS_RELATIVE_BIAS_H_

#include <cstdint>
#include <vector>

#include "converter/source_tensor.h"

namespace latimer {

// How an attention sorts distances into buckets.
struct RelativeBuckets {
  // Keys after the query use the second half of the buckets; otherwise (in a
  // decoder) there are no such keys.
  bool both_ways = true;
  uint32_t count = 0;         // At least 4 both ways, else 2.
  uint32_t max_distance = 0;  // More than half of the buckets of one way.
};

// The bucket of a key that is `distance` after its query (before it, if
// negative). transformers' T5Attention._relative_position_bucket, with the same
// rounding.
uint32_t BucketOf(const RelativeBuckets& buckets, int64_t distance);

// The table by distance that schema/model.fbs describes, [heads, 2 * positions
// - 1] both ways or else [heads, positions], from `biases` [buckets, heads].
std::vector<float> BiasByDistance(const RelativeBuckets& buckets,
                                  const SourceTensor& biases,
                                  uint32_t positions);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_RELATIVE_BIAS_H_
