#include "converter/tensor_plan.h"

#include <cstdio>
#include <memory>

#include "model/model.h"
#include "model/tensor_list.h"
#include "ops/nibble/planes.h"

namespace latimer {
namespace {

// Whether the matrix is stored for a pruned argmax. It is not if all logits are
// needed or if there are few.
bool InNibbles(const CanonicalModel& model, const WriteOptions& options,
               const std::string& name, WeightType type, uint32_t outputs,
               uint32_t inputs) {
  return options.pruned_argmax && options.weights == WeightType::kInt8 &&
         IsInteger(type) && name == "output" && FitsNibblePlanes(inputs) &&
         uint64_t{outputs} * inputs >= options.smallest_pruned &&
         !model.shortlist && model.architecture.logit_cap == 0 &&
         model.generation.repetition_penalty == 1.0f &&
         model.generation.search.beams == 1;
}

std::string Name(const char* pattern, int layer) {
  char name[64];
  std::snprintf(name, sizeof(name), pattern, layer);
  return name;
}

class Planner {
 public:
  Planner(const CanonicalModel& model, const WriteOptions& options)
      : model_(model), options_(options) {}

  std::vector<PlannedTensor> Plan() {
    const auto unused = std::make_unique<ModelTensors>();
    VisitTensors(model_.architecture, *unused, *this);
    return std::move(tensors_);
  }

  void OnLinear(TensorGroup group, const char* name, int layer,
                uint32_t outputs, uint32_t inputs, Linear&) {
    const std::string key = Name(name, layer);
    const WeightType type = TypeOf(key);
    const bool nibbles =
        InNibbles(model_, options_, key, type, outputs, inputs);
    tensors_.push_back(
        {.kind = PlannedTensor::Kind::kLinear,
         .key = key,
         .name = key,
         .rows = outputs,
         .columns = inputs,
         .bytes = nibbles
                      ? NibblePlaneBytes(outputs, inputs, InfoOf(type).bits)
                      : PackedBytes(type, TileInUse(options_), outputs, inputs),
         .nibbles = nibbles,
         .group = group,
         .type = type,
         .quantized = Find(key, type)});
  }
  void OnNorm(TensorGroup, const char* name, int layer, uint32_t width,
              bool has_beta, Norm&) {
    const std::string key = Name(name, layer);
    AddFloats(PlannedTensor::Kind::kGamma, key, key + ".gamma", width, 0);
    if (has_beta) {
      AddFloats(PlannedTensor::Kind::kBeta, key, key + ".beta", width, 0);
    }
  }
  void OnTable(TensorGroup, const char* name, uint32_t rows, uint32_t columns,
               const float*&) {
    AddFloats(PlannedTensor::Kind::kTable, name, name, rows, columns);
  }

 private:
  WeightType TypeOf(const std::string& key) const {
    if (options_.weights != WeightType::kInt8) return options_.weights;
    if (options_.types != nullptr) {
      const auto found = options_.types->find(key);
      if (found != options_.types->end()) return found->second;
    }
    return options_.other_types;
  }

  const QuantizedMatrix* Find(const std::string& key, WeightType type) const {
    if (options_.quantized == nullptr) return nullptr;
    const auto found = options_.quantized->find({key, type});
    return found == options_.quantized->end() ? nullptr : &found->second;
  }

  void AddFloats(PlannedTensor::Kind kind, const std::string& key,
                 const std::string& name, uint32_t rows, uint32_t columns) {
    const uint64_t count = columns == 0 ? rows : uint64_t{rows} * columns;
    tensors_.push_back({.kind = kind,
                        .key = key,
                        .name = name,
                        .rows = rows,
                        .columns = columns,
                        .bytes = count * sizeof(float)});
  }

  const CanonicalModel& model_;
  const WriteOptions& options_;
  std::vector<PlannedTensor> tensors_;
};

}  // namespace

std::vector<PlannedTensor> PlanTensors(const CanonicalModel& model,
                                       const WriteOptions& options) {
  return Planner(model, options).Plan();
}

MatrixTypes PlanTypes(const CanonicalModel& model,
                      const WriteOptions& options) {
  MatrixTypes types;
  for (const PlannedTensor& tensor : PlanTensors(model, options)) {
    if (tensor.kind != PlannedTensor::Kind::kLinear) continue;
    types.emplace(tensor.key, tensor.type);
  }
  return types;
}

Tile TileInUse(const WriteOptions& options) {
  if (IsInteger(options.weights)) return options.tile;
  return InfoOf(options.weights).tile == TileRule::k16x1 ? Tile::k16x1
                                                         : options.f32_tile;
}

}  // namespace latimer
