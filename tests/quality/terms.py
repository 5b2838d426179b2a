"""Forced terms: whether they come out, whole and once, and what they cost the line.

Each line gets one term, drawn from its reference: the pair of words with the highest Dice coefficient in the training
data of the model, if its folder has some, else in the lines themselves.
"""

from __future__ import annotations

import lzma
import re
import tempfile
from collections import Counter
from pathlib import Path

import marks
from models import DEMO, Model
from program import Latimer

COLUMNS = ["model", "lines", "way", "in", "whole", "once", "chrF", "BLEU"]
WORD = re.compile(r"[^\W\d_]{4,}")
LEAST_DICE = 0.1


def parallel(model: Model) -> list[tuple[str, str]]:
    """Lines that say which words translate each other."""
    files = [DEMO / "data" / f"train.{language}.xz" for language in (model.source, model.target)]
    if model.name != "demo" or not all(file.exists() for file in files):
        return list(zip(model.lines, model.references))
    return list(zip(*(lzma.open(file, "rt", encoding="utf-8").read().splitlines() for file in files)))


def draw(latimer: Latimer, model: Model, most: int) -> list[tuple[str, str, tuple[str, str]]]:
    """Source, reference and term of each line that has one."""
    lines = list(zip(model.lines, model.references))[:most]
    of_source = {word for line, _ in lines for word in WORD.findall(line)}
    of_target = {word for _, line in lines for word in WORD.findall(line)}
    source_count, target_count, both = Counter(), Counter(), Counter()
    for a, b in parallel(model):
        words, others = set(WORD.findall(a)) & of_source, set(WORD.findall(b)) & of_target
        source_count.update(words)
        target_count.update(others)
        both.update((word, other) for word in words for other in others)
    rows = []
    for a, b in lines:
        pairs = [(2 * both[x, y] / (source_count[x] + target_count[y]), (x, y))
                 for x in set(WORD.findall(a)) for y in set(WORD.findall(b)) if both[x, y] >= 3]
        if pairs and max(pairs)[0] > LEAST_DICE:
            rows.append((a, b, max(pairs)[1]))
    unwritable = latimer.unreadable(model.file, [term for _, _, (_, term) in rows])  # Such a term is refused.
    return [row for row, cannot in zip(rows, unwritable) if not cannot]


def measure(latimer: Latimer, model: Model, most: int) -> list[list]:
    """A row without and one with terms, for all lines and for those that lack theirs without."""
    rows = draw(latimer, model, most)
    plain = latimer.texts(model.file, [source for source, _, _ in rows])
    forced = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "terms.tsv"
        for source, _, (word, term) in rows:
            file.write_text(f"{word}\t{term}\n", encoding="utf-8")
            forced += latimer.texts(model.file, [source], "--terms", file)
    missing = [i for i, (_, _, (_, term)) in enumerate(rows) if term not in plain[i]]

    def row(title: str, way: str, outputs: list[str], which: list[int]) -> list:
        texts, terms = [outputs[i] for i in which], [rows[i][2][1] for i in which]
        found = [len(re.findall(rf"\b{term}\b", text)) for text, term in zip(texts, terms)]
        references = [rows[i][1] for i in which]
        return [model.title, f"{len(which)} {title}", way, sum(term in text for text, term in zip(texts, terms)),
                sum(n >= 1 for n in found), sum(n == 1 for n in found), marks.chrf(texts, references),
                marks.bleu(texts, references)]

    return [row(title, way, outputs, which) for title, which in (("with a term", [*range(len(rows))]),
                                                                 ("that lack it", missing))
            for way, outputs in (("without", plain), ("forced", forced))]
