"""The texts and models of the benchmark, made on first use in the cache folder."""

import json
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# The longest translation of a load whose sentences the model ends.
LONGEST = 256


@dataclass
class Load:
    name: str
    about: str
    hf: Path
    sentences: list[list[int]]  # one at a time
    target_tokens: int  # exactly this many for each sentence; 0: up to </s>
    batch_sentences: list[list[int]]
    batch_target_tokens: int
    expected: list[list[int]] | None = None  # what transformers gives in float32

    @property
    def bounds(self) -> tuple[int, int]:
        return (self.target_tokens or 0, self.target_tokens or LONGEST)

    @property
    def batch_bounds(self) -> tuple[int, int]:
        return (self.batch_target_tokens or 0, self.batch_target_tokens or LONGEST)


SHAPES = {
    "opus-mt": "OPUS-MT shape (6 + 6 layers, d_model 512, d_ffn 2048, vocabulary 54,688)",
    "tiny": "Firefox-tiny-like shape (6 + 2 layers, d_model 256, d_ffn 1536, vocabulary 32,000)",
    "t5-small": "T5-small shape (6 + 6 layers, d_model 512, d_ffn 2048, vocabulary 32,128)",
}
NAMES = ("opus-mt", "tiny", "demo", "t5-small")


def shape_folder(cache: Path, name: str) -> Path:
    """A Hugging Face folder with random weights."""
    folder = cache / name
    if not (folder / "model.safetensors").exists():
        script = ROOT / "tests/reference/make_shape.py"
        subprocess.run([sys.executable, script, name, "--out", folder], check=True,
                       stdout=sys.stderr)
    return folder


def random_sentence(rng: random.Random, hf: Path, tokens: int) -> list[int]:
    config = json.loads((hf / "config.json").read_text())
    ids = [rng.randrange(3, config["vocab_size"] - 1) for _ in range(tokens - 1)]
    return ids + [config["eos_token_id"]]


def make_load(cache: Path, name: str) -> Load:
    if name == "demo":
        hf = ROOT / "examples/en-de"
        with open(hf / "fixture.jsonl", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        sources = [row["source"] for row in rows]
        return Load(name, f"demo model, {len(rows)} real sentences", hf, sources, 0, sources, 0,
                    [row["target"] for row in rows])
    hf = shape_folder(cache, name)
    rng = random.Random(1)
    source, target, batch_target = 32, 64, 32
    batch = [random_sentence(rng, hf, rng.randint(8, 56)) for _ in range(64)]
    about = f"{SHAPES[name]}, random weights, {source} source and {target} target tokens"
    return Load(name, about, hf, [random_sentence(rng, hf, source)], target, batch, batch_target)


def length_load(load: Load, tokens: int) -> list[list[int]]:
    return [random_sentence(random.Random(tokens), load.hf, tokens)]
