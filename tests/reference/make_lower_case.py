#!/usr/bin/env python3
"""Writes converter/lower_case_table.h from Python's str.lower() of each code
point alone (Python 3.11: Unicode 14.0).

    make_lower_case.py
"""
import pathlib
import unicodedata

from cxx_array import cxx_array

ROOT = pathlib.Path(__file__).resolve().parents[2]

HEAD = """\
// Lower case of single characters; written by
// tests/reference/make_lower_case.py from Unicode {version}.
#ifndef LATIMER_CONVERTER_LOWER_CASE_TABLE_H_
#define LATIMER_CONVERTER_LOWER_CASE_TABLE_H_

#include <cstdint>

namespace latimer {{

// Every `step`-th code point from `first` to `last` has its lower case at a
// distance of `offset`. U+0130 is not among them: its lower case is
// U+0069 U+0307.
struct LowerCaseRange {{
  uint32_t first;
  uint32_t last;
  uint32_t step;
  int32_t offset;
}};

"""
TAIL = """\

}  // namespace latimer

#endif  // LATIMER_CONVERTER_LOWER_CASE_TABLE_H_
"""


def main():
    pairs = []
    for c in range(0x110000):
        lower = chr(c).lower() if not 0xd800 <= c < 0xe000 else chr(c)
        if len(lower) > 1:
            assert c == 0x130 and lower == "i\u0307"
        elif lower != chr(c):
            pairs.append((c, ord(lower) - c))
    ranges = []
    i = 0
    while i < len(pairs):
        count, best = 1, 1
        for step in (1, 2):
            j = i
            while (j + 1 < len(pairs) and pairs[j + 1][1] == pairs[i][1]
                   and pairs[j + 1][0] == pairs[j][0] + step):
                j += 1
            if j - i + 1 > count:
                count, best = j - i + 1, step
        first, last = pairs[i][0], pairs[i + count - 1][0]
        ranges.append(f"{{0x{first:04X},0x{last:04X},{best},{pairs[i][1]}}}")
        i += count
    text = HEAD.format(version=unicodedata.unidata_version)
    (ROOT / "converter" / "lower_case_table.h").write_text(
        text + cxx_array("inline constexpr LowerCaseRange kLowerCaseRanges", ranges) + TAIL)


if __name__ == "__main__":
    main()
