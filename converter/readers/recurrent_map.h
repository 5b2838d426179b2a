// The part of a map that is for models of GRUs: "architecture": "gru".
#ifndef LATIMER_CONVERTER_READERS_RECURRENT_MAP_H_
#define LATIMER_CONVERTER_READERS_RECURRENT_MAP_H_

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "converter/readers/json_fields.h"
#include "converter/readers/model_map.h"

namespace latimer {

// Whether the map's architecture is "gru"; "transformer" where it is absent.
// Throws ConversionError at any other.
bool IsRecurrent(const JsonFields& fields);

// The fields of such a map, and what its "tensors" may name.
std::span<const std::string_view> RecurrentFields();
std::span<const std::string_view> RecurrentParts();

// Where `part` is encoder.gru or decoder.gru, adds the names of all parameters
// of that nn.GRU: parts PART.input, PART.hidden, PART.backward_input and
// PART.backward_hidden. Returns whether it is.
bool AddGruNames(const JsonFields& tensors, const std::string& part,
                 std::map<std::string, PartNames>* names);

// Throws ConversionError where a flag is missing or not what it must be.
RecurrentFlags ReadRecurrentFlags(const JsonFields& fields);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_RECURRENT_MAP_H_
