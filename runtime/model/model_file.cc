#include "model/model_file.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#include <xxhash.h>

#include "base/check.h"
#include "model/tensor_list.h"
#include "model/tokenizer_file.h"
#include "model_generated.h"

namespace latimer {
namespace {

constexpr size_t kImageAlignment = 64;
// Root, architecture, generation, provenance, tokenizer, and each tensor.
constexpr uint32_t kMaxTables =
    64 + 32 * (kProfile.encoder_layers + kProfile.decoder_layers + 4);
constexpr uint32_t kMaxDepth = 8;

std::string_view View(const flatbuffers::String* text) {
  return {text->c_str(), text->size()};
}

// Finds the root table and checks what must hold before the verifier's verdict
// means anything to a user: identifier, length, version.
Status FindRoot(std::span<const std::byte> image, size_t* file_bytes,
                const schema::Model** root) {
  constexpr size_t kSmallest = 64;
  if (image.size() < kSmallest ||
      !schema::ModelBufferHasIdentifier(image.data())) {
    return Status::Error(StatusCode::kNotAModel,
                         "This is not a Latimer model (no LTMR identifier); "
                         "make one with latimer-convert.");
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(image.data());
  const size_t readable =
      image.size() < kMaxFileBytes ? image.size() : kMaxFileBytes;
  flatbuffers::Verifier verifier(bytes, readable, kMaxDepth, kMaxTables);
  const uint32_t offset = flatbuffers::ReadScalar<uint32_t>(bytes);
  const Status damaged = Status::Error(
      StatusCode::kCorrupt,
      "The model is damaged: its root table is unreadable; copy it again.");
  if (offset >= readable - sizeof(uint32_t) || offset % sizeof(uint32_t) != 0) {
    return damaged;
  }
  const auto* model = flatbuffers::GetRoot<schema::Model>(bytes);
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(model);
  if (!verifier.VerifyTableStart(reinterpret_cast<const uint8_t*>(table)) ||
      !table->VerifyField<uint32_t>(verifier, schema::Model::VT_FORMAT_VERSION,
                                    sizeof(uint32_t)) ||
      !table->VerifyField<uint64_t>(verifier, schema::Model::VT_FILE_BYTES,
                                    sizeof(uint64_t)) ||
      !table->VerifyField<uint64_t>(verifier, schema::Model::VT_CHECKSUM,
                                    sizeof(uint64_t)) ||
      table->GetAddressOf(schema::Model::VT_CHECKSUM) == nullptr) {
    return damaged;
  }
  if (model->format_version() != kFormatVersion) {
    return Status::Error(
        StatusCode::kUnsupportedVersion,
        "The model has format version %u but this build reads version %u; "
        "convert it again with the latimer-convert of this build.",
        static_cast<unsigned>(model->format_version()),
        static_cast<unsigned>(kFormatVersion));
  }
  if (image.size() < model->file_bytes()) {
    return Status::Error(
        StatusCode::kTruncated,
        "The model is truncated: %llu of its %llu bytes are there; copy it "
        "again.",
        static_cast<unsigned long long>(image.size()),
        static_cast<unsigned long long>(model->file_bytes()));
  }
  if (model->file_bytes() < kSmallest || model->file_bytes() > kMaxFileBytes) {
    return damaged;
  }
  *file_bytes = static_cast<size_t>(model->file_bytes());
  *root = model;
  return Status();
}

Status VerifyStructure(std::span<const std::byte> file, bool verify_checksum,
                       const schema::Model* root) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.data());
  if (verify_checksum) {
    const auto* field =
        reinterpret_cast<const flatbuffers::Table*>(root)->GetAddressOf(
            schema::Model::VT_CHECKSUM);
    const size_t offset = static_cast<size_t>(field - bytes);
    if (offset > file.size() - sizeof(uint64_t) ||
        ComputeChecksum(file, offset) != root->checksum()) {
      return Status::Error(
          StatusCode::kCorrupt,
          "The model is damaged: its checksum does not match; copy it again.");
    }
  }
  flatbuffers::Verifier verifier(bytes, file.size(), kMaxDepth, kMaxTables);
  if (!schema::VerifyModelBuffer(verifier)) {
    return Status::Error(
        StatusCode::kCorrupt,
        "The model is damaged: its structure does not verify; copy it again.");
  }
  return Status();
}

Status ExceedsProfile(const char* what, uint32_t value, uint32_t limit) {
  return Status::Error(
      StatusCode::kExceedsProfile,
      "The model's %s is %u but profile \"%s\" of this build allows %u; build "
      "with a profile for this model (latimer-convert --profile).",
      what, static_cast<unsigned>(value), kProfile.name,
      static_cast<unsigned>(limit));
}

Status CheckRange(const char* what, uint32_t value, uint32_t limit) {
  if (value > limit) return ExceedsProfile(what, value, limit);
  if (value == 0) {
    return Status::Error(StatusCode::kCorrupt,
                         "The model is damaged: its %s is 0.", what);
  }
  return Status();
}

Status ReadArchitecture(const schema::Architecture& in, Architecture* out) {
  LATIMER_RETURN_IF_ERROR(
      CheckRange("d_model", in.d_model(), kProfile.d_model));
  LATIMER_RETURN_IF_ERROR(CheckRange("encoder layer count", in.encoder_layers(),
                                     kProfile.encoder_layers));
  LATIMER_RETURN_IF_ERROR(CheckRange("decoder layer count", in.decoder_layers(),
                                     kProfile.decoder_layers));
  LATIMER_RETURN_IF_ERROR(
      CheckRange("encoder d_ffn", in.encoder_ffn(), kProfile.d_ffn));
  LATIMER_RETURN_IF_ERROR(
      CheckRange("decoder d_ffn", in.decoder_ffn(), kProfile.d_ffn));
  LATIMER_RETURN_IF_ERROR(CheckRange(
      "source vocabulary", in.source_vocabulary(), kProfile.source_vocabulary));
  LATIMER_RETURN_IF_ERROR(CheckRange(
      "target vocabulary", in.target_vocabulary(), kProfile.target_vocabulary));
  LATIMER_RETURN_IF_ERROR(CheckRange("source position count",
                                     in.source_positions(),
                                     kMaxFileBytes / sizeof(float)));
  LATIMER_RETURN_IF_ERROR(CheckRange("target position count",
                                     in.target_positions(),
                                     kMaxFileBytes / sizeof(float)));
  LATIMER_RETURN_IF_ERROR(
      CheckRange("encoder head count", in.encoder_heads(), kProfile.heads));
  LATIMER_RETURN_IF_ERROR(
      CheckRange("decoder head count", in.decoder_heads(), kProfile.heads));
  if (in.d_model() % in.encoder_heads() != 0 ||
      in.d_model() % in.decoder_heads() != 0 ||
      in.activation() > schema::Activation::MAX ||
      in.norm_position() > schema::NormPosition::MAX ||
      !std::isfinite(in.embedding_scale()) || !(in.norm_epsilon() > 0) ||
      !std::isfinite(in.norm_epsilon()) ||
      (in.source_embedding_tied() &&
       in.source_vocabulary() != in.target_vocabulary()) ||
      (in.positions_shared() &&
       in.source_positions() != in.target_positions())) {
    return Status::Error(StatusCode::kCorrupt,
                         "The model is damaged: its architecture contradicts "
                         "itself.");
  }
  *out = {
      .d_model = in.d_model(),
      .encoder_layers = in.encoder_layers(),
      .decoder_layers = in.decoder_layers(),
      .encoder_heads = in.encoder_heads(),
      .decoder_heads = in.decoder_heads(),
      .encoder_ffn = in.encoder_ffn(),
      .decoder_ffn = in.decoder_ffn(),
      .source_vocabulary = in.source_vocabulary(),
      .target_vocabulary = in.target_vocabulary(),
      .source_positions = in.source_positions(),
      .target_positions = in.target_positions(),
      .activation = static_cast<Activation>(in.activation()),
      .norm_position = static_cast<NormPosition>(in.norm_position()),
      .embedding_norm = in.embedding_norm(),
      .final_norm = in.final_norm(),
      .source_embedding_tied = in.source_embedding_tied(),
      .target_embedding_tied = in.target_embedding_tied(),
      .positions_shared = in.positions_shared(),
      .embedding_scale = in.embedding_scale(),
      .norm_epsilon = in.norm_epsilon(),
  };
  return Status();
}

Status ReadGeneration(const schema::Generation& in, const Architecture& a,
                      GenerationRules* out) {
  const int64_t vocabulary = a.target_vocabulary;
  const auto is_token = [&](int64_t id) { return id >= 0 && id < vocabulary; };
  bool good = is_token(in.decoder_start()) && is_token(in.eos()) &&
              is_token(in.pad()) &&
              (in.forced_eos() == -1 || is_token(in.forced_eos())) &&
              in.max_target_tokens() > 0;
  for (int32_t id : *in.banned_tokens()) good = good && is_token(id);
  uint32_t begin = 0;
  for (uint32_t end : *in.banned_ends()) {
    good = good && end > begin && end <= in.banned_tokens()->size();
    begin = end;
  }
  if (!good || begin != in.banned_tokens()->size()) {
    return Status::Error(StatusCode::kCorrupt,
                         "The model is damaged: a generation rule names a "
                         "token outside the vocabulary.");
  }
  *out = {
      .decoder_start = in.decoder_start(),
      .eos = in.eos(),
      .pad = in.pad(),
      .forced_eos = in.forced_eos(),
      .max_target_tokens = in.max_target_tokens(),
      .min_target_tokens = in.min_target_tokens(),
      .banned_tokens = {in.banned_tokens()->data(), in.banned_tokens()->size()},
      .banned_ends = {in.banned_ends()->data(), in.banned_ends()->size()},
  };
  return Status();
}

// The values are the same; see schema/model.fbs.
bool TileFromSchema(schema::Tile in, Tile* out) {
  static_assert(static_cast<int>(schema::Tile::Tile8x1) ==
                static_cast<int>(Tile::k8x1));
  *out = static_cast<Tile>(in);
  return in != schema::Tile::None && in <= schema::Tile::MAX;
}

// Compares the file's tensors one by one with what the architecture demands.
class TensorBinder {
 public:
  TensorBinder(
      const flatbuffers::Vector<flatbuffers::Offset<schema::Tensor>>& tensors,
      Model* model)
      : tensors_(tensors), model_(model) {}

  const Status& status() const { return status_; }
  uint32_t count() const { return next_; }

  void OnLinear(TensorGroup group, const char* name, int layer,
                uint32_t outputs, uint32_t inputs, Linear& linear) {
    const schema::Tensor* tensor = Next(name, "", layer, outputs, inputs);
    if (tensor == nullptr) return;
    Tile tile;
    const bool int8 = tensor->dtype() == schema::DType::Int8;
    if (tensor->layout() != schema::Layout::GemmPacked ||
        tensor->dtype() > schema::DType::MAX ||
        tensor->quantization() !=
            (int8 ? schema::Quantization::SymmetricPerChannel
                  : schema::Quantization::None) ||
        !TileFromSchema(tensor->tile(), &tile) ||
        int8 != (WeightTypeOf(tile) == WeightType::kInt8)) {
      return Mismatch("type or layout");
    }
    const WeightType type = WeightTypeOf(tile);
    if (!first_linear_seen_) {
      model_->weight_type = type;
      model_->tile = tile;
      first_linear_seen_ = true;
    }
    if (type != model_->weight_type || tile != model_->tile) {
      return Mismatch("tile, which differs from that of other tensors");
    }
    const uint64_t bytes = PackedBytes(type, tile, outputs, inputs);
    if (!CheckData(*tensor, bytes)) return;
    linear = {reinterpret_cast<const std::byte*>(tensor->data()->data()),
              outputs, inputs};
    AddSize(group, bytes);
  }

  void OnNorm(TensorGroup group, const char* name, int layer, uint32_t width,
              Norm& norm) {
    norm.gamma = Vector(group, name, ".gamma", layer, width);
    norm.beta = Vector(group, name, ".beta", layer, width);
  }

  void OnTable(TensorGroup group, const char* name, uint32_t rows,
               uint32_t columns, const float*& table) {
    table = Floats(group, Next(name, "", kNoLayer, rows, columns),
                   uint64_t{rows} * columns);
  }

 private:
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
    if (!CheckData(*tensor, count * sizeof(float))) return nullptr;
    AddSize(group, count * sizeof(float));
    return reinterpret_cast<const float*>(tensor->data()->data());
  }

  // The next tensor of the file if it has this name and shape; columns = 0
  // means a vector.
  const schema::Tensor* Next(const char* name, const char* suffix, int layer,
                             uint32_t rows, uint32_t columns) {
    if (!status_.ok()) return nullptr;
    const int length = std::snprintf(name_, sizeof(name_), name, layer);
    LATIMER_CHECK(length > 0 &&
                  static_cast<size_t>(length) + std::strlen(suffix) <
                      sizeof(name_));
    std::strcpy(name_ + length, suffix);
    if (next_ >= tensors_.size()) {
      Mismatch("presence");
      return nullptr;
    }
    const schema::Tensor* tensor = tensors_.Get(next_++);
    if (View(tensor->name()) != name_) {
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
        reinterpret_cast<uintptr_t>(tensor.data()->data()) % kImageAlignment !=
            0) {
      Mismatch("data");
      return false;
    }
    return true;
  }

  void Mismatch(const char* what) {
    if (!status_.ok()) return;
    status_ = Status::Error(
        StatusCode::kCorrupt,
        "The model does not fit its own architecture: tensor %s differs in "
        "%s; convert it again.",
        name_, what);
  }

  void AddSize(TensorGroup group, uint64_t bytes) {
    ModelSizes& sizes = model_->info.sizes;
    switch (group) {
      case TensorGroup::kEmbeddings:
        sizes.embeddings += bytes;
        break;
      case TensorGroup::kPositions:
        sizes.positions += bytes;
        break;
      case TensorGroup::kEncoder:
        sizes.encoder += bytes;
        break;
      case TensorGroup::kCrossKv:
        sizes.cross_kv += bytes;
        break;
      case TensorGroup::kDecoder:
        sizes.decoder += bytes;
        break;
      case TensorGroup::kOutput:
        sizes.output += bytes;
        break;
    }
  }

  const flatbuffers::Vector<flatbuffers::Offset<schema::Tensor>>& tensors_;
  Model* model_;
  Status status_;
  uint32_t next_ = 0;
  bool first_linear_seen_ = false;
  char name_[64] = {};
};

Status BindTensors(const schema::Model& root, Model* model) {
  const Architecture& a = model->info.architecture;
  ModelTensors& t = model->tensors;
  TensorBinder binder(*root.tensors(), model);
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
  if (a.target_embedding_tied) t.target_embedding = t.output;
  if (a.positions_shared) t.target_positions = t.source_positions;
  const bool int8 = model->weight_type == WeightType::kInt8;
  if (int8 ? !kProfile.int8_weights : !kProfile.f32_weights) {
    return Status::Error(StatusCode::kExceedsProfile,
                         "The model has %s weights, which profile \"%s\" of "
                         "this build leaves out; build with another profile.",
                         int8 ? "int8" : "f32", kProfile.name);
  }
  model->info.weights = int8 ? "int8" : "f32";
  model->info.tile = NameOf(model->tile);
  ModelSizes& sizes = model->info.sizes;
  sizes.streamed_per_token = sizes.decoder + sizes.output;
  return Status();
}

}  // namespace

uint64_t ComputeChecksum(std::span<const std::byte> file,
                         size_t checksum_offset) {
  LATIMER_CHECK(checksum_offset + sizeof(uint64_t) <= file.size());
  const size_t rest = checksum_offset + sizeof(uint64_t);
  const uint64_t head = XXH3_64bits(file.data(), checksum_offset);
  return XXH3_64bits_withSeed(file.data() + rest, file.size() - rest, head);
}

Status ReadModelFile(std::span<const std::byte> image, bool verify_checksum,
                     Model* model) {
  if (reinterpret_cast<uintptr_t>(image.data()) % kImageAlignment != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "The model's bytes must start at a multiple of %u.",
                         static_cast<unsigned>(kImageAlignment));
  }
  *model = Model();
  size_t file_bytes = 0;
  const schema::Model* root = nullptr;
  LATIMER_RETURN_IF_ERROR(FindRoot(image, &file_bytes, &root));
  LATIMER_RETURN_IF_ERROR(
      VerifyStructure(image.first(file_bytes), verify_checksum, root));

  ModelInfo& info = model->info;
  info.format_version = root->format_version();
  info.checksum = root->checksum();
  info.sizes.file = file_bytes;
  info.source = View(root->provenance()->source());
  info.license = View(root->provenance()->license());
  info.converter = View(root->provenance()->converter());
  LATIMER_RETURN_IF_ERROR(
      ReadArchitecture(*root->architecture(), &info.architecture));
  LATIMER_RETURN_IF_ERROR(
      ReadGeneration(*root->generation(), info.architecture, &info.generation));
  LATIMER_RETURN_IF_ERROR(BindTensors(*root, model));
  info.has_tokenizer = root->tokenizer() != nullptr;
  if constexpr (kProfile.tokenizer) {
    if (info.has_tokenizer) {
      LATIMER_RETURN_IF_ERROR(
          ReadTokenizer(*root->tokenizer(), info.architecture,
                        &model->tokenizer, &info.sizes.tokenizer));
    }
  }
  return Status();
}

}  // namespace latimer
