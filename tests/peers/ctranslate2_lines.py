"""On how many lines latimer.ctranslate2 gives the hypothesis of CTranslate2.

    PYTHONPATH=build/host/python python tests/peers/ctranslate2_lines.py FOLDER TOKENS

FOLDER is a CTranslate2 model and TOKENS a file of its source tokens, separated by spaces, a text a line. Needs
ctranslate2. Prints for each search how many best hypotheses are equal, and the largest difference of their scores.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import ctranslate2

import latimer.ctranslate2

SEARCHES = [
    {"beam_size": 1},
    {"beam_size": 2},
    {"beam_size": 4, "num_hypotheses": 4, "length_penalty": 0.2},  # Of Argos Translate.
    {"beam_size": 5, "length_penalty": 0},
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("tokens", type=Path)
    parser.add_argument("--compute-type", default="float32")
    arguments = parser.parse_args()
    lines = [line.split() for line in arguments.tokens.read_text("utf-8").splitlines()]
    translators = [
        module.Translator(arguments.folder, compute_type=arguments.compute_type, intra_threads=1)
        for module in (ctranslate2, latimer.ctranslate2)
    ]
    for search in SEARCHES:
        theirs, ours = (
            list(translator.translate_iterable(iter(lines), return_scores=True, **search)) for translator in translators
        )
        equal = [(a.scores[0], b.scores[0]) for a, b in zip(theirs, ours) if a.hypotheses[0] == b.hypotheses[0]]
        lists = sum(a.hypotheses == b.hypotheses for a, b in zip(theirs, ours))
        apart = max((abs(a - b) for a, b in equal), default=0.0)
        print(f"{search}: {len(equal)} of {len(lines)} best, {lists} lists; scores within {apart:.1g}", flush=True)


if __name__ == "__main__":
    main()
