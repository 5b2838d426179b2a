// The parts of a model, and the names that a map gives their tensors.
#ifndef LATIMER_CONVERTER_READERS_MAP_PARTS_H_
#define LATIMER_CONVERTER_READERS_MAP_PARTS_H_

#include <map>
#include <string>
#include <vector>

#include "converter/readers/json_fields.h"
#include "model/model_description.h"

namespace latimer {

// The names of one part's tensors. The first name of a list that the file has
// counts. {layer} and {head} stand for numbers from 0.
struct PartNames {
  std::vector<std::string> weight;  // of a norm: gamma; of positions: the table
  std::vector<std::string> bias;    // of a norm: beta
};

// The map's "architecture": "transformer", the default, "gru" or "lstm". Throws
// ConversionError for any other.
NetworkKind NetworkKindOf(const JsonFields& fields);

// What the names of parts call the cells of a recurrent network: "gru", "lstm".
std::string CellName(NetworkKind kind);

// Reads "tensors" of a map. Throws ConversionError if a part is unknown or its
// name has the wrong form.
std::map<std::string, PartNames> ReadParts(const JsonFields& map);

// Throws ConversionError unless the names of queries, keys, values and head_out
// have a {head} exactly if heads are modules. `map` is for messages.
void CheckHeadNames(const std::map<std::string, PartNames>& parts,
                    bool heads_are_modules, const std::string& map);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAP_PARTS_H_
