// What a decoder keeps of one sentence.
#ifndef LATIMER_TRANSFORMER_CACHES_H_
#define LATIMER_TRANSFORMER_CACHES_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "latimer/profile_config.h"

namespace latimer {

// A key or value in the caches: f32, or f16 as bits.
using CacheNumber = std::conditional_t<kProfile.f16_caches, uint16_t, float>;

// Floats that take the memory of `count` keys and values.
constexpr size_t CacheFloats(size_t count) {
  return count * sizeof(CacheNumber) / sizeof(float);
}

// Views into the workspace. L = decoder layers, A = attention width. The caches
// are packed by the sizes of the model and the sentence at hand, not by the
// profile's, so that only what is used is touched.
struct SentenceCaches {
  // CacheNumber [L, source_tokens, 2A]; recurrent: the memory, float [S, M].
  float* cross_kv = nullptr;
  float* recurrent_keys = nullptr;  // [source_tokens, K]; null if not recurrent
  // CacheNumber [L, self_rows, 2A]; SSRU, GRUs, LSTMs: states, float [L, D].
  // With beams, row t * beams + b is that of beam b at position t, and there
  // are two sets of states, [2, beams, L, D], one for even positions.
  float* self_kv = nullptr;
  size_t source_tokens = 0;
  size_t self_rows = 0;
  size_t beams = 1;
};

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_CACHES_H_
