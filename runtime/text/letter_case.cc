#include "text/letter_case.h"

namespace latimer {
namespace {

// Which letters of a range are upper case: none, all, or every other one.
enum class Pattern : uint8_t { kLower, kUpper, kEvenUpper, kOddUpper };

struct CaseRange {
  uint16_t first, last;
  Pattern pattern;
};

// Ascending.
constexpr CaseRange kRanges[] = {
    {0x0041, 0x005A, Pattern::kUpper},
    {0x0061, 0x007A, Pattern::kLower},
    {0x00C0, 0x00D6, Pattern::kUpper},
    {0x00D8, 0x00DE, Pattern::kUpper},
    {0x00DF, 0x00F6, Pattern::kLower},
    {0x00F8, 0x00FF, Pattern::kLower},
    {0x0100, 0x0137, Pattern::kEvenUpper},
    {0x0138, 0x0138, Pattern::kLower},
    {0x0139, 0x0148, Pattern::kOddUpper},
    {0x0149, 0x0149, Pattern::kLower},
    {0x014A, 0x0177, Pattern::kEvenUpper},
    {0x0178, 0x0178, Pattern::kUpper},
    {0x0179, 0x017E, Pattern::kOddUpper},
    {0x017F, 0x017F, Pattern::kLower},
    {0x01A0, 0x01A5, Pattern::kEvenUpper},
    {0x01AF, 0x01B0, Pattern::kOddUpper},
    {0x01CD, 0x01DC, Pattern::kOddUpper},
    {0x01DE, 0x01EF, Pattern::kEvenUpper},
    {0x01F8, 0x021F, Pattern::kEvenUpper},
    {0x0222, 0x0233, Pattern::kEvenUpper},
    {0x0386, 0x0386, Pattern::kUpper},
    {0x0388, 0x038F, Pattern::kUpper},
    {0x0390, 0x0390, Pattern::kLower},
    {0x0391, 0x03AB, Pattern::kUpper},
    {0x03AC, 0x03CE, Pattern::kLower},
    {0x0400, 0x042F, Pattern::kUpper},
    {0x0430, 0x045F, Pattern::kLower},
    {0x0460, 0x0481, Pattern::kEvenUpper},
    {0x048A, 0x04BF, Pattern::kEvenUpper},
    {0x04C0, 0x04C0, Pattern::kUpper},
    {0x04C1, 0x04CE, Pattern::kOddUpper},
    {0x04CF, 0x04CF, Pattern::kLower},
    {0x04D0, 0x052F, Pattern::kEvenUpper},
    {0x0531, 0x0556, Pattern::kUpper},
    {0x0561, 0x0587, Pattern::kLower},
    {0x1E00, 0x1E95, Pattern::kEvenUpper},
    {0x1E96, 0x1E9D, Pattern::kLower},
    {0x1E9E, 0x1E9E, Pattern::kUpper},
    {0x1EA0, 0x1EFF, Pattern::kEvenUpper},
};

}  // namespace

LetterCase CaseOf(uint32_t code_point) {
  for (const CaseRange& range : kRanges) {
    if (code_point < range.first) break;
    if (code_point > range.last) continue;
    const bool odd = (code_point & 1) != 0;
    const bool upper = range.pattern == Pattern::kUpper ||
                       (range.pattern == Pattern::kEvenUpper && !odd) ||
                       (range.pattern == Pattern::kOddUpper && odd);
    return upper ? LetterCase::kUpper : LetterCase::kLower;
  }
  return LetterCase::kNone;
}

}  // namespace latimer
