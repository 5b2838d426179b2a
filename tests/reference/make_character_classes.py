#!/usr/bin/env python3
"""Writes converter/character_classes_table.h: which characters are letters,
numbers and white space for the byte-level pre-tokenizer of Hugging Face's
tokenizers, and which are joined to their neighbours to one grapheme by its
Precompiled normalizer.

Asks the library itself about every code point, so that the table has its
version of Unicode:

    make_character_classes.py > converter/character_classes_table.h
"""
import struct

import tokenizers
from cxx_array import cxx_array
from tokenizers import normalizers, pre_tokenizers

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def charsmap(rules):
    """SentencePiece's precompiled_charsmap: a Darts-clone double array with a
    block of 256 units for each node, and the replacements."""
    root = {}
    texts = b""
    for key, value in rules.items():
        node = root
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[None] = len(texts)
        texts += value.encode() + b"\0"
    units = [0] * 256
    pending = [(root, 0, 0)]  # A node, its unit, the block of its children.
    units[0] = 256 << 10
    units += [0] * 256
    pending = [(root, 256)]
    while pending:
        node, base = pending.pop()
        for byte, child in node.items():
            if byte is None:
                units[base] = child | 1 << 31
                continue
            block = len(units)
            units += [0] * 256
            offset = (base ^ byte) ^ block
            units[base ^ byte] = offset << 10 | (None in child) << 8 | byte
            pending.append((child, block))
    trie = struct.pack(f"<{len(units)}I", *units)
    return struct.pack("<I", len(trie)) + trie + texts


def pre_tokenizer_classes():
    level = pre_tokenizers.ByteLevel(add_prefix_space=False)

    def joins(first, c):
        return len(level.pre_tokenize_str(first + chr(c))) == 1

    for c in CODE_POINTS:
        yield c, ("Letter" if joins("a", c) else "Number" if joins("1", c) else
                  None if joins("!", c) else "Space")


def grapheme_classes():
    # A grapheme of less than 6 bytes whose beginning has a rule is replaced as
    # a whole. So what becomes of a mark tells where a grapheme begins.
    rules = normalizers.Precompiled(charsmap({"a": "Z", "\u0300": "Z"}))
    assert rules.normalize_str("ba\u0301\u0300") == "bZ"

    def loses_mark(text):
        return not rules.normalize_str(text).endswith("\u0301")

    for c in CODE_POINTS:
        if chr(c) in "a\u0300\u0301":
            yield c, None if c == ord("a") else "Extend"
        elif rules.normalize_str("a" + chr(c)) == "Z":
            yield c, "Extend"
        elif loses_mark(chr(c) + "\u0300\u0301"):
            yield c, "Control"
        else:
            yield c, None if loses_mark(chr(c) + "a\u0301") else "Prepend"


# The values of CharacterClass in runtime/text/character_class.h.
CLASSES = [None, "Letter", "Number", "Space", "Control", "Extend", "Prepend"]


def table(name, comment, classes):
    """An entry, code point << 8 | class, wherever the class changes."""
    entries = []
    last = ""

    def add(code_point, kind):
        nonlocal last
        if kind != last:
            entries.append(f"{code_point << 8 | CLASSES.index(kind):#x}")
        last = kind

    for c, kind in classes:
        if c == 0xE000:
            add(0xD800, None)  # Surrogates have no class.
        add(c, kind)
    return f"// {comment}\n" + cxx_array(f"inline constexpr uint32_t {name}", entries)


def main():
    print(f"""// Classes of characters in Hugging Face's tokenizers {tokenizers.__version__}, as a model file
// stores them (ClassEntry in runtime/text/character_class.h). Written by
// tests/reference/make_character_classes.py; do not edit.
#ifndef LATIMER_CONVERTER_CHARACTER_CLASSES_TABLE_H_
#define LATIMER_CONVERTER_CHARACTER_CLASSES_TABLE_H_

#include <cstdint>

namespace latimer {{

{table("kPreTokenizerClasses", "What the byte-level pre-tokenizer distinguishes.",
       pre_tokenizer_classes())}
{table("kGraphemeClasses", "What the normalizer Precompiled distinguishes.",
       grapheme_classes())}
}}  // namespace latimer

#endif  // LATIMER_CONVERTER_CHARACTER_CLASSES_TABLE_H_""")


if __name__ == "__main__":
    main()
