#!/usr/bin/env python3
"""Writes converter/script_table.h from Unicode's Scripts.txt and
PropertyValueAliases.txt, as Debian's package unicode-data has them.

    make_script_table.py
"""
import pathlib
import re

from cxx_array import cxx_array

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNICODE = pathlib.Path("/usr/share/unicode")

HEAD = """\
// Which script each character is of; written by
// tests/reference/make_script_table.py from Unicode {version}.
#ifndef LATIMER_CONVERTER_SCRIPT_TABLE_H_
#define LATIMER_CONVERTER_SCRIPT_TABLE_H_

#include <cstdint>

namespace latimer {{

// ISO 15924 codes, in alphabetical order.
"""
MIDDLE = """\

// The code points from `first` to `last` are of kScriptCodes[script], or not
// assigned. What is in no range is Common, Inherited or not assigned.
struct ScriptRange {
  uint32_t first;
  uint32_t last;
  uint8_t script;
};

"""
TAIL = """\

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SCRIPT_TABLE_H_
"""


def main():
    codes = {}
    for line in (UNICODE / "PropertyValueAliases.txt").read_text().splitlines():
        if line.startswith("sc ;"):
            fields = [field.strip() for field in line.split(";")]
            codes[fields[2]] = fields[1]
    text = (UNICODE / "Scripts.txt").read_text()
    version = re.search(r"Scripts-([0-9.]+)\.txt", text).group(1)
    script_of = {}
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        points, name = [field.strip() for field in line.split(";")]
        first, _, last = points.partition("..")
        for point in range(int(first, 16), int(last or first, 16) + 1):
            script_of[point] = codes[name]
    none = ("Zyyy", "Zinh")
    used = sorted(set(script_of.values()) - set(none))
    assert len(used) < 256
    ranges = []  # Across what is not assigned.
    before = None
    for point in sorted(script_of):
        code = script_of[point]
        if code not in none:
            if code == before:
                ranges[-1][1] = point
            else:
                ranges.append([point, point, code])
        before = code
    with open(ROOT / "converter" / "script_table.h", "w", encoding="ascii") as file:
        file.write(HEAD.format(version=version))
        file.write(cxx_array("inline constexpr const char* kScriptCodes",
                             (f'"{code}"' for code in used)))
        file.write(MIDDLE)
        file.write(cxx_array("inline constexpr ScriptRange kScriptRanges",
                             (f"{{0x{first:04X},0x{last:04X},{used.index(code)}}}"
                              for first, last, code in ranges)))
        file.write(TAIL)


if __name__ == "__main__":
    main()
