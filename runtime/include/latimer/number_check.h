// Whether a translation has the numbers of its source. Compares two texts, and
// needs no model: for texts that were translated anywhere.
#ifndef LATIMER_NUMBER_CHECK_H_
#define LATIMER_NUMBER_CHECK_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "latimer/options.h"

namespace latimer {

// Numbers that one text has, and the other lacks.
struct NumberCheck {
  // Numbers of a text that are compared: its first ones.
  static constexpr size_t kMost = 128;

  // In ascending order; in the source, and in the translation.
  TextRange missing_ranges[kMost];
  TextRange surplus_ranges[kMost];
  size_t missing_count = 0;
  size_t surplus_count = 0;

  std::span<const TextRange> missing() const {
    return {missing_ranges, missing_count};
  }
  std::span<const TextRange> surplus() const {
    return {surplus_ranges, surplus_count};
  }
  bool ok() const { return missing_count == 0 && surplus_count == 0; }
};

// Compares the digits of numbers, each as often as it comes, in any order.
//
// Points, commas and apostrophes within a number do not count, nor do zeros
// before it, ".00" behind it, or ":00" of a time: 1,234.5 is 1.234,5 and 09:00
// is 9. Numbers that only together have the digits of one count as it: 10 000
// and 10,000. Minus signs count. Digits of other scripts are those of ASCII.
// These also are the same number: a Roman one up to XXXIX (15th, XV), an hour
// and that hour p.m. (8 p.m., 20:00), a year and its last two digits (1990s,
// 90er), and thousands and millions with words of English, German and Romance
// languages (330,000, 330 mil). A number up to 12 is not reported if nothing
// but such numbers is missing, or nothing but such numbers is surplus: it may
// be a word.
//
// Larger numbers in words (30, thirty), fractions such as U+00BD, and
// quantities in other units are reported.
void CheckNumbers(std::string_view source, std::string_view translation,
                  NumberCheck* out);

}  // namespace latimer

#endif  // LATIMER_NUMBER_CHECK_H_
