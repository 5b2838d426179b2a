"""Writes the weights of a Keras model as .npz for `latimer-convert --map`: docs/keras.md.

    python export.py model.keras weights.npz [code.py]      # code.py has the model's own classes
"""

import re
import runpy
import sys
from collections import Counter

import numpy as np

NORM, CELL = {"gamma": "weight", "beta": "bias"}, {"kernel": "weight_ih_l0", "recurrent_kernel": "weight_hh_l0"}
NAMES = {"Dense": {"kernel": "weight"}, "EinsumDense": {"kernel": "weight"}, "Embedding": {"embeddings": "weight"},
         "LayerNormalization": NORM, "AdditiveAttention": {"scale": "weight"}, "GRUCell": CELL, "LSTMCell": CELL}


def kinds(thing):
    return [kind.__name__ for kind in type(thing).__mro__]


def named(owner, things):
    """Variables or layers of `owner` with their names in the code; names that Keras invents are counted from 0."""
    left, counts = {id(thing): thing for thing in things}, Counter()
    for name, value in (vars(owner) | getattr(owner, "_modules", {})).items():  # The latter with torch as backend.
        for i, thing in enumerate(value if isinstance(value, (list, tuple)) else [value]):
            if name[0] != "_" and left.pop(id(thing), None) is not None:
                yield f"{name}.{i}" if isinstance(value, (list, tuple)) else name, thing
    for thing in left.values():
        name = thing.name.split("/")[-1].split(":")[0]
        base = re.sub(r"_\d+$", "", name)
        yield f"{base}.{counts[base]}" if base.replace("_", "") in map(str.lower, kinds(thing)) else name, thing
        counts[base] += 1


def as_pytorch(layer, name, array):
    """What Keras calls `name`, with PyTorch's names, axes and order of gates."""
    kind = next((kind for kind in kinds(layer) if kind in NAMES), None)
    if kind == "EinsumDense":  # Of the kernel's axes, those of the input come first.
        inputs, kernel = layer.equation.split("->")[0].split(",")
        rows = [np.prod(array.shape[: len({*inputs} & {*kernel})], dtype=int)] if name == "kernel" else []
        array = array.reshape(*rows, -1)
    if kind == "GRUCell":
        names = layer.activation.__name__, layer.recurrent_activation.__name__
        if names != ("tanh", "sigmoid") or not layer.reset_after:
            raise ValueError(f"{layer.name} is not a GRU with reset_after=True and Keras' own activations; train one")
        array = np.concatenate([np.split(array, 3, -1)[gate] for gate in (1, 0, 2)], -1)  # z r n become r z n.
    if kind in ("GRUCell", "LSTMCell") and name == "bias":  # PyTorch has two, and so has a GRU.
        return dict(zip(("bias_ih_l0", "bias_hh_l0"), array if array.ndim == 2 else (array, 0 * array)))
    return {NAMES.get(kind, {}).get(name, name): array.T if kind and "kernel" in name else array}


def tensors(layer, path="", suffix=""):
    lists = [f"_{which}_{what}" for which in ("trainable", "non_trainable") for what in ("variables", "weights")]
    for name, variable in named(layer, [v for own in lists for v in getattr(layer, own, [])]):
        for new, array in as_pytorch(layer, name, np.array(variable).astype("float32")).items():
            yield path + new + suffix, array
    wraps = not {"Wrapper", "Bidirectional", "RNN"}.isdisjoint(kinds(layer))
    for name, inner in named(layer, layer._flatten_layers(recursive=False, include_self=False)):
        inside = "" if wraps else f"{name}."
        yield from tensors(inner, path + inside, "_reverse" if name == "backward_layer" else suffix)


def save(model, path):
    arrays = list(tensors(model))
    twice = {name for name, count in Counter(name for name, _ in arrays).items() if count > 1}
    if twice:
        raise ValueError(f"several variables would be called {', '.join(sorted(twice))}; give their layers other names")
    np.savez(path, **dict(arrays))


if __name__ == "__main__":
    import keras

    classes = runpy.run_path(sys.argv[3]) if sys.argv[3:] else None
    save(keras.models.load_model(sys.argv[1], custom_objects=classes, compile=False), sys.argv[2])
