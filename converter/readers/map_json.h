// The JSON of a map, from a file or a preset, with the settings of --set.
#ifndef LATIMER_CONVERTER_READERS_MAP_JSON_H_
#define LATIMER_CONVERTER_READERS_MAP_JSON_H_

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace latimer {

// The presets of converter/maps, by name.
const std::map<std::string, std::string>& MapPresets();

// "enc_dec_attn, encoder_layers, ..."
std::string MapPresetNames();

// `from` is a path or "preset:NAME". A file's fields override those of the
// preset that it names as its "base", and `settings` (KEY=VALUE) override all
// others. Throws ConversionError if one of these cannot be read or is not a
// JSON object.
nlohmann::json LoadMapJson(const std::string& from,
                           std::span<const std::string> settings);

// The preset that says that source texts are read in lower case, if the map
// builds on one and neither it nor the settings say anything else; otherwise
// `from`.
std::string WhatSaysLowerCase(const std::string& from,
                              std::span<const std::string> settings);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAP_JSON_H_
