// Writes and reads keys and values in the caches, as f32 or as f16. Those of
// f16 are computed as f32 and rounded. A = attention width.
#ifndef LATIMER_TRANSFORMER_CACHE_NUMBERS_H_
#define LATIMER_TRANSFORMER_CACHE_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transformer/caches.h"
#include "transformer/layers.h"

namespace latimer {

// kv [n] = x [n].
inline void StoreInCache(const Engine&, size_t n, const float* x, float* kv) {
  std::memcpy(kv, x, n * sizeof(float));
}
inline void StoreInCache(const Engine& engine, size_t n, const float* x,
                         uint16_t* kv) {
  engine.vector->to_f16(n, x, kv);
}

// kv [rows, linear.n] = ApplyLinear. f16 overwrites workspace.projection.
inline void FillCache(const StepContext& step, const Linear& linear,
                      const LinearInput& input, float* kv) {
  ApplyLinear(step.engine, linear, input, kv);
}
inline void FillCache(const StepContext& step, const Linear& linear,
                      const LinearInput& input, uint16_t* kv) {
  ApplyLinear(step.engine, linear, input, step.workspace.projection);
  StoreInCache(step.engine, input.rows * linear.n, step.workspace.projection,
               kv);
}

// Lets `attention` read keys and values that lie side by side, kv [rows, 2A].
inline void ReadCache(const float* kv, size_t width, Attention* attention) {
  attention->keys = kv;
  attention->values = kv + width;
  attention->kv_stride = 2 * width;
}
inline void ReadCache(const uint16_t* kv, size_t width, Attention* attention) {
  attention->f16_keys = kv;
  attention->f16_values = kv + width;
  attention->kv_stride = 2 * width;
}

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_CACHE_NUMBERS_H_
