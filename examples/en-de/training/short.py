"""Takes the short and simple part of the text, which is what a very small model can learn, and trains its tokenizer.

    python short.py WORK OUT [--words 14] [--known 3] [--vocabulary 4000]

Reads what prep.py wrote to WORK. Keeps pairs of at most --words words a side, whose English words Tatoeba has at least
--known times; numbers, and what both sides write alike, may be others. Writes to OUT the files that prep.py writes, and
numbers.tsv: the pairs with equal numbers on both sides, several times, with other digits, so that copying is learnt.
"""

import argparse
import random
import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from common import lines_of, read_pairs
from prep import key, train_tokenizer

PLAIN = {"‘’´`": "'", "“”„«»‚": '"', "–—−": "-", "…": "...", "\xa0\u2009\u202f\u3000": " ", "\xad\u200b\ufeff": ""}


def write_rules(path: Path) -> None:
    """Normalization for European text, as SentencePiece reads it: composed letters and plain marks.

    NFKC for all scripts takes 0.24 MB in a model file, this 3 KB.
    """
    rules = {old: new for olds, new in PLAIN.items() for old in olds}
    letters = map(chr, range(0xC0, 0x180))
    rules |= {parts: letter for letter in letters if len(parts := unicodedata.normalize("NFD", letter)) > 1}
    codes = [[" ".join(f"{ord(c):X}" for c in side) for side in rule] for rule in rules.items()]
    path.write_text("".join(f"{old}\t{new}\n" for old, new in codes), encoding="utf-8")


def renumbered(pairs: list[tuple[str, str]], times: int, dice: random.Random) -> Iterator[tuple[str, str]]:
    """Pairs whose numbers stand on both sides, with random digits in their place, the same on both sides."""
    for english, german in pairs:
        numbers = re.findall(r"\d+", english)
        if not numbers or sorted(numbers) != sorted(re.findall(r"\d+", german)):
            continue
        for _ in range(times):
            new = {old: "".join([dice.choice("123456789"), *(dice.choice("0123456789") for _ in old[1:])])
                   for old in numbers if len(old) > 1 and old[0] != "0"}  # fmt: skip
            yield tuple(re.sub(r"\d+", lambda old: new.get(old[0], old[0]), side) for side in (english, german))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--words", type=int, default=14)
    parser.add_argument("--known", type=int, default=3)
    parser.add_argument("--numbers", type=int, default=4, help="how often a pair with numbers gets others")
    parser.add_argument("--vocabulary", type=int, default=4000)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    found = {name: read_pairs(arguments.work / f"{name}.tsv") for name in ("tatoeba", "rules", "more")}
    counts = Counter(word for english, _ in found["tatoeba"] for word in key(english).split())

    def simple(english: str, german: str) -> bool:
        if max(len(side.split()) for side in (english, german)) > arguments.words:
            return False
        alike = set(re.findall(r"\w+", german)) & set(re.findall(r"[A-Z]\w+", english))
        alike = {word.lower() for word in alike}
        return all(counts[word] >= arguments.known or word.isdigit() or word in alike for word in key(english).split())

    for name, pairs in found.items():
        found[name] = [pair for pair in pairs if simple(*pair)]
    everything = [pair for pairs in found.values() for pair in pairs]
    found["numbers"] = list(renumbered(everything, arguments.numbers, random.Random(1)))
    for name, pairs in found.items():
        (arguments.out / f"{name}.tsv").write_text(lines_of(pairs), encoding="utf-8")
        print(f"{name:10}{len(pairs):9}")
    shutil.copy(arguments.work / "dev.tsv", arguments.out)
    write_rules(arguments.out / "normalization.tsv")
    train_tokenizer(arguments.out, 3 * found["tatoeba"] + found["rules"] + found["more"], arguments.vocabulary,
                    normalization_rule_tsv=str(arguments.out / "normalization.tsv"))  # fmt: skip


if __name__ == "__main__":
    main()
