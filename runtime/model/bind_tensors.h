// The tensors of a model file, compared with those that its architecture
// demands.
#ifndef LATIMER_MODEL_BIND_TENSORS_H_
#define LATIMER_MODEL_BIND_TENSORS_H_

#include "latimer/status.h"
#include "model/model.h"

namespace latimer {

namespace schema {
struct Model;
}

// Fills model->tensors, weight_type, tile and the sizes in model->info from
// `root`, which has passed the verifier. model->info.architecture is within the
// profile. Errors: kCorrupt for a tensor that is missing or left over, or whose
// name, shape, type, layout or size is not what the architecture demands;
// kExceedsProfile for weights that the profile leaves out.
Status BindTensors(const schema::Model& root, Model* model);

}  // namespace latimer

#endif  // LATIMER_MODEL_BIND_TENSORS_H_
