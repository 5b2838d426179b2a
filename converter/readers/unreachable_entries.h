// Entries of a source vocabulary that no text becomes: the sign of a tokenizer
// that is not the model's.
#ifndef LATIMER_CONVERTER_READERS_UNREACHABLE_ENTRIES_H_
#define LATIMER_CONVERTER_READERS_UNREACHABLE_ENTRIES_H_

#include <string>
#include <vector>

#include "converter/tokenizer_builder.h"

namespace latimer {

// One sentence for each reason why entries cannot be reached, with their number
// and up to five of them. Special tokens are no such entries. `says_lower_case`
// is where side.lower_case comes from, for the message. Precondition: the side
// has a vocabulary and no SentencePiece model.
std::vector<std::string> WarnOfUnreachableEntries(
    const TokenizerSide& side, const std::string& says_lower_case);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_UNREACHABLE_ENTRIES_H_
