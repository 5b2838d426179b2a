// The architecture of a model file.
#ifndef LATIMER_MODEL_ARCHITECTURE_FILE_H_
#define LATIMER_MODEL_ARCHITECTURE_FILE_H_

#include "latimer/model_info.h"
#include "latimer/status.h"

namespace latimer {

namespace schema {
struct Architecture;
}

// Checks and reads a table that has passed the verifier. Errors: kCorrupt for
// sizes and switches that no model can have; kExceedsProfile for a size above
// the profile's, or a feature that it leaves out.
Status ReadArchitecture(const schema::Architecture& in, Architecture* out);

}  // namespace latimer

#endif  // LATIMER_MODEL_ARCHITECTURE_FILE_H_
