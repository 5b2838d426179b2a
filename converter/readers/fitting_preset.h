// Which map the names of a model's tensors fit, and behind which prefix.
#ifndef LATIMER_CONVERTER_READERS_FITTING_PRESET_H_
#define LATIMER_CONVERTER_READERS_FITTING_PRESET_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "converter/readers/map_parts.h"

namespace latimer {

// The prefixes with which names of `parts` are the names of a whole model:
// attention and feed-forward network of the encoder, cross-attention of the
// decoder; or the GRUs or LSTMs of both. Each is empty or ends with a dot, and
// none begins with another. Empty: it is a model of another kind.
std::vector<std::string> FittingPrefixes(
    const std::map<std::string, PartNames>& parts,
    const std::set<std::string>& names);

// "preset:NAME" of the first preset that these names fit behind any prefix, or
// "". `cells`: kGru or kLstm if the file is known to have such cells.
std::string FittingPreset(const std::set<std::string>& names,
                          NetworkKind cells);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_FITTING_PRESET_H_
