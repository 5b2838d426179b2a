// The tensors of a model file, compared with what its architecture demands.
#ifndef LATIMER_MODEL_BIND_TENSORS_H_
#define LATIMER_MODEL_BIND_TENSORS_H_

#include "latimer/status.h"
#include "model/model.h"

namespace latimer {

namespace schema {
struct Model;
}

// Fills model->tensors, weight_type, tile and the sizes in model->info from
// `root`, whose structure has been verified, for model->info.architecture,
// which is within the profile. Errors: kCorrupt for a tensor that is missing,
// left over, or has another name, shape, type, layout or size than the
// architecture demands; kExceedsProfile for weights that the profile leaves
// out.
Status BindTensors(const schema::Model& root, Model* model);

}  // namespace latimer

#endif  // LATIMER_MODEL_BIND_TENSORS_H_
