// Looking into a translation, and leading it, for the converter's certificate.
//
// Only where LATIMER_PROBE is defined are probes asked: in copies of a few
// files that latimer-convert is linked with in the library's place. In the
// library itself these functions are empty.
#ifndef LATIMER_TRANSFORMER_PROBE_H_
#define LATIMER_TRANSFORMER_PROBE_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer {

enum class ProbePoint : uint8_t { kEncoderLayer, kDecoderLayer, kLogits };

class Probe {
 public:
  // What layer number `layer` gives, all rows of the encoder or one of the
  // decoder, or the logits. There are none where a token is forced, and of a
  // pruned argmax only where scores are asked for.
  virtual void OnOutput(ProbePoint point, uint32_t layer,
                        std::span<const float> values) = 0;
  // Greedy search takes what this returns in the place of the token `chosen` as
  // target token number `position`.
  virtual int32_t OnToken(size_t position, int32_t chosen) = 0;

 protected:
  ~Probe() = default;
};

// Of the sentences that this thread translates, one at a time; null: none. Not
// in the library.
extern constinit thread_local Probe* probe;

#ifdef LATIMER_PROBE

inline void ProbeOutput(ProbePoint point, uint32_t layer, const float* values,
                        size_t count) {
  if (probe != nullptr) probe->OnOutput(point, layer, {values, count});
}

inline int32_t ProbeToken(size_t position, int32_t chosen) {
  return probe == nullptr ? chosen : probe->OnToken(position, chosen);
}

#else

inline void ProbeOutput(ProbePoint, uint32_t, const float*, size_t) {}
inline int32_t ProbeToken(size_t, int32_t chosen) { return chosen; }

#endif

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_PROBE_H_
