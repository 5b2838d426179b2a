#!/usr/bin/env python3
"""Writes converter/fold_table.h: what a reader takes for a character that a
model cannot read. From Python's unicodedata, and the short table below.

    make_fold_table.py
"""
import pathlib
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What Unicode does not decompose, or not to what is commonly written for it.
LOOK_ALIKES = {
    "-": "‐‑‒–—―⸺⸻−﹣－•‣⁃◦▪●",
    '"': "“”„‟«»″‶「」『』〝〞〟《》",
    "'": "‘’‚‛‹›′‵ʹʻʼʽʾʿˈ´",
    "~": "∼〜",
    "/": "⁄∕÷",
    "*": "∗",
    "x": "×",
    ":": "∶",
    ",": "،、",
    ";": "؛",
    "?": "؟",
    ".": "。۔।",
    "%": "٪",
    " ": "\u0085\u1680\u2028\u2029",
    "a": "ªəɑ", "A": "Ə", "o": "ºɔ", "O": "Ɔ", "e": "ɛ", "E": "Ɛ", "i": "ı", "j": "ȷ", "f": "ƒ",
    "ss": "ß", "SS": "ẞ", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
    "d": "ð", "D": "Ð", "th": "þ", "Th": "Þ", "n": "ŋ", "N": "Ŋ", "k": "ĸ",
    "и": "і", "И": "І", "е": "є", "Е": "Є",
    # Persian and Arabic letters of the same shape.
    "ي": "ی", "ک": "ك", "ك": "ک", "ی": "ي",
}
# Marks that are not written apart from their letter, and characters without a
# shape: soft hyphen, joiners, directions, variation selectors.
INVISIBLE = [(0xAD, 0xAD), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064), (0x2066, 0x2069), (0xFE00, 0xFE0F),
             (0xFEFF, 0xFEFF)]
MARKS = [(0x0300, 0x036F), (0x0591, 0x05C7), (0x064B, 0x065F), (0x0670, 0x0670), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
         (0xFE20, 0xFE2F)]
# Raised and lowered characters, fractions and those in a circle or square say
# more than what they decompose to: 10⁵ is not 105. Ideographs and syllables of
# Hangul are what they are.
LEFT_OUT = ("<super>", "<sub>", "<fraction>", "<circle>", "<square>")
WHOLE = [(0x2460, 0x24FF), (0x2E80, 0x2FDF), (0x3200, 0x33FF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0x1F100, 0x1F1FF),
         (0x2F800, 0x2FA1F)]

HEAD = """\
// What a reader takes for a character that a model cannot read; written by
// tests/reference/make_fold_table.py from Unicode {version}.
#ifndef LATIMER_CONVERTER_FOLD_TABLE_H_
#define LATIMER_CONVERTER_FOLD_TABLE_H_

namespace latimer {{

// The characters `from` may be read as `to`, in UTF-8: the decomposition
// (NFKD) without marks, a letter without its stroke or hook, or a look-alike.
struct Fold {{
  const char* to;
  const char32_t* from;
}};

// clang-format off
inline constexpr Fold kFolds[] = {{"""
TAIL = """\
};
// clang-format on

}  // namespace latimer

#endif  // LATIMER_CONVERTER_FOLD_TABLE_H_
"""


def is_in(ranges, c):
    return any(first <= c <= last for first, last in ranges)


def without_marks(text):
    return "".join(c for c in text if unicodedata.combining(c) == 0)


def base_letter(c):
    """The letter of LATIN SMALL LETTER D WITH STROKE and the like, or ""."""
    name = unicodedata.name(c, "")
    base, found, _ = name.partition(" WITH ")
    if not found or not name.startswith(("LATIN ", "CYRILLIC ")) or not c.isalpha():
        return ""
    try:
        return unicodedata.lookup(base)
    except KeyError:
        return ""


def fold_of(c):
    """What `c` may be read as; None: nothing."""
    code = ord(c)
    if is_in(INVISIBLE, code):
        return ""
    if unicodedata.combining(c):
        return "" if is_in(MARKS, code) else None
    decimal = unicodedata.decimal(c, None)
    if decimal is not None:
        return str(decimal)
    parts = unicodedata.decomposition(c)
    if is_in(WHOLE, code) or parts.startswith(LEFT_OUT):
        return None
    text = without_marks(unicodedata.normalize("NFKD", c))
    if text == c:
        return base_letter(c) or None
    # A stroke through a symbol says "not".
    if unicodedata.category(c) == "Sm" and not parts.startswith("<"):
        return None
    # Of a mark that stands by itself, a space is left.
    return None if text.startswith(" ") and unicodedata.category(c) != "Zs" else text


def escaped(text):
    return "".join(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in text)


def main():
    by_hand = {c: to for to, characters in LOOK_ALIKES.items() for c in characters}
    folds = {}
    for code in range(0x80, 0x110000):
        if 0xD800 <= code < 0xE000:
            continue
        c = chr(code)
        to = by_hand.get(c, fold_of(c))
        if to is not None and to != c:
            folds.setdefault(to, []).append(c)
    out = HEAD.format(version=unicodedata.unidata_version)
    for to in sorted(folds):
        text = to.encode().decode("latin-1")
        key = "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\{ord(c):03o}" for c in text)
        rows, row = [], ""
        for c in folds[to]:
            if len(row) > 96:
                rows.append(row)
                row = ""
            row += escaped(c)
        rows.append(row)
        entry = f'{{"{key}", U"' + '"\n U"'.join(rows) + '"},'
        fits = len(out) - out.rfind("\n") + len(entry) <= 120 and "\n" not in entry
        out += (" " if fits else "\n") + entry
    out += "\n"
    (ROOT / "converter" / "fold_table.h").write_text(out + TAIL)


if __name__ == "__main__":
    main()
