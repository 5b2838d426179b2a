"""How often a forced term comes out, whole and once, and what it costs in BLEU.

Each line of the demo's test text gets one term, drawn from its reference: the pair of words with the highest Dice
coefficient in the training data. Lines are translated with and without their term.
"""

import argparse
import collections
import lzma
import re
import subprocess
import tempfile
from pathlib import Path

import sacrebleu

WORD = re.compile(r"[^\W\d_]{4,}")


def lines_of(path: Path) -> list[str]:
    opened = lzma.open(path, "rt") if path.suffix == ".xz" else open(path)
    return [line.rstrip("\n") for line in opened]


def draw_terms(data: Path, least_dice: float) -> list[tuple[str, str, tuple[str, str]]]:
    """Source, reference and term of each line that has one."""
    source, target = lines_of(data / "test.en"), lines_of(data / "test.de")
    of_source = {word for line in source for word in WORD.findall(line)}
    of_target = {word for line in target for word in WORD.findall(line)}
    source_count, target_count, both = (collections.Counter() for _ in range(3))
    for a, b in zip(lines_of(data / "train.en.xz"), lines_of(data / "train.de.xz")):
        words, others = set(WORD.findall(a)) & of_source, set(WORD.findall(b)) & of_target
        source_count.update(words)
        target_count.update(others)
        both.update((word, other) for word in words for other in others)
    rows = []
    for a, b in zip(source, target):
        pairs = [(2 * both[x, y] / (source_count[x] + target_count[y]), (x, y))
                 for x in set(WORD.findall(a)) for y in set(WORD.findall(b)) if both[x, y] >= 3]
        if pairs and max(pairs)[0] > least_dice:
            rows.append((a, b, max(pairs)[1]))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("latimer", help="the program")
    parser.add_argument("model", help="the demo, converted")
    parser.add_argument("--data", type=Path, default=Path("examples/en-de/data"))
    parser.add_argument("--beams", default="1")
    parser.add_argument("--most", type=int, default=10**9, help="lines to translate")
    arguments = parser.parse_args()
    rows = draw_terms(arguments.data, 0.1)[: arguments.most]

    def translate(text: str, *options: str) -> str:
        result = subprocess.run(
            [arguments.latimer, "translate", arguments.model, "--beams", arguments.beams, "--text", text, *options],
            check=True, capture_output=True, text=True)
        return result.stdout.rstrip("\n")

    plain, forced = [], []
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        for source, _, (word, term) in rows:
            file.seek(0)
            file.truncate()
            file.write(f"{word}\t{term}\n")
            file.flush()
            plain.append(translate(source))
            forced.append(translate(source, "--terms", file.name))
    references = [reference for _, reference, _ in rows]

    def report(name: str, outputs: list[str]) -> None:
        contains = whole = once = 0
        for output, (_, _, (_, term)) in zip(outputs, rows):
            found = len(re.findall(rf"\b{term}\b", output))
            contains += term in output
            whole += found >= 1
            once += found == 1
        bleu = sacrebleu.corpus_bleu(outputs, [references]).score
        n = len(rows)
        print(f"{name}: {n} lines, in {contains / n:.2%}, whole in {whole / n:.2%}, once in {once / n:.2%}; "
              f"BLEU {bleu:.2f}")

    report("without terms", plain)
    report("with terms", forced)
    missing = [i for i, row in enumerate(rows) if row[2][1] not in plain[i]]
    for title, outputs in (("without", plain), ("with", forced)):
        bleu = sacrebleu.corpus_bleu([outputs[i] for i in missing], [[references[i] for i in missing]]).score
        print(f"the {len(missing)} lines that lack it, {title} terms: BLEU {bleu:.2f}")
    for i in missing[:15]:
        print(f"  {rows[i][0]} | {rows[i][2]} | {plain[i]} | {forced[i]}")


if __name__ == "__main__":
    main()
