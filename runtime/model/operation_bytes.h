// How many bytes of the model a group of the decoder's work reads.
#ifndef LATIMER_MODEL_OPERATION_BYTES_H_
#define LATIMER_MODEL_OPERATION_BYTES_H_

#include <cstdint>

#include "latimer/operation_times.h"
#include "model/model.h"

namespace latimer {

// Bytes of the packed matrices and biases that one step of the decoder reads
// in `group`, a shortlist left aside; of vectors, norms and tables none.
uint64_t DecoderWeightBytes(const Model& model, Operation group);

}  // namespace latimer

#endif  // LATIMER_MODEL_OPERATION_BYTES_H_
