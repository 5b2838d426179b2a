#!/usr/bin/env python3
"""Writes runtime/text/grapheme_table.h: which characters are joined to their
neighbours to one grapheme cluster (Unicode Standard Annex 29). Reads the files
of the Unicode Character Database, of which Debian's package unicode-data has
those of its version:

    make_grapheme_table.py [/usr/share/unicode] > runtime/text/grapheme_table.h
"""
import pathlib
import re
import sys

from cxx_array import cxx_array

# The scripts whose consonants a virama joins (rule GB9c).
CONJUNCT_SCRIPTS = {"Bengali", "Devanagari", "Gujarati", "Malayalam", "Oriya", "Telugu"}
# The values of GraphemeClass in runtime/text/grapheme.h.
CLASSES = ["Other", "Control", "Extend", "Joiner", "SpacingMark", "Prepend",
           "Regional", "Pictograph", "Linker", "Consonant"]


def read(path):
    """Gives (code point, value) for each line "first..last ; value"."""
    for line in path.read_text().splitlines():
        match = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\w+)", line)
        if match:
            first, last, value = match.groups()
            for c in range(int(first, 16), int(last or first, 16) + 1):
                yield c, value


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode")
    names = {"CR": "Control", "LF": "Control", "Control": "Control", "Extend": "Extend",
             "ZWJ": "Joiner", "SpacingMark": "SpacingMark", "Prepend": "Prepend",
             "Regional_Indicator": "Regional"}
    kinds = {c: "Pictograph" for c, value in read(root / "emoji/emoji-data.txt")
             if value == "Extended_Pictographic"}
    properties = root / "auxiliary/GraphemeBreakProperty.txt"
    for c, value in read(properties):
        if value in names:
            kinds[c] = names[value]
    scripts = dict(read(root / "Scripts.txt"))
    for c, value in read(root / "IndicSyllabicCategory.txt"):
        if scripts.get(c) in CONJUNCT_SCRIPTS and value in ("Virama", "Consonant"):
            kinds[c] = "Linker" if value == "Virama" else "Consonant"
    version = re.search(r"GraphemeBreakProperty-([0-9.]+)\.txt", properties.read_text()).group(1)
    entries = []
    last = "Other"
    for c in range(0x110000):
        kind = kinds.get(c, "Other")
        if kind != last:
            entries.append(f"{c << 8 | CLASSES.index(kind):#x}")
        last = kind
    print(f"""// Which characters are joined to one grapheme cluster, by Unicode {version}: an
// entry, code point << 8 | GraphemeClass, wherever the class changes. Written
// by tests/reference/make_grapheme_table.py; do not edit.
#ifndef LATIMER_TEXT_GRAPHEME_TABLE_H_
#define LATIMER_TEXT_GRAPHEME_TABLE_H_

#include <cstdint>

namespace latimer {{

{cxx_array("inline constexpr uint32_t kGraphemeBreaks", entries)}
}}  // namespace latimer

#endif  // LATIMER_TEXT_GRAPHEME_TABLE_H_""")


if __name__ == "__main__":
    main()
