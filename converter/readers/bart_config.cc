#include "converter/readers/bart_config.h"

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "converter/error.h"
#include "converter/readers/generation_config.h"
#include "converter/readers/json_fields.h"

namespace latimer {
namespace {

// The default of PyTorch's nn.LayerNorm, which transformers does not change.
constexpr float kNormEpsilon = 1e-5f;

// Fields of config.json that not all families call the same.
struct FieldNames {
  const char* d_model = "d_model";
  const char* source_vocabulary = "vocab_size";
  const char* target_vocabulary = "decoder_vocab_size";
  const char* source_positions = "max_position_embeddings";
  const char* target_positions = "max_position_embeddings";
  const char* tie_output = "tie_word_embeddings";
};

// The facts that a family's configuration class and code fix.
struct FamilyFacts {
  const char* model_type;
  BartFamily family;
  FieldNames names = {};
  const char* activation = "gelu";
  bool scale_embedding = false;
  NormPosition norm_position = NormPosition::kPre;
  bool embedding_norm = false;
  bool decoder_norm_before_positions = false;
  bool final_norm = true;
  BartPositions positions = BartPositions::kLearned;
  uint32_t position_offset = 0;
  uint32_t vocabulary = 50265;
  SpecialTokenDefaults tokens;
};

constexpr FamilyFacts kFamilies[] = {
    {.model_type = "bart",
     .family = BartFamily::kBart,
     .norm_position = NormPosition::kPost,
     .embedding_norm = true,
     .final_norm = false,
     .position_offset = 2,
     .tokens =
         {.bos = 0, .eos = 2, .pad = 1, .decoder_start = 2, .forced_eos = 2}},
    {.model_type = "mvp",
     .family = BartFamily::kBart,
     .norm_position = NormPosition::kPost,
     .embedding_norm = true,
     .final_norm = false,
     .position_offset = 2,
     .vocabulary = 50267,
     .tokens =
         {.bos = 0, .eos = 2, .pad = 1, .decoder_start = 2, .forced_eos = 2}},
    {.model_type = "plbart",
     .family = BartFamily::kPlBart,
     .scale_embedding = true,
     .norm_position = NormPosition::kPost,
     .embedding_norm = true,
     .final_norm = false,
     .position_offset = 2,
     .vocabulary = 50005,
     .tokens = {.bos = 0, .eos = 2, .pad = 1, .forced_eos = 2}},
    {.model_type = "blenderbot",
     .family = BartFamily::kBlenderbot,
     .vocabulary = 8008,
     .tokens =
         {.bos = 1, .eos = 2, .pad = 0, .decoder_start = 1, .forced_eos = 2}},
    {.model_type = "blenderbot-small",
     .family = BartFamily::kBlenderbot,
     .norm_position = NormPosition::kPost,
     .embedding_norm = true,
     .decoder_norm_before_positions = true,
     .final_norm = false,
     .tokens =
         {.bos = 1, .eos = 2, .pad = 0, .decoder_start = 1, .forced_eos = 2}},
    {.model_type = "fsmt",
     .family = BartFamily::kFsmt,
     .names = {.source_vocabulary = "src_vocab_size",
               .target_vocabulary = "tgt_vocab_size"},
     .activation = "relu",
     .scale_embedding = true,
     .norm_position = NormPosition::kPost,
     .final_norm = false,
     .positions = BartPositions::kM2M100Sinusoids,
     .vocabulary = 42024,
     .tokens =
         {.bos = 0, .eos = 2, .pad = 1, .decoder_start = 2, .forced_eos = 2}},
    {.model_type = "marian",
     .family = BartFamily::kMarian,
     .norm_position = NormPosition::kPost,
     .final_norm = false,
     .positions = BartPositions::kMarianSinusoids,
     .vocabulary = 58101,
     .tokens =
         {.eos = 0, .pad = 58100, .decoder_start = 58100, .forced_eos = 0}},
    {.model_type = "mbart",
     .family = BartFamily::kMBart,
     .embedding_norm = true,
     .position_offset = 2,
     .tokens = {.bos = 0, .eos = 2, .pad = 1, .forced_eos = 2}},
    {.model_type = "m2m_100",
     .family = BartFamily::kM2M100,
     .activation = "relu",
     .scale_embedding = true,
     .positions = BartPositions::kM2M100Sinusoids,
     .vocabulary = 128112,
     .tokens = {.bos = 0, .eos = 2, .pad = 1, .decoder_start = 2}},
    {.model_type = "pegasus",
     .family = BartFamily::kPegasus,
     .positions = BartPositions::kMarianSinusoids,
     .tokens = {.eos = 1, .pad = 0, .decoder_start = 0, .forced_eos = 1}},
    {.model_type = "IndicTrans",
     .family = BartFamily::kIndicTrans,
     .names = {.d_model = "encoder_embed_dim",
               .source_vocabulary = "encoder_vocab_size",
               .source_positions = "max_source_positions",
               .target_positions = "max_target_positions",
               .tie_output = "share_decoder_input_output_embed"},
     .activation = "relu",
     .scale_embedding = true,
     .positions = BartPositions::kM2M100Sinusoids,
     .tokens = {.bos = 0, .eos = 2, .pad = 1, .decoder_start = 2}},
    {.model_type = "whisper",
     .family = BartFamily::kWhisper,
     .names = {.source_positions = "max_source_positions",
               .target_positions = "max_target_positions"},
     .vocabulary = 51865,
     .tokens = {}},
};

// Families that no map fits, either.
struct MissingPart {
  std::string_view model_type;
  std::string_view part;
};
constexpr std::string_view kSpeech = "an encoder of speech";
constexpr std::string_view kImages = "an encoder of images";
constexpr std::string_view kWindows = "attention in windows or blocks";
constexpr std::string_view kExperts = "layers of experts";
constexpr std::string_view kStreams = "a decoder of several streams";
constexpr std::string_view kNoEncoder = "no encoder";
constexpr std::string_view kTwoModels =
    "an encoder and a decoder of other families";
constexpr MissingPart kMissing[] = {
    {"bert", "no decoder"},
    {"bigbird_pegasus", kWindows},
    {"encoder-decoder", kTwoModels},
    {"gemma3", kNoEncoder},
    {"gpt2", kNoEncoder},
    {"led", kWindows},
    {"llama", kNoEncoder},
    {"longt5", kWindows},
    {"moonshine", kSpeech},
    {"nllb-moe", kExperts},
    {"pegasus_x", kWindows},
    {"prophetnet", kStreams},
    {"qwen3", kNoEncoder},
    {"roberta", "no decoder"},
    {"seamless_m4t", kSpeech},
    {"seamless_m4t_v2", kSpeech},
    {"speech-encoder-decoder", kSpeech},
    {"speech_to_text", kSpeech},
    {"speecht5", kSpeech},
    {"switch_transformers", kExperts},
    {"t5gemma2", "attention to source and target at once"},
    {"trocr", kImages},
    {"vision-encoder-decoder", kImages},
    {"xlm-prophetnet", kStreams},
    {"xlm-roberta", "no decoder"},
};

// Fields of config.json that are read here or that change nothing: of every
// family,
constexpr std::string_view kKnown[] = {
    // Read.
    "activation_function", "add_bias_logits", "decoder_attention_heads",
    "decoder_ffn_dim", "decoder_layers", "decoder_vocab_size",
    "encoder_attention_heads", "encoder_ffn_dim", "encoder_layers",
    "num_attention_heads", "num_hidden_layers", "scale_embedding",
    // Fields of training, of heads for other tasks, and of older versions.
    "activation_dropout", "attn_implementation", "classif_dropout",
    "classifier_dropout", "decoder_layerdrop", "do_blenderbot_90_layernorm",
    "encoder_layerdrop", "extra_pos_embeddings", "init_std"};

// of IndicTrans2,
constexpr std::string_view kKnownOfIndicTrans[] = {
    "decoder_embed_dim", "decoder_normalize_before", "encoder_embed_dim",
    "encoder_normalize_before", "encoder_vocab_size", "layernorm_embedding",
    "max_source_positions", "max_target_positions",
    "share_decoder_input_output_embed",
    // PretrainedConfig writes it, and nothing reads it.
    "tie_word_embeddings"};

// of FSMT,
constexpr std::string_view kKnownOfFsmt[] = {
    "d_model",        "decoder",
    "hidden_size",    "langs",
    "src_vocab_size", "tie_word_embeddings",
    "tgt_vocab_size", "max_position_embeddings"};

// and of the others.
constexpr std::string_view kKnownOfOthers[] = {
    "add_final_layer_norm", "d_model", "hidden_size", "max_position_embeddings",
    "normalize_before", "normalize_embedding",
    "share_encoder_decoder_embeddings", "static_position_embeddings",
    "tie_word_embeddings",
    // Of MVP, without its prompts.
    "prompt_length", "prompt_mid_dim", "use_prompt"};

std::vector<std::string_view> KnownOf(BartFamily family) {
  std::vector<std::string_view> known(std::begin(kKnown), std::end(kKnown));
  const auto add = [&known](const auto& more) {
    known.insert(known.end(), std::begin(more), std::end(more));
  };
  if (family == BartFamily::kIndicTrans) {
    add(kKnownOfIndicTrans);
  } else if (family == BartFamily::kFsmt) {
    add(kKnownOfFsmt);
  } else {
    add(kKnownOfOthers);
  }
  return known;
}

Activation ReadActivation(const JsonFields& config, const char* fallback) {
  const auto activation =
      ActivationNamed(config.Text("activation_function", fallback));
  if (activation) return *activation;
  config.Fail("activation_function",
              "supported are relu, gelu, gelu_new, swish and silu");
}

// Fields that transformers treats as other names of the same thing.
void CheckAliases(const JsonFields& config) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kAliases = {{
      {"num_hidden_layers", "encoder_layers"},
      {"hidden_size", "d_model"},
      {"num_attention_heads", "encoder_attention_heads"},
  }};
  for (const auto& [alias, name] : kAliases) {
    if (config.Has(alias) && config.Has(name) &&
        *config.Find(alias) != *config.Find(name)) {
      config.Fail(alias, "it contradicts ", name,
                  ", which is another name for it");
    }
  }
}

// Its configuration class has other defaults than the families here, but
// transformers writes these fields whatever they are.
void CheckIndicTrans(const JsonFields& config) {
  for (const char* name :
       {"encoder_vocab_size", "decoder_vocab_size", "encoder_embed_dim",
        "decoder_embed_dim", "encoder_layers", "encoder_ffn_dim",
        "encoder_attention_heads", "decoder_layers", "decoder_ffn_dim",
        "decoder_attention_heads", "max_source_positions",
        "max_target_positions"}) {
    config.Demand(name, "an IndicTrans model needs it");
  }
  if (config.Count("decoder_embed_dim", 0) !=
      config.Count("encoder_embed_dim", 0)) {
    config.Fail("decoder_embed_dim", "it must equal encoder_embed_dim");
  }
}

// IndicTrans2 has fields for all norms; the final ones come with pre-norm.
void ReadIndicTransNorms(const JsonFields& config, Architecture* a) {
  const bool before = config.Bool("encoder_normalize_before", false);
  if (config.Bool("decoder_normalize_before", false) != before) {
    config.Fail("decoder_normalize_before",
                "it must equal encoder_normalize_before");
  }
  a->norm_position = before ? NormPosition::kPre : NormPosition::kPost;
  a->embedding_norm = config.Bool("layernorm_embedding", false);
  a->final_norm = before;
}

// Marian obeys these fields, as its original code and transformers 3 do. The
// code of the other families fixes them.
void ReadNorms(const JsonFields& config, const FamilyFacts& facts,
               BartConfig* out) {
  Architecture& a = out->architecture;
  a.norm_kind = NormKind::kLayerNorm;
  a.norm_epsilon = kNormEpsilon;
  if (facts.family == BartFamily::kIndicTrans) {
    ReadIndicTransNorms(config, &a);
    return;
  }
  a.norm_position = facts.norm_position;
  a.embedding_norm = facts.embedding_norm;
  a.decoder_norm_before_positions = facts.decoder_norm_before_positions;
  a.final_norm = facts.final_norm;
  const bool before =
      config.Bool("normalize_before", a.norm_position == NormPosition::kPre);
  const bool embedding = config.Bool("normalize_embedding", a.embedding_norm);
  const bool last = config.Bool("add_final_layer_norm", a.final_norm);
  const bool usual = before == (a.norm_position == NormPosition::kPre) &&
                     embedding == a.embedding_norm && last == a.final_norm;
  if (usual) return;
  if (facts.family != BartFamily::kMarian) {
    out->warnings.push_back(
        Concat(config.path(),
               ": normalize_before, normalize_embedding and "
               "add_final_layer_norm contradict model_type ",
               facts.model_type, " and have no effect, as in transformers."));
    return;
  }
  a.norm_position = before ? NormPosition::kPre : NormPosition::kPost;
  a.embedding_norm = embedding;
  a.final_norm = last;
  out->warnings.push_back(
      Concat(config.path(),
             ": normalize_before, normalize_embedding and add_final_layer_norm "
             "are honoured as Marian and transformers 3 do; later versions of "
             "transformers ignore them."));
}

void ReadHeads(const JsonFields& config, const char* d_model, Architecture* a) {
  a->encoder_heads = config.Count("encoder_attention_heads",
                                  config.Count("num_attention_heads", 16), 1);
  a->decoder_heads = config.Count("decoder_attention_heads", 16, 1);
  for (const char* heads :
       {"encoder_attention_heads", "decoder_attention_heads"}) {
    if (a->d_model % config.Count(heads, 16, 1) != 0) {
      config.Fail(heads, "it must divide ", d_model, " ", a->d_model);
    }
  }
  SplitHeads(a);
}

void ReadArchitecture(const JsonFields& config, const FamilyFacts& facts,
                      BartConfig* out) {
  Architecture& a = out->architecture;
  const FieldNames& names = facts.names;
  const bool separate = facts.family == BartFamily::kIndicTrans ||
                        facts.family == BartFamily::kFsmt;
  a.d_model = config.Count(names.d_model, config.Count("hidden_size", 1024), 1);
  a.encoder_layers =
      config.Count("encoder_layers", config.Count("num_hidden_layers", 12), 1);
  a.decoder_layers = config.Count("decoder_layers", 12, 1);
  a.encoder_ffn = config.Count("encoder_ffn_dim", 4096, 1);
  a.decoder_ffn = config.Count("decoder_ffn_dim", 4096, 1);
  a.source_vocabulary =
      config.Count(names.source_vocabulary, facts.vocabulary, 1);
  out->tie_output = config.Bool(names.tie_output, !separate);
  out->share_embeddings = !separate;
  if (facts.family == BartFamily::kMarian) {
    out->share_embeddings =
        config.Bool("share_encoder_decoder_embeddings", true);
  } else if (facts.family == BartFamily::kFsmt) {
    out->share_embeddings = out->tie_output;  // One matrix for all three.
  }
  a.target_vocabulary =
      config.Count(names.target_vocabulary, a.source_vocabulary, 1);
  if (out->share_embeddings) {
    if (facts.family == BartFamily::kFsmt &&
        a.target_vocabulary != a.source_vocabulary) {
      config.Fail(names.target_vocabulary, "it must equal ",
                  names.source_vocabulary, " ", a.source_vocabulary,
                  ", because ", names.tie_output, " is true");
    }
    a.target_vocabulary = a.source_vocabulary;
  }
  a.source_positions = config.Count(names.source_positions, 1024, 1);
  a.target_positions = config.Count(names.target_positions, 1024, 1);
  a.activation = ReadActivation(config, facts.activation);
  a.embedding_scale =
      config.Bool("scale_embedding", facts.scale_embedding)
          ? static_cast<float>(std::sqrt(static_cast<double>(a.d_model)))
          : 1.0f;
  a.network_kind = NetworkKind::kTransformer;
  a.residual = true;
  a.has_positions = true;
  out->positions = facts.positions;
  if (out->positions == BartPositions::kMarianSinusoids &&
      !config.Bool("static_position_embeddings", true)) {
    out->positions = BartPositions::kLearned;
  }
  out->position_offset = facts.position_offset;
  ReadHeads(config, names.d_model, &a);
  ReadNorms(config, facts, out);
}

const FamilyFacts& FindFamily(const JsonFields& config) {
  const std::string type = config.Text("model_type", "");
  for (const FamilyFacts& facts : kFamilies) {
    if (type == facts.model_type) return facts;
  }
  const auto* const missing =
      std::ranges::find(kMissing, type, &MissingPart::model_type);
  if (missing != std::end(kMissing)) {
    config.Fail("model_type", "it has ", missing->part, ", which Latimer ",
                missing->part.starts_with("no ") ? "needs" : "lacks");
  }
  config.Fail("model_type", "it can be ",
              Joined(kFamilies, &FamilyFacts::model_type),
              ", t5, mt5, umt5; another Transformer, GRU or LSTM with an "
              "encoder and a decoder may fit --map");
}

}  // namespace

BartConfig ReadBartConfig(const std::filesystem::path& directory) {
  const JsonFields config = OpenModelConfig(directory);
  const FamilyFacts& facts = FindFamily(config);
  if (config.Bool("use_prompt", false)) {
    config.Fail("use_prompt", "MVP's prompts are not supported");
  }
  if (config.Bool("add_bias_logits", false)) {
    config.Fail("add_bias_logits", "it is not supported");
  }
  BartConfig out;
  out.family = facts.family;
  CheckAliases(config);
  if (facts.family == BartFamily::kIndicTrans) CheckIndicTrans(config);
  ReadArchitecture(config, facts, &out);
  out.name = config.Text("_name_or_path", "");
  if (facts.family == BartFamily::kWhisper) {
    out.architecture.mel_bins = config.Count("num_mel_bins", 80, 1);
    return out;  // Its tokenizer has the tokens.
  }
  out.generation =
      ReadGenerationConfig(directory, config, out.architecture, facts.tokens,
                           KnownOf(facts.family), &out.warnings);
  if (facts.family == BartFamily::kBart) {  // <s> text </s>
    out.generation.source_prefix = {
        config.Token("bos_token_id", out.architecture.source_vocabulary)
            .value_or(facts.tokens.bos)};
  }
  if (facts.family == BartFamily::kFsmt) {
    out.position_offset = static_cast<uint32_t>(out.generation.pad) + 1;
  }
  // transformers gives <pad> the special position of zeros.
  if (facts.positions == BartPositions::kM2M100Sinusoids &&
      out.generation.decoder_start == out.generation.pad) {
    config.Fail("decoder_start_token_id",
                "it must not be pad_token_id, which has no position");
  }
  return out;
}

}  // namespace latimer
