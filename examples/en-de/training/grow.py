"""Makes a larger model that begins where a smaller one ended: another vocabulary, wider and more layers.

    python grow.py WORK OLD OUT [--shape student]

OLD is a folder in Hugging Face's Marian format; WORK holds the new tokenizer and text of prep.py, OUT is what
train.py --init reads. A new piece is the mean of the old pieces that spell it, weighed by how often each language has
it. New units and layers have outputs of zero, so that they change nothing at first, but for a norm applied again.
A narrower model begins with the embeddings alone, of which it keeps the principal components.
"""

import argparse
import random
from collections import Counter
from pathlib import Path

import torch
from safetensors.torch import load_file

from common import SHAPES, Tokenizer, export, make_model, read_pairs


def spelled(piece: str, known: dict[str, int]) -> list[int]:
    """Ids of the known pieces that spell a piece, the longest at each place."""
    found, at = [], 0
    while at < len(piece):
        longest = next((n for n in range(min(16, len(piece) - at), 0, -1) if piece[at : at + n] in known), 0)
        if longest:
            found.append(known[piece[at : at + longest]])
        at += longest or 1
    return found


def embeddings(new: Tokenizer, old: Tokenizer, table: torch.Tensor, pairs: list) -> torch.Tensor:
    counts = [Counter(), Counter()]
    for side, lines in enumerate(zip(*random.Random(1).sample(pairs, min(len(pairs), 200000)))):
        for ids in new.encode(list(lines), side):
            counts[side].update(ids)
    known = [{spm.id_to_piece(i): old.ids[side][i] for i in range(3, spm.get_piece_size())}
             for side, spm in enumerate(old.spm)]  # fmt: skip
    found = torch.zeros(len(new.pieces), table.shape[1])
    norm = table[2:-1].norm(dim=1).mean()
    for at, piece in enumerate(new.pieces):
        if piece in ("</s>", "<unk>", "<pad>"):
            found[at] = table[old.vocab[piece]]
            continue
        for side in (0, 1):
            ids = spelled(piece, known[side])
            if ids:
                mean = table[ids].mean(0)
                mean *= table[ids].norm(dim=1).mean() / mean.norm().clamp(min=1e-6)
                found[at] += mean * (counts[side][at] + 0.5) / (counts[0][at] + counts[1][at] + 1)
        if not found[at].any():
            found[at] = torch.randn(table.shape[1]) * norm / table.shape[1] ** 0.5
    return found


def narrowed(table: torch.Tensor, width: int) -> torch.Tensor:
    """The principal components of a table, scaled as make_model does."""
    centered = table - table.mean(0)
    found = centered @ torch.linalg.svd(centered, full_matrices=False).Vh[:width].T
    return found / found.norm(dim=1).mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("old", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--shape", choices=SHAPES, default="student")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    new, old = Tokenizer(arguments.work), Tokenizer(arguments.old)
    weights = {name: value.float() for name, value in load_file(arguments.old / "model.safetensors").items()}
    table = next(weights[name] for name in weights if name.endswith(("shared.weight", "lm_head.weight")))
    pairs = [pair for name in ("tatoeba", "more") for pair in read_pairs(arguments.work / f"{name}.tsv")]
    model = make_model(arguments.shape, new, 0.0)
    parameters = dict(model.named_parameters())
    narrower = SHAPES[arguments.shape][0] < table.shape[1]
    with torch.no_grad():
        for name, value in parameters.items():
            if "shared" in name:
                grown = embeddings(new, old, table, pairs)
                value.copy_(narrowed(grown, value.shape[1]) if narrower else grown)
                continue
            if narrower or "embed_positions" in name:
                continue
            part, _, rest = name.partition(".layers.")
            index, _, rest = rest.partition(".")
            layers = SHAPES[arguments.shape][3 if part.endswith("encoder") else 4]
            had = 1 + max(int(n.split(".layers.")[1].split(".")[0]) for n in weights if n.startswith(f"{part}.layers."))
            # Of 6 layers in place of 4, the third and the fifth are new, like those below them.
            origin = [0, 1, 1, 2, 2, 3] if (had, layers) == (4, 6) else list(range(had)) + [had - 1] * (layers - had)
            origin_of = origin[int(index)]
            added = int(index) > 0 and origin[int(index) - 1] == origin_of
            source = weights[f"{part}.layers.{origin_of}.{rest}"]
            if "layer_norm" in rest and added:
                source = weights[f"{part}.layers.{origin_of}.final_layer_norm.{rest.rsplit('.', 1)[1]}"]
            if rest in ("fc2.weight", "fc1.bias"):
                value.zero_()
            value[tuple(slice(n) for n in source.shape)] = source
            if added and rest.startswith(("self_attn.out_proj", "encoder_attn.out_proj", "fc2")):
                value.zero_()
    export(model, parameters, new, arguments.out)
    print(f"{sum(p.numel() for n, p in parameters.items() if 'embed_positions' not in n)} parameters")


if __name__ == "__main__":
    main()
