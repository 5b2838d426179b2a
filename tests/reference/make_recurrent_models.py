"""Makes the small models of GRUs and LSTMs of tests/data/recurrent and their outputs, with PyTorch.

    python tests/reference/make_recurrent_models.py --out tests/data/recurrent [NAME ...]

Each is a model of recurrent_models.py, trained a little on a toy task over ids (a fixed permutation
of 30 symbols, order kept). The folder has the checkpoint and fixture.json with the map to convert it by
and the module's own greedy search, in float32. Weights depend on the torch build, so a rerun gives
other models, as good as these.
"""

import argparse
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import torch
from torch import nn

import keras_models
import recurrent_models as models

SYMBOLS = 30
MIN_MARGIN = 0.03
MAX_NEW_TOKENS = 16
ROWS = 12
TOY_ROWS = 8
ATTENTION_ROW = 5
CHECKPOINT = "model.pt"

DEFINITION = (
    "src_ids = what the module's encoder reads, with what its code puts around the text, in the text's order. output_ids "
    "= argmax, step by step, unbatched, float32, without the start id, with the end id where it was "
    "produced, at most max_new_tokens. first_step_logits and all_step_logits = the module's logits of "
    "the first and of each step. min_margin = smallest gap between the best and the second best logit "
    "on the path. attention = the weights after softmax of row `row`, [step][source position]."
)


@dataclass
class Spec:
    about: str
    build: Callable[[], nn.Module]
    map: str | dict
    """A preset, or the JSON of a map of its own."""
    source_vocab: int
    target_vocab: int
    sos: int = 1
    eos: int = 2
    source_sos: bool = False
    pad: int = 0
    length: int = 0
    """To which the code pads every source, without packing it; 0: it does not."""
    reversed: bool = False
    """The encoder reads the text from its end, between what stands around it."""
    settings: list[str] = field(default_factory=list)
    steps: int = 1500

    @property
    def first_symbol(self) -> int:
        return max(self.sos, self.eos) + 1


LIMITS = ["max_source_tokens=40", "max_target_tokens=32"]

KERAS_MAP = {
    "base": "preset:gru_bahdanau",
    "tensors": {
        "source_embedding": "embedding.0",
        "target_embedding": "embedding.1",
        "encoder.gru": "bidirectional.0",
        "decoder.gru": "gru.0",
        "initial_state": "bridge",
        "attention.joint": None,
        "attention.query": "query",
        "attention.keys": "time_distributed.0",
        "attention.energy": "additive_attention.0",
        "output": "dense.0",
    },
    "query": "after",
    "attention_reads": None,
    "decoder_reads": ["embedding"],
    "output_reads": ["hidden", "context"],
    "source_ids": {"pad": 0, "sos": 1, "eos": 2},
    "target_ids": {"pad": 0, "sos": 1, "eos": 2},
    "source_prefix": [],
    "max_source_tokens": 40,
    "max_target_tokens": 32,
}

MIXED_MAP = {
    "architecture": "gru",
    "tensors": {
        "source_embedding": "src_emb",
        "target_embedding": "tgt_emb",
        "encoder.gru": "enc",
        "decoder.gru": "dec",
        "attention.keys": "key",
        "combine": "mix",
        "output": "head",
    },
    "optional_bias": ["*"],
    "attention_function": "general",
    "query": "before",
    "directions": "concatenate",
    "initial_state": "forward",
    "decoder_reads": ["context", "embedding"],
    "output_reads": ["embedding", "context", "hidden"],
    "combine_activation": "tanh",
    "source_ids": {"pad": 0, "sos": 1, "eos": 2},
    "target_ids": {"pad": 0, "sos": 1, "eos": 2},
    "source_prefix": [],
    "source_suffix": ["eos"],
    "decoder_start": "sos",
    "max_source_tokens": 40,
    "max_target_tokens": 32,
}

OWN_NAMES = {
    "source_embedding": "src",
    "target_embedding": "tgt",
    "output": "out",
}
NOT_OWN = ("tensors", "attention_function", "combine_activation")
OWN_MAP = {key: value for key, value in MIXED_MAP.items() if key not in NOT_OWN}

LSTM_LAYERS_MAP = {
    **OWN_MAP,
    "architecture": "lstm",
    "tensors": {
        **OWN_NAMES,
        "encoder.lstm": "enc",
        "decoder.lstm": "dec",
        "initial_state": "bridge_h",
        "initial_cell": "bridge_c",
        "attention.query": "query",
        "combine": "mix",
    },
    "attention_function": "general",
    "query": "after",
    "initial_state": "projected_layers",
    "decoder_reads": ["embedding"],
    "output_reads": ["hidden", "context"],
    "combine_activation": "tanh",
    "reverse_source": True,
}

LSTM_TOP_MAP = {
    **OWN_MAP,
    "architecture": "lstm",
    "tensors": {
        **OWN_NAMES,
        "encoder.lstm": "enc",
        "decoder.lstm": "dec",
        "initial_state": "bridge_h",
        "initial_cell": "bridge_c",
        "attention.joint": "attn",
        "attention.energy": "v",
    },
    "attention_function": "additive",
    "initial_state": "projected",
    "attention_reads": ["hidden", "encoder_outputs"],
    "decoder_reads": ["embedding", "context"],
    "output_reads": ["hidden", "context"],
}

GRU_MEAN_MAP = {
    **OWN_MAP,
    "tensors": {
        **OWN_NAMES,
        "encoder.gru": "enc",
        "decoder.gru": "dec",
        "encoder.projection": "memory",
        "initial_state": "bridge",
        "attention.query": "query",
        "combine": "mix",
    },
    "attention_function": "general",
    "query": "after",
    "initial_state": "mean",
    "decoder_reads": ["embedding"],
    "output_reads": ["hidden", "context"],
    "combine_activation": "tanh",
}

GRU_PLAIN_MAP = {
    **OWN_MAP,
    "tensors": {
        **OWN_NAMES,
        "encoder.gru": "enc",
        "decoder.gru": "dec",
        "encoder.projection": "memory",
        "attention.energy": {"weight": "scale"},
    },
    "attention_function": "additive",
    "query": "after",
    "initial_state": "zeros",
    "decoder_reads": ["embedding"],
    "output_reads": ["context", "hidden"],
}

EXTRAS_MAP = {
    **OWN_MAP,
    "tensors": {
        "target_embedding": "tgt",
        "encoder.gru": "enc",
        "decoder.gru": "dec",
        "encoder.projection": "memory",
        "initial_state": "bridge",
        "attention.query": "query",
        "attention.keys": "key",
        "attention.energy": "energy",
        "decoder.input": "pre",
        "combine": "mix",
        "output": "out",
    },
    "attention_function": "additive",
    "initial_state": "projected",
    "decoder_reads": ["context", "embedding"],
    "output_reads": ["hidden", "context"],
    "query_layers": "sum",
    "projection_activation": "tanh",
    "energy_activation": "relu",
    "input_activation": "relu",
    "combine_activation": "leaky_relu",
    "leaky_relu_slope": 0.2,
}

SPECS = {
    "bahdanau": Spec(
        "additive attention before the step; vocabularies, embeddings and states of different sizes",
        lambda: models.Bahdanau(37, 35, 11, 13, 14, 18), "preset:gru_bahdanau", 37, 35,
        sos=2, eos=3, source_sos=True, settings=LIMITS,
    ),
    "luong_dot": Spec(
        "dot attention after the step; 2 + 2 layers; the tutorial's whole checkpoint",
        lambda: models.Luong("dot", 36, 20, 2, 2), "preset:gru_luong", 36, 36, settings=LIMITS,
    ),
    "luong_general": Spec(
        "general attention; 1 + 2 layers, which start from both directions",
        lambda: models.Luong("general", 36, 19, 1, 2), "preset:gru_luong", 36, 36,
        settings=[*LIMITS, "attention_function=general"],
    ),
    "luong_concat": Spec(
        "additive attention after the step; 2 + 1 layers",
        lambda: models.Luong("concat", 36, 20, 2, 1), "preset:gru_luong", 36, 36,
        settings=[*LIMITS, "attention_function=additive"],
    ),
    "seq2seq": Spec(
        "one direction; Wa, Ua and Va; the output reads the state alone",
        lambda: models.Seq2Seq(34, 36, 24), "preset:gru_seq2seq", 34, 36, sos=0, eos=1,
        settings=LIMITS,
    ),
    "mixed": Spec(
        "a map of its own: concatenated directions, no biases, general attention before the step",
        lambda: models.Mixed(33, 36, 10, 15, 12), MIXED_MAP, 33, 36,
    ),
    "lstm_seq2seq": Spec(
        "LSTMs of two layers, no attention, the source reversed",
        lambda: models.LstmSeq2Seq(37, 35, 11, 13, 24, 2), "preset:lstm_seq2seq", 37, 35,
        sos=2, eos=3, source_sos=True, reversed=True, settings=LIMITS,
    ),
    "gru_context": Spec(
        "no attention; each step and the output read the encoder's last state",
        lambda: models.GruContext(37, 35, 11, 13, 24), "preset:gru_context", 37, 35,
        sos=2, eos=3, source_sos=True, settings=LIMITS,
    ),
    "lstm_energy": Spec(
        "attention by ReLU of one number; projections without tanh",
        lambda: models.LstmEnergy(37, 35, 11, 13, 18), "preset:lstm_energy", 37, 35,
        sos=2, eos=3, source_sos=True, settings=LIMITS,
    ),
    "lstm_layers": Spec(
        "two layers from projections of their own; a query's layer; the source reversed under attention",
        lambda: models.LstmLayers(33, 36, 10, 12), LSTM_LAYERS_MAP, 33, 36, reversed=True,
    ),
    "lstm_top": Spec(
        "two decoder layers from one projection; additive attention before the step",
        lambda: models.LstmTop(33, 36, 10, 9, 14), LSTM_TOP_MAP, 33, 36,
    ),
    "gru_mean": Spec(
        "two decoder layers from the outputs' mean; a memory layer; a query's layer with a bias",
        lambda: models.GruMean(33, 36, 10, 12, 15), GRU_MEAN_MAP, 33, 36,
    ),
    "gru_plain": Spec(
        "additive attention without layers of its own over a memory layer; zeros first",
        lambda: models.GruPlain(33, 36, 10, 9, 16), GRU_PLAIN_MAP, 33, 36,
    ),
    "extras": Spec(
        "a one-hot source, a query of all layers, and activations that no tutorial has",
        lambda: models.Extras(33, 36, 10, 14, 11), EXTRAS_MAP, 33, 36,
    ),
    "padded": Spec(
        "every source is padded to 14 ids, which the encoder reads and the decoder attends to",
        lambda: models.Bahdanau(37, 35, 11, 13, 14, 18), "preset:gru_bahdanau", 37, 35,
        sos=2, eos=3, source_sos=True, pad=1, length=14, settings=["source_length=14", LIMITS[1]],
    ),
    "keras": Spec(
        "of Keras: a bidirectional GRU and AdditiveAttention after the step",
        lambda: keras_models.Recurrent(37, 35, 11, 13, 18), KERAS_MAP, 37, 35,
    ),
}


def around(spec: Spec, ids: list[int]) -> list[int]:
    ids = ([spec.sos] if spec.source_sos else []) + ids + [spec.eos]
    return ids + [spec.pad] * (spec.length - len(ids))


def read(spec: Spec, src: list[int]) -> list[int]:
    begin, end = int(spec.source_sos), len(src) - 1
    return src[:begin] + src[begin:end][::-1] + src[end:] if spec.reversed else src


def train(spec: Spec, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = spec.build()
    symbols = list(range(spec.first_symbol, spec.first_symbol + SYMBOLS))
    permuted = symbols[:]
    random.Random(7).shuffle(permuted)
    mapping = dict(zip(symbols, permuted))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.004)
    for step in range(spec.steps):
        length = rng.randint(2, 8)
        batch = [[rng.choice(symbols) for _ in range(length)] for _ in range(64)]
        src = torch.tensor([read(spec, around(spec, row)) for row in batch]).t()
        tgt = torch.tensor([[mapping[s] for s in row] + [spec.eos] for row in batch]).t()
        state = model.encode(src)
        token = torch.full((64,), spec.sos)
        loss = torch.zeros(())
        for want in tgt:
            logits, _, state = model.step(token, state)
            loss = loss + nn.functional.cross_entropy(logits, want)
            token = want
        loss = loss / len(tgt)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 250 == 0:
            print(f"  step {step} loss {loss.item():.3f}", flush=True)
    return model.eval()


@torch.no_grad()
def greedy(spec: Spec, model: nn.Module, src: list[int]) -> dict:
    state = model.encode(torch.tensor(read(spec, src))[:, None])
    token = spec.sos
    ids, logits, weights, margin = [], [], [], float("inf")
    while len(ids) < MAX_NEW_TOKENS and token != spec.eos or not ids:
        step_logits, step_weights, state = model.step(torch.tensor([token]), state)
        best = step_logits[0].topk(2).values
        margin = min(margin, (best[0] - best[1]).item())
        token = int(step_logits[0].argmax())
        ids.append(token)
        logits.append(step_logits[0].tolist())
        if step_weights is not None:
            weights.append(read(spec, step_weights[0].tolist()))
    return dict(ids=ids, logits=logits, weights=weights, margin=margin)


def rounded(values):
    if isinstance(values, list):
        return [rounded(v) for v in values]
    return float(f"{values:.7g}")


def fixture(spec: Spec, model: nn.Module) -> dict:
    rng = random.Random(1)
    vocab = min(spec.source_vocab, spec.target_vocab)
    rows, seen = [], set()
    attention = None
    while len(rows) < ROWS:
        first, last = spec.first_symbol, spec.first_symbol + SYMBOLS
        if len(rows) >= TOY_ROWS:
            first, last = 0, vocab
        ids = [rng.randrange(first, last) for _ in range(rng.randint(1, 10))]
        src = around(spec, [i for i in ids if i not in (spec.sos, spec.eos)])
        result = greedy(spec, model, src)
        if result["margin"] < MIN_MARGIN or tuple(result["ids"]) in seen:
            continue
        seen.add(tuple(result["ids"]))
        index = len(rows)
        row = {
            "src_ids": src,
            "output_ids": result["ids"],
            "ended_with_eos": result["ids"][-1] == spec.eos,
            "min_margin": rounded(result["margin"]),
        }
        if index % 3 == 0:
            row["first_step_logits"] = rounded(result["logits"][0])
        if index in (4, 11):
            row["all_step_logits"] = rounded(result["logits"][:10])
        if index == ATTENTION_ROW and result["weights"]:
            attention = {"row": index, "weights": rounded(result["weights"])}
        rows.append(row)
    distinct = {i for row in rows for i in row["output_ids"]}
    print(f"  {len(distinct)} distinct ids, first {rows[0]['src_ids']} -> {rows[0]['output_ids']}")
    assert len(distinct) >= 15, "the model says too little"
    return {
        "definition": DEFINITION,
        "about": spec.about,
        "torch": torch.__version__,
        "checkpoint": CHECKPOINT,
        "map": spec.map if isinstance(spec.map, str) else "map.json",
        "set": spec.settings,
        "max_new_tokens": MAX_NEW_TOKENS,
        "sequences": rows,
        "attention": attention,
    }


def write_json(path: Path, value: dict) -> None:
    """Indented, but each list of numbers on one line."""
    text = json.dumps(value, indent=1)
    out, depth, line = [], 0, ""
    for part in text.splitlines():
        stripped = part.strip()
        if depth == 0 and not stripped.endswith("["):
            out.append(part)
            continue
        if depth == 0:
            line = part
        else:
            line += stripped + (" " if stripped.endswith(",") else "")
        depth += stripped.count("[") - stripped.count("]")
        if depth and "{" in stripped:
            out.append(line.rstrip())
            line, depth = "", 0
        elif depth == 0:
            out.append(line.rstrip())
    path.write_text("\n".join(out) + "\n")
    assert json.loads(path.read_text()) == value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name in arguments.names or SPECS:
        print(name, flush=True)
        spec = SPECS[name]
        folder = arguments.out / name
        folder.mkdir(parents=True, exist_ok=True)
        model = train(spec, seed=1)
        if isinstance(model, keras_models.KerasModel):
            model.save(folder)
            write_json(folder / "fixture.json", fixture(spec, model) | {"checkpoint": "model.npz"})
        else:
            torch.save(model.checkpoint(), folder / CHECKPOINT)
            model = spec.build()
            load(model, torch.load(folder / CHECKPOINT))
            write_json(folder / "fixture.json", fixture(spec, model.eval()))
        if isinstance(spec.map, dict):
            write_json(folder / "map.json", spec.map)


def load(model: nn.Module, checkpoint: dict) -> None:
    """From the file, so that the fixture has the file's outputs."""
    if "en" in checkpoint:
        model.encoder.load_state_dict(checkpoint["en"])
        model.decoder.load_state_dict(checkpoint["de"])
    else:
        model.load_state_dict(checkpoint.get("model_state_dict", checkpoint))


if __name__ == "__main__":
    main()
