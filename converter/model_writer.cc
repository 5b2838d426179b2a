#include "converter/model_writer.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "base/check.h"
#include "converter/canonical_model.h"
#include "converter/error.h"
#include "converter/fold.h"
#include "converter/model_tables.h"
#include "converter/source_tensor.h"
#include "converter/tensor_packer.h"
#include "converter/tensor_plan.h"
#include "latimer/version.h"
#include "model/checksum.h"
#include "model/model_file.h"
#include "model_generated.h"

namespace latimer {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr size_t kAlignment = 64;
// Room for tables, names and alignment, in addition to the bytes of tensors and
// tokenizer. The builder grows if it is too little.
constexpr uint64_t kOverheadBytes = 1 << 18;

// Memory that starts at a multiple of 64. Pages that are never written cost
// nothing.
uint8_t* AllocateAligned(size_t size) {
  return static_cast<uint8_t*>(
      ::operator new (size, std::align_val_t{kAlignment}));
}
void FreeAligned(const void* memory) {
  ::operator delete (const_cast<void*>(memory), std::align_val_t{kAlignment});
}

class AlignedAllocator : public flatbuffers::Allocator {
 public:
  uint8_t* allocate(size_t size) override { return AllocateAligned(size); }
  void deallocate(uint8_t* p, size_t) override { FreeAligned(p); }
};

// A vector's values; zeros for a null tensor.
std::vector<float> ReadVector(const SourceTensor* tensor, uint64_t size,
                              const std::string& name) {
  std::vector<float> values(size, 0.0f);
  if (tensor != nullptr) tensor->Read(0, values);
  CheckFinite(values, name);
  return values;
}

// `bytes` is a whole file.
void SetChecksum(uint8_t* bytes, size_t size) {
  auto* root = flatbuffers::GetMutableRoot<schema::Model>(bytes);
  const auto* field =
      reinterpret_cast<const flatbuffers::Table*>(root)->GetAddressOf(
          schema::Model::VT_CHECKSUM);
  const uint64_t checksum =
      ComputeChecksum({reinterpret_cast<const std::byte*>(bytes), size},
                      static_cast<size_t>(field - bytes));
  LATIMER_CHECK(root->mutate_checksum(checksum));
}

schema::DType TypeInFile(WeightType type) {
  static_assert(static_cast<size_t>(schema::DType::MAX) + 1 ==
                kWeightTypeCount);
  return static_cast<schema::DType>(type);
}

class Writer {
 public:
  Writer(const CanonicalModel& model, const WriteOptions& options)
      : model_(model), options_(options) {}

  ModelBytes Write();

 private:
  Offset<schema::Tensor> WriteTensor(const PlannedTensor& tensor);
  Offset<flatbuffers::Vector<float>> WriteBias(const PlannedTensor& tensor);
  ModelBytes Pack();
  void Advance(uint64_t bytes);
  void Finish(const std::vector<Offset<schema::Tensor>>& tensors,
              Offset<schema::Tokenizer> tokenizer,
              Offset<schema::Tokenizer> target_tokenizer);

  const CanonicalModel& model_;
  const WriteOptions& options_;
  FlatBufferBuilder* builder_ = nullptr;
  // Where a matrix goes: FlatBuffers are built from the end, so its bytes begin
  // this far before the end of the file.
  struct Place {
    const PlannedTensor* tensor;
    uint64_t before_end;
  };
  std::vector<Place> places_;  // The last matrix comes first.
  uint64_t done_ = 0, total_ = 0;
};

void CheckSize(uint64_t bytes, WeightType weights) {
  if (bytes <= kMaxFileBytes) return;
  FailWith("The model needs ", bytes, " bytes, but a model file holds at most ",
           kMaxFileBytes, " because its offsets are 31-bit numbers; ",
           IsInteger(weights)
               ? "remove tokens that are not needed with --keep-vocab or "
                 "--keep-scripts."
               : "use --weights int8.");
}

ModelBytes Writer::Write() {
  CheckSizes(model_.architecture);
  const std::vector<PlannedTensor> tensors = PlanTensors(model_, options_);

  uint64_t reserve = kOverheadBytes;
  for (const PlannedTensor& tensor : tensors) {
    total_ += tensor.bytes;
    if (tensor.kind == PlannedTensor::Kind::kLinear) {
      reserve += RoundUp(tensor.rows * sizeof(float), kAlignment);  // Its bias.
    }
  }
  reserve += DataBytes(model_, options_);
  CheckSize(reserve, options_.weights);
  AlignedAllocator allocator;
  FlatBufferBuilder builder(RoundUp(reserve, kAlignment), &allocator,
                            /*own_allocator=*/false, kAlignment);
  builder_ = &builder;

  // The last tensor is written first. A matrix only gets its place here.
  const Offset<schema::Tokenizer> tokenizer =
      model_.tokenizer ? WriteTokenizer(WithFolds(*model_.tokenizer), builder_)
                       : 0;
  const Offset<schema::Tokenizer> target_tokenizer =
      WriteTokenizer(model_.target_tokenizer, builder_);
  std::vector<Offset<schema::Tensor>> offsets(tensors.size());
  for (size_t i = offsets.size(); i-- > 0;) {
    offsets[i] = WriteTensor(tensors[i]);
  }
  Finish(offsets, tokenizer, target_tokenizer);
  return Pack();
}

void Writer::Advance(uint64_t bytes) {
  done_ += bytes;
  if (options_.progress) options_.progress(done_, total_);
}

// Copies the builder's bytes and packs the matrices into their places.
ModelBytes Writer::Pack() {
  const auto* built =
      reinterpret_cast<const std::byte*>(builder_->GetBufferPointer());
  const size_t size = builder_->GetSize();
  std::shared_ptr<const void> owner;
  std::span<std::byte> file;
  if (options_.file != nullptr) {
    options_.file->Reserve(size + options_.bytes_behind);
    file = options_.file->bytes().first(size);
  } else {
    uint8_t* memory = AllocateAligned(size);
    owner.reset(memory, FreeAligned);
    file = {reinterpret_cast<std::byte*>(memory), size};
  }
  LATIMER_CHECK(reinterpret_cast<uintptr_t>(file.data()) % kAlignment == 0);

  std::vector<PackJob> jobs;
  size_t copied = 0;
  for (size_t i = places_.size(); i-- > 0;) {
    const PlannedTensor& tensor = *places_[i].tensor;
    const size_t begin = size - places_[i].before_end;
    std::memcpy(file.data() + copied, built + copied, begin - copied);
    jobs.push_back({.linear = &model_.linears.at(tensor.key),
                    .rows = tensor.rows,
                    .columns = tensor.columns,
                    .out = file.subspan(begin, tensor.bytes),
                    .type = tensor.type,
                    .nibbles = tensor.nibbles,
                    .quantized = tensor.quantized});
    copied = begin + tensor.bytes;
  }
  std::memcpy(file.data() + copied, built + copied, size - copied);
  PackMatrices(jobs, TileInUse(options_),
               [this](uint64_t bytes) { Advance(bytes); });
  SetChecksum(reinterpret_cast<uint8_t*>(file.data()), size);
  return ModelBytes(owner, file);
}

Offset<schema::Tensor> Writer::WriteTensor(const PlannedTensor& tensor) {
  const bool linear = tensor.kind == PlannedTensor::Kind::kLinear;
  Offset<flatbuffers::Vector<float>> bias = 0;
  if (linear) bias = WriteBias(tensor);
  uint8_t* data = nullptr;
  // As ForceVectorAlignment, which refuses more than 32 in debug builds.
  builder_->PreAlign(tensor.bytes, kAlignment);
  const Offset<flatbuffers::Vector<uint8_t>> vector =
      builder_->CreateUninitializedVector<uint8_t>(tensor.bytes, &data);
  std::vector<float> values;
  switch (tensor.kind) {
    case PlannedTensor::Kind::kLinear:
      places_.push_back({&tensor, vector.o - sizeof(flatbuffers::uoffset_t)});
      break;
    case PlannedTensor::Kind::kGamma:
      values = ReadVector(model_.norms.at(tensor.key).gamma, tensor.rows,
                          tensor.name);
      for (float& gamma : values) {
        const CanonicalNorm& norm = model_.norms.at(tensor.key);
        gamma = (gamma + norm.gamma_offset) * norm.gamma_scale;
      }
      break;
    case PlannedTensor::Kind::kBeta:
      values = ReadVector(model_.norms.at(tensor.key).beta, tensor.rows,
                          tensor.name);
      break;
    case PlannedTensor::Kind::kTable:
      values = model_.tables.at(tensor.key);
      CheckFinite(values, tensor.name);
      break;
  }
  if (!linear) {
    LATIMER_CHECK(values.size() * sizeof(float) == tensor.bytes);
    std::memcpy(data, values.data(), tensor.bytes);
    Advance(tensor.bytes);
  }
  const bool quantized = linear && IsInteger(tensor.type);
  const schema::Layout layout = tensor.nibbles ? schema::Layout::NibblePlanes
                                : linear       ? schema::Layout::GemmPacked
                                               : schema::Layout::RowMajor;
  std::vector<uint32_t> shape = {tensor.rows};
  if (tensor.columns > 0) shape.push_back(tensor.columns);
  const auto shape_offset = builder_->CreateVector(shape);
  const auto name_offset = builder_->CreateString(tensor.name);
  const schema::DType dtype =
      linear ? TypeInFile(tensor.type) : schema::DType::Float32;
  schema::TensorBuilder table(*builder_);
  table.add_bias(bias);
  table.add_data(vector);
  table.add_shape(shape_offset);
  table.add_name(name_offset);
  table.add_tile(layout == schema::Layout::GemmPacked
                     ? static_cast<schema::Tile>(TileInUse(options_))
                     : schema::Tile::None);
  table.add_quantization(quantized ? schema::Quantization::SymmetricPerChannel
                                   : schema::Quantization::None);
  table.add_layout(layout);
  table.add_dtype(dtype);
  return table.Finish();
}

// The biases of the stacked matrices, one after another; 0, for none, if all of
// them are zero.
Offset<flatbuffers::Vector<float>> Writer::WriteBias(
    const PlannedTensor& tensor) {
  const CanonicalLinear& linear = model_.linears.at(tensor.key);
  std::vector<float> bias;
  for (size_t part = 0; part < linear.weights.size(); ++part) {
    const std::vector<float> values =
        ReadVector(linear.biases[part], linear.weights[part]->shape.at(0),
                   tensor.name + ".bias");
    bias.insert(bias.end(), values.begin(), values.end());
  }
  if (linear.rows != nullptr) {
    for (size_t i = 0; i < linear.rows->size(); ++i) {
      bias[i] = bias.at((*linear.rows)[i]);  // Ascending.
    }
    bias.resize(linear.rows->size());
  }
  LATIMER_CHECK(bias.size() == tensor.rows);
  for (size_t i = 0; i < linear.row_factors.size(); ++i) {
    bias[i] *= linear.row_factors[i];
  }
  if (std::ranges::all_of(bias, [](float b) { return b == 0.0f; })) return 0;
  builder_->PreAlign(bias.size() * sizeof(float), kAlignment);
  return builder_->CreateVector(bias);
}

void Writer::Finish(const std::vector<Offset<schema::Tensor>>& tensors,
                    Offset<schema::Tokenizer> tokenizer,
                    Offset<schema::Tokenizer> target_tokenizer) {
  // Writes zeros too, so that checksum and size have fields to be filled in.
  builder_->ForceDefaults(true);
  const auto tensors_offset = builder_->CreateVector(tensors);
  const auto source = builder_->CreateString(model_.source);
  const auto license = builder_->CreateString(model_.license);
  const auto converter =
      builder_->CreateString("latimer-convert " LATIMER_VERSION);
  Offset<flatbuffers::String> version = 0;
  if (!model_.version.empty()) version = builder_->CreateString(model_.version);
  Offset<flatbuffers::String> scores = 0;
  if (!model_.scores.empty()) scores = builder_->CreateString(model_.scores);
  std::string lines;
  for (const std::string& line : model_.assumptions) lines += line + "\n";
  Offset<flatbuffers::String> assumptions = 0;
  if (!lines.empty()) assumptions = builder_->CreateString(lines);
  const auto provenance = schema::CreateProvenance(
      *builder_, source, license, converter, version, scores, assumptions);
  const AlignmentHead alignment = model_.alignment.value_or(AlignmentHead{});
  const bool has_alignment = options_.alignment || model_.alignment.has_value();
  const auto generation = WriteGeneration(
      model_.generation, has_alignment ? &alignment : nullptr, builder_);
  const auto architecture = WriteArchitecture(model_.architecture, builder_);
  const auto known_answer = WriteKnownAnswer(options_.known_answer, builder_);
  const auto shortlist = WriteShortlist(model_.shortlist, builder_);
  Offset<schema::Certificate> certificate = 0;
  if (options_.certificate) {
    certificate = WriteEmptyCertificate(model_.architecture, builder_);
  }
  const auto sentence_rules =
      WriteSentenceRules(model_.sentence_rules, builder_);
  Offset<flatbuffers::Vector<uint32_t>> speech_heads = 0;
  if (!model_.speech_heads.empty()) {
    speech_heads = builder_->CreateVector(model_.speech_heads);
  }
  schema::ModelBuilder table(*builder_);
  table.add_file_bytes(0);
  table.add_checksum(0);
  const SpeechTokens& s = model_.speech;
  const schema::SpeechTokens speech(s.transcribe, s.translate, s.no_timestamps,
                                    s.no_speech, s.start_of_previous,
                                    s.first_timestamp);
  if (model_.architecture.reads_speech()) table.add_speech(&speech);
  table.add_speech_heads(speech_heads);
  table.add_target_tokenizer(target_tokenizer);
  table.add_sentence_rules(sentence_rules);
  table.add_certificate(certificate);
  table.add_shortlist(shortlist);
  table.add_known_answer(known_answer);
  table.add_tokenizer(tokenizer);
  table.add_tensors(tensors_offset);
  table.add_provenance(provenance);
  table.add_generation(generation);
  table.add_architecture(architecture);
  table.add_format_version(FormatVersion(model_));
  schema::FinishModelBuffer(*builder_, table.Finish());
  uint8_t* bytes = builder_->GetBufferPointer();
  auto* written = flatbuffers::GetMutableRoot<schema::Model>(bytes);
  LATIMER_CHECK(written->mutate_file_bytes(builder_->GetSize()));
}

}  // namespace

ModelDescription ReadInfo(std::span<const std::byte> file,
                          bool verify_checksum) {
  const auto model = std::make_unique<Model>();
  const Status status = ReadModelFile(file, verify_checksum, model.get());
  if (!status.ok()) {
    FailWith("The finished model does not load: ", status.message());
  }
  return model->info;
}

ModelBytes WriteModel(const CanonicalModel& model,
                      const WriteOptions& options) {
  return Writer(model, options).Write();
}

uint64_t DataBytes(const CanonicalModel& model, const WriteOptions& options) {
  uint64_t bytes = 0;
  for (const PlannedTensor& tensor : PlanTensors(model, options)) {
    bytes += tensor.bytes;
  }
  if (model.tokenizer) bytes += model.tokenizer->bytes();
  if (model.target_tokenizer) bytes += model.target_tokenizer->bytes();
  if (model.shortlist) bytes += model.shortlist->bytes();
  if (model.sentence_rules) {
    bytes += model.sentence_rules->words.size() * sizeof(uint32_t);
  }
  return bytes;
}

namespace {

// The memory that the writer made is not const.
uint8_t* Writable(const ModelBytes& file) {
  return reinterpret_cast<uint8_t*>(
      const_cast<std::byte*>(file.bytes().data()));
}

template <typename T>
void Fill(flatbuffers::Vector<T>* to, std::span<const T> from) {
  LATIMER_CHECK(to->size() == from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    to->Mutate(static_cast<uint32_t>(i), from[i]);
  }
}

// Copies structs of equal layout; see certificate_file.cc. Entries that are
// left over stay zero.
template <typename Theirs, typename Ours>
void FillStructs(flatbuffers::Vector<const Theirs*>* to,
                 std::span<const Ours> from) {
  LATIMER_CHECK(from.size() <= to->size());
  if (!from.empty()) std::memcpy(to->Data(), from.data(), from.size_bytes());
}

}  // namespace

void SetCertificate(const ModelBytes& file, const Certificate& certificate) {
  uint8_t* bytes = Writable(file);
  auto* to =
      flatbuffers::GetMutableRoot<schema::Model>(bytes)->mutable_certificate();
  LATIMER_CHECK(to != nullptr);
  const Certificate& c = certificate;
  LATIMER_CHECK(to->mutate_text_hash(c.text_hash) &&
                to->mutate_references_hash(c.references_hash) &&
                to->mutate_lines(c.lines) &&
                to->mutate_equal_lines(c.equal_lines) &&
                to->mutate_tokens(c.tokens) &&
                to->mutate_agreeing_tokens(c.agreeing_tokens) &&
                to->mutate_scored(c.scored) &&
                to->mutate_has_references(c.has_references) &&
                to->mutate_f32_bleu(c.f32_bleu) &&
                to->mutate_f32_chrf(c.f32_chrf) && to->mutate_bleu(c.bleu) &&
                to->mutate_chrf(c.chrf) && to->mutate_logits_snr(c.logits_snr));
  Fill(to->mutable_encoder_snr(), c.encoder_snr);
  Fill(to->mutable_decoder_snr(), c.decoder_snr);
  FillStructs(to->mutable_divergences(), c.divergences);
  FillStructs(to->mutable_worst_lines(), c.worst_lines);
  SetChecksum(bytes, file.bytes().size());
}

void SetAlignment(const ModelBytes& file, const AlignmentHead& head) {
  uint8_t* bytes = Writable(file);
  schema::AlignmentHead* to = flatbuffers::GetMutableRoot<schema::Model>(bytes)
                                  ->mutable_generation()
                                  ->mutable_alignment();
  LATIMER_CHECK(to != nullptr);
  *to = schema::AlignmentHead(head.layer, head.head, head.reads);
  SetChecksum(bytes, file.bytes().size());
}

void SetKnownTarget(const ModelBytes& file, std::span<const int32_t> target) {
  uint8_t* bytes = Writable(file);
  auto* answer =
      flatbuffers::GetMutableRoot<schema::Model>(bytes)->mutable_known_answer();
  LATIMER_CHECK(answer != nullptr && answer->target()->size() >= target.size());
  auto* to = answer->mutable_target();
  // A vector begins with its length; what is left over stays unused.
  flatbuffers::WriteScalar(reinterpret_cast<uint8_t*>(to),
                           static_cast<flatbuffers::uoffset_t>(target.size()));
  Fill(to, target);
  SetChecksum(bytes, file.bytes().size());
}

}  // namespace latimer
