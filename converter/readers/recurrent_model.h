// A user's own encoder-decoder of GRUs, read by its map.
#ifndef LATIMER_CONVERTER_READERS_RECURRENT_MODEL_H_
#define LATIMER_CONVERTER_READERS_RECURRENT_MODEL_H_

#include "converter/canonical_model.h"
#include "converter/readers/mapped_tensors.h"

namespace latimer {

// Fills the architecture and the tensors, which view `tensors`. Precondition:
// its map is that of a model of GRUs. Throws ConversionError if tensors are
// missing or left over, or if their shapes do not fit.
void BuildRecurrentModel(MappedTensors& tensors, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_RECURRENT_MODEL_H_
