// The part of a model file that describes encoder and decoder of GRUs.
#ifndef LATIMER_MODEL_RECURRENT_FILE_H_
#define LATIMER_MODEL_RECURRENT_FILE_H_

#include "latimer/model_info.h"
#include "latimer/status.h"

namespace latimer {

namespace schema {
struct Architecture;
}

// Fills `out` from a verified table whose network kind is Gru and whose layers
// and vocabularies are within the profile. Errors: kCorrupt if the description
// is missing, has a size of zero or contradicts itself; kExceedsProfile if a
// size exceeds the profile's.
Status ReadRecurrent(const schema::Architecture& in, Recurrent* out);

}  // namespace latimer

#endif  // LATIMER_MODEL_RECURRENT_FILE_H_
