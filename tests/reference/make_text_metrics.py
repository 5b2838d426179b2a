"""Writes tests/data/text_metrics.jsonl: BLEU and chrF of texts, real and odd, from sacrebleu 2.6.0.

    python tests/reference/make_text_metrics.py --out tests/data/text_metrics.jsonl

A row has segments and their references, the words of the tokenizer 13a, both of the whole,
and those of each segment alone.
"""

import argparse
import json
import random
from pathlib import Path

import sacrebleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

ROOT = Path(__file__).resolve().parents[2]

ODD = [
    ("", ""), ("", "Haus"), ("Haus", ""), (" ", "\t"), (".", "."), ("a", "a"), ("ab", "ba"),
    ("...", ". . ."), ("1.5", "1,5"), ("1. 5", "1 .5"), (".5,", "5.,"), ("3,000.00", "3.000,00"),
    ("2-3", "2 - 3"), ("a-b", "a - b"), ("10-", "10 -"), ("a.b,c", "a . b , c"), ("..1..2..", "1 2"),
    ("&quot;x&quot;", '"x"'), ("&amp;lt;", "<"), ("&amp;amp;", "&"), ("&lt;b&gt;", "<b>"),
    ("<skipped>x", "x"), ("<skip<skipped>ped>", ""), ("&#39;", "'"), ("it's", "it 's"),
    ("[a]{b}(c)", "[ a ] { b } ( c )"), ("a/b\\c|d~e^f`g_h", "a / b"), ("x@y:z;w<v=u>t?s", "x @ y"),
    ("$1 %2 #3 *4 +5 !6", "$ 1"), ("\"q\"", "q"), ("naïve façade", "naive facade"),
    ("Straße", "Strasse"), ("日本語です。", "日本語です"), ("中文,中文.", "中文 , 中文 ."),
    ("한국어 문장", "한국어문장"), ("Привет, мир!", "Привет мир"), ("مرحبا بالعالم", "مرحبا"),
    ("שלום", "שלום."), ("😀 😃", "😃 😀"), ("👩‍👩‍👧", "👩 👩 👧"), ("e\u0301", "é"),
    ("a\u00a0b", "a b"), ("a\u2003b", "a b"), ("a\u200bb", "ab"), ("a\u0085b", "a b"),
    ("a\x1cb\x1fc", "a b c"), ("\ufeffa", "a"), ("a\u3000b", "a b"), ("a\u2028b", "a b"),
    ("٣.٤", "٣ . ٤"), ("１．５", "1.5"), ("²-³", "2-3"), ("5-٣", "5 -"), ("  a  ", "a"),
    ("a  b   c", "a b c"), ("the the the the", "the cat"), ("the cat", "the the the the"),
    ("a b c d", "a b c d"), ("a b c", "a b c"), ("a b", "a b"), ("abcdef", "abcdef"),
    ("abcdefg", "abcdeg"), ("x", "y"), ("\ufffd", "?"), ("a" * 300, "a" * 200),
    ("w " * 100, "w " * 90), ("&quot", "\""), ("-", "-"), ("--", "- -"), ("1--2", "1 - - 2"),
    (",,", ", ,"), ("1,,2", "1 , , 2"), ("a,1", "a , 1"), ("1,a", "1 , a"),
]
PIECES = list("ab1.,-–&;<>'\"/ ") + ["&quot;", "&amp;", "Haus", "das", "ist", "é", "日", " \u00a0", "10"]


def read(name: str) -> list[str]:
    return (ROOT / "examples/en-de/data" / name).read_text(encoding="utf-8").split("\n")[:-1]


def texts():
    """Names and lists of (segment, reference)."""
    for i, pair in enumerate(ODD):
        yield f"odd {i}", [pair]
    yield "all odd ones", ODD
    draw = random.Random(8)
    for i in range(40):
        yield f"random {i}", [
            tuple("".join(draw.choices(PIECES, k=draw.randrange(0, 25))) for _ in range(2))
            for _ in range(draw.randrange(1, 6))
        ]
    german = read("test.de")[:300]
    # What a worse translator might say: words left out, exchanged, of other sentences.
    for rate in (0.0, 0.05, 0.3, 0.9):
        worse = []
        for line in german:
            words = line.split(" ")
            for at in range(len(words)):
                if draw.random() < rate:
                    words[at] = draw.choice(["", words[-1], draw.choice(german).split(" ")[0]])
            worse.append(" ".join(words))
        yield f"test.de, {rate} of the words changed", list(zip(worse, german))
    yield "another sentence's", list(zip(german[1:], german))
    yield "English for German", list(zip(read("test.en")[:300], german))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    tokenize = Tokenizer13a()
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    with out.open("w", encoding="utf-8") as file:
        for name, pairs in texts():
            segments, references = [p[0] for p in pairs], [p[1] for p in pairs]
            row = {
                "name": name,
                "pairs": pairs,
                "bleu": bleu.corpus_score(segments, [references]).score,
                "chrf": chrf.corpus_score(segments, [references]).score,
            }
            if len(pairs) < 100:
                row["words"] = [tokenize(s.rstrip()).split() for s in segments]
                row["segment_bleu"] = [bleu.corpus_score([s], [[r]]).score for s, r in pairs]
                row["segment_chrf"] = [chrf.corpus_score([s], [[r]]).score for s, r in pairs]
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
