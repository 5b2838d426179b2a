#include "converter/model_writer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include "base/check.h"
#include "converter/check_numbers.h"
#include "converter/check_sizes.h"
#include "converter/error.h"
#include "converter/tensor_packer.h"
#include "latimer/profile_config.h"
#include "model/model_file.h"
#include "model/tensor_list.h"
#include "model_generated.h"
#include "ops/nibble/planes.h"

namespace latimer {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr size_t kAlignment = 64;
// Room for tables, names and alignment beside the tensors' and tokenizer's
// bytes; the builder grows if it is too little.
constexpr uint64_t kOverheadBytes = 1 << 18;

// Memory that starts at a multiple of 64. Pages that are never written take
// none.
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

// The values are the same; see schema/model.fbs.
schema::Tile ToSchema(Tile tile) { return static_cast<schema::Tile>(tile); }

// One entry of the tensor list, to be written.
struct PlannedTensor {
  enum class Kind { kLinear, kGamma, kBeta, kTable } kind;
  std::string key;   // in the canonical model
  std::string name;  // in the file
  uint32_t rows;
  uint32_t columns;  // 0 for vectors
  uint64_t bytes;
  bool nibbles = false;  // See ops/nibble/planes.h.
  const Int4Matrix* int4 = nullptr;
};

// Whether the matrix is read for a pruned argmax: not where all logits are
// needed, or few.
bool InNibbles(const CanonicalModel& model, const WriteOptions& options,
               const std::string& name, uint32_t outputs, uint32_t inputs) {
  return options.pruned_argmax && options.weights == WeightType::kInt8 &&
         name == "output" && FitsNibblePlanes(inputs) &&
         uint64_t{outputs} * inputs >= options.smallest_pruned &&
         !model.shortlist && model.generation.repetition_penalty == 1.0f;
}

class TensorPlanner {
 public:
  TensorPlanner(const CanonicalModel& model, const WriteOptions& options)
      : model_(model), options_(options) {}

  void Plan(const Architecture& architecture) {
    const auto unused = std::make_unique<ModelTensors>();
    VisitTensors(architecture, *unused, *this);
  }

  void OnLinear(TensorGroup, const char* name, int layer, uint32_t outputs,
                uint32_t inputs, Linear&) {
    const std::string key = Name(name, layer);
    const bool nibbles = InNibbles(model_, options_, key, outputs, inputs);
    const Int4Matrix* int4 = Int4Of(key);
    const WeightType type =
        int4 != nullptr ? WeightType::kInt4 : options_.weights;
    Add(PlannedTensor::Kind::kLinear, key, "", outputs, inputs,
        nibbles ? NibblePlaneBytes(outputs, inputs)
                : PackedBytes(type, TileInUse(), outputs, inputs));
    tensors_.back().nibbles = nibbles;
    tensors_.back().int4 = int4;
  }
  void OnNorm(TensorGroup, const char* name, int layer, uint32_t width,
              bool has_beta, Norm&) {
    const std::string key = Name(name, layer);
    Add(PlannedTensor::Kind::kGamma, key, ".gamma", width, 0,
        uint64_t{width} * sizeof(float));
    if (!has_beta) return;
    Add(PlannedTensor::Kind::kBeta, key, ".beta", width, 0,
        uint64_t{width} * sizeof(float));
  }
  void OnTable(TensorGroup, const char* name, uint32_t rows, uint32_t columns,
               const float*&) {
    Add(PlannedTensor::Kind::kTable, name, "", rows, columns,
        uint64_t{rows} * columns * sizeof(float));
  }

  Tile TileInUse() const {
    switch (options_.weights) {
      case WeightType::kF32:
        return options_.f32_tile;
      case WeightType::kF16:
        return Tile::k16x1;
      case WeightType::kInt8:
      case WeightType::kInt4:
        break;
    }
    return options_.tile;
  }

  const std::vector<PlannedTensor>& tensors() const { return tensors_; }

 private:
  static std::string Name(const char* pattern, int layer) {
    char name[64];
    std::snprintf(name, sizeof(name), pattern, layer);
    return name;
  }

  const Int4Matrix* Int4Of(const std::string& key) const {
    if (options_.int4 == nullptr) return nullptr;
    const auto found = options_.int4->find(key);
    return found == options_.int4->end() ? nullptr : &found->second;
  }

  void Add(PlannedTensor::Kind kind, const std::string& key,
           const std::string& suffix, uint32_t rows, uint32_t columns,
           uint64_t bytes) {
    tensors_.push_back({kind, key, key + suffix, rows, columns, bytes});
  }

  const CanonicalModel& model_;
  const WriteOptions& options_;
  std::vector<PlannedTensor> tensors_;
};

// All of a vector; absent ones are zero.
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

class Writer {
 public:
  Writer(const CanonicalModel& model, const WriteOptions& options)
      : model_(model), options_(options) {}

  ModelBytes Write();

 private:
  Offset<schema::Tensor> WriteTensor(const PlannedTensor& tensor, Tile tile);
  Offset<flatbuffers::Vector<float>> WriteBias(const PlannedTensor& tensor);
  ModelBytes Pack(Tile tile);
  void Advance(uint64_t bytes);
  Offset<schema::Recurrent> WriteRecurrent();
  Offset<schema::Architecture> WriteArchitecture();
  Offset<schema::Generation> WriteGeneration();
  Offset<schema::Tokenizer> WriteTokenizer();
  Offset<schema::KnownAnswer> WriteKnownAnswer();
  Offset<schema::Shortlist> WriteShortlist();
  Offset<schema::Certificate> WriteCertificate();
  Offset<schema::SentenceRules> WriteSentenceRules();
  void Finish(const std::vector<Offset<schema::Tensor>>& tensors,
              Offset<schema::Tokenizer> tokenizer);

  const CanonicalModel& model_;
  const WriteOptions& options_;
  FlatBufferBuilder* builder_ = nullptr;
  // The matrices, last first, and how far before the file's end their bytes
  // begin: FlatBuffers are built from the end.
  struct Place {
    const PlannedTensor* tensor;
    uint64_t before_end;
  };
  std::vector<Place> places_;
  uint64_t done_ = 0, total_ = 0;
};

void CheckSize(uint64_t bytes, WeightType weights) {
  if (bytes <= kMaxFileBytes) return;
  throw ConversionError(
      "The model needs " + std::to_string(bytes) +
      " bytes but a model file holds at most " + std::to_string(kMaxFileBytes) +
      ", for its offsets are 31-bit numbers; " +
      (weights == WeightType::kF32 || weights == WeightType::kF16
           ? "use --weights int8."
           : "leave out tokens that are not needed with --keep-vocab or "
             "--keep-scripts."));
}

ModelBytes Writer::Write() {
  CheckSizes(model_.architecture);
  TensorPlanner planner(model_, options_);
  planner.Plan(model_.architecture);

  uint64_t reserve = kOverheadBytes;
  for (const PlannedTensor& tensor : planner.tensors()) {
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

  // The last tensor goes in first. Of a matrix only the place is made here.
  const Offset<schema::Tokenizer> tokenizer = WriteTokenizer();
  std::vector<Offset<schema::Tensor>> offsets(planner.tensors().size());
  for (size_t i = offsets.size(); i-- > 0;) {
    offsets[i] = WriteTensor(planner.tensors()[i], planner.TileInUse());
  }
  Finish(offsets, tokenizer);
  return Pack(planner.TileInUse());
}

void Writer::Advance(uint64_t bytes) {
  done_ += bytes;
  if (options_.progress) options_.progress(done_, total_);
}

// Copies what the builder has, and fills in the matrices.
ModelBytes Writer::Pack(Tile tile) {
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
    jobs.push_back({&model_.linears.at(tensor.key), tensor.rows, tensor.columns,
                    file.subspan(begin, tensor.bytes), tensor.nibbles,
                    tensor.int4});
    copied = begin + tensor.bytes;
  }
  std::memcpy(file.data() + copied, built + copied, size - copied);
  PackMatrices(jobs, options_.weights, tile,
               [this](uint64_t bytes) { Advance(bytes); });
  SetChecksum(reinterpret_cast<uint8_t*>(file.data()), size);
  return ModelBytes(owner, file);
}

Offset<schema::Tensor> Writer::WriteTensor(const PlannedTensor& tensor,
                                           Tile tile) {
  const bool linear = tensor.kind == PlannedTensor::Kind::kLinear;
  Offset<flatbuffers::Vector<float>> bias = 0;
  if (linear) bias = WriteBias(tensor);
  uint8_t* data = nullptr;
  // ForceVectorAlignment, which in debug builds asks for 32 or less.
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
        gamma *= model_.norms.at(tensor.key).gamma_scale;
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
  const bool int8 = linear && options_.weights == WeightType::kInt8;
  const schema::Layout layout = tensor.nibbles ? schema::Layout::NibblePlanes
                                : linear       ? schema::Layout::GemmPacked
                                               : schema::Layout::RowMajor;
  std::vector<uint32_t> shape = {tensor.rows};
  if (tensor.columns > 0) shape.push_back(tensor.columns);
  const auto shape_offset = builder_->CreateVector(shape);
  const auto name_offset = builder_->CreateString(tensor.name);
  const schema::DType dtype = tensor.int4 != nullptr ? schema::DType::Int4
                              : int8                 ? schema::DType::Int8
                              : linear && options_.weights == WeightType::kF16
                                  ? schema::DType::Float16
                                  : schema::DType::Float32;
  return schema::CreateTensor(
      *builder_, name_offset, shape_offset, dtype, layout,
      int8 ? schema::Quantization::SymmetricPerChannel
           : schema::Quantization::None,
      layout == schema::Layout::GemmPacked ? ToSchema(tile)
                                           : schema::Tile::None,
      vector, bias);
}

// The biases of the parts one after another; 0, for none, where all are zero.
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
  if (std::ranges::all_of(bias, [](float b) { return b == 0.0f; })) return 0;
  builder_->PreAlign(bias.size() * sizeof(float), kAlignment);
  return builder_->CreateVector(bias);
}

Offset<schema::Recurrent> Writer::WriteRecurrent() {
  if (model_.architecture.network_kind != NetworkKind::kGru) return 0;
  const Recurrent& r = model_.architecture.recurrent;
  return schema::CreateRecurrent(
      *builder_, r.source_embedding, r.target_embedding, r.encoder_hidden,
      r.decoder_hidden, r.attention_hidden, r.combined, r.bidirectional,
      r.directions_added,
      static_cast<schema::AttentionFunction>(r.attention_function),
      r.query_before, r.input_context, r.output_context, r.output_embedding,
      static_cast<schema::InitialState>(r.initial_state), r.first_state,
      r.state_step);
}

Offset<schema::Architecture> Writer::WriteArchitecture() {
  const Architecture& a = model_.architecture;
  const auto recurrent = WriteRecurrent();
  return schema::CreateArchitecture(
      *builder_, a.d_model, a.encoder_layers, a.decoder_layers, a.encoder_heads,
      a.decoder_heads, a.encoder_ffn, a.decoder_ffn, a.source_vocabulary,
      a.target_vocabulary, a.source_positions, a.target_positions,
      static_cast<schema::Activation>(a.activation),
      static_cast<schema::NormPosition>(a.norm_position), a.embedding_norm,
      a.final_norm, a.source_embedding_tied, a.target_embedding_tied,
      a.positions_shared, a.embedding_scale, a.norm_epsilon, a.encoder_head_dim,
      a.decoder_head_dim, a.encoder_attention_scale, a.decoder_attention_scale,
      static_cast<schema::NormKind>(a.norm_kind),
      static_cast<schema::NetworkKind>(a.network_kind), a.residual,
      a.has_positions, recurrent, a.gated_ffn, a.relative_attention,
      a.embeddings_shared);
}

Offset<schema::Generation> Writer::WriteGeneration() {
  const CanonicalGeneration& g = model_.generation;
  std::vector<int32_t> tokens;
  std::vector<uint32_t> ends;
  for (const std::vector<int32_t>& sequence : g.banned_sequences) {
    tokens.insert(tokens.end(), sequence.begin(), sequence.end());
    ends.push_back(static_cast<uint32_t>(tokens.size()));
  }
  const auto tokens_offset = builder_->CreateVector(tokens);
  const auto ends_offset = builder_->CreateVector(ends);
  const auto prefix_offset = builder_->CreateVector(g.source_prefix);
  const auto suffix_offset = builder_->CreateVector(g.source_suffix);
  // The structs are laid out as those of the schema; see model_file.cc.
  const auto languages_offset =
      g.languages.empty()
          ? 0
          : builder_->CreateVectorOfStructs(
                reinterpret_cast<const schema::Language*>(g.languages.data()),
                g.languages.size());
  const auto tasks_offset =
      g.tasks.empty()
          ? 0
          : builder_->CreateVectorOfStructs(
                reinterpret_cast<const schema::Task*>(g.tasks.data()),
                g.tasks.size());
  return schema::CreateGeneration(
      *builder_, g.decoder_start, g.eos, g.pad, g.forced_eos,
      g.max_target_tokens, g.min_target_tokens, tokens_offset, ends_offset,
      prefix_offset, suffix_offset, g.forced_first, g.no_repeat_ngram,
      g.repetition_penalty, languages_offset,
      static_cast<schema::SourceLanguage>(g.source_language),
      static_cast<schema::TargetLanguage>(g.target_language), tasks_offset);
}

Offset<schema::Tokenizer> Writer::WriteTokenizer() {
  if (!model_.tokenizer) return 0;
  const TokenizerView t = model_.tokenizer->View();
  const auto normalizer_trie = builder_->CreateVector(t.normalizer_trie.data(),
                                                      t.normalizer_trie.size());
  const auto replacements =
      builder_->CreateVector(t.replacements.data(), t.replacements.size());
  const auto user_defined_trie = builder_->CreateVector(
      t.user_defined_trie.data(), t.user_defined_trie.size());
  const auto piece_trie =
      builder_->CreateVector(t.piece_trie.data(), t.piece_trie.size());
  const auto scores = builder_->CreateVector(t.scores.data(), t.scores.size());
  const auto byte_ids =
      builder_->CreateVector(t.byte_ids.data(), t.byte_ids.size());
  const auto added_trie =
      builder_->CreateVector(t.added_trie.data(), t.added_trie.size());
  std::vector<schema::AddedToken> added;
  for (const AddedToken& token : t.added_tokens) {
    added.emplace_back(token.id, token.flags);
  }
  const auto added_tokens = builder_->CreateVectorOfStructs(added);
  const auto piece_offsets =
      builder_->CreateVector(t.piece_offsets.data(), t.piece_offsets.size());
  const auto piece_text =
      builder_->CreateVector(t.piece_text.data(), t.piece_text.size());
  const auto target_kinds = builder_->CreateVector(
      reinterpret_cast<const uint8_t*>(t.target_kinds.data()),
      t.target_kinds.size());
  const auto unknown_surface = builder_->CreateString(t.unknown_surface);
  // Absent where it is empty, as files of before it are.
  const auto optional = [this](std::span<const uint32_t> numbers) {
    return numbers.empty()
               ? Offset<flatbuffers::Vector<uint32_t>>()
               : builder_->CreateVector(numbers.data(), numbers.size());
  };
  const auto unused_trie = optional(t.unused_trie);
  const auto character_classes = optional(t.character_classes);
  const auto merge_offsets = optional(t.merge_offsets);
  const auto merges = optional(t.merges);
  return schema::CreateTokenizer(
      *builder_, normalizer_trie, replacements, user_defined_trie,
      t.add_dummy_prefix, t.remove_extra_whitespaces, t.escape_whitespaces,
      t.treat_whitespace_as_suffix, piece_trie, scores, t.source_vocabulary,
      t.unknown_score, t.unknown_id, byte_ids, added_trie, added_tokens,
      piece_offsets, piece_text, target_kinds, unknown_surface,
      t.clean_up_spaces, static_cast<schema::Segmentation>(t.segmentation),
      t.own_ids, unused_trie, t.unused_pieces,
      static_cast<schema::Joining>(t.joining),
      static_cast<schema::Spacing>(t.spacing), character_classes, merge_offsets,
      merges, t.no_language_codes);
}

Offset<schema::KnownAnswer> Writer::WriteKnownAnswer() {
  const KnownAnswer& answer = options_.known_answer;
  if (answer.source.empty()) return 0;
  const auto source =
      builder_->CreateVector(answer.source.data(), answer.source.size());
  const auto target =
      builder_->CreateVector(answer.target.data(), answer.target.size());
  return schema::CreateKnownAnswer(*builder_, source, target);
}

Offset<schema::Shortlist> Writer::WriteShortlist() {
  if (!model_.shortlist) return 0;
  const CanonicalShortlist& shortlist = *model_.shortlist;
  const auto offsets = builder_->CreateVector(shortlist.offsets);
  const auto tokens = builder_->CreateVector(shortlist.tokens);
  return schema::CreateShortlist(*builder_, shortlist.first,
                                 shortlist.copies_source, offsets, tokens);
}

// Zeros, to be filled in: what they stand for is measured on this file.
Offset<schema::Certificate> Writer::WriteCertificate() {
  if (!options_.certificate) return 0;
  const Architecture& a = model_.architecture;
  const auto encoder =
      builder_->CreateVector(std::vector<float>(a.encoder_layers));
  const auto decoder =
      builder_->CreateVector(std::vector<float>(a.decoder_layers));
  const auto divergences = builder_->CreateVectorOfStructs(
      std::vector<schema::Divergence>(kMaxDivergences));
  const auto worst = builder_->CreateVectorOfStructs(
      std::vector<schema::WorstLine>(kMaxWorstLines));
  return schema::CreateCertificate(
      *builder_, /*text_hash=*/0, /*references_hash=*/0, /*lines=*/0,
      /*equal_lines=*/0, /*tokens=*/0, /*agreeing_tokens=*/0, /*scored=*/false,
      /*has_references=*/false, /*f32_bleu=*/0, /*f32_chrf=*/0, /*bleu=*/0,
      /*chrf=*/0, encoder, decoder, /*logits_snr=*/0, divergences, worst);
}

Offset<schema::SentenceRules> Writer::WriteSentenceRules() {
  if (!model_.sentence_rules) return 0;
  const CanonicalSentenceRules& rules = *model_.sentence_rules;
  const auto languages = builder_->CreateString(rules.languages);
  const auto words = builder_->CreateVector(rules.words);
  return schema::CreateSentenceRules(*builder_, languages, words,
                                     rules.ordinals);
}

void Writer::Finish(const std::vector<Offset<schema::Tensor>>& tensors,
                    Offset<schema::Tokenizer> tokenizer) {
  // Zeros are written too: checksum and size are filled in below, and must be
  // there to be filled.
  builder_->ForceDefaults(true);
  const auto tensors_offset = builder_->CreateVector(tensors);
  const auto source = builder_->CreateString(model_.source);
  const auto license = builder_->CreateString(model_.license);
  const auto converter =
      builder_->CreateString("latimer-convert " LATIMER_VERSION);
  const auto provenance =
      schema::CreateProvenance(*builder_, source, license, converter);
  const auto generation = WriteGeneration();
  const auto architecture = WriteArchitecture();
  const auto known_answer = WriteKnownAnswer();
  const auto shortlist = WriteShortlist();
  const auto certificate = WriteCertificate();
  const auto sentence_rules = WriteSentenceRules();
  const auto root =
      schema::CreateModel(*builder_, kFormatVersion,
                          /*checksum=*/0, /*file_bytes=*/0, architecture,
                          generation, provenance, tensors_offset, tokenizer,
                          known_answer, shortlist, certificate, sentence_rules);
  schema::FinishModelBuffer(*builder_, root);
  uint8_t* bytes = builder_->GetBufferPointer();
  auto* written = flatbuffers::GetMutableRoot<schema::Model>(bytes);
  LATIMER_CHECK(written->mutate_file_bytes(builder_->GetSize()));
}

}  // namespace

ModelBytes WriteModel(const CanonicalModel& model,
                      const WriteOptions& options) {
  return Writer(model, options).Write();
}

uint64_t DataBytes(const CanonicalModel& model, const WriteOptions& options) {
  TensorPlanner planner(model, options);
  planner.Plan(model.architecture);
  uint64_t bytes = 0;
  for (const PlannedTensor& tensor : planner.tensors()) bytes += tensor.bytes;
  if (model.tokenizer) bytes += model.tokenizer->bytes();
  if (model.shortlist) bytes += model.shortlist->bytes();
  if (model.sentence_rules) {
    bytes += model.sentence_rules->words.size() * sizeof(uint32_t);
  }
  return bytes;
}

namespace {

// The writer's memory, which is not const.
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

// Structs that are laid out alike; see certificate_file.cc. What is left of the
// place stays zero.
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

void SetKnownTarget(const ModelBytes& file, std::span<const int32_t> target) {
  uint8_t* bytes = Writable(file);
  auto* answer =
      flatbuffers::GetMutableRoot<schema::Model>(bytes)->mutable_known_answer();
  LATIMER_CHECK(answer != nullptr && answer->target()->size() == target.size());
  for (size_t i = 0; i < target.size(); ++i) {
    answer->mutable_target()->Mutate(static_cast<uint32_t>(i), target[i]);
  }
  SetChecksum(bytes, file.bytes().size());
}

}  // namespace latimer
