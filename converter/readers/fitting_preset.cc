#include "converter/readers/fitting_preset.h"

#include <algorithm>
#include <string_view>

#include "converter/error.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/map_json.h"
#include "converter/readers/name_pattern.h"

namespace latimer {
namespace {

using PartsByName = std::map<std::string, PartNames>;
using TensorNames = std::set<std::string>;

// What the first tensors of a part may be called.
std::vector<std::string> FirstNames(const PartsByName& parts,
                                    const std::string& part) {
  std::vector<std::string> names;
  const auto found = parts.find(part);
  if (found == parts.end()) return names;
  for (const std::string& pattern : found->second.weight) {
    names.push_back(FillIn(pattern, 0, 0));
  }
  return names;
}

bool HasAnyPart(const PartsByName& parts, const TensorNames& names,
                const std::string& prefix,
                std::initializer_list<std::string> of) {
  return std::ranges::any_of(of, [&](const std::string& part) {
    return std::ranges::any_of(
        FirstNames(parts, part),
        [&](const std::string& name) { return names.contains(prefix + name); });
  });
}

bool IsWhole(const PartsByName& parts, const TensorNames& names,
             const std::string& prefix) {
  const auto has = [&](std::initializer_list<std::string> of) {
    return HasAnyPart(parts, names, prefix, of);
  };
  for (const NetworkKind kind : {NetworkKind::kGru, NetworkKind::kLstm}) {
    const std::string input = Concat(".", CellName(kind), ".input");
    if (!parts.contains("encoder" + input)) continue;
    return has({"encoder" + input}) && has({"decoder" + input});
  }
  return has({"encoder.self_attention.query", "encoder.self_attention.qkv"}) &&
         has({"encoder.ffn.in"}) &&
         has({"decoder.cross_attention.query", "decoder.cross_attention.qkv"});
}

// Whether each tensor behind the prefix is of some part, and each part is
// there, but for what only a second direction has.
bool FitsExactly(const PartsByName& parts, const TensorNames& names,
                 const std::string& prefix) {
  for (const auto& [part, part_names] : parts) {
    if (part.find(".backward_") == std::string::npos &&
        !HasAnyPart(parts, names, prefix, {part})) {
      return false;
    }
  }
  const auto is_of = [&](const std::string& name,
                         const std::vector<std::string>& patterns) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return pattern == name || NumberIn(name, pattern, "{layer}").has_value();
    });
  };
  return std::ranges::all_of(names, [&](const std::string& name) {
    if (!name.starts_with(prefix)) return true;
    const std::string own = name.substr(prefix.size());
    return std::ranges::any_of(parts, [&](const auto& part) {
      return is_of(own, part.second.weight) || is_of(own, part.second.bias);
    });
  });
}

}  // namespace

std::vector<std::string> FittingPrefixes(const PartsByName& parts,
                                         const TensorNames& names) {
  TensorNames candidates;
  for (const char* part :
       {"encoder.self_attention.query", "encoder.self_attention.qkv",
        "encoder.gru.input", "encoder.lstm.input"}) {
    for (const std::string& own : FirstNames(parts, part)) {
      for (const std::string& name : names) {
        if (!name.ends_with(own)) continue;
        const std::string prefix = name.substr(0, name.size() - own.size());
        if (prefix.empty() || prefix.ends_with('.')) candidates.insert(prefix);
      }
    }
  }
  std::vector<std::string> fitting;
  for (const std::string& prefix : candidates) {
    if (!IsWhole(parts, names, prefix)) continue;
    // Sorted, so that what it may begin with came before.
    const bool longer = std::ranges::any_of(fitting, [&](const auto& shorter) {
      return prefix.starts_with(shorter);
    });
    if (!longer) fitting.push_back(prefix);
  }
  return fitting;
}

std::string FittingPreset(const TensorNames& names, NetworkKind cells) {
  for (const auto& [preset, text] : MapPresets()) {
    const std::string map = "preset:" + preset;
    const JsonFields fields = JsonFields::From(map, LoadMapJson(map, {}));
    const PartsByName parts = ReadParts(fields);
    const NetworkKind kind = NetworkKindOf(fields);
    const bool recurrent = kind != NetworkKind::kTransformer;
    if (recurrent && cells != NetworkKind::kTransformer && kind != cells) {
      continue;
    }
    for (const std::string& prefix : FittingPrefixes(parts, names)) {
      // GRUs or LSTMs alone may be any model, unless nothing is left over.
      if (!recurrent ||
          HasAnyPart(parts, names, prefix,
                     {"attention.joint", "attention.query", "combine"}) ||
          FitsExactly(parts, names, prefix)) {
        return map;
      }
    }
  }
  return "";
}

}  // namespace latimer
