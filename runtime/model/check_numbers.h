// The pass over a model's numbers.
#ifndef LATIMER_MODEL_CHECK_NUMBERS_H_
#define LATIMER_MODEL_CHECK_NUMBERS_H_

#include "latimer/status.h"
#include "model/model.h"

namespace latimer {

// Checks that f32 weights, norms, tables and biases are finite; that the scales
// of int8 weights and the norms of nibble planes are finite and positive, the
// scales of int4 weights, which have either sign, finite; and that the sums of
// weights are such as k weights may have, so that no kernel's sum exceeds
// int32. Whether they are right it does not know: wrong ones, as wrong weights,
// give wrong tokens, no more. Reads f32 weights in full, of others what stands
// beside them. kCorrupt, with the tensor's name, otherwise. Precondition:
// BindTensors has filled `*model`, which is not changed.
Status CheckNumbers(Model* model);

}  // namespace latimer

#endif  // LATIMER_MODEL_CHECK_NUMBERS_H_
