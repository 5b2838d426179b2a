// Sampling: tokens are drawn by their probabilities, for example to translate
// back for training.
#ifndef LATIMER_SAMPLING_H_
#define LATIMER_SAMPLING_H_

#include <cstdint>

namespace latimer {

struct Sampling {
  bool enabled = false;
  // Logits are divided by it: above 1 makes tokens more alike. Above 0
  // and finite.
  float temperature = 1.0f;
  // Only the K most likely tokens are drawn; 0: all.
  uint32_t top_k = 0;
  // Only the most likely tokens whose probabilities sum up to this are drawn;
  // 1: all. Above 0.
  float top_p = 1.0f;
  // Only tokens whose probability is at least this share of the most likely
  // one's are drawn; 0: all. At most 1.
  float min_p = 0.0f;
  // Each pair of seed and stream has random numbers of its own: a stream for
  // each text of a job gives it the same tokens wherever and whenever it is
  // translated.
  uint64_t seed = 0;
  uint64_t stream = 0;
};

}  // namespace latimer

#endif  // LATIMER_SAMPLING_H_
