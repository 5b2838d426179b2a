#include "converter/readers/map_json.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "converter/error.h"
#include "converter/readers/json_fields.h"
#include "json/bounded_json.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kPreset = "preset:";

constexpr const char* kVocabularies[] = {"source_vocabulary",
                                         "target_vocabulary"};

// "source_vocabulary": "FILE" means {"file": "FILE"}, and keeps the preset's
// other fields.
void WriteOutVocabularies(Json* json) {
  for (const char* name : kVocabularies) {
    const auto vocabulary = json->find(name);
    if (vocabulary == json->end() || !vocabulary->is_string()) continue;
    const std::string file = *vocabulary;
    *vocabulary = {{"file", file}};
  }
}

Json ParseMap(const std::string& text, const std::string& name) {
  BoundedJson read = ReadBoundedJson(text, {.comments = true});
  if (read.error == JsonError::kTooDeep) FailIn(name, "it is nested too deep");
  if (read.error == JsonError::kNotJson) {
    const size_t end = std::min(read.error_byte, text.size());
    const auto lines = std::count(text.begin(), text.begin() + end, '\n');
    FailIn(name, "line ", lines + 1, " is not JSON");
  }
  if (!read.value.is_object()) FailIn(name, "not a JSON object");
  return std::move(read.value);
}

Json PresetJson(const std::string& name) {
  const auto& presets = MapPresets();
  const auto found = presets.find(name.substr(kPreset.size()));
  if (found == presets.end()) {
    FailIn(name, "the presets are ", MapPresetNames());
  }
  return ParseMap(found->second, name);
}

// The fields of the file alone.
Json OwnJson(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    FailIn(path,
           "cannot read this map; the presets are preset:", "NAME with one of ",
           MapPresetNames());
  }
  Json json =
      ParseMap({std::istreambuf_iterator<char>(file), {}}, path.string());
  WriteOutVocabularies(&json);
  // Paths in the map are relative to its folder.
  for (const char* name : kVocabularies) {
    const auto vocabulary = json.find(name);
    if (vocabulary == json.end() || !vocabulary->is_object()) continue;
    for (const char* field : {"file", "ids"}) {
      const auto named = vocabulary->find(field);
      if (named != vocabulary->end() && named->is_string()) {
        *named = (path.parent_path() / named->get<std::string>()).string();
      }
    }
  }
  return json;
}

// Those, merged into the fields of its base.
Json FileJson(const fs::path& path) {
  Json json = OwnJson(path);
  const auto base = json.find("base");
  if (base == json.end()) return json;
  if (!base->is_string() || !base->get<std::string>().starts_with(kPreset)) {
    FailIn(path, "base is ", base->dump(), "; it must be \"preset:NAME\"");
  }
  Json merged = PresetJson(base->get<std::string>());
  merged.merge_patch(json);
  return merged;
}

// "a=1" is {"a": 1}, "a.b.c=x" {"a": {"b.c": "x"}}.
Json SettingJson(const std::string& setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    FailWith("--set ", setting, ": it must be FLAG=VALUE.");
  }
  const std::string value = setting.substr(equals + 1);
  Json json = ParseJsonText(value);
  if (json.is_discarded()) json = value;
  const std::string key = setting.substr(0, equals);
  const size_t dot = key.find('.');
  Json flag = Json::object();
  if (dot == std::string::npos) {
    flag[key] = json;
  } else {
    flag[key.substr(0, dot)][key.substr(dot + 1)] = json;
  }
  WriteOutVocabularies(&flag);
  return flag;
}

}  // namespace

std::string MapPresetNames() {
  return Joined(MapPresets(), [](const auto& map) { return map.first; });
}

nlohmann::json LoadMapJson(const std::string& from,
                           std::span<const std::string> settings) {
  Json json = from.starts_with(kPreset) ? PresetJson(from) : FileJson(from);
  for (const std::string& setting : settings) {
    json.merge_patch(SettingJson(setting));
  }
  return json;
}

std::string WhatSaysLowerCase(const std::string& from,
                              std::span<const std::string> settings) {
  const bool is_preset = from.starts_with(kPreset);
  Json own = is_preset ? Json{{"base", from}} : OwnJson(from);
  for (const std::string& setting : settings) {
    own.merge_patch(SettingJson(setting));
  }
  const bool inherited =
      own.contains("base") &&
      !own.contains(Json::json_pointer("/source_vocabulary/lower_case"));
  return inherited ? own["base"].get<std::string>() : from;
}

}  // namespace latimer
