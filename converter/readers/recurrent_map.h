// The part of a map that describes models of GRUs ("architecture": "gru").
#ifndef LATIMER_CONVERTER_READERS_RECURRENT_MAP_H_
#define LATIMER_CONVERTER_READERS_RECURRENT_MAP_H_

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "converter/readers/json_fields.h"
#include "converter/readers/model_map.h"

namespace latimer {

// Whether the map's architecture is "gru"; the default is "transformer". Throws
// ConversionError for any other.
bool IsRecurrent(const JsonFields& fields);

// The flags of such a map in addition to kCommonFlags, and the parts that its
// "tensors" can name.
std::span<const std::string_view> RecurrentFlagNames();
std::span<const std::string_view> RecurrentParts();

// If `part` is encoder.gru or decoder.gru, adds the names of all parameters of
// that nn.GRU as the parts PART.input, PART.hidden, PART.backward_input and
// PART.backward_hidden, and returns true.
bool AddGruNames(const JsonFields& tensors, const std::string& part,
                 std::map<std::string, PartNames>* names);

// Throws ConversionError if a flag is missing or has a wrong value.
RecurrentFlags ReadRecurrentFlags(const JsonFields& fields);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_RECURRENT_MAP_H_
