// Upper and lower case of the scripts that have them.
#ifndef LATIMER_TEXT_LETTER_CASE_H_
#define LATIMER_TEXT_LETTER_CASE_H_

#include <cstdint>

namespace latimer {

enum class LetterCase : uint8_t { kNone, kLower, kUpper };

// The case of a Latin, Greek, Cyrillic or Armenian letter; kNone for any other
// character, and for Latin letters of phonetic and African alphabets from
// U+0180.
LetterCase CaseOf(uint32_t code_point);

}  // namespace latimer

#endif  // LATIMER_TEXT_LETTER_CASE_H_
