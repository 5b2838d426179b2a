"""examples/keras/export.py makes the same arrays of the Keras models in tests/data as when their fixtures were made.

    python tests/reference/check_keras_export.py

Needs Keras with JAX, PyTorch or TensorFlow below it; exits with 77, as a skipped test, without.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "keras"
sys.dont_write_bytecode = True
sys.path.insert(0, str(EXAMPLE))

installed = [name for name in ("jax", "torch", "tensorflow") if importlib.util.find_spec(name)]
if not installed or not importlib.util.find_spec("keras"):
    print("SKIPPED: pip install keras jax")
    sys.exit(77)
os.environ.setdefault("KERAS_BACKEND", installed[0])
import export  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402


def check_file(model: Path) -> None:
    """What the command line writes."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "weights.npz"
        subprocess.run([sys.executable, "-W", "ignore", EXAMPLE / "export.py", model, written, EXAMPLE / "train.py"],
                       check=True)
        got, want = (dict(np.load(file)) for file in (written, model.with_suffix(".npz")))
    assert sorted(got) == sorted(want), set(got) ^ set(want)
    for name, array in want.items():
        assert array.dtype == got[name].dtype and np.array_equal(array, got[name]), name
    print(f"{model.relative_to(ROOT)}: {len(want)} arrays are the same")


def refusal(layer) -> str:
    layer.build((None, None, 3))
    try:
        list(export.tensors(layer))
    except ValueError as error:
        return str(error)
    return ""


def check_gru() -> None:
    for options in [{"reset_after": False}, {"activation": "relu"}, {"recurrent_activation": "hard_sigmoid"}]:
        assert "is not a GRU with reset_after=True" in refusal(keras.layers.GRU(2, **options)), options
    assert refusal(keras.layers.GRU(2)) == ""


def check_names() -> None:
    """Names that collide are refused, and so nothing is lost."""
    inputs = keras.Input((3,))
    one, other = keras.layers.Dense(2, name="a.b"), keras.Sequential([keras.layers.Dense(2, name="b")], name="a")
    model = keras.Model(inputs, [one(inputs), other(inputs)])
    try:
        export.save(model, os.devnull)
    except ValueError as error:
        assert "several variables would be called a.b.bias, a.b.weight;" in str(error), error
    else:
        raise AssertionError("two layers have one name")


def check_lstm() -> None:
    """Against Keras' own layer, by PyTorch's formula."""
    layer = keras.layers.LSTM(4, bias_initializer="random_normal")
    x = np.random.default_rng(1).normal(size=(1, 1, 3)).astype("float32")
    want = np.array(layer(x))[0]
    parts = dict(export.tensors(layer))
    i, f, g, o = np.split(parts["weight_ih_l0"] @ x[0, 0] + parts["bias_ih_l0"] + parts["bias_hh_l0"], 4)
    sigmoid = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731
    got = sigmoid(o) * np.tanh(sigmoid(i) * np.tanh(g))  # The state before is 0.
    assert np.allclose(got, want, atol=1e-6) and parts["weight_hh_l0"].shape == (16, 4), (got, want)


def main() -> None:
    models = sorted((ROOT / "tests" / "data").glob("*/*/model.keras"))
    assert len(models) >= 2, models
    for model in models:
        check_file(model)
    check_gru()
    check_lstm()
    check_names()


if __name__ == "__main__":
    main()
