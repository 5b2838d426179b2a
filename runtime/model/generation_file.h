// The generation config of a model file.
#ifndef LATIMER_MODEL_GENERATION_FILE_H_
#define LATIMER_MODEL_GENERATION_FILE_H_

#include "latimer/model_info.h"
#include "latimer/status.h"

namespace latimer {

namespace schema {
struct Generation;
}

// Checks and reads the config, with views into `in`, which has passed the
// verifier. kCorrupt if an id is outside the vocabularies or a text is invalid.
Status ReadGeneration(const schema::Generation& in, const Architecture& a,
                      GenerationConfig* out);

}  // namespace latimer

#endif  // LATIMER_MODEL_GENERATION_FILE_H_
