// Checks the numbers of a model's tensors.
#ifndef LATIMER_MODEL_CHECK_NUMBERS_H_
#define LATIMER_MODEL_CHECK_NUMBERS_H_

#include "latimer/status.h"
#include "model/model.h"

namespace latimer {

// Checks that f32 and f16 weights, norms, tables and biases are finite; that
// the scales of int8 weights and the norms of nibble planes are finite and
// positive; that the scales of int4 weights, which have either sign, are
// finite; and that the sums of weights are within what k weights can have, so
// that no kernel's sum exceeds int32. Numbers that pass may still be wrong;
// like wrong weights they give wrong tokens, nothing worse. Reads f32 and f16
// weights in full, and of other matrices what accompanies the weights.
// kCorrupt, with the tensor's name, if a check fails. Precondition: BindTensors
// has filled `*model`, which is not changed.
Status CheckNumbers(Model* model);

}  // namespace latimer

#endif  // LATIMER_MODEL_CHECK_NUMBERS_H_
