#include "converter/readers/model_map.h"

#include <algorithm>
#include <utility>

#include "converter/error.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/map_json.h"

namespace latimer {
namespace {

using Json = nlohmann::json;

// The flags that maps of all architectures have.
constexpr std::string_view kCommonFlags[] = {
    "architecture",  "base",          "tensors",           "ignore",
    "optional_bias", "prefix",        "max_source_tokens", "max_target_tokens",
    "source_ids",    "target_ids",    "source_prefix",     "source_suffix",
    "source_length", "decoder_start", "source_vocabulary", "target_vocabulary",
};

// The flags of Transformers in addition to kCommonFlags.
constexpr std::string_view kFlags[] = {
    "heads",           "head_layout",      "attention_scale",
    "residual",        "norm_order",       "norm_formula",
    "norm_epsilon",    "final_norm",       "embedding_norm",
    "activation",      "embedding_scale",  "shared_embeddings",
    "tied_output",     "positions",        "positions_axis",
    "position_offset", "position_divisor", "embedding_norm_order",
};

// The same of models of GRUs or LSTMs.
constexpr std::string_view kRecurrentFlags[] = {
    "attention_function",
    "attention_activation",
    "query",
    "context",
    "directions",
    "initial_state",
    "initial_activation",
    "query_layers",
    "projection_activation",
    "input_activation",
    "energy_activation",
    "combine_activation",
    "leaky_relu_slope",
    "attention_reads",
    "decoder_reads",
    "output_reads",
    "reverse_source",
};

std::optional<double> Number(const JsonFields& fields, std::string_view name) {
  const Json* value = fields.Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || !(value->get<double>() > 0)) {
    fields.Fail(name, "it must be a number above 0");
  }
  return value->get<double>();
}

// Notes what the converter takes an absent flag to be: `what`, with the value.
void Assume(const JsonFields& fields, std::string_view flag,
            std::string_view what, ModelMap* map) {
  if (fields.Has(flag)) return;
  map->assumptions.push_back(Concat(flag, ": ", what));
}

// ---- Architecture ----------------------------------------------------------

void ReadHeads(const JsonFields& fields, ModelMap* map) {
  map->head_layout =
      fields.Choice<HeadLayout>("head_layout",
                                {{"contiguous", HeadLayout::kContiguous},
                                 {"interleaved", HeadLayout::kInterleaved},
                                 {"modules", HeadLayout::kModules}},
                                HeadLayout::kContiguous);
  Assume(fields, "head_layout",
         "the outputs of a head stand side by side (contiguous)", map);
  CheckHeadNames(map->tensors, map->head_layout == HeadLayout::kModules,
                 map->name);
  const Json* heads = fields.Find("heads");
  if (heads != nullptr && heads->is_object()) {
    const JsonFields both = fields.Object("heads");
    both.RefuseOthers(std::vector<std::string_view>{"encoder", "decoder"});
    map->encoder_heads = both.Count("encoder", 0, 1);
    map->decoder_heads = both.Count("decoder", 0, 1);
  } else {
    map->encoder_heads = map->decoder_heads = fields.Count("heads", 0, 1);
  }
  if (map->head_layout != HeadLayout::kModules &&
      (map->encoder_heads == 0 || map->decoder_heads == 0)) {
    FailIn(map->name,
           "heads is missing; no tensor says how many attention heads there "
           "are, so give --set heads=N");
  }
  Assume(fields, "attention_scale",
         "attention multiplies query times key by 1/sqrt(head_dim)", map);
  const Json* scale = fields.Find("attention_scale");
  using Scale = ModelMap::AttentionScale;
  if (scale == nullptr || *scale == "1/sqrt(head_dim)") {
    map->attention_scale_kind = Scale::kHeadDim;
  } else if (*scale == "1/sqrt(d_model)") {
    map->attention_scale_kind = Scale::kDModel;
  } else if (scale->is_number()) {
    map->attention_scale_kind = Scale::kNumber;
    map->attention_scale = *Number(fields, "attention_scale");
  } else {
    fields.Fail("attention_scale",
                "it must be 1/sqrt(head_dim), 1/sqrt(d_model) or a number");
  }
}

// For both stacks, or an object with one for each.
void ReadEmbeddingNormOrder(const JsonFields& fields, ModelMap* map) {
  constexpr const char* kFlag = "embedding_norm_order";
  const auto choose = [](const JsonFields& from, std::string_view name) {
    return from.Choice<bool>(
        name, {{"after_positions", false}, {"before_positions", true}}, false);
  };
  const Json* order = fields.Find(kFlag);
  if (order != nullptr && order->is_object()) {
    const JsonFields both = fields.Object(kFlag);
    both.RefuseOthers(std::vector<std::string_view>{"encoder", "decoder"});
    map->encoder_norm_before_positions = choose(both, "encoder");
    map->decoder_norm_before_positions = choose(both, "decoder");
  } else {
    map->encoder_norm_before_positions = map->decoder_norm_before_positions =
        choose(fields, kFlag);
  }
  Assume(fields, kFlag,
         "embeddings are normalized after positions are added "
         "(after_positions)",
         map);
}

void ReadNorms(const JsonFields& fields, ModelMap* map) {
  enum class Order { kPost, kPre, kNone };
  const Order order = fields.Choice<Order>(
      "norm_order",
      {{"post", Order::kPost}, {"pre", Order::kPre}, {"none", Order::kNone}});
  map->pre_norm = order == Order::kPre;
  map->has_norms = order != Order::kNone;
  map->unbiased_std = fields.Choice<bool>(
      "norm_formula", {{"layer_norm", false}, {"unbiased_std", true}}, false);
  map->norm_epsilon =
      Number(fields, "norm_epsilon").value_or(map->norm_epsilon);
  if (map->has_norms) {
    Assume(fields, "norm_formula", "norms are PyTorch's LayerNorm (layer_norm)",
           map);
    Assume(fields, "norm_epsilon", "norms add the epsilon 1e-5", map);
  }
  const std::vector<std::pair<std::string_view, Presence>> presence = {
      {"true", Presence::kYes},
      {"false", Presence::kNo},
      {"if_present", Presence::kIfPresent}};
  map->final_norm =
      fields.Choice<Presence>("final_norm", presence, map->final_norm);
  map->embedding_norm =
      fields.Choice<Presence>("embedding_norm", presence, map->embedding_norm);
  ReadEmbeddingNormOrder(fields, map);
  map->residual = fields.Bool("residual", true);
  Assume(fields, "residual",
         "the input of a sublayer is added to its output (true)", map);
}

void ReadEmbeddings(const JsonFields& fields, ModelMap* map) {
  map->activation = fields.Choice<Activation>(
      "activation", {{"relu", Activation::kRelu},
                     {"gelu", Activation::kGelu},
                     {"gelu_tanh", Activation::kGeluTanh},
                     {"silu", Activation::kSwish},
                     {"tanh", Activation::kTanh},
                     {"sigmoid", Activation::kSigmoid}});
  const char* const scales = "it must be sqrt(d_model) or a number";
  fields.Demand("embedding_scale", scales);
  if (*fields.Find("embedding_scale") != "sqrt(d_model)") {
    if (!fields.Find("embedding_scale")->is_number()) {
      fields.Fail("embedding_scale", scales);
    }
    map->embedding_scale = Number(fields, "embedding_scale");
  }
  map->shared_embeddings = fields.Bool("shared_embeddings", false);
  map->tied_output = fields.Bool("tied_output", false);
  map->positions = fields.Choice<PositionKind>(
      "positions", {{"interleaved", PositionKind::kInterleaved},
                    {"halves", PositionKind::kHalves},
                    {"learned", PositionKind::kLearned},
                    {"none", PositionKind::kNone}});
  map->positions_along_batch = fields.Choice<bool>(
      "positions_axis", {{"sequence", false}, {"batch", true}}, false);
  map->position_offset = fields.Count("position_offset", 0);
  map->short_divisor = fields.Choice<bool>(
      "position_divisor", {{"d/2", false}, {"d/2-1", true}}, false);
  if (map->short_divisor && map->positions != PositionKind::kHalves) {
    fields.Fail("position_divisor",
                "d/2-1 is for positions in halves, as "
                "fairseq and Tensor2Tensor compute them");
  }
  if (map->positions == PositionKind::kNone) return;
  Assume(fields, "positions_axis",
         "token i of a sentence gets row i of the positions (sequence)", map);
  Assume(fields, "position_offset",
         "the first token gets the first row of the positions (0)", map);
  if (map->positions == PositionKind::kHalves) {
    Assume(fields, "position_divisor",
           "the exponents of sinusoids are divided by d/2; fairseq and "
           "Tensor2Tensor divide by d/2-1",
           map);
  }
}

// ---- GRUs and LSTMs --------------------------------------------------------

// A list of concatenated inputs: some of `words`, in any order, including
// `always`.
std::vector<std::string> Reads(const JsonFields& fields, std::string_view name,
                               const std::vector<std::string>& words,
                               const std::string& always) {
  const auto quote = [](const std::string& word) { return '"' + word + '"'; };
  const std::string why = Concat(
      "it must be a list, in the order of the concatenation, of some of ",
      Joined(words, quote), ", and have ", quote(always));
  fields.Demand(name, why);
  std::vector<std::string> reads = fields.Texts(name);
  for (const std::string& part : reads) {
    if (std::ranges::find(words, part) == words.end() ||
        std::ranges::count(reads, part) != 1) {
      fields.Fail(name, why);
    }
  }
  if (std::ranges::find(reads, always) == reads.end()) fields.Fail(name, why);
  return reads;
}

// With the flags of the layers that the map names.
void ReadLayerActivations(const JsonFields& fields, ModelMap* map) {
  RecurrentFlags& flags = *map->recurrent;
  bool leaky = false;
  const auto read = [&](const char* flag, std::string_view part,
                        std::string_view what, LayerActivation* activation) {
    if (fields.Has(flag) && !map->tensors.contains(std::string(part))) {
      fields.Fail(flag, "tensors names no \"", part, "\" that it is for");
    }
    *activation = fields.Choice<LayerActivation>(
        flag,
        {{"none", LayerActivation::kNone},
         {"tanh", LayerActivation::kTanh},
         {"relu", LayerActivation::kRelu},
         {"leaky_relu", LayerActivation::kLeakyRelu}},
        *activation);
    leaky = leaky || *activation == LayerActivation::kLeakyRelu;
    if (map->tensors.contains(std::string(part))) {
      Assume(fields, flag, what, map);
    }
  };
  if (map->tensors.contains("combine") && !fields.Has("combine_activation")) {
    FailIn(map->name,
           "combine_activation is missing; \"combine\" needs it: none, tanh, "
           "relu or leaky_relu, as the code has it behind that layer");
  }
  read("combine_activation", "combine", "", &flags.combine_activation);
  read("projection_activation", "encoder.projection",
       "nothing follows encoder.projection (none)",
       &flags.projection_activation);
  read("input_activation", "decoder.input",
       "nothing follows decoder.input (none)", &flags.input_activation);
  read("energy_activation", "attention.energy",
       "nothing follows attention.energy but softmax (none)",
       &flags.energy_activation);
  if (!leaky) {
    if (fields.Has("leaky_relu_slope")) {
      fields.Fail("leaky_relu_slope", "no activation is leaky_relu");
    }
    return;
  }
  flags.negative_slope = Number(fields, "leaky_relu_slope").value_or(0.01);
  Assume(fields, "leaky_relu_slope",
         "leaky_relu multiplies what is below 0 by 0.01, as in PyTorch", map);
}

void ReadRecurrentFlags(const JsonFields& fields, ModelMap* map) {
  for (const char* part : {"source_embedding", "target_embedding"}) {
    if (map->tensors.contains(part)) continue;
    map->assumptions.push_back(
        Concat("tensors.", part,
               ": there is none, so tokens are read as one-hot vectors"));
  }
  using Initial = RecurrentFlags::InitialState;
  RecurrentFlags& flags = map->recurrent.emplace();
  flags.has_cells = NetworkKindOf(fields) == NetworkKind::kLstm;
  flags.attention_function = fields.Choice<AttentionFunction>(
      "attention_function", {{"additive", AttentionFunction::kAdditive},
                             {"dot", AttentionFunction::kDot},
                             {"general", AttentionFunction::kGeneral},
                             {"none", AttentionFunction::kNone}});
  const bool attends = flags.attention_function != AttentionFunction::kNone;
  flags.attention_activation = fields.Choice<Activation>(
      "attention_activation",
      {{"tanh", Activation::kTanh}, {"relu", Activation::kRelu}},
      Activation::kTanh);
  if (flags.attention_function == AttentionFunction::kAdditive) {
    Assume(fields, "attention_activation",
           "tanh follows the sum of query and key", map);
  }
  flags.final_context = fields.Choice<bool>(
      "context", {{"attention", false}, {"final_state", true}}, false);
  if (flags.final_context && attends) {
    fields.Fail("context",
                "final_state takes the place of attention; set "
                "attention_function to \"none\"");
  }
  // Without attention the context is always there.
  flags.query_before =
      !attends ||
      fields.Choice<bool>("query", {{"before", true}, {"after", false}});
  flags.query_sum = fields.Choice<bool>("query_layers",
                                        {{"top", false}, {"sum", true}}, false);
  if (attends) {
    Assume(fields, "query_layers",
           "attention's query is the state of the decoder's top layer (top)",
           map);
  } else {
    Assume(fields, "context",
           "the encoder's last state is read by nothing but what initial_state "
           "names (attention)",
           map);
  }
  flags.reverse_source = fields.Bool("reverse_source", false);
  Assume(fields, "reverse_source",
         "the encoder reads the source from its first token to its last "
         "(false)",
         map);
  if (fields.Has("directions")) {
    flags.directions_added = fields.Choice<bool>(
        "directions", {{"concatenate", false}, {"add", true}});
  }
  flags.initial_state = fields.Choice<Initial>(
      "initial_state", {{"projected", Initial::kProjected},
                        {"projected_layers", Initial::kProjectedLayers},
                        {"mean", Initial::kMean},
                        {"zeros", Initial::kZeros},
                        {"first", Initial::kFirst},
                        {"last", Initial::kLast},
                        {"forward", Initial::kForward},
                        {"backward", Initial::kBackward}});
  flags.initial_linear = fields.Choice<bool>(
      "initial_activation", {{"tanh", false}, {"none", true}}, false);
  if (map->tensors.contains("initial_state")) {
    Assume(fields, "initial_activation", "tanh follows initial_state", map);
  }
  if (fields.Has("attention_reads")) {
    flags.attention_reads = Reads(fields, "attention_reads",
                                  {"hidden", "encoder_outputs"}, "hidden");
    if (flags.attention_reads.size() != 2) {
      fields.Fail("attention_reads", "it must have both");
    }
  }
  flags.decoder_reads =
      Reads(fields, "decoder_reads", {"embedding", "context"}, "embedding");
  flags.output_reads = Reads(fields, "output_reads",
                             {"hidden", "context", "embedding"}, "hidden");
  if (!attends && !flags.final_context) {
    for (const auto& [name, reads] :
         {std::pair("decoder_reads", &flags.decoder_reads),
          std::pair("output_reads", &flags.output_reads)}) {
      if (std::ranges::find(*reads, "context") == reads->end()) continue;
      fields.Fail(name,
                  "without attention there is no context, unless context is "
                  "\"final_state\"");
    }
  }
  if (flags.decoder_reads.size() == 2 && !flags.query_before) {
    fields.Fail("decoder_reads",
                "the decoder cannot read the context of a query that is made "
                "after its step; Latimer does not feed the last one's");
  }
  ReadLayerActivations(fields, map);
}

// ---- Text ------------------------------------------------------------------

VocabularyFlags ReadVocabularyFlags(const JsonFields& fields,
                                    std::string_view name) {
  using Kind = TokenizerSide::Kind;
  const JsonFields inner = fields.Object(name);
  inner.RefuseOthers(std::vector<std::string_view>{
      "kind", "file", "ids", "lower_case", "skip_spaces", "unknown"});
  VocabularyFlags flags;
  flags.kind = inner.Choice<Kind>("kind",
                                  {{"words", Kind::kWords},
                                   {"characters", Kind::kCharacters},
                                   {"pieces", Kind::kLongestMatch},
                                   {"sentencepiece", Kind::kSentencePiece}},
                                  Kind::kWords);
  flags.file = inner.Text("file", "");
  flags.ids = inner.Text("ids", "");
  flags.lower_case = inner.Bool("lower_case", false);
  flags.skips_spaces = inner.Bool("skip_spaces", false);
  flags.skips_unknown =
      inner.Choice<bool>("unknown", {{"token", false}, {"skip", true}}, false);
  const bool sentencepiece = flags.kind == Kind::kSentencePiece;
  if (name == "target_vocabulary" && flags.skips_unknown) {
    inner.Fail("unknown",
               "only a source has unknown text to skip; set "
               "source_vocabulary.unknown");
  }
  if (flags.skips_spaces && (sentencepiece || flags.kind == Kind::kWords)) {
    inner.Fail("skip_spaces", "it is for the kinds characters and pieces");
  }
  if (sentencepiece && flags.skips_unknown) {
    inner.Fail("unknown", "a SentencePiece model has its own unknown piece");
  }
  if (sentencepiece && flags.lower_case) {
    inner.Fail("lower_case", "a SentencePiece model has its own normalization");
  }
  if (!sentencepiece && !flags.ids.empty()) {
    inner.Fail("ids", "only SentencePiece models can have separate ids");
  }
  return flags;
}

SpecialIds ReadIds(const JsonFields& fields, std::string_view name) {
  fields.Demand(
      name,
      "it must be {\"pad\": ID, \"sos\": ID, \"eos\": ID, \"unk\": ID}, "
      "with any of these");
  const JsonFields inner = fields.Object(name);
  inner.RefuseOthers(std::vector<std::string_view>{"pad", "sos", "eos", "unk"});
  const auto id = [&](std::string_view which) {
    return inner.Has(which) ? static_cast<int32_t>(inner.Count(which, 0)) : -1;
  };
  return {
      .pad = id("pad"), .sos = id("sos"), .eos = id("eos"), .unk = id("unk")};
}

// An id, as a number or by the name that `ids` has for it.
int32_t ReadId(const JsonFields& fields, std::string_view name,
               const Json& value, const SpecialIds& ids) {
  if (value.is_number_integer() && value >= 0 && value < (int64_t{1} << 31)) {
    return value.get<int32_t>();
  }
  const std::pair<const char*, int32_t> named[] = {
      {"pad", ids.pad}, {"sos", ids.sos}, {"eos", ids.eos}, {"unk", ids.unk}};
  for (const auto& [word, id] : named) {
    if (value == word && id >= 0) return id;
  }
  fields.Fail(name, "each id is a number or one of the names that ",
              name == "decoder_start" ? "target" : "source", "_ids has");
}

std::vector<int32_t> ReadIdList(const JsonFields& fields, std::string_view name,
                                const SpecialIds& ids) {
  fields.Demand(name,
                "it must be a list such as [\"sos\"] of what the encoder reads "
                "besides the text, or []");
  const Json& value = *fields.Find(name);
  if (!value.is_array()) fields.Fail(name, "it must be a list");
  std::vector<int32_t> list;
  for (const Json& id : value) list.push_back(ReadId(fields, name, id, ids));
  return list;
}

void ReadSourceLength(const JsonFields& fields, ModelMap* map) {
  Assume(fields, "source_length",
         "the original reads no pads, or masks them (none)", map);
  map->source_length = fields.Count("source_length", 0, 1);
  if (map->source_length == 0) return;
  if (map->source_ids.pad < 0) {
    fields.Fail("source_length", "source_ids has no pad to fill it with");
  }
  const size_t added = map->source_prefix.size() + map->source_suffix.size();
  if (added >= map->source_length) {
    fields.Fail("source_length", "there would be no room for text beside the ",
                added, " ids of source_prefix and source_suffix");
  }
  if (map->max_source_tokens == 0) {
    map->max_source_tokens = map->source_length;
  } else if (map->max_source_tokens < map->source_length) {
    fields.Fail("source_length", "it exceeds max_source_tokens, which is ",
                map->max_source_tokens,
                " in this map; --set max_source_tokens=", map->source_length,
                " raises it");
  }
}

void AssumeText(const JsonFields& fields, ModelMap* map) {
  const VocabularyFlags& source = map->source_vocabulary;
  if (source.file.empty()) return;
  const auto assume = [&](const char* side, const char* flag,
                          const char* what) {
    if (fields.Object(side).Has(flag)) return;
    map->assumptions.push_back(Concat(side, ".", flag, ": ", what));
  };
  constexpr char kSource[] = "source_vocabulary";
  assume(kSource, "kind", "the code splits texts at white space (words)");
  assume("target_vocabulary", "kind",
         "the code joins tokens with spaces (words)");
  if (source.kind == TokenizerSide::Kind::kSentencePiece) return;
  assume(kSource, "lower_case", "the code keeps capitals (false)");
  assume(kSource, "unknown",
         "what the vocabulary lacks is read as source_ids.unk (token)");
  if (source.kind == TokenizerSide::Kind::kWords) return;
  assume(kSource, "skip_spaces", "the code reads white space, too (false)");
}

void ReadText(const JsonFields& fields, ModelMap* map) {
  map->source_ids = ReadIds(fields, "source_ids");
  map->target_ids = ReadIds(fields, "target_ids");
  if (map->target_ids.eos < 0) {
    FailIn(map->name,
           "target_ids has no eos; without it translations do not end");
  }
  map->source_prefix = ReadIdList(fields, "source_prefix", map->source_ids);
  map->source_suffix = ReadIdList(fields, "source_suffix", map->source_ids);
  ReadSourceLength(fields, map);
  fields.Demand("decoder_start",
                "it must be what the decoder reads first, such as \"sos\"");
  map->decoder_start = ReadId(fields, "decoder_start",
                              *fields.Find("decoder_start"), map->target_ids);
  map->source_vocabulary = ReadVocabularyFlags(fields, "source_vocabulary");
  map->target_vocabulary = ReadVocabularyFlags(fields, "target_vocabulary");
  AssumeText(fields, map);
}

}  // namespace

ModelMap ReadModelMap(const std::string& from,
                      std::span<const std::string> settings) {
  ModelMap map;
  map.name = from;
  const JsonFields fields = JsonFields::From(from, LoadMapJson(from, settings));
  const bool recurrent = NetworkKindOf(fields) != NetworkKind::kTransformer;
  std::vector<std::string_view> known(std::begin(kCommonFlags),
                                      std::end(kCommonFlags));
  const std::span<const std::string_view> own =
      recurrent ? std::span<const std::string_view>(kRecurrentFlags) : kFlags;
  known.insert(known.end(), own.begin(), own.end());
  fields.RefuseOthers(known);
  map.tensors = ReadParts(fields);
  map.ignore = fields.Texts("ignore");
  map.optional_bias = fields.Texts("optional_bias");
  map.prefix = fields.Text("prefix", "");
  if (recurrent) {
    ReadRecurrentFlags(fields, &map);
  } else {
    ReadHeads(fields, &map);
    ReadNorms(fields, &map);
    ReadEmbeddings(fields, &map);
  }
  map.max_source_tokens = fields.Count("max_source_tokens", 0, 1);
  map.max_target_tokens = fields.Count("max_target_tokens", 0, 1);
  ReadText(fields, &map);
  if (recurrent && map.recurrent->reverse_source && map.source_length > 0) {
    fields.Fail("reverse_source", "it cannot be used with source_length");
  }
  map.source_vocabulary.says_lower_case = WhatSaysLowerCase(from, settings);
  return map;
}

}  // namespace latimer
