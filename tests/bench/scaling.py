"""How time and memory grow with sentence, layers and vocabulary: measured, and by a formula.

    python tests/bench/scaling.py                 # makes the models, runs, fits, prints Markdown
    python tests/bench/scaling.py --rounds 0      # makes the models only

Models are Marian shapes with random weights (make_shape.py), int8. The formulas count what is read
and multiplied; the fit finds what a byte and a multiplication cost on this machine. A decoder's
bytes are divided by the speed at which this machine reads as many over and over (`latimer bench
--profile`), because a small model stays in a cache. Memory is not fitted: the formula of
runtime/README.md stands beside the growth of the peak RSS.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BASE = dict(d=512, f=2048, layers=6, v=32000)
MODELS = {
    "base": BASE, "3 layers": BASE | dict(layers=3), "9 layers": BASE | dict(layers=9),
    "8,000 tokens": BASE | dict(v=8000), "64,000 tokens": BASE | dict(v=64000),
    "d_model 256": BASE | dict(d=256, f=1024),
}
# Source, target. Of the longest translation the memory only.
LENGTHS = [(8, 16), (16, 16), (32, 16), (64, 16), (128, 16), (256, 16), (448, 16)]
LONG_TARGET = (16, 448)


def make(arguments, shape: dict) -> Path:
    name = "-".join(f"{key}{value}" for key, value in shape.items())
    folder, model = arguments.cache / name, arguments.cache / f"{name}-{arguments.tile}.ltm"
    if not (folder / "model.safetensors").exists():
        fields = dict(
            d_model=shape["d"], vocab_size=shape["v"], encoder_layers=shape["layers"],
            decoder_layers=shape["layers"], encoder_ffn_dim=shape["f"], decoder_ffn_dim=shape["f"])
        sets = [word for key, value in fields.items() for word in ("--set", f"{key}={value}")]
        subprocess.run([sys.executable, ROOT / "tests/reference/make_shape.py", "opus-mt",
                        "--out", folder, *sets], check=True, stdout=subprocess.DEVNULL)
    if not model.exists():
        subprocess.run([arguments.latimer / "latimer-convert", folder, "-o", model, "--no-tokenizer",
                        "--weights", "int8", *(["--tile", arguments.tile] if arguments.tile else [])],
                       check=True, stdout=subprocess.DEVNULL)
    return model


def run(arguments, model: Path, source: int, target: int) -> dict:
    command = [arguments.latimer / "latimer", "bench", model, "--json", "--threads", "1",
               "--source-tokens", str(source), "--target-tokens", str(target),
               "--repeat", str(max(1, 160 // target))]
    figures = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    one = figures["encode_ms"] + figures["ms_per_token"]
    return {"one_ms": one, "total_ms": figures["ms_per_sentence"], "bytes": figures["peak_rss_bytes"]}


def read_speed(arguments, model: Path) -> dict:
    """ns per KB for as many bytes as a decoder step reads."""
    command = [arguments.latimer / "latimer", "bench", model, "--json", "--threads", "1", "--profile"]
    figures = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return {"ns_per_kb": 1e3 / figures["profile"]["read_gb_per_s"]["weights"]}


def times(best: dict, target: int) -> dict:
    """As `latimer bench` derives them, but from the best of all rounds."""
    per_token = (best["total_ms"] - best["one_ms"]) / (target - 1)
    return {"encode_ms": best["one_ms"] - per_token, "ms_per_token": per_token}


# What the time is counted in. A layer of the encoder multiplies each row with 4 d^2 + 2 d f weights,
# and 2 d numbers of each key and value; the decoder's 2 d^2 per layer make keys and values for it.
# Of the output matrix a token reads the high nibbles.


def encode_terms(shape: dict, s: int, *_) -> list[float]:
    d, f, layers = shape["d"], shape["f"], shape["layers"]
    weights = layers * (4 * d * d + 2 * d * f + 2 * d * d)
    return [weights, s * weights, layers * 2 * s * s * d, layers * 8 * s * s, d * shape["v"]]


def token_terms(shape: dict, s: int, t: int, ns_per_kb: float) -> list[float]:
    d, f, layers = shape["d"], shape["f"], shape["layers"]
    weights = layers * (6 * d * d + 2 * d * f) + d * shape["v"] / 2
    return [weights * ns_per_kb / 1e9, layers * 8 * d * (s + t / 2) * ns_per_kb / 1e9, layers]


FITS = {
    "encode_ms": (encode_terms, ["ns per KB of weights", "ns per 1,000 int8 multiplications",
                                 "ns per 1,000 f32 multiplications",
                                 "ns per 1,000 attention weights",
                                 "ns per KB of the output matrix (the first token)"]),
    "ms_per_token": (token_terms, ["times the time to read the weights",
                                   "times the time to read the keys and values", "ns per layer"]),
}


def fit(figure: str, points: list[tuple]) -> np.ndarray:
    """Least relative squares, no term below zero; returns the prediction of each point."""
    terms, names = FITS[figure]
    a = np.array([terms(MODELS[name], s, t, speed) for name, s, t, speed, _ in points], float)
    y = np.array([figures[figure] for *_, figures in points])
    used = list(range(a.shape[1]))
    while True:
        x, *_ = np.linalg.lstsq(a[:, used] / y[:, None], np.ones(len(y)), rcond=None)
        if x.min() >= 0:
            break
        used.pop(int(np.argmin(x)))
    for i, value in zip(used, x):
        scale = 1 if names[i].startswith("times") else 1e6 if names[i] == "ns per layer" else 1e9
        print(f"{figure}: {value * scale:.3f} {names[i]}")
    return a[:, used] @ x


SCORES = 4 * 8  # For each of eight heads.


def source_bytes(shape: dict) -> int:
    d, f, layers = shape["d"], shape["f"], shape["layers"]
    return 4 * (d + d + 3 * d) + max(d, f) + 8 + 8 * layers * d + 4 + SCORES


def target_bytes(shape: dict) -> int:
    return 8 * shape["layers"] * shape["d"] + 4 + SCORES


def memory(best: dict) -> None:
    print("\n| | bytes per source token, formula | measured | per target token, formula | measured |")
    print("| --- | --- | --- | --- | --- |")
    for name, shape in MODELS.items():
        low = best[f"{name}/16/16"]["bytes"]
        source, target = ((best[f"{name}/{pair}"]["bytes"] - low) / 432
                          for pair in ("448/16", "16/448"))
        print(f"| {name} | {source_bytes(shape):,} | {source:,.0f} "
              f"| {target_bytes(shape):,} | {target:,.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latimer", type=Path, default=ROOT / "build/host/bin")
    parser.add_argument("--tile", default="", help="of the weights; default is the converter's")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/latimer-bench/scaling")
    parser.add_argument("--figures", type=Path, help="a file that keeps the best of several calls")
    parser.add_argument("--cpu", type=int, default=os.cpu_count() - 1)
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    models = {name: make(arguments, shape) for name, shape in MODELS.items()}
    os.sched_setaffinity(0, {arguments.cpu})
    best: dict[str, dict] = {}
    if arguments.figures and arguments.figures.exists():
        best = json.loads(arguments.figures.read_text())
    for _ in range(arguments.rounds):
        for name, model in models.items():
            for s, t in (*LENGTHS, LONG_TARGET):
                figures = run(arguments, model, s, t)
                old = best.get(f"{name}/{s}/{t}", figures)
                best[f"{name}/{s}/{t}"] = {key: min(old[key], figures[key]) for key in figures}
            speed = read_speed(arguments, model)
            best[name] = min(best.get(name, speed), speed, key=lambda x: x["ns_per_kb"])
            if arguments.figures:
                arguments.figures.write_text(json.dumps(best, indent=1))
    if not best:
        return
    points = [(name, s, t, best[name]["ns_per_kb"], times(best[f"{name}/{s}/{t}"], t))
              for name in MODELS for s, t in LENGTHS]
    predicted = {figure: fit(figure, points) for figure in FITS}
    print("\n| | source | encode ms | formula | ms per token | formula |")
    print("| --- | --- | --- | --- | --- | --- |")
    for i, (name, s, _, _, figures) in enumerate(points):
        cells = [f"{x:.3f}" for figure in FITS for x in (figures[figure], predicted[figure][i])]
        print("| " + " | ".join([name, str(s), *cells]) + " |")
    for figure, values in predicted.items():
        error = [abs(p / figures[figure] - 1) for p, (*_, figures) in zip(values, points)]
        print(f"\n{figure}: off by {np.median(error):.1%} (median), {max(error):.1%} at most; "
              f"{sum(e <= 0.1 for e in error)} of {len(error)} within 10%")
    memory(best)


if __name__ == "__main__":
    main()
