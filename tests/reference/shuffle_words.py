"""Copies a Hugging Face Marian model with the rows of its embeddings in another order.

    python tests/reference/shuffle_words.py examples/en-de --out /tmp/shuffled

It reads and writes words at random, in sentences as long as those of the model: a translator that
is as bad as can be, for what must hold of any translation. EOS, unknown and padding stay.
"""

import argparse
import shutil
from pathlib import Path

import numpy
from safetensors.numpy import load_file, save_file

TABLE = "model.shared.weight"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for path in args.model.iterdir():
        if path.suffix in (".json", ".spm"):
            shutil.copy(path, args.out)
    weights = load_file(args.model / "model.safetensors")
    count = len(weights[TABLE])
    order = 2 + numpy.random.default_rng(1).permutation(count - 3)
    weights[TABLE][2:-1] = weights[TABLE][order]
    save_file(weights, args.out / "model.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    main()
