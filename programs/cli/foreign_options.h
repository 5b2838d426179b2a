// What other programs, and older versions, call the options of this one.
#ifndef LATIMER_CLI_FOREIGN_OPTIONS_H_
#define LATIMER_CLI_FOREIGN_OPTIONS_H_

#include <string>
#include <string_view>

#include "cli/arguments.h"

namespace latimer::cli {

// What to give for an option of Marian, CTranslate2, fairseq, OpenNMT or
// transformers, such as "beam-size" or "num_beams": the end of a sentence; null
// if it is not known.
const char* InsteadOf(std::string_view option);

// One sentence if `option`, such as "--attention", is what this command called
// an option in an older version; otherwise "".
std::string NameNow(Command command, std::string_view option);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_FOREIGN_OPTIONS_H_
