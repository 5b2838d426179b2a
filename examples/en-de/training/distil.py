"""Translates the training sources with a teacher: new targets, from which a student learns more than from the old.

    python distil.py WORK TEACHER [--data tatoeba more] [--beams 4] [--minutes 5] [--program latimer] [--share 0 6]

TEACHER is a folder in Hugging Face's Marian format or, with --program, a model file for the program `latimer`, which is
much faster on a CPU. Reads the sentences of WORK/NAME.tsv of each NAME of --data, each once. Appends to WORK/distil.tsv,
chunk by chunk; the same command goes on where the last stopped. With --share I N it does every N-th sentence from the
I-th, counted from 0, and appends to WORK/distil-I.tsv: one process alone leaves a GPU idle most of the time.
"""

import argparse
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from transformers import MarianMTModel

from common import Tokenizer, device_and_type, lines_of, read_pairs, translate


def teacher(arguments: argparse.Namespace) -> Callable[[list[str]], list[str]]:
    """A function that translates sentences."""
    if arguments.program:
        command = [arguments.program, "translate", arguments.teacher, "--beams", str(arguments.beams), "--quiet"]
        command += ["--lanes", str(arguments.lanes), "--workers", "1"]
        return lambda lines: subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True,
                                            check=True).stdout.removesuffix("\n").split("\n")  # fmt: skip
    tokenizer = Tokenizer(arguments.teacher)
    model = MarianMTModel.from_pretrained(arguments.teacher)
    model = model.half() if device_and_type()[0] == "cuda" else model.float()
    return lambda lines: translate(model, tokenizer, lines, arguments.beams, arguments.rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("--data", nargs="+", default=["tatoeba", "more"])
    parser.add_argument("--words", type=int, default=1, help="of a sentence, at least")
    parser.add_argument("--beams", type=int, default=4)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--chunk", type=int, default=20000, help="sentences between two looks at the clock")
    parser.add_argument("--share", type=int, nargs=2, metavar=("I", "N"), help="one of N processes, counted from 0")
    parser.add_argument("--rows", type=int, default=8192, help="hypotheses of 16 tokens at a time")
    parser.add_argument("--program", help="latimer, which translates with beams, one worker and --lanes")
    parser.add_argument("--lanes", type=int, default=8)
    arguments = parser.parse_args()
    end = time.time() + 60 * arguments.minutes
    pairs = [pair for name in arguments.data for pair in read_pairs(arguments.work / f"{name}.tsv")]
    sources = sorted({english for english, _ in pairs if len(english.split()) >= arguments.words})
    random.Random(1).shuffle(sources)  # So that what is done when time is up is a sample of all.
    out = arguments.work / "distil.tsv"
    if arguments.share:
        first, step = arguments.share
        sources, out = sources[first::step], arguments.work / f"distil-{first}.tsv"
    done = len(read_pairs(out)) if out.exists() else 0
    translated = teacher(arguments)
    while done < len(sources) and time.time() < end:
        part = sources[done : done + arguments.chunk]
        found = translated(part)
        with out.open("a", encoding="utf-8") as file:
            file.write(lines_of(zip(part, found, strict=True)))
        done += len(part)
        print(f"{done} of {len(sources)} sentences", flush=True)


if __name__ == "__main__":
    main()
