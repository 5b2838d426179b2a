#include "converter/readers/mapped_model.h"

#include <algorithm>
#include <cmath>

#include "converter/canonical_model.h"
#include "converter/error.h"
#include "converter/readers/fitting_preset.h"
#include "converter/readers/mapped_attention.h"
#include "converter/readers/mapped_positions.h"
#include "converter/readers/mapped_tensors.h"
#include "converter/readers/mapped_tokenizer.h"
#include "converter/readers/recurrent_model.h"
#include "converter/readers/text_file.h"
#include "converter/readers/zip_file.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

struct LayerTensors {
  AttentionTensors self_attention;
  AttentionTensors cross_attention;
  Parameters ffn_in, ffn_out;
};

struct StackTensors {
  std::vector<LayerTensors> layers;
  HeadShape heads;
};

class ModelMapper {
 public:
  ModelMapper(MappedTensors& tensors, CanonicalModel* model)
      : tensors_(tensors), map_(tensors.map()), model_(*model) {}

  // Finds tensors by their names alone; throws if any is missing or left over.
  void TakeAll() {
    TakeEmbeddings();
    encoder_ = TakeStack("encoder", map_.encoder_heads);
    decoder_ = TakeStack("decoder", map_.decoder_heads);
    TakeStackNorms("norm", map_.final_norm);
    TakeStackNorms("embedding_norm", map_.embedding_norm);
    source_positions_ = TakePositions("source_positions");
    target_positions_ = TakePositions("target_positions");
    tensors_.Finish();
  }

  void BuildAll() {
    SetFlags();
    BuildEmbeddings();
    BuildStack("encoder", &encoder_);
    BuildStack("decoder", &decoder_);
    for (const auto& [to, norm] : norms_) BuildNorm(to, norm);
    SetHeads();
    BuildAllPositions();
    if (!model_.architecture.embedding_norm) Settled("embedding_norm_order");
    if (source_positions_ != nullptr && target_positions_ != nullptr) {
      Settled("position_divisor");
    }
  }

 private:
  // The tensors have answered what the map does not say.
  void Settled(const std::string& flag) {
    std::erase_if(model_.assumptions, [&](const std::string& line) {
      return line.starts_with(flag + ": ");
    });
  }

  // ---- Names ----

  // A matrix that two parts share may have the name of either.
  void TakeEmbeddings() {
    const bool shared = map_.shared_embeddings;
    source_embedding_ =
        shared ? tensors_.TakeIfPresent("source_embedding").weight : nullptr;
    target_embedding_ =
        shared ? tensors_.TakeIfPresent("target_embedding").weight : nullptr;
    output_ = map_.tied_output ? tensors_.TakeIfPresent("output")
                               : tensors_.Take("output");
    if (target_embedding_ == nullptr) target_embedding_ = source_embedding_;
    if (source_embedding_ == nullptr) source_embedding_ = target_embedding_;
    if (source_embedding_ == nullptr) {
      source_embedding_ = tensors_.Take("source_embedding").weight;
    }
    if (target_embedding_ == nullptr) {
      target_embedding_ =
          shared ? source_embedding_ : tensors_.Take("target_embedding").weight;
    }
    if (map_.tied_output && output_.weight == nullptr) {
      output_.weight = target_embedding_;
    }
  }

  StackTensors TakeStack(const std::string& stack, uint32_t heads) {
    StackTensors taken;
    taken.layers.resize(tensors_.CountLayers(stack));
    const bool decoder = stack == "decoder";
    taken.heads.heads = heads;
    if (map_.head_layout == HeadLayout::kModules) {
      taken.heads.heads = CountHeadModules(stack, heads);
    }
    const std::string own = stack + ".";
    for (uint32_t i = 0; i < taken.layers.size(); ++i) {
      LayerTensors& layer = taken.layers[i];
      const auto attention = [&](const std::string& which) {
        AttentionTensors found =
            TakeAttention(tensors_, own + which, i, taken.heads.heads);
        TakeNorm(stack, which + ".norm", i);
        return found;
      };
      layer.self_attention = attention("self_attention");
      if (decoder) layer.cross_attention = attention("cross_attention");
      layer.ffn_in = tensors_.Take(stack + ".ffn.in", i);
      layer.ffn_out = tensors_.Take(stack + ".ffn.out", i);
      TakeNorm(stack, "ffn.norm", i);
    }
    return taken;
  }

  uint32_t CountHeadModules(const std::string& stack, uint32_t heads) {
    const uint32_t found = tensors_.CountHeads(stack + ".self_attention.query");
    if (heads > 0 && heads != found) {
      FailIn(map_.name, "heads is ", heads, ", but the ", stack, " has ", found,
             " modules of heads");
    }
    return std::max(found, 1u);
  }

  void TakeNorm(const std::string& stack, const std::string& part,
                uint32_t layer) {
    if (!map_.has_norms) return;
    norms_[stack + "." + std::to_string(layer) + "." + part] =
        tensors_.Take(stack + "." + part, layer);
  }

  // The norms before the first and after the last layer.
  void TakeStackNorms(const std::string& part, Presence presence) {
    const bool in_encoder = tensors_.Has("encoder." + part);
    const bool in_decoder = tensors_.Has("decoder." + part);
    if (!map_.has_norms || presence == Presence::kNo) return;
    if (presence == Presence::kIfPresent && in_encoder != in_decoder) {
      FailIn(tensors_.path(), "the ",
             in_encoder ? "encoder has" : "decoder has", " a norm that ",
             map_.name, " calls \"", in_encoder ? "encoder." : "decoder.", part,
             "\", but the ", in_encoder ? "decoder" : "encoder",
             " has none; Latimer has both or neither");
    }
    if (presence == Presence::kIfPresent && !in_encoder) return;
    for (const char* stack : {"encoder.", "decoder."}) {
      norms_[stack + part] = tensors_.Take(stack + part);
    }
    (part == "norm" ? model_.architecture.final_norm
                    : model_.architecture.embedding_norm) = true;
  }

  const SourceTensor* TakePositions(const std::string& part) {
    switch (map_.positions) {
      case PositionKind::kNone:
        return nullptr;
      case PositionKind::kLearned:
        return tensors_.Take(part).weight;
      case PositionKind::kInterleaved:
      case PositionKind::kHalves:
        return tensors_.TakeIfPresent(part).weight;
    }
    return nullptr;
  }

  // ---- Shapes ----

  void SetFlags() {
    Architecture& a = model_.architecture;
    a.activation = map_.activation;
    a.norm_position = map_.pre_norm ? NormPosition::kPre : NormPosition::kPost;
    a.norm_kind = !map_.has_norms     ? NormKind::kNone
                  : map_.unbiased_std ? NormKind::kUnbiasedStd
                                      : NormKind::kLayerNorm;
    a.norm_epsilon = static_cast<float>(map_.norm_epsilon);
    a.network_kind = NetworkKind::kTransformer;
    a.residual = map_.residual;
    a.has_positions = map_.positions != PositionKind::kNone;
    a.encoder_norm_before_positions = map_.encoder_norm_before_positions;
    a.decoder_norm_before_positions = map_.decoder_norm_before_positions;
    if (a.embedding_norm && a.has_positions) return;
    if (a.encoder_norm_before_positions || a.decoder_norm_before_positions) {
      FailIn(map_.name,
             "embedding_norm_order is for models with an embedding norm and "
             "positions");
    }
  }

  void BuildEmbeddings() {
    Architecture& a = model_.architecture;
    a.source_vocabulary =
        static_cast<uint32_t>(tensors_.RowsOf(*source_embedding_));
    a.target_vocabulary =
        static_cast<uint32_t>(tensors_.RowsOf(*target_embedding_));
    a.d_model = static_cast<uint32_t>(source_embedding_->shape[1]);
    tensors_.CheckShape(*target_embedding_, {a.target_vocabulary, a.d_model});
    tensors_.CheckLinear(output_, a.target_vocabulary, a.d_model);
    CheckSame(*source_embedding_, *target_embedding_, map_.shared_embeddings,
              "shared_embeddings");
    CheckSame(*output_.weight, *target_embedding_, map_.tied_output,
              "tied_output");
    a.embedding_scale = static_cast<float>(map_.embedding_scale.value_or(
        std::sqrt(static_cast<double>(a.d_model))));
    model_.linears["output"] = {{output_.weight}, {output_.bias}};
    // Not shared, for the same reason as in native_marian.cc.
    TieEmbeddings(source_embedding_, target_embedding_, output_.weight,
                  /*share=*/false, &model_);
  }

  void CheckSame(const SourceTensor& one, const SourceTensor& other, bool same,
                 const std::string& flag) {
    if (same && !one.SameAs(other)) {
      FailIn(map_.name, flag, " is true, but ", one.name, " and ", other.name,
             " of ", tensors_.path(), " differ");
    }
  }

  void BuildStack(const std::string& stack, StackTensors* taken) {
    Architecture& a = model_.architecture;
    const uint64_t d = a.d_model;
    const bool decoder = stack == "decoder";
    const uint64_t ffn = tensors_.RowsOf(*taken->layers[0].ffn_in.weight);
    for (size_t i = 0; i < taken->layers.size(); ++i) {
      const LayerTensors& layer = taken->layers[i];
      const std::string to = stack + "." + std::to_string(i);
      Attention self =
          BuildAttention(tensors_, stack + ".self_attention",
                         layer.self_attention, a.d_model, &taken->heads);
      model_.linears[to + ".self_attention.qkv"] =
          Stacked({self.query, self.key, self.value});
      model_.linears[to + ".self_attention.out"] = self.out;
      if (decoder) {
        Attention cross =
            BuildAttention(tensors_, stack + ".cross_attention",
                           layer.cross_attention, a.d_model, &taken->heads);
        model_.linears[to + ".cross_attention.query"] = cross.query;
        model_.linears[to + ".cross_attention.kv"] =
            Stacked({cross.key, cross.value});
        model_.linears[to + ".cross_attention.out"] = cross.out;
      }
      AddLinear(to + ".ffn.in", layer.ffn_in, ffn, d);
      AddLinear(to + ".ffn.out", layer.ffn_out, d, ffn);
    }
    (decoder ? a.decoder_layers : a.encoder_layers) =
        static_cast<uint32_t>(taken->layers.size());
    (decoder ? a.decoder_ffn : a.encoder_ffn) = static_cast<uint32_t>(ffn);
  }

  static CanonicalLinear Stacked(const std::vector<CanonicalLinear>& parts) {
    CanonicalLinear linear;
    for (const CanonicalLinear& part : parts) {
      linear.weights.insert(linear.weights.end(), part.weights.begin(),
                            part.weights.end());
      linear.biases.insert(linear.biases.end(), part.biases.begin(),
                           part.biases.end());
    }
    return linear;
  }

  void AddLinear(const std::string& to, const Parameters& from,
                 uint64_t outputs, uint64_t inputs) {
    tensors_.CheckLinear(from, outputs, inputs);
    model_.linears[to] = {{from.weight}, {from.bias}};
  }

  // Repeats a single number for all columns.
  const SourceTensor* Broadcast(const SourceTensor* tensor) {
    const uint64_t d = model_.architecture.d_model;
    if (tensor == nullptr) return nullptr;
    if (tensor->size() == 1 && d != 1) {
      return tensors_.Make(tensor->name, {d},
                           std::vector<float>(d, tensor->Values().front()));
    }
    tensors_.CheckShape(*tensor, {d});
    return tensor;
  }

  void BuildNorm(const std::string& to, const Parameters& from) {
    model_.norms[to] = {Broadcast(from.weight), Broadcast(from.bias)};
  }

  void SetHeads() {
    Architecture& a = model_.architecture;
    const auto scale = [&](uint32_t head_dim) {
      switch (map_.attention_scale_kind) {
        case ModelMap::AttentionScale::kHeadDim:
          return 1.0f / std::sqrt(static_cast<float>(head_dim));
        case ModelMap::AttentionScale::kDModel:
          return 1.0f / std::sqrt(static_cast<float>(a.d_model));
        case ModelMap::AttentionScale::kNumber:
          return static_cast<float>(map_.attention_scale);
      }
      return 0.0f;
    };
    a.encoder_heads = encoder_.heads.heads;
    a.decoder_heads = decoder_.heads.heads;
    a.encoder_head_dim = encoder_.heads.head_dim;
    a.decoder_head_dim = decoder_.heads.head_dim;
    a.encoder_attention_scale = scale(a.encoder_head_dim);
    a.decoder_attention_scale = scale(a.decoder_head_dim);
  }

  void BuildAllPositions() {
    Architecture& a = model_.architecture;
    const auto build = [&](const std::string& part, const SourceTensor* table,
                           uint32_t wanted) {
      if (!a.has_positions) return wanted > 0 ? wanted : kUsualPositions;
      std::vector<float> rows = BuildPositions(tensors_, part, table, wanted,
                                               a.d_model, &model_.warnings);
      const auto count = static_cast<uint32_t>(rows.size() / a.d_model);
      model_.tables[part] = std::move(rows);
      return count;
    };
    a.source_positions =
        build("source_positions", source_positions_, map_.max_source_tokens);
    a.target_positions =
        build("target_positions", target_positions_, map_.max_target_tokens);
    a.positions_shared =
        a.has_positions && model_.tables.at("source_positions") ==
                               model_.tables.at("target_positions");
    if (a.positions_shared) model_.tables.erase("target_positions");
  }

  MappedTensors& tensors_;
  const ModelMap& map_;
  CanonicalModel& model_;
  const SourceTensor* source_embedding_ = nullptr;
  const SourceTensor* target_embedding_ = nullptr;
  Parameters output_;
  StackTensors encoder_, decoder_;
  std::map<std::string, Parameters> norms_;  // by canonical name
  const SourceTensor* source_positions_ = nullptr;
  const SourceTensor* target_positions_ = nullptr;
};

void CheckId(const ModelMap& map, const std::string& flag, int32_t id,
             const char* stack, uint32_t rows) {
  if (id >= 0 && static_cast<uint32_t>(id) >= rows) {
    FailIn(map.name, flag, " has the id ", id, ", but the ", stack,
           " embedding has only ", rows, " rows");
  }
}

void SetGeneration(const ModelMap& map, CanonicalModel* model) {
  const Architecture& a = model->architecture;
  CanonicalGeneration& g = model->generation;
  g.decoder_start = map.decoder_start;
  g.eos = map.target_ids.eos;
  g.pad = map.target_ids.pad;
  g.max_target_tokens = a.target_positions;
  g.source_prefix = map.source_prefix;
  g.source_suffix = map.source_suffix;
  g.source_length = map.source_length;
  const auto source = [&](const char* flag, int32_t id) {
    CheckId(map, flag, id, "source", a.source_vocabulary);
  };
  const auto target = [&](const char* flag, int32_t id) {
    CheckId(map, flag, id, "target", a.target_vocabulary);
  };
  target("decoder_start", g.decoder_start);
  target("target_ids", g.eos);
  target("target_ids", g.pad);
  target("target_ids", map.target_ids.unk);
  source("source_ids", map.source_ids.unk);
  if (map.source_length > 0) {
    g.source_pad = map.source_ids.pad;
    source("source_ids", g.source_pad);
  }
  for (const int32_t id : g.source_prefix) source("source_prefix", id);
  for (const int32_t id : g.source_suffix) source("source_suffix", id);
}

}  // namespace

static fs::path WeightsOf(const fs::path& path) {
  return fs::is_directory(path) ? FindWeights(path) : path;
}

CanonicalModel ReadMappedModel(const fs::path& path, const ModelMap& map,
                               bool with_tokenizer) {
  const auto tensors = std::make_shared<MappedTensors>(WeightsOf(path), map);
  CanonicalModel model;
  model.warnings = tensors->notes();
  model.storage = tensors;
  model.assumptions = map.assumptions;
  if (map.recurrent) {
    BuildRecurrentModel(*tensors, &model);
  } else {
    ModelMapper mapper(*tensors, &model);
    mapper.TakeAll();
    mapper.BuildAll();
  }
  SetGeneration(map, &model);
  model.source = fs::weakly_canonical(path).stem().string();
  if (with_tokenizer) {
    model.tokenizer = ReadMappedTokenizer(map, &model);
    if (!model.tokenizer) {
      model.warnings.push_back(Concat(
          map.name,
          " names no vocabularies, so that the model translates ids only; "
          "--set source_vocabulary=FILE and target_vocabulary=FILE add them."));
    }
  }
  return model;
}

void RequireWeights(const fs::path& path) {
  (void)OpenTensorFile(WeightsOf(path));
}

namespace {

// Of the arrays of a .npz file, which other tools than Marian write, too.
std::string PresetOfArrays(const fs::path& path) {
  constexpr std::string_view kSuffix = ".npy";
  std::set<std::string> names;
  const ZipFile zip(path);
  for (const auto& [entry, unused] : zip.entries()) {
    if (!entry.ends_with(kSuffix)) continue;
    names.insert(entry.substr(0, entry.size() - kSuffix.size()));
  }
  return FittingPreset(names, NetworkKind::kTransformer);
}

}  // namespace

void RefuseWithoutMap(const fs::path& path) {
  if (!fs::is_regular_file(path)) return;
  if (IsNpz(FirstBytes(path))) {
    const std::string fitting = PresetOfArrays(path);
    if (fitting.empty()) return;
    FailIn(path, "arrays alone do not say how the model is built; give --map ",
           fitting, ", which has their names");
  }
  if (!IsCheckpoint(path)) return;
  const TensorFile file = OpenTensorFile(path);
  if (file.toolkit == "OpenNMT-py" &&
      FindCells(file).kind != NetworkKind::kTransformer) {
    FailIn(path,
           "is an RNN of OpenNMT-py, which CTranslate2's converter refuses; a "
           "--map of its own can describe it if it was trained with "
           "-input_feed 0, since Latimer has no input feeding");
  }
  if (!file.toolkit.empty()) {
    FailIn(path, "is a checkpoint of ", file.toolkit, "; convert it with ct2-",
           file.toolkit == "fairseq" ? "fairseq" : "opennmt-py",
           "-converter of CTranslate2, and give the folder that it writes");
  }
  std::set<std::string> names;
  for (const auto& [name, tensor] : file.tensors) names.insert(name);
  const std::string fitting = FittingPreset(names, FindCells(file).kind);
  const fs::path folder =
      path.has_parent_path() ? path.parent_path() : fs::path(".");
  FailIn(path, "weights alone do not say how the model is built; give ",
         FileExists(folder / "config.json")
             ? Concat(folder, ", the folder with its config.json, or ")
             : "",
         "--map ",
         fitting.empty() ? "FILE.json or preset:NAME"
                         : fitting + ", which has their names");
}

}  // namespace latimer
