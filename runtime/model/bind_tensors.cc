#include "model/bind_tensors.h"

#include <cstring>

#include "base/check.h"
#include "base/format.h"
#include "model/errors.h"
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
    const bool int6 = tensor->dtype() == schema::DType::Int6;
    if (tensor->layout() == schema::Layout::NibblePlanes) {
      if (!MayBeNibbles(*tensor, name, inputs)) {
        return Mismatch("type or layout");
      }
      if (int6) ++model_->info.int6_matrices;
      BindMatrix(group, *tensor, NibblePlaneBytes(outputs, inputs, int6),
                 outputs, inputs, /*nibbles=*/true, linear);
      linear.type = int6 ? WeightType::kInt6 : WeightType::kInt8;
      return;
    }
    Tile tile;
    const bool int4 = tensor->dtype() == schema::DType::Int4;
    const bool f16 = tensor->dtype() == schema::DType::Float16;
    if (tensor->layout() != schema::Layout::GemmPacked ||
        !TileFromSchema(tensor->tile(), &tile) ||
        !IsOfType(*tensor, WeightTypeOf(tile)) || (int4 && !MayBeInt4(group))) {
      return Mismatch("type or layout");
    }
    const WeightType type = int4   ? WeightType::kInt4
                            : int6 ? WeightType::kInt6
                            : f16  ? WeightType::kF16
                                   : WeightTypeOf(tile);
    if (!first_linear_seen_) {
      model_->weight_type = WeightTypeOf(tile);
      model_->tile = tile;
      first_linear_seen_ = true;
    }
    if (tile != model_->tile) {
      return Mismatch("tile, which differs from that of other tensors");
    }
    BindMatrix(group, *tensor, PackedBytes(type, tile, outputs, inputs),
               outputs, inputs, /*nibbles=*/false, linear);
    linear.type = type;
    if (int4) ++model_->info.int4_matrices;
    if (int6) ++model_->info.int6_matrices;
    if (f16) ++model_->info.f16_matrices;
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
  // Whether a model with such weights may have the tensor.
  static bool IsOfType(const schema::Tensor& tensor, WeightType type) {
    const schema::DType dtype = tensor.dtype();
    const bool quantized =
        type == WeightType::kInt8 && dtype != schema::DType::Float16;
    return tensor.quantization() ==
               (quantized ? schema::Quantization::SymmetricPerChannel
                          : schema::Quantization::None) &&
           (quantized
                ? dtype == schema::DType::Int8 ||
                      dtype == schema::DType::Int6 ||
                      dtype == schema::DType::Int4
                : dtype == (type == WeightType::kF32 ? schema::DType::Float32
                                                     : schema::DType::Float16));
  }

  // Only the output matrix, of which just the best logit is wanted, and not
  // with a shortlist, which computes few rows instead of bounds for all.
  bool MayBeNibbles(const schema::Tensor& tensor, const char* name,
                    uint32_t inputs) const {
    return std::strcmp(name, "output") == 0 && !has_shortlist_ &&
           first_linear_seen_ && model_->weight_type == WeightType::kInt8 &&
           (tensor.dtype() == schema::DType::Int8 ||
            tensor.dtype() == schema::DType::Int6) &&
           tensor.quantization() == schema::Quantization::SymmetricPerChannel &&
           tensor.tile() == schema::Tile::None && FitsNibblePlanes(inputs);
  }

  void BindMatrix(TensorGroup group, const schema::Tensor& tensor,
                  uint64_t bytes, uint32_t outputs, uint32_t inputs,
                  bool nibbles, Linear& linear) {
    if (!CheckData(tensor, bytes)) return;
    const flatbuffers::Vector<float>* bias = tensor.bias();
    if (bias != nullptr &&
        (bias->size() != outputs ||
         !Follows(bias->data(), uint64_t{outputs} * sizeof(float)))) {
      return Mismatch("bias");
    }
    linear = {{reinterpret_cast<const std::byte*>(tensor.data()->data()),
               outputs, inputs},
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
  if (a.positions_shared) t.target_positions = t.source_positions;
  const WeightType type = model->weight_type;
  model->info.pruned_argmax = t.output.nibbles;
  const char* missing =
      type == WeightType::kF32 && !kProfile.f32_weights         ? "f32 weights"
      : model->info.f16_matrices > 0 && !kProfile.f16_weights   ? "f16 weights"
      : type == WeightType::kInt8 && !kProfile.int8_weights     ? "int8 weights"
      : model->info.int4_matrices > 0 && !kProfile.int4_weights ? "int4 weights"
      : model->info.int6_matrices > 0 && !kProfile.int6_weights ? "int6 weights"
      : t.output.nibbles && !kProfile.pruned_argmax
          ? "an output matrix for a pruned argmax"
          : nullptr;
  if (missing != nullptr) return LeftOut(" has", missing);
  model->info.weights = NameOf(type);
  model->info.tile = NameOf(model->tile);
  ModelSizes& sizes = model->info.sizes;
  sizes.streamed_per_token = sizes.decoder + sizes.output;
  if (t.output.nibbles) {
    sizes.streamed_per_token -=
        NibblePlaneBytes(t.output.n, t.output.k,
                         t.output.type == WeightType::kInt6) -
        NibblePassBytes(t.output.n, t.output.k);
  }
  return Status();
}

}  // namespace latimer
