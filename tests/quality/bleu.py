"""What integers cost: BLEU and chrF of the demo model, f32, int8 and int4, on its 2,000 sentences.

    python tests/quality/bleu.py

Converts examples/en-de three times, translates data/test.en with each, prints a table, and exits
with 1 where int8 or int4 is further from f32 than the limits (either way).
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import sacrebleu

ROOT = Path(__file__).resolve().parents[2]
WEIGHTS = ("f32", "int8", "int4")


def convert(tools: Path, model: Path, weights: str, out: Path) -> None:
    command = [tools / "latimer-convert", model, "-o", out, "--weights", weights]
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)


def translate(tools: Path, model: Path, sentences: str) -> list[str]:
    """Translates lines; fails unless there is one output line for each."""
    result = subprocess.run(
        [str(tools / "latimer"), "translate", str(model)], input=sentences.encode(),
        stdout=subprocess.PIPE, check=True,
    )
    lines = result.stdout.decode().split("\n")[:-1]
    expected = sentences.count("\n")
    if len(lines) != expected:
        sys.exit(f"{model}: {len(lines)} translations of {expected} sentences")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latimer", type=Path, default=ROOT / "build/host/bin",
                        help="folder of latimer and latimer-convert")
    parser.add_argument("--model", type=Path, default=ROOT / "examples/en-de")
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--max-bleu", type=float, default=0.5)
    parser.add_argument("--max-chrf", type=float, default=0.3)
    arguments = parser.parse_args()

    def read(name: str) -> list[str]:
        text = (arguments.model / "data" / name).read_text(encoding="utf-8")
        return text.split("\n")[:-1][: arguments.lines]

    sources, references = read("test.en"), read("test.de")
    outputs, scores = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for weights in WEIGHTS:
            model = Path(folder) / f"{weights}.ltm"
            convert(arguments.latimer, arguments.model, weights, model)
            lines = translate(arguments.latimer, model, "".join(s + "\n" for s in sources))
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
