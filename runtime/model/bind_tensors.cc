#include "model/bind_tensors.h"

#include <cstring>

#include "base/check.h"
#include "base/format.h"
#include "model/errors.h"
#include "model/matrix_counts.h"
#include "model/tensor_list.h"
#include "model/views.h"
#include "model_generated.h"
#include "ops/nibble/planes.h"

namespace latimer {
namespace {

// Every tensor's data and bias begin at a multiple of this; see
// schema/README.md.
constexpr size_t kDataAlignment = 64;

// The enumerators have the same values; see schema/model.fbs.
bool TileFromSchema(schema::Tile in, Tile* out) {
  static_assert(static_cast<int>(schema::Tile::Tile4x1) ==
                static_cast<int>(Tile::k4x1));
  static_assert(static_cast<int>(schema::Tile::Tile8x16) ==
                static_cast<int>(Tile::k8x16));
  *out = static_cast<Tile>(in);
  return in != schema::Tile::None && in <= schema::Tile::MAX;
}

bool TypeFromSchema(schema::DType in, WeightType* out) {
  static_assert(static_cast<size_t>(schema::DType::MAX) + 1 ==
                kWeightTypeCount);
  *out = static_cast<WeightType>(in);
  return in <= schema::DType::MAX;
}

// Compares the file's tensors one by one with those that the architecture
// demands.
class TensorBinder {
 public:
  TensorBinder(const schema::Model& root, Model* model)
      : tensors_(*root.tensors()),
        has_shortlist_(root.shortlist() != nullptr),
        model_(model) {}

  const Status& status() const { return status_; }
  uint32_t count() const { return next_; }

  void OnLinear(TensorGroup group, const char* name, int layer,
                uint32_t outputs, uint32_t inputs, Linear& linear) {
    const schema::Tensor* tensor = Next(name, "", layer, outputs, inputs);
    if (tensor == nullptr) return;
    WeightType type;
    if (!TypeFromSchema(tensor->dtype(), &type) ||
        !IsQuantizedAs(*tensor, type)) {
      return Mismatch("type or layout");
    }
    if (tensor->layout() == schema::Layout::NibblePlanes) {
      if (!MayBeNibbles(*tensor, type, name, inputs)) {
        return Mismatch("type or layout");
      }
      BindMatrix(group, *tensor, type,
                 NibblePlaneBytes(outputs, inputs, InfoOf(type).bits), outputs,
                 inputs, /*nibbles=*/true, linear);
      return CountMatrix(type, &model_->info);
    }
    Tile tile;
    if (tensor->layout() != schema::Layout::GemmPacked ||
        !TileFromSchema(tensor->tile(), &tile) ||
        !MayBeIn(WeightTypeOf(tile), type) ||
        (IsLookedUp(group) && !InfoOf(type).has_rows)) {
      return Mismatch("type or layout");
    }
    if (!first_linear_seen_) {
      model_->weight_type = WeightTypeOf(tile);
      model_->tile = tile;
      first_linear_seen_ = true;
    }
    if (tile != model_->tile) {
      return Mismatch("tile, which differs from that of other tensors");
    }
    BindMatrix(group, *tensor, type, PackedBytes(type, tile, outputs, inputs),
               outputs, inputs, /*nibbles=*/false, linear);
    CountMatrix(type, &model_->info);
  }

  void OnNorm(TensorGroup group, const char* name, int layer, uint32_t width,
              bool has_beta, Norm& norm) {
    norm.gamma = Vector(group, name, ".gamma", layer, width);
    if (!has_beta) return;
    norm.beta = Vector(group, name, ".beta", layer, width);
  }

  void OnTable(TensorGroup group, const char* name, uint32_t rows,
               uint32_t columns, const float*& table) {
    table = Floats(group, Next(name, "", kNoLayer, rows, columns),
                   uint64_t{rows} * columns);
  }

 private:
  // Whether the tensor says that it is quantized as its type is.
  static bool IsQuantizedAs(const schema::Tensor& tensor, WeightType type) {
    return tensor.quantization() ==
           (IsInteger(type) ? schema::Quantization::SymmetricPerChannel
                            : schema::Quantization::None);
  }

  // Only the output matrix, of which just the best logit is wanted, and not
  // with a shortlist, which computes few rows instead of bounds for all, nor
  // with a cap, which may make logits equal.
  bool MayBeNibbles(const schema::Tensor& tensor, WeightType type,
                    const char* name, uint32_t inputs) const {
    return std::strcmp(name, "output") == 0 && !has_shortlist_ &&
           model_->info.architecture.logit_cap == 0 && first_linear_seen_ &&
           IsInteger(model_->weight_type) && IsInteger(type) &&
           InfoOf(type).bits > kNibbleBits &&
           tensor.tile() == schema::Tile::None && FitsNibblePlanes(inputs);
  }

  void BindMatrix(TensorGroup group, const schema::Tensor& tensor,
                  WeightType type, uint64_t bytes, uint32_t outputs,
                  uint32_t inputs, bool nibbles, Linear& linear) {
    if (!CheckData(tensor, bytes)) return;
    const flatbuffers::Vector<float>* bias = tensor.bias();
    if (bias != nullptr &&
        (bias->size() != outputs ||
         !Follows(bias->data(), uint64_t{outputs} * sizeof(float)))) {
      return Mismatch("bias");
    }
    linear = {{reinterpret_cast<const std::byte*>(tensor.data()->data()),
               outputs, inputs, type},
              bias == nullptr ? nullptr : bias->data(),
              nibbles};
    AddSize(group, bytes);
    if (bias != nullptr) AddSize(group, uint64_t{outputs} * sizeof(float));
  }

  const float* Vector(TensorGroup group, const char* name, const char* suffix,
                      int layer, uint32_t width) {
    return Floats(group, Next(name, suffix, layer, width, 0), width);
  }

  const float* Floats(TensorGroup group, const schema::Tensor* tensor,
                      uint64_t count) {
    if (tensor == nullptr) return nullptr;
    if (tensor->layout() != schema::Layout::RowMajor ||
        tensor->dtype() != schema::DType::Float32) {
      Mismatch("type or layout");
      return nullptr;
    }
    if (tensor->bias() != nullptr) {
      Mismatch("bias");
      return nullptr;
    }
    if (!CheckData(*tensor, count * sizeof(float))) return nullptr;
    AddSize(group, count * sizeof(float));
    return reinterpret_cast<const float*>(tensor->data()->data());
  }

  // The next tensor of the file if it has this name and shape; `columns` is 0
  // for a vector.
  const schema::Tensor* Next(const char* name, const char* suffix, int layer,
                             uint32_t rows, uint32_t columns) {
    if (!status_.ok()) return nullptr;
    const size_t length = FormatText(name_, sizeof(name_), name, layer);
    LATIMER_CHECK(length > 0 && length + std::strlen(suffix) < sizeof(name_));
    std::strcpy(name_ + length, suffix);
    const schema::Tensor* tensor =
        next_ < tensors_.size() ? tensors_.Get(next_++) : nullptr;
    if (tensor == nullptr || ViewOf(tensor->name()) != name_) {
      Mismatch("presence");
      return nullptr;
    }
    const auto& shape = *tensor->shape();
    if (shape.size() != (columns == 0 ? 1u : 2u) || shape.Get(0) != rows ||
        (columns != 0 && shape.Get(1) != columns)) {
      Mismatch("shape");
      return nullptr;
    }
    return tensor;
  }

  bool CheckData(const schema::Tensor& tensor, uint64_t bytes) {
    if (tensor.data()->size() != bytes ||
        !Follows(tensor.data()->data(), bytes)) {
      Mismatch("data");
      return false;
    }
    return true;
  }

  // Whether the numbers are aligned and begin after all earlier ones: tensors
  // follow one another in the file and share no bytes.
  bool Follows(const void* data, uint64_t bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(data);
    if (begin % kDataAlignment != 0 || begin < end_) return false;
    end_ = begin + static_cast<uintptr_t>(bytes);  // Inside the file.
    return true;
  }

  void Mismatch(const char* what) {
    if (!status_.ok()) return;
    status_ = Status::Error(
        StatusCode::kCorrupt,
        "The model does not match its own architecture: tensor %s differs in "
        "%s; convert it again.",
        name_, what);
  }

  void AddSize(TensorGroup group, uint64_t bytes) {
    ModelSizes& sizes = model_->info.sizes;
    // In the order of TensorGroup.
    uint64_t* const groups[] = {&sizes.embeddings, &sizes.positions,
                                &sizes.encoder,    &sizes.cross_kv,
                                &sizes.decoder,    &sizes.output};
    *groups[static_cast<size_t>(group)] += bytes;
  }

  const flatbuffers::Vector<flatbuffers::Offset<schema::Tensor>>& tensors_;
  const bool has_shortlist_;
  Model* model_;
  Status status_;
  uint32_t next_ = 0;
  bool first_linear_seen_ = false;
  uintptr_t end_ = 0;  // The end of the numbers that were bound last.
  char name_[64] = {};
};

}  // namespace

Status BindTensors(const schema::Model& root, Model* model) {
  const Architecture& a = model->info.architecture;
  ModelTensors& t = model->tensors;
  TensorBinder binder(root, model);
  VisitTensors(a, t, binder);
  LATIMER_RETURN_IF_ERROR(binder.status());
  if (binder.count() != root.tensors()->size()) {
    return Status::Error(StatusCode::kCorrupt,
                         "The model has %u tensors but its architecture has "
                         "%u; convert it again.",
                         static_cast<unsigned>(root.tensors()->size()),
                         static_cast<unsigned>(binder.count()));
  }
  if (a.source_embedding_tied) t.source_embedding = t.output;
  if (a.embeddings_shared) t.target_embedding = t.source_embedding;
  if (a.target_embedding_tied) t.target_embedding = t.output;
  if (a.positions_shared) {
    t.target_positions = t.source_positions;
    t.target_rotations = t.source_rotations;
  }
  const WeightType type = model->weight_type;
  model->info.pruned_argmax = t.output.nibbles;
  const char* missing = nullptr;
  ForEachWeightType([&](WeightType used) {
    if (used != type && !HasMatrices(model->info, used)) return;
    if (missing != nullptr || InProfile(kProfile, used)) return;
    missing = InfoOf(used).weights;
  });
  if (missing == nullptr && t.output.nibbles && !kProfile.pruned_argmax) {
    missing = "an output matrix for a pruned argmax";
  }
  if (missing != nullptr) return LeftOut(" has", missing);
  model->info.weights = NameOf(type);
  model->info.tile = NameOf(model->tile);
  ModelSizes& sizes = model->info.sizes;
  sizes.streamed_per_token = sizes.decoder + sizes.output;
  const bool needs_all_logits = kProfile.speech() && a.reads_speech();
  if (t.output.nibbles && !needs_all_logits) {
    sizes.streamed_per_token -=
        NibblePlaneBytes(t.output.n, t.output.k, InfoOf(t.output.type).bits) -
        NibblePassBytes(t.output.n, t.output.k);
  }
  return Status();
}

}  // namespace latimer
