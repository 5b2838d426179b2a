// Words that the model reads in place of what it must not translate, such as
// "X1": models copy such names.
#ifndef LATIMER_TEXT_STAND_INS_H_
#define LATIMER_TEXT_STAND_INS_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "latimer/options.h"

namespace latimer {

// The ranges of a text, in ascending order, and what stands in for them: the
// letter and the number of the range, counted from 1. The normalizer reads it.
// Borrows the ranges and the text.
struct StandIns {
  static constexpr size_t kMost = 64;
  static constexpr size_t kMostBytes = 3;

  std::string_view text = {};
  std::span<const TextRange> ranges = {};
  char letter = 'X';

  // Writes the one of a range and returns it.
  std::string_view Write(size_t range, std::span<char, kMostBytes> out) const {
    const size_t number = range + 1;
    size_t bytes = 0;
    out[bytes++] = letter;
    if (number >= 10) out[bytes++] = static_cast<char>('0' + number / 10);
    out[bytes++] = static_cast<char>('0' + number % 10);
    return {out.data(), bytes};
  }
};

}  // namespace latimer

#endif  // LATIMER_TEXT_STAND_INS_H_
