// What other programs call the options of this one.
#ifndef LATIMER_CLI_FOREIGN_OPTIONS_H_
#define LATIMER_CLI_FOREIGN_OPTIONS_H_

#include <string_view>

namespace latimer::cli {

// What to give for an option of Marian, CTranslate2, fairseq, OpenNMT or
// transformers, such as "beam-size" or "num_beams": the end of a sentence; null
// if it is not known.
const char* InsteadOf(std::string_view option);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_FOREIGN_OPTIONS_H_
