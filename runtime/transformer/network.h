// The network of the loaded model, whichever kind it is: the one place that
// switches on NetworkKind.
#ifndef LATIMER_TRANSFORMER_NETWORK_H_
#define LATIMER_TRANSFORMER_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "transformer/decoder.h"

namespace latimer {

// Floats that a decoder keeps of a sentence with S source and T target tokens:
// cross [cross_layers, S, cross_row], and either self [self_layers, T,
// self_row] or, if self_row is 0, states [state].
struct CacheShape {
  size_t cross_layers = 0;
  size_t cross_row = 0;
  size_t self_layers = 0;
  size_t self_row = 0;
  size_t state = 0;
};
CacheShape CacheShapeOf(const Architecture& a);

// Reads source ids [S], all within the vocabulary, 1 <= S <= the limits of the
// profile and the model. Fills caches.cross_kv (and, of GRUs and LSTMs, keys
// and first states) with what decoder steps attend to. Once per sentence. Of a
// model that reads speech the ids only count the positions of the frames in
// workspace.features, and a window that these caches hold is not read again.
void EncodeSource(const StepContext& step, std::span<const int32_t> source,
                  const SentenceCaches& caches);

// Feeds one token of each of 1 to kProfile.lanes sentences, appends to their
// self_kv, and returns what the output matrix multiplies. Each row's output is
// the same as alone. The output views the workspace and is valid until the next
// step or encoder. Precondition: position < self_rows.
DecoderOutput StepDecoder(const StepContext& step,
                          std::span<const DecoderRow> rows);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_NETWORK_H_
