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
    "heads",          "head_layout",  "attention_scale", "residual",
    "norm_order",     "norm_formula", "norm_epsilon",    "final_norm",
    "embedding_norm", "activation",   "embedding_scale", "shared_embeddings",
    "tied_output",    "positions",    "positions_axis",  "position_offset",
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

// ---- Architecture ----------------------------------------------------------

void ReadHeads(const JsonFields& fields, ModelMap* map) {
  map->head_layout =
      fields.Choice<HeadLayout>("head_layout",
                                {{"contiguous", HeadLayout::kContiguous},
                                 {"interleaved", HeadLayout::kInterleaved},
                                 {"modules", HeadLayout::kModules}},
                                HeadLayout::kContiguous);
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
  const std::vector<std::pair<std::string_view, Presence>> presence = {
      {"true", Presence::kYes},
      {"false", Presence::kNo},
      {"if_present", Presence::kIfPresent}};
  map->final_norm =
      fields.Choice<Presence>("final_norm", presence, map->final_norm);
  map->embedding_norm =
      fields.Choice<Presence>("embedding_norm", presence, map->embedding_norm);
  map->residual = fields.Bool("residual", true);
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

RecurrentFlags ReadRecurrentFlags(const JsonFields& fields) {
  using Initial = RecurrentFlags::InitialState;
  RecurrentFlags flags;
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
  flags.reverse_source = fields.Bool("reverse_source", false);
  flags.directions_added = fields.Choice<bool>(
      "directions", {{"concatenate", false}, {"add", true}});
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
  return flags;
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
    map.recurrent = ReadRecurrentFlags(fields);
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
