"""Writes a student in Marian's own files with random weights, for benchmarks.

    python tests/reference/make_student.py tiny --out /tmp/student

The folder has model.intgemm.alphas.bin, vocab.spm and lex.50.50.s2t.bin, as Firefox's students have
them. So that an engine without limits can be timed, the source decides where a translation ends: of
even ids at the engine's own limit, of odd ids after the first token. For that, a source token's list
in the shortlist has 50 ids, even or odd as it is itself, and the output's bias prefers even
ids to </s> and </s> to odd ones.
"""

import argparse
import random
from pathlib import Path

import numpy as np
import torch

import invented_tokenizer
import marian_files
from make_tiny_native import BASE, EOS, SSRU, Spec, initial, shapes

VOCABULARY = 32000
SHAPES = {  # Of Firefox's students.
    "tiny": {"dim-emb": 256, "transformer-dim-ffn": 1536},
    "base-memory": {"dim-emb": 512, "transformer-dim-ffn": 2048},
}
FIRST = BEST = 50
# Far more than random weights make of any logit.
EOS_BIAS, ODD_BIAS = -100.0, -200.0


def options_of(shape: str) -> dict:
    return BASE | SSRU | SHAPES[shape] | {
        "dim-vocabs": [VOCABULARY, VOCABULARY], "enc-depth": 6, "dec-depth": 2,
        "transformer-heads": 8, "transformer-ffn-activation": "relu"}


def output_bias() -> np.ndarray:
    """</s> is even, and the first ones are in every shortlist, so none of these may win."""
    bias = np.zeros((1, VOCABULARY), np.float32)
    bias[:, 1::2] = ODD_BIAS
    bias[:, : 2 * FIRST] = ODD_BIAS
    bias[:, EOS] = EOS_BIAS
    return bias


def random_list(rng: random.Random, odd: bool) -> list[int]:
    """Drawn log-uniformly: frequent pieces, which have small ids, are in many lists."""
    ids = set()
    while len(ids) < BEST:
        drawn = int(2 * FIRST * (VOCABULARY / (2 * FIRST)) ** rng.random())
        ids.add(drawn // 2 * 2 + odd)
    return sorted(ids)


def write_shortlist(path: Path, rng: random.Random) -> None:
    """</s>, which every source has, must not bring even ids."""
    lists = [random_list(rng, i % 2 == 1 or i == EOS) for i in range(VOCABULARY)]
    marian_files.write_shortlist(path, FIRST, BEST, lists)


def make_student(shape: str, out: Path, seed: int) -> None:
    torch.manual_seed(seed)
    options = options_of(shape)
    parameters = {name: initial(name, size).numpy()
                  for name, size in shapes(options, Spec("")).items()}
    parameters["decoder_ff_logit_out_b"] = output_bias()
    out.mkdir(parents=True, exist_ok=True)
    invented_tokenizer.write_pieces(out / "vocab.spm", VOCABULARY)
    write_shortlist(out / f"lex.{FIRST}.{BEST}.s2t.bin", random.Random(seed))
    marian_files.write_bin(out / "model.intgemm.alphas.bin", parameters, options,
                           marian_files.INTGEMM8_BROWSERMT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    make_student(arguments.shape, arguments.out, arguments.seed)


if __name__ == "__main__":
    main()
