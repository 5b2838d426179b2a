// How many bytes of the model an operation of the decoder reads.
#ifndef LATIMER_MODEL_OPERATION_BYTES_H_
#define LATIMER_MODEL_OPERATION_BYTES_H_

#include <cstdint>

#include "base/operation_times.h"
#include "model/model.h"

namespace latimer {

// Bytes of the packed matrices and biases that one step of the decoder reads
// for `operation` without a shortlist. Vectors, norms and tables do not count.
uint64_t DecoderWeightBytes(const Model& model, Operation operation);

}  // namespace latimer

#endif  // LATIMER_MODEL_OPERATION_BYTES_H_
