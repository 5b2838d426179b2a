// The parts of a model, and what a map calls their tensors.
#ifndef LATIMER_CONVERTER_READERS_MAP_PARTS_H_
#define LATIMER_CONVERTER_READERS_MAP_PARTS_H_

#include <map>
#include <string>
#include <vector>

#include "converter/readers/json_fields.h"

namespace latimer {

// The tensors of one part; of each list the first that the file has is meant.
// {layer} and {head} stand for numbers from 0.
struct PartNames {
  std::vector<std::string> weight;  // of a norm: gamma; of positions: the table
  std::vector<std::string> bias;    // of a norm: beta
};

// Reads "tensors" of a map. Throws ConversionError where a part is unknown or
// its name is not such as that part has.
std::map<std::string, PartNames> ReadParts(const JsonFields& map);

// Throws ConversionError unless {head} is in the names that may have it if, and
// only if, heads are modules. `map` is for messages.
void CheckHeadNames(const std::map<std::string, PartNames>& parts,
                    bool heads_are_modules, const std::string& map);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAP_PARTS_H_
