#include "converter/readers/map_parts.h"

#include <algorithm>
#include <utility>

#include "converter/error.h"
#include "converter/readers/name_pattern.h"

namespace latimer {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kParts[] = {
    // Of both stacks.
    "source_embedding", "target_embedding", "source_positions",
    "target_positions", "output",
    // Of the encoder.
    "encoder.embedding_norm", "encoder.self_attention.query",
    "encoder.self_attention.key", "encoder.self_attention.value",
    "encoder.self_attention.qkv", "encoder.self_attention.kv",
    "encoder.self_attention.head_out", "encoder.self_attention.out",
    "encoder.self_attention.norm", "encoder.ffn.in", "encoder.ffn.out",
    "encoder.ffn.norm", "encoder.norm",
    // Of the decoder.
    "decoder.embedding_norm", "decoder.self_attention.query",
    "decoder.self_attention.key", "decoder.self_attention.value",
    "decoder.self_attention.qkv", "decoder.self_attention.kv",
    "decoder.self_attention.head_out", "decoder.self_attention.out",
    "decoder.self_attention.norm", "decoder.cross_attention.query",
    "decoder.cross_attention.key", "decoder.cross_attention.value",
    "decoder.cross_attention.qkv", "decoder.cross_attention.kv",
    "decoder.cross_attention.head_out", "decoder.cross_attention.out",
    "decoder.cross_attention.norm", "decoder.ffn.in", "decoder.ffn.out",
    "decoder.ffn.norm", "decoder.norm"};

// Of recurrent models, besides encoder.gru and decoder.gru, or encoder.lstm and
// decoder.lstm.
constexpr std::string_view kRecurrentParts[] = {
    "source_embedding",
    "target_embedding",
    "initial_state",
    "initial_cell",
    "encoder.projection",
    "decoder.input",
    "attention.joint",
    "attention.query",
    "attention.keys",
    "attention.energy",
    "combine",
    "output",
};

bool IsPositions(std::string_view part) { return part.ends_with("_positions"); }

bool IsEmbedding(std::string_view part) { return part.ends_with("_embedding"); }

bool IsNorm(std::string_view part) { return part.ends_with("norm"); }

bool HasLayers(std::string_view part) {
  return part.find('.') != part.rfind('.');
}

// The parts that may have one module per head.
bool MayHaveHeads(std::string_view part) {
  return part.ends_with(".query") || part.ends_with(".key") ||
         part.ends_with(".value") || part.ends_with(".head_out");
}

void CheckVariables(const JsonFields& tensors, const std::string& part,
                    const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool layer = HasLayerNumber(name);
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
      FailWith(tensors.path(), ": ", part, ": ", error.what());
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

// The parameters of a direction of a GRU or LSTM: the part, and what PyTorch
// calls them behind weight_ and bias_.
constexpr std::pair<const char*, const char*> kCellParameters[] = {
    {".input", "ih"},
    {".hidden", "hh"},
    {".backward_input", "ih_reverse"},
    {".backward_hidden", "hh_reverse"}};

// What PyTorch appends to the names of the parameters of an nn.GRU or nn.LSTM,
// whose layers are numbered, and of a cell, which has one and no direction.
std::vector<std::string> CellSuffixes(const std::string& module,
                                      bool backward) {
  const bool list = HasLayerNumber(module);
  const std::string layer = list ? "_l0" : "_l{layer}";
  if (backward) return {layer + "_reverse"};
  return {layer, ""};
}

// An object names all parameters itself.
void AddNamedCells(const JsonFields& tensors, const std::string& part,
                   std::map<std::string, PartNames>* names) {
  const JsonFields object = tensors.Object(part);
  std::vector<std::string> known;
  for (const auto& [name, suffix] : kCellParameters) {
    known.push_back(Concat("weight_", suffix));
    known.push_back(Concat("bias_", suffix));
  }
  object.RefuseOthers(
      std::vector<std::string_view>(known.begin(), known.end()));
  for (const auto& [name, suffix] : kCellParameters) {
    const std::string weight = Concat("weight_", suffix);
    const std::string bias = Concat("bias_", suffix);
    if (!object.Has(weight)) {
      if (!weight.ends_with("_reverse") || object.Has(bias)) {
        object.Demand(weight, "it must be the name of this matrix");
      }
      continue;
    }
    PartNames& part_names = (*names)[part + name];
    part_names.weight = ExpandChoices(object.Text(weight, ""));
    if (object.Has(bias)) {
      part_names.bias = ExpandChoices(object.Text(bias, ""));
    }
  }
}

// If `part` is the `cells` of encoder or decoder, adds the names of all its
// parameters as the parts PART.input, PART.hidden, PART.backward_input and
// PART.backward_hidden, and returns true.
bool AddCellNames(const JsonFields& tensors, const std::string& part,
                  const std::string& cells,
                  std::map<std::string, PartNames>* names) {
  if (!part.ends_with(Concat(".", cells))) return false;
  const nlohmann::json& value = *tensors.Find(part);
  if (value.is_object()) {
    AddNamedCells(tensors, part, names);
    return true;
  }
  if (!value.is_string()) {
    tensors.Fail(
        part,
        "it must be the name of an nn.GRU, nn.LSTM or one of their "
        "cells, or {\"weight_ih\": NAME, \"weight_hh\": NAME, \"bias_ih\": "
        "NAME, \"bias_hh\": NAME}");
  }
  for (const std::string& module :
       ExpandChoices(value.get_ref<const std::string&>())) {
    for (const auto& [name, parameter] : kCellParameters) {
      PartNames& part_names = (*names)[part + name];
      const std::string kind = std::string(parameter).substr(0, 2);
      const bool backward = kind != parameter;
      for (const std::string& suffix : CellSuffixes(module, backward)) {
        part_names.weight.push_back(Concat(module, ".weight_", kind, suffix));
        part_names.bias.push_back(Concat(module, ".bias_", kind, suffix));
      }
    }
  }
  return true;
}

}  // namespace

NetworkKind NetworkKindOf(const JsonFields& fields) {
  return fields.Choice<NetworkKind>("architecture",
                                    {{"transformer", NetworkKind::kTransformer},
                                     {"gru", NetworkKind::kGru},
                                     {"lstm", NetworkKind::kLstm}},
                                    NetworkKind::kTransformer);
}

std::string CellName(NetworkKind kind) {
  return kind == NetworkKind::kLstm ? "lstm" : "gru";
}

std::map<std::string, PartNames> ReadParts(const JsonFields& map) {
  if (!map.Has("tensors")) {
    map.Fail("tensors", "it says how the model's tensors are called");
  }
  const JsonFields tensors = map.Object("tensors");
  const NetworkKind kind = NetworkKindOf(map);
  const bool recurrent = kind != NetworkKind::kTransformer;
  const std::string cells = CellName(kind);
  std::vector<std::string_view> known(std::begin(kParts), std::end(kParts));
  const std::string cell_parts[] = {Concat("encoder.", cells),
                                    Concat("decoder.", cells)};
  if (recurrent) {
    known.assign(std::begin(kRecurrentParts), std::end(kRecurrentParts));
    known.insert(known.end(), std::begin(cell_parts), std::end(cell_parts));
  }
  tensors.RefuseOthers(known);
  std::map<std::string, PartNames> parts;
  for (const auto& [part, value] : tensors.json().items()) {
    if (value.is_null()) continue;
    if (recurrent && AddCellNames(tensors, part, cells, &parts)) continue;
    parts[part] = ReadPart(tensors, part);
  }
  return parts;
}

void CheckHeadNames(const std::map<std::string, PartNames>& parts,
                    bool heads_are_modules, const std::string& map) {
  const auto check = [&](const std::string& part, const std::string& name) {
    const bool has_head = name.find("{head}") != std::string::npos;
    if (has_head == heads_are_modules) return;
    FailIn(map, "tensors: ", part, " names ", name, ", but with head_layout ",
           heads_are_modules ? "" : "other than ", "\"modules\" it has ",
           heads_are_modules ? "a" : "no", " {head}");
  };
  for (const auto& [part, names] : parts) {
    if (!MayHaveHeads(part)) continue;
    for (const std::string& name : names.weight) check(part, name);
  }
}

}  // namespace latimer
