#include "converter/readers/model_map.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "converter/error.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/name_pattern.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kPreset = "preset:";

constexpr std::string_view kParts[] = {
    "source_embedding",
    "target_embedding",
    "source_positions",
    "target_positions",
    "output",
    "encoder.embedding_norm",
    "encoder.self_attention.query",
    "encoder.self_attention.key",
    "encoder.self_attention.value",
    "encoder.self_attention.qkv",
    "encoder.self_attention.head_out",
    "encoder.self_attention.out",
    "encoder.self_attention.norm",
    "encoder.ffn.in",
    "encoder.ffn.out",
    "encoder.ffn.norm",
    "encoder.norm",
    "decoder.embedding_norm",
    "decoder.self_attention.query",
    "decoder.self_attention.key",
    "decoder.self_attention.value",
    "decoder.self_attention.qkv",
    "decoder.self_attention.head_out",
    "decoder.self_attention.out",
    "decoder.self_attention.norm",
    "decoder.cross_attention.query",
    "decoder.cross_attention.key",
    "decoder.cross_attention.value",
    "decoder.cross_attention.qkv",
    "decoder.cross_attention.head_out",
    "decoder.cross_attention.out",
    "decoder.cross_attention.norm",
    "decoder.ffn.in",
    "decoder.ffn.out",
    "decoder.ffn.norm",
    "decoder.norm",
};

constexpr std::string_view kFlags[] = {
    "base",
    "tensors",
    "ignore",
    "optional_bias",
    "prefix",
    "heads",
    "head_layout",
    "attention_scale",
    "residual",
    "norm_order",
    "norm_formula",
    "norm_epsilon",
    "final_norm",
    "embedding_norm",
    "activation",
    "embedding_scale",
    "shared_embeddings",
    "tied_output",
    "positions",
    "positions_axis",
    "position_offset",
    "max_source_tokens",
    "max_target_tokens",
    "source_ids",
    "target_ids",
    "source_prefix",
    "source_suffix",
    "decoder_start",
    "source_vocabulary",
    "target_vocabulary",
};

bool IsPositions(std::string_view part) { return part.ends_with("_positions"); }

bool IsEmbedding(std::string_view part) { return part.ends_with("_embedding"); }

bool IsNorm(std::string_view part) { return part.ends_with("norm"); }

bool HasLayers(std::string_view part) {
  return part.find('.') != part.rfind('.');
}

// The parts whose modules a model may have once for each head.
bool MayHaveHeads(std::string_view part) {
  return part.ends_with(".query") || part.ends_with(".key") ||
         part.ends_with(".value") || part.ends_with(".head_out");
}

Json ParseMap(const std::string& text, const std::string& name) {
  try {
    Json json = Json::parse(text, nullptr, /*allow_exceptions=*/true,
                            /*ignore_comments=*/true);
    if (json.is_object()) return json;
  } catch (const Json::parse_error& error) {
    const size_t end = std::min<size_t>(error.byte, text.size());
    const auto lines = std::count(text.begin(), text.begin() + end, '\n');
    throw ConversionError(name + ": line " + std::to_string(lines + 1) +
                          " is not JSON.");
  }
  throw ConversionError(name + ": not a JSON object.");
}

Json PresetJson(const std::string& name) {
  const auto& presets = MapPresets();
  const auto found = presets.find(name.substr(kPreset.size()));
  if (found == presets.end()) {
    throw ConversionError(name + ": the presets are " + MapPresetNames() + ".");
  }
  return ParseMap(found->second, name);
}

// The file's fields on top of those of its base.
Json FileJson(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw ConversionError(path.string() +
                          ": cannot read this map; the presets are preset:" +
                          "NAME with one of " + MapPresetNames() + ".");
  }
  Json json = ParseMap({std::istreambuf_iterator<char>(file), {}}, path);
  // Files that the map names lie beside it.
  for (const char* name : {"source_vocabulary", "target_vocabulary"}) {
    const auto vocabulary = json.find(name);
    if (vocabulary == json.end() || !vocabulary->is_object()) continue;
    const auto named = vocabulary->find("file");
    if (named != vocabulary->end() && named->is_string()) {
      *named = (path.parent_path() / named->get<std::string>()).string();
    }
  }
  const auto base = json.find("base");
  if (base == json.end()) return json;
  if (!base->is_string() || !base->get<std::string>().starts_with(kPreset)) {
    throw ConversionError(path.string() + ": base is " + base->dump() +
                          "; it must be \"preset:NAME\".");
  }
  Json merged = PresetJson(base->get<std::string>());
  merged.merge_patch(json);
  return merged;
}

// "a=1" is {"a": 1}, "a.b.c=x" {"a": {"b.c": "x"}}.
Json SettingJson(const std::string& setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConversionError("--set " + setting + ": it must be FLAG=VALUE.");
  }
  const std::string value = setting.substr(equals + 1);
  Json json = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) json = value;
  const std::string key = setting.substr(0, equals);
  const size_t dot = key.find('.');
  if (dot == std::string::npos) return {{key, json}};
  return {{key.substr(0, dot), {{key.substr(dot + 1), json}}}};
}

// A field that is one of some words.
template <typename T>
T Choice(const JsonFields& fields, std::string_view name, T fallback,
         const std::vector<std::pair<std::string_view, T>>& words) {
  const Json* value = fields.Find(name);
  if (value == nullptr) return fallback;
  std::string list;
  for (const auto& [word, meaning] : words) {
    // true and false may be written as such.
    if (*value == word || value->dump() == word) return meaning;
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  fields.Fail(name, "it must be one of " + list);
}

void DemandFlag(const JsonFields& fields, std::string_view name,
                const std::string& why) {
  if (!fields.Has(name)) fields.Fail(name, why);
}

void RefuseUnknown(const JsonFields& fields,
                   std::span<const std::string_view> known) {
  for (const auto& [name, value] : fields.json().items()) {
    if (std::ranges::find(known, name) == known.end()) {
      std::string list;
      for (const std::string_view flag : known) {
        list += (list.empty() ? "" : ", ") + std::string(flag);
      }
      throw ConversionError(fields.path().string() + ": " + name +
                            " is unknown; there are " + list + ".");
    }
  }
}

// An object within, whose errors name it.
JsonFields Inner(const JsonFields& fields, std::string_view name) {
  const Json* value = fields.Find(name);
  if (value != nullptr && !value->is_object()) {
    fields.Fail(name, "it must be an object {...}");
  }
  return JsonFields::From(fields.path().string() + ": " + std::string(name),
                          value == nullptr ? Json::object() : *value);
}

std::vector<std::string> Texts(const JsonFields& fields,
                               std::string_view name) {
  const Json* value = fields.Find(name);
  std::vector<std::string> texts;
  if (value == nullptr) return texts;
  const bool good =
      value->is_array() && std::ranges::all_of(*value, &Json::is_string);
  if (!good) fields.Fail(name, "it must be a list of strings");
  return value->get<std::vector<std::string>>();
}

std::optional<double> Number(const JsonFields& fields, std::string_view name) {
  const Json* value = fields.Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || !(value->get<double>() > 0)) {
    fields.Fail(name, "it must be a number above 0");
  }
  return value->get<double>();
}

// ---- Tensors ---------------------------------------------------------------

void CheckVariables(const JsonFields& tensors, const std::string& part,
                    const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool layer = name.find("{layer}") != std::string::npos;
    if (layer != HasLayers(part)) {
      tensors.Fail(part, HasLayers(part)
                             ? "the name of a layer's tensor needs {layer}"
                             : "it belongs to no layer; take {layer} out");
    }
    if (name.find("{head}") != std::string::npos && !MayHaveHeads(part)) {
      tensors.Fail(part, "only query, key, value and head_out have {head}");
    }
  }
}

// A string names the module, whose parameters are weight and bias; an object
// names both parameters.
PartNames ReadPart(const JsonFields& tensors, const std::string& part) {
  const Json& value = *tensors.Find(part);
  const auto expand = [&](const Json& json) {
    std::vector<std::string> names;
    try {
      names = ExpandChoices(json.get_ref<const std::string&>());
    } catch (const ConversionError& error) {
      throw ConversionError(tensors.path().string() + ": " + part + ": " +
                            error.what());
    }
    CheckVariables(tensors, part, names);
    return names;
  };
  if (value.is_string()) {
    PartNames names = {.weight = expand(value), .bias = {}};
    if (IsPositions(part)) return names;
    if (!IsEmbedding(part)) names.bias = names.weight;
    for (std::string& name : names.weight) name += ".weight";
    for (std::string& name : names.bias) name += ".bias";
    return names;
  }
  const char* const weight = IsNorm(part) ? "gamma" : "weight";
  const char* const bias = IsNorm(part) ? "beta" : "bias";
  const bool good = value.is_object() && value.contains(weight) &&
                    !IsPositions(part) &&
                    std::ranges::all_of(value.items(), [&](const auto& item) {
                      return (item.key() == weight || item.key() == bias) &&
                             item.value().is_string();
                    });
  if (!good) {
    tensors.Fail(part, IsPositions(part)
                           ? "it must be the name of the table"
                           : "it must be the name of a module or {\"" +
                                 std::string(weight) + "\": NAME, \"" +
                                 std::string(bias) + "\": NAME}");
  }
  PartNames names = {.weight = expand(value.at(weight)), .bias = {}};
  if (value.contains(bias)) names.bias = expand(value.at(bias));
  return names;
}

void ReadTensors(const JsonFields& fields, ModelMap* map) {
  DemandFlag(fields, "tensors", "it says how the model's tensors are called");
  const JsonFields tensors = Inner(fields, "tensors");
  RefuseUnknown(tensors, kParts);
  for (const auto& [part, value] : tensors.json().items()) {
    if (!value.is_null()) map->tensors[part] = ReadPart(tensors, part);
  }
  map->ignore = Texts(fields, "ignore");
  map->optional_bias = Texts(fields, "optional_bias");
  map->prefix = fields.Text("prefix", "");
}

// {head} is in the names if, and only if, heads are modules.
void CheckHeadNames(const ModelMap& map) {
  const bool modules = map.head_layout == HeadLayout::kModules;
  for (const auto& [part, names] : map.tensors) {
    if (!MayHaveHeads(part)) continue;
    for (const std::string& name : names.weight) {
      if ((name.find("{head}") != std::string::npos) != modules) {
        throw ConversionError(
            map.name + ": tensors: " + part + " names " + name + ", but with " +
            "head_layout " + (modules ? "" : "other than ") +
            "\"modules\" it has " + (modules ? "a" : "no") + " {head}.");
      }
    }
  }
}

// ---- Architecture ----------------------------------------------------------

void ReadHeads(const JsonFields& fields, ModelMap* map) {
  map->head_layout =
      Choice<HeadLayout>(fields, "head_layout", HeadLayout::kContiguous,
                         {{"contiguous", HeadLayout::kContiguous},
                          {"interleaved", HeadLayout::kInterleaved},
                          {"modules", HeadLayout::kModules}});
  CheckHeadNames(*map);
  const Json* heads = fields.Find("heads");
  if (heads != nullptr && heads->is_object()) {
    const JsonFields both = Inner(fields, "heads");
    RefuseUnknown(both, std::vector<std::string_view>{"encoder", "decoder"});
    map->encoder_heads = both.Count("encoder", 0, 1);
    map->decoder_heads = both.Count("decoder", 0, 1);
  } else {
    map->encoder_heads = map->decoder_heads = fields.Count("heads", 0, 1);
  }
  if (map->head_layout != HeadLayout::kModules &&
      (map->encoder_heads == 0 || map->decoder_heads == 0)) {
    throw ConversionError(map->name +
                          ": heads is missing; no tensor says how many "
                          "attention heads there are, so give --set heads=N.");
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
  DemandFlag(fields, "norm_order", "it must be one of post, pre, none");
  enum class Order { kPost, kPre, kNone };
  const Order order = Choice<Order>(
      fields, "norm_order", Order::kPost,
      {{"post", Order::kPost}, {"pre", Order::kPre}, {"none", Order::kNone}});
  map->pre_norm = order == Order::kPre;
  map->has_norms = order != Order::kNone;
  map->unbiased_std =
      Choice<bool>(fields, "norm_formula", false,
                   {{"layer_norm", false}, {"unbiased_std", true}});
  map->norm_epsilon =
      Number(fields, "norm_epsilon").value_or(map->norm_epsilon);
  const std::vector<std::pair<std::string_view, Presence>> presence = {
      {"true", Presence::kYes},
      {"false", Presence::kNo},
      {"if_present", Presence::kIfPresent}};
  map->final_norm = Choice(fields, "final_norm", map->final_norm, presence);
  map->embedding_norm =
      Choice(fields, "embedding_norm", map->embedding_norm, presence);
  map->residual = fields.Bool("residual", true);
}

void ReadEmbeddings(const JsonFields& fields, ModelMap* map) {
  DemandFlag(fields, "activation",
             "it must be one of relu, gelu, gelu_tanh, "
             "silu, tanh, sigmoid");
  map->activation = Choice<Activation>(fields, "activation", Activation::kRelu,
                                       {{"relu", Activation::kRelu},
                                        {"gelu", Activation::kGelu},
                                        {"gelu_tanh", Activation::kGeluTanh},
                                        {"silu", Activation::kSwish},
                                        {"tanh", Activation::kTanh},
                                        {"sigmoid", Activation::kSigmoid}});
  const char* const scales = "it must be sqrt(d_model) or a number";
  DemandFlag(fields, "embedding_scale", scales);
  if (*fields.Find("embedding_scale") != "sqrt(d_model)") {
    if (!fields.Find("embedding_scale")->is_number()) {
      fields.Fail("embedding_scale", scales);
    }
    map->embedding_scale = Number(fields, "embedding_scale");
  }
  map->shared_embeddings = fields.Bool("shared_embeddings", false);
  map->tied_output = fields.Bool("tied_output", false);
  DemandFlag(fields, "positions",
             "it must be one of interleaved, halves, learned, none");
  map->positions =
      Choice<PositionKind>(fields, "positions", PositionKind::kNone,
                           {{"interleaved", PositionKind::kInterleaved},
                            {"halves", PositionKind::kHalves},
                            {"learned", PositionKind::kLearned},
                            {"none", PositionKind::kNone}});
  map->positions_along_batch = Choice<bool>(
      fields, "positions_axis", false, {{"sequence", false}, {"batch", true}});
  map->position_offset = fields.Count("position_offset", 0);
  map->max_source_tokens = fields.Count("max_source_tokens", 0, 1);
  map->max_target_tokens = fields.Count("max_target_tokens", 0, 1);
}

// ---- Text ------------------------------------------------------------------

VocabularyFlags ReadVocabulary(const JsonFields& fields,
                               std::string_view name) {
  const JsonFields inner = Inner(fields, name);
  RefuseUnknown(inner,
                std::vector<std::string_view>{"file", "kind", "lower_case"});
  VocabularyFlags flags;
  flags.file = inner.Text("file", "");
  flags.kind = inner.Text("kind", flags.kind);
  flags.lower_case = inner.Bool("lower_case", false);
  return flags;
}

SpecialIds ReadIds(const JsonFields& fields, std::string_view name) {
  DemandFlag(fields, name,
             "it must be {\"pad\": ID, \"sos\": ID, \"eos\": ID, "
             "\"unk\": ID}, of which any may be left out");
  const JsonFields inner = Inner(fields, name);
  RefuseUnknown(inner,
                std::vector<std::string_view>{"pad", "sos", "eos", "unk"});
  const auto id = [&](std::string_view which) {
    return inner.Has(which) ? static_cast<int32_t>(inner.Count(which, 0)) : -1;
  };
  return {id("pad"), id("sos"), id("eos"), id("unk")};
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
  fields.Fail(name,
              value.dump() + " is neither an id nor one of the names that " +
                  (name == "decoder_start" ? "target" : "source") + "_ids has");
}

std::vector<int32_t> ReadIdList(const JsonFields& fields, std::string_view name,
                                const SpecialIds& ids) {
  DemandFlag(fields, name,
             "it must be a list such as [\"sos\"] of what the encoder reads "
             "besides the text, or []");
  const Json& value = *fields.Find(name);
  if (!value.is_array()) fields.Fail(name, "it must be a list");
  std::vector<int32_t> list;
  for (const Json& id : value) list.push_back(ReadId(fields, name, id, ids));
  return list;
}

void ReadText(const JsonFields& fields, ModelMap* map) {
  map->source_ids = ReadIds(fields, "source_ids");
  map->target_ids = ReadIds(fields, "target_ids");
  if (map->target_ids.eos < 0) {
    throw ConversionError(map->name +
                          ": target_ids has no eos; without it translations "
                          "do not end.");
  }
  map->source_prefix = ReadIdList(fields, "source_prefix", map->source_ids);
  map->source_suffix = ReadIdList(fields, "source_suffix", map->source_ids);
  DemandFlag(fields, "decoder_start",
             "it must be what the decoder reads first, such as \"sos\"");
  map->decoder_start = ReadId(fields, "decoder_start",
                              *fields.Find("decoder_start"), map->target_ids);
  map->source_vocabulary = ReadVocabulary(fields, "source_vocabulary");
  map->target_vocabulary = ReadVocabulary(fields, "target_vocabulary");
}

}  // namespace

std::span<const std::string_view> MapParts() { return kParts; }

std::string MapPresetNames() {
  std::string names;
  for (const auto& [name, text] : MapPresets()) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

ModelMap ReadModelMap(const std::string& from,
                      std::span<const std::string> settings) {
  ModelMap map;
  map.name = from;
  Json json = from.starts_with(kPreset) ? PresetJson(from) : FileJson(from);
  for (const std::string& setting : settings) {
    json.merge_patch(SettingJson(setting));
  }
  const JsonFields fields = JsonFields::From(from, std::move(json));
  RefuseUnknown(fields, kFlags);
  ReadTensors(fields, &map);
  ReadHeads(fields, &map);
  ReadNorms(fields, &map);
  ReadEmbeddings(fields, &map);
  ReadText(fields, &map);
  return map;
}

}  // namespace latimer
