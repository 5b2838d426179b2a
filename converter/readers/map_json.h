// The JSON of a map, from a file or a preset, with what --set adds.
#ifndef LATIMER_CONVERTER_READERS_MAP_JSON_H_
#define LATIMER_CONVERTER_READERS_MAP_JSON_H_

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace latimer {

// The text of the presets of converter/maps, by name.
const std::map<std::string, std::string>& MapPresets();

// "enc_dec_attn, encoder_layers, ..."
std::string MapPresetNames();

// `from` is a path or "preset:NAME". A file's fields come on top of those of
// the preset that it names as its "base", those of `settings`, KEY=VALUE, on
// top of all. Throws ConversionError where one of these is not to be had or is
// no JSON object.
nlohmann::json LoadMapJson(const std::string& from,
                           std::span<const std::string> settings);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAP_JSON_H_
