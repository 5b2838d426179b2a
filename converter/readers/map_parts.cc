#include "converter/readers/map_parts.h"

#include <algorithm>

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
    "encoder.self_attention.qkv", "encoder.self_attention.head_out",
    "encoder.self_attention.out", "encoder.self_attention.norm",
    "encoder.ffn.in", "encoder.ffn.out", "encoder.ffn.norm", "encoder.norm",
    // Of the decoder.
    "decoder.embedding_norm", "decoder.self_attention.query",
    "decoder.self_attention.key", "decoder.self_attention.value",
    "decoder.self_attention.qkv", "decoder.self_attention.head_out",
    "decoder.self_attention.out", "decoder.self_attention.norm",
    "decoder.cross_attention.query", "decoder.cross_attention.key",
    "decoder.cross_attention.value", "decoder.cross_attention.qkv",
    "decoder.cross_attention.head_out", "decoder.cross_attention.out",
    "decoder.cross_attention.norm", "decoder.ffn.in", "decoder.ffn.out",
    "decoder.ffn.norm", "decoder.norm"};

// Of models of GRUs.
constexpr std::string_view kRecurrentParts[] = {
    "source_embedding", "target_embedding", "encoder.gru",     "decoder.gru",
    "initial_state",    "attention.joint",  "attention.query", "attention.keys",
    "attention.energy", "combine",          "output",
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

// If `part` is encoder.gru or decoder.gru, adds the names of all parameters of
// that nn.GRU as the parts PART.input, PART.hidden, PART.backward_input and
// PART.backward_hidden, and returns true.
bool AddGruNames(const JsonFields& tensors, const std::string& part,
                 std::map<std::string, PartNames>* names) {
  if (!part.ends_with(".gru")) return false;
  const nlohmann::json& value = *tensors.Find(part);
  if (!value.is_string()) {
    tensors.Fail(part, "it must be the name of an nn.GRU");
  }
  const std::pair<std::string, std::string> parameters[] = {
      {"input", "ih_l{layer}"},
      {"hidden", "hh_l{layer}"},
      {"backward_input", "ih_l{layer}_reverse"},
      {"backward_hidden", "hh_l{layer}_reverse"}};
  for (const std::string& module :
       ExpandChoices(value.get_ref<const std::string&>())) {
    for (const auto& [name, suffix] : parameters) {
      PartNames& part_names = (*names)[Concat(part, ".", name)];
      part_names.weight.push_back(Concat(module, ".weight_", suffix));
      part_names.bias.push_back(Concat(module, ".bias_", suffix));
    }
  }
  return true;
}

}  // namespace

bool IsRecurrent(const JsonFields& fields) {
  return fields.Choice<bool>("architecture",
                             {{"transformer", false}, {"gru", true}}, false);
}

std::map<std::string, PartNames> ReadParts(const JsonFields& map) {
  if (!map.Has("tensors")) {
    map.Fail("tensors", "it says how the model's tensors are called");
  }
  const JsonFields tensors = map.Object("tensors");
  const bool recurrent = IsRecurrent(map);
  tensors.RefuseOthers(
      recurrent ? std::span<const std::string_view>(kRecurrentParts) : kParts);
  std::map<std::string, PartNames> parts;
  for (const auto& [part, value] : tensors.json().items()) {
    if (value.is_null()) continue;
    if (recurrent && AddGruNames(tensors, part, &parts)) continue;
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
