// Somebody's own encoder-decoder of GRUs, by its map.
#ifndef LATIMER_CONVERTER_READERS_RECURRENT_MODEL_H_
#define LATIMER_CONVERTER_READERS_RECURRENT_MODEL_H_

#include "converter/canonical_model.h"
#include "converter/readers/mapped_tensors.h"

namespace latimer {

// Fills the architecture and the tensors, which view `tensors`, whose map is of
// a model of GRUs. Throws ConversionError when there are too few or too many
// tensors for the map, or tensors of shapes that do not fit.
void BuildRecurrentModel(MappedTensors& tensors, CanonicalModel* model);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_RECURRENT_MODEL_H_
