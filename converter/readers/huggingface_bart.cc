#include <string>
#include <utility>
#include <vector>

#include "converter/readers/bart_config.h"
#include "converter/readers/huggingface_model.h"
#include "converter/readers/known_transformer.h"
#include "converter/readers/mapped_positions.h"
#include "converter/readers/open_model.h"
#include "converter/readers/whisper.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// By part; the modules of a layer.
constexpr std::pair<const char*, const char*> kLayerModules[] = {
    {"self_attention.query", "self_attn.q_proj"},
    {"self_attention.key", "self_attn.k_proj"},
    {"self_attention.value", "self_attn.v_proj"},
    {"self_attention.out", "self_attn.out_proj"},
    {"self_attention.norm", "self_attn_layer_norm"},
    {"cross_attention.query", "encoder_attn.q_proj"},
    {"cross_attention.key", "encoder_attn.k_proj"},
    {"cross_attention.value", "encoder_attn.v_proj"},
    {"cross_attention.out", "encoder_attn.out_proj"},
    {"cross_attention.norm", "encoder_attn_layer_norm"},
    {"ffn.in", "fc1"},
    {"ffn.out", "fc2"},
    {"ffn.norm", "final_layer_norm"},
};

// The modules before the first layer and after the last one.
constexpr std::pair<const char*, const char*> kStackModules[] = {
    {"embedding_norm", "layernorm_embedding"},
    {"norm", "layer_norm"},
};

// Speech has no embedding, but convolutions, and keys have no bias.
void NameSpeech(ModelMap* names) {
  const std::string embedding = "model.decoder.embed_tokens.weight";
  const std::string head = "proj_out.weight";
  names->tensors["target_embedding"] = {.weight = {embedding, head},
                                        .bias = {}};
  names->tensors["output"] = {.weight = {head, embedding}, .bias = {}};
  for (const std::string conv : {"conv1", "conv2"}) {
    const std::string own = "model.encoder." + conv;
    names->tensors["encoder." + conv] = {.weight = {own + ".weight"},
                                         .bias = {own + ".bias"}};
  }
  names->optional_bias = {"output", "encoder.self_attention.key",
                          "decoder.self_attention.key",
                          "decoder.cross_attention.key"};
}

ModelMap NamesOf(const BartConfig& config) {
  ModelMap names;
  const bool speech = config.family == BartFamily::kWhisper;
  if (!speech) {
    NameEmbeddings("model.", config.share_embeddings, config.tie_output,
                   &names);
  }
  if (config.family == BartFamily::kFsmt) {
    PartNames& output = names.tensors["output"];
    const char* const projection = "model.decoder.output_projection.weight";
    output.weight.insert(output.weight.begin(), projection);
    if (config.tie_output) {
      names.tensors["target_embedding"].weight.emplace_back(projection);
      names.tensors["source_embedding"].weight.emplace_back(projection);
    }
  }
  if (speech) {
    NameSpeech(&names);
  } else {
    names.tensors["output"].bias = {"final_logits_bias"};
    names.optional_bias = {"output"};
  }
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string own = "model." + stack + ".";
    NameModules(stack, own + "layers.{layer}.", kLayerModules, true, &names);
    NameModules(stack, own, kStackModules, true, &names);
    const std::string positions = own + "embed_positions.weight";
    names.tensors[stack + ".positions"] = {.weight = {positions}, .bias = {}};
    if (config.positions == BartPositions::kM2M100Sinusoids &&
        config.family != BartFamily::kFsmt) {
      // Old files hold tables that transformers never reads.
      names.ignore.insert(names.ignore.end(), {positions, positions + "s"});
    }
  }
  // Left in old files by fairseq.
  for (const char* owner : {"", "model.", "model.encoder.", "model.decoder.",
                            "encoder.", "decoder."}) {
    names.ignore.push_back(std::string(owner) + "version");
  }
  return names;
}

// The rows that are added to the embeddings of tokens 0, 1, .... As in
// transformers, a table in the file wins over the formula, except in M2M100
// and IndicTrans2; FSMT's is saved since transformers 5.
std::vector<float> PositionsOf(const std::string& stack,
                               const BartConfig& config,
                               MappedTensors* tensors) {
  const Architecture& a = config.architecture;
  const uint32_t rows =
      stack == "encoder" ? a.source_positions : a.target_positions;
  const std::string part = stack + ".positions";
  switch (config.positions) {
    case BartPositions::kM2M100Sinusoids:
      if (config.family == BartFamily::kFsmt && tensors->Has(part)) break;
      return M2M100Sinusoids(rows, a.d_model,
                             static_cast<uint32_t>(config.generation.pad) + 1);
    case BartPositions::kMarianSinusoids:
      if (tensors->Has(part)) break;
      // transformers' MarianSinusoidalPositionalEmbedding, and Pegasus' in the
      // same way.
      return Sinusoids(0, rows, a.d_model, /*interleaved=*/false);
    case BartPositions::kLearned:
      break;
  }
  const SourceTensor* tensor = tensors->Take(part).weight;
  const std::vector<uint64_t> shape = {rows + config.position_offset,
                                       a.d_model};
  tensors->Expect(tensor, shape);
  if (tensor == nullptr || tensor->shape != shape) return {};  // Noted.
  const size_t skipped = size_t{config.position_offset} * a.d_model;
  std::vector<float> table(tensor->size() - skipped);
  tensor->Read(skipped, table);
  return table;
}

// generation_config.json of Whisper, or without one its config.json.
WhisperRules RulesOf(const fs::path& directory) {
  const JsonFields config = OpenModelConfig(directory);
  const auto own = JsonFields::Open(directory / "generation_config.json");
  const JsonFields& fields = own ? *own : config;
  const uint32_t vocabulary = config.Count("vocab_size", 51865, 1);
  WhisperRules rules;
  if (fields.Has("is_multilingual")) {
    rules.multilingual = fields.Bool("is_multilingual", false);
  }
  rules.suppressed = fields.Tokens("suppress_tokens", vocabulary);
  rules.suppressed_first = fields.Tokens("begin_suppress_tokens", vocabulary);
  rules.alignment_heads = ReadAlignmentHeads(fields);
  return rules;
}

}  // namespace

CanonicalModel ReadHuggingFaceBart(const fs::path& directory,
                                   bool with_tokenizer) {
  const BartConfig config = ReadBartConfig(directory);
  HuggingFaceModel read(directory, config, NamesOf(config), "model.");
  CanonicalModel& model = read.model;
  MapTransformer({.encoder_layers = {},
                  .decoder_layers = {},
                  .output_bias_is_matrix = true},
                 read.tensors.get(), &model);
  std::vector<float> source = PositionsOf("encoder", config, &*read.tensors);
  std::vector<float> target = PositionsOf("decoder", config, &*read.tensors);
  read.Finish();

  Architecture& a = model.architecture;
  a.positions_shared = source == target;
  if (!a.positions_shared) model.tables["target_positions"] = std::move(target);
  model.tables["source_positions"] = std::move(source);
  if (config.family == BartFamily::kWhisper) {
    ReadWhisperTokens(directory, RulesOf(directory), &model);
    return model;
  }
  if (!with_tokenizer) return model;
  if (config.family == BartFamily::kMarian) {
    model.tokenizer = ReadMarianTokenizer(directory, a, &model.generation);
  } else {
    ReadModelTokenizer(directory, &model);
  }
  if (config.family == BartFamily::kIndicTrans) {
    model.warnings.push_back(
        "IndicTrans2 translates texts that IndicProcessor has prepared, and it "
        "must finish their translations, too: see docs/hugging-face.md.");
  }
  return model;
}

}  // namespace latimer
