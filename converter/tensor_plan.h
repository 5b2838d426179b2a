// The tensors of a file in its order, with their sizes.
#ifndef LATIMER_CONVERTER_TENSOR_PLAN_H_
#define LATIMER_CONVERTER_TENSOR_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/model_writer.h"
#include "converter/quantize.h"
#include "model/tensor_list.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

struct PlannedTensor {
  enum class Kind { kLinear, kGamma, kBeta, kTable } kind;
  std::string key;   // in the canonical model
  std::string name;  // in the file
  uint32_t rows;
  uint32_t columns;  // 0 for vectors
  uint64_t bytes;
  bool nibbles = false;  // See ops/nibble/planes.h.
  TensorGroup group = {};
  // Of a matrix.
  WeightType type = WeightType::kF32;
  const QuantizedMatrix* quantized = nullptr;  // Its integers, if given.
};

// Every tensor in the order of model/tensor_list.h.
std::vector<PlannedTensor> PlanTensors(const CanonicalModel& model,
                                       const WriteOptions& options);

// The types of the matrices of an int8 model.
MatrixTypes PlanTypes(const CanonicalModel& model, const WriteOptions& options);

// The tile of the linear layers' weights.
Tile TileInUse(const WriteOptions& options);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TENSOR_PLAN_H_
