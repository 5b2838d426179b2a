"""What integers cost: BLEU and chrF of the demo model, f32, int8 and int4, on its 2,000 sentences.

    python tests/quality/bleu.py

Converts examples/en-de three times, translates data/test.en with each, prints a table, and exits
with 1 where int8 or int4 is further from f32 than the limits (either way).
"""

import argparse
import sys
import tempfile
from pathlib import Path

import sacrebleu

from models import DEMO, read_lines
from program import Latimer

WEIGHTS = ("f32", "int8", "int4")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latimer", type=Path, default=DEMO.parents[1] / "build/host/bin/latimer",
                        help="the program; latimer-convert lies beside it")
    parser.add_argument("--model", type=Path, default=DEMO)
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--max-bleu", type=float, default=0.5)
    parser.add_argument("--max-chrf", type=float, default=0.3)
    arguments = parser.parse_args()

    latimer = Latimer(arguments.latimer)
    sources, references = (read_lines(arguments.model / "data" / name)[: arguments.lines]
                           for name in ("test.en", "test.de"))
    outputs, scores = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for weights in WEIGHTS:
            model = latimer.convert(arguments.model, Path(folder) / f"{weights}.ltm", "--weights", weights)
            lines = latimer.texts(model, sources)
            outputs[weights] = lines
            scores[weights] = (
                sacrebleu.corpus_bleu(lines, [references]).score,
                sacrebleu.corpus_chrf(lines, [references]).score,
            )

    print(f"{len(sources)} sentences, sacrebleu {sacrebleu.__version__}\n")
    print("| weights | BLEU | chrF | same text as f32 |")
    print("| --- | --- | --- | --- |")
    far = []
    for weights in WEIGHTS:
        bleu, chrf = scores[weights]
        same = sum(a == b for a, b in zip(outputs["f32"], outputs[weights]))
        print(f"| {weights} | {bleu:.2f} | {chrf:.2f} | {same} |")
        if (abs(bleu - scores["f32"][0]) > arguments.max_bleu
                or abs(chrf - scores["f32"][1]) > arguments.max_chrf):
            far.append(weights)
    if far:
        sys.exit(f"{', '.join(far)}: beyond the limits of BLEU {arguments.max_bleu}, "
                 f"chrF {arguments.max_chrf} beside f32")


if __name__ == "__main__":
    main()
