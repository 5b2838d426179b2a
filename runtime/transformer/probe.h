// Lets the converter observe a translation and force its tokens, to measure
// what quantization costs.
//
// Only a build whose profile has `probes` calls a probe. In every other build
// these functions do nothing.
#ifndef LATIMER_TRANSFORMER_PROBE_H_
#define LATIMER_TRANSFORMER_PROBE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "latimer/profile_config.h"

namespace latimer {

enum class ProbePoint : uint8_t { kEncoderLayer, kDecoderLayer, kLogits };

class Probe {
 public:
  // Called with the output of layer number `layer` (all rows of an encoder
  // layer, one row of a decoder layer) or with the logits. A forced token has
  // no logits; a pruned argmax has them only when scores are requested.
  virtual void OnOutput(ProbePoint point, uint32_t layer,
                        std::span<const float> values) = 0;
  // Called with rows inside a feed-forward layer, [rows, its d_ffn], before
  // they are multiplied by its second matrix; once or more before the OnOutput
  // of the layer.
  virtual void OnInner(std::span<const float>) {}
  // Called with rows [rows, inputs] that a matrix is about to multiply, by the
  // address of its packed weights. Not by a pruned argmax.
  virtual void OnInput(const std::byte*, std::span<const float>) {}
  // Greedy search chose the token `chosen` for target position `position`;
  // it continues with the token that this returns.
  virtual int32_t OnToken(size_t position, int32_t chosen) = 0;

 protected:
  ~Probe() = default;
};

// Observes the sentences that this thread translates, one at a time; null: no
// probe. Inline, so a library that does not use it does not contain it.
inline constinit thread_local Probe* probe = nullptr;

// Installs a probe on this thread for as long as it lives.
class ProbeScope {
 public:
  explicit ProbeScope(Probe* installed) { probe = installed; }
  ~ProbeScope() { probe = nullptr; }
  ProbeScope(const ProbeScope&) = delete;
  ProbeScope& operator=(const ProbeScope&) = delete;
};

inline void ProbeOutput(ProbePoint point, uint32_t layer, const float* values,
                        size_t count) {
  if constexpr (kProfile.probes) {
    if (probe != nullptr) probe->OnOutput(point, layer, {values, count});
  }
}

inline void ProbeInner(const float* values, size_t count) {
  if constexpr (kProfile.probes) {
    if (probe != nullptr) probe->OnInner({values, count});
  }
}

inline void ProbeInput(const std::byte* weights, const float* values,
                       size_t count) {
  if constexpr (kProfile.probes) {
    if (probe != nullptr) {
      probe->OnInput(weights, {values, count});
    }
  }
}

inline int32_t ProbeToken(size_t position, int32_t chosen) {
  if constexpr (kProfile.probes) {
    if (probe != nullptr) return probe->OnToken(position, chosen);
  }
  return chosen;
}

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_PROBE_H_
