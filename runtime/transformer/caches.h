// What a decoder keeps of one sentence.
#ifndef LATIMER_TRANSFORMER_CACHES_H_
#define LATIMER_TRANSFORMER_CACHES_H_

#include <cstddef>

namespace latimer {

// Views into the workspace. L = decoder layers, A = attention width. The caches
// are packed by the sizes of the model and the sentence at hand, not by the
// profile's, so that only what is used is touched.
struct SentenceCaches {
  float* cross_kv = nullptr;  // [L, source_tokens, 2A]; GRUs: the memory [S, M]
  float* gru_keys = nullptr;  // [source_tokens, K]; null without GRUs
  float* self_kv = nullptr;  // [L, self_rows, 2A]; SSRU and GRUs: states [L, D]
  size_t source_tokens = 0;
  size_t self_rows = 0;
};

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_CACHES_H_
