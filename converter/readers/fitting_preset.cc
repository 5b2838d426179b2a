#include "converter/readers/fitting_preset.h"

#include <algorithm>
#include <string_view>

#include "converter/readers/json_fields.h"
#include "converter/readers/map_json.h"
#include "converter/readers/name_pattern.h"

namespace latimer {
namespace {

using PartsByName = std::map<std::string, PartNames>;
using TensorNames = std::set<std::string>;

// What the first tensors of a part may be called.
std::vector<std::string> FirstNames(const PartsByName& parts,
                                    const char* part) {
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
                std::initializer_list<const char*> of) {
  return std::ranges::any_of(of, [&](const char* part) {
    return std::ranges::any_of(
        FirstNames(parts, part),
        [&](const std::string& name) { return names.contains(prefix + name); });
  });
}

bool IsWhole(const PartsByName& parts, const TensorNames& names,
             const std::string& prefix) {
  const auto has = [&](std::initializer_list<const char*> of) {
    return HasAnyPart(parts, names, prefix, of);
  };
  if (parts.contains("encoder.gru.input")) {
    return has({"encoder.gru.input"}) && has({"decoder.gru.input"});
  }
  return has({"encoder.self_attention.query", "encoder.self_attention.qkv"}) &&
         has({"encoder.ffn.in"}) &&
         has({"decoder.cross_attention.query", "decoder.cross_attention.qkv"});
}

}  // namespace

std::vector<std::string> FittingPrefixes(const PartsByName& parts,
                                         const TensorNames& names) {
  TensorNames candidates;
  for (const char* part : {"encoder.self_attention.query",
                           "encoder.self_attention.qkv", "encoder.gru.input"}) {
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

std::string FittingPreset(const TensorNames& names) {
  for (const auto& [preset, text] : MapPresets()) {
    const std::string map = "preset:" + preset;
    const JsonFields fields = JsonFields::From(map, LoadMapJson(map, {}));
    const PartsByName parts = ReadParts(fields);
    for (const std::string& prefix : FittingPrefixes(parts, names)) {
      // GRUs alone may be any model.
      if (!IsRecurrent(fields) ||
          HasAnyPart(parts, names, prefix,
                     {"attention.joint", "attention.query", "combine"})) {
        return map;
      }
    }
  }
  return "";
}

}  // namespace latimer
