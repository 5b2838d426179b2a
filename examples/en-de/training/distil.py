"""Translates the training sources with a teacher: new targets, from which a student learns more than from the old.

    python distil.py WORK TEACHER [--beams 4] [--minutes 5]

TEACHER is a folder in Hugging Face's Marian format. Reads the sentences of WORK/tatoeba.tsv and
WORK/more.tsv, each once. Appends to WORK/distil.tsv, chunk by chunk; the same command goes on where the last stopped.
"""

import argparse
import random
import time
from pathlib import Path

from transformers import MarianMTModel

from common import Tokenizer, device_and_type, lines_of, read_pairs, translate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("--beams", type=int, default=4)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--chunk", type=int, default=20000, help="sentences between two looks at the clock")
    parser.add_argument("--rows", type=int, default=8192, help="hypotheses of 16 tokens at a time")
    arguments = parser.parse_args()
    end = time.time() + 60 * arguments.minutes
    pairs = [pair for name in ("tatoeba", "more") for pair in read_pairs(arguments.work / f"{name}.tsv")]
    sources = sorted({english for english, _ in pairs})
    random.Random(1).shuffle(sources)  # So that what is done when time is up is a sample of all.
    out = arguments.work / "distil.tsv"
    done = len(read_pairs(out)) if out.exists() else 0
    tokenizer = Tokenizer(arguments.teacher)
    model = MarianMTModel.from_pretrained(arguments.teacher)
    model = model.half() if device_and_type()[0] == "cuda" else model.float()
    while done < len(sources) and time.time() < end:
        part = sources[done : done + arguments.chunk]
        found = translate(model, tokenizer, part, arguments.beams, arguments.rows)
        with out.open("a", encoding="utf-8") as file:
            file.write(lines_of(zip(part, found)))
        done += len(part)
        print(f"{done} of {len(sources)} sentences", flush=True)


if __name__ == "__main__":
    main()
