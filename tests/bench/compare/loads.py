"""The texts and models of the benchmark, made on first use in the cache folder."""

import json
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
STUDENT_WEIGHTS = "model.intgemm.alphas.bin"

# The longest translation of a load whose sentences the model ends.
LONGEST = 256
# Source and target tokens of a text in invented words.
TEXT_TOKENS = 16


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
    text: str | None = None  # a short sentence
    text_target_tokens: int = 0  # of its translation; 0: up to </s>

    @property
    def bounds(self) -> tuple[int, int]:
        return (self.target_tokens or 0, self.target_tokens or LONGEST)

    @property
    def batch_bounds(self) -> tuple[int, int]:
        return (self.batch_target_tokens or 0, self.batch_target_tokens or LONGEST)

    def suits(self, engine: str) -> bool:
        """Whether the engine knows this kind of model."""
        if self.name in STUDENTS:
            return engine in ("latimer", STUDENTS[self.name][1])
        return engine not in ENDS


SHAPES = {
    "opus-mt": "OPUS-MT shape (6 + 6 layers, d_model 512, d_ffn 2048, vocabulary 54,688)",
    "tiny": "Firefox-tiny-like shape (6 + 2 layers, d_model 256, d_ffn 1536, vocabulary 32,000)",
    "t5-small": "T5-small shape (6 + 6 layers, d_model 512, d_ffn 2048, vocabulary 32,128)",
    "tiny student": "6 + 2 SSRU layers, d_model 256, d_ffn 1536, vocabulary 32,000, shortlist",
    "base-memory student":
        "6 + 2 SSRU layers, d_model 512, d_ffn 2048, vocabulary 32,000, shortlist",
}
STUDENTS = {  # loads of make_student.py: its shape, and the peer that reads the same files
    "student-tiny": ("tiny", "slimt"),
    "student-base": ("base-memory", "slimt"),
    "student-tiny-fx": ("tiny", "fxtranslate"),
    "student-base-fx": ("base-memory", "fxtranslate"),
}
# Where such a peer ends a translation if </s> does not, by the tokens of the source; neither has an
# option for it.
ENDS = {"slimt": lambda tokens: tokens, "fxtranslate": lambda tokens: 2 * tokens + 4}
NAMES = ("opus-mt", "tiny", "demo", "t5-small", *STUDENTS)


def made(folder: Path, script: str, shape: str, written_last: str) -> Path:
    if not (folder / written_last).exists():
        subprocess.run([sys.executable, ROOT / "tests/reference" / script, shape, "--out", folder],
                       check=True, stdout=sys.stderr)
    return folder


def shape_folder(cache: Path, name: str) -> Path:
    """A folder with random weights, of Hugging Face's form or, of a student, of Marian's."""
    if name in STUDENTS:
        folder = cache / name.removesuffix("-fx")
        return made(folder, "make_student.py", STUDENTS[name][0], STUDENT_WEIGHTS)
    return made(cache / name, "make_shape.py", name,
                "model.safetensors" if name == "t5-small" else "vocab.json")


def student_files(folder: Path) -> tuple[Path, Path, Path]:
    """Weights, vocabulary and shortlist of a student in Marian's own files."""
    weights, pieces, shortlist = (
        next(iter(folder.glob(pattern)), None)
        for pattern in ("model*.intgemm.alphas.bin", "vocab*.spm", "lex*.s2t.bin"))
    if not (weights and pieces and shortlist):
        sys.exit(f"{folder}: no student with a vocabulary and a shortlist is in it")
    return weights, pieces, shortlist


def random_sentence(rng: random.Random, hf: Path, tokens: int) -> list[int]:
    config = json.loads((hf / "config.json").read_text())
    ids = [rng.randrange(3, config["vocab_size"] - 1) for _ in range(tokens - 1)]
    return ids + [config["eos_token_id"]]


def text_of(ids: list[int]) -> str:
    """The text of a model with an invented tokenizer, whose last id is </s>."""
    return " ".join(f"t{i}" for i in ids[:-1])


def make_student(cache: Path, name: str) -> Load:
    """Even ids alone: of these the model does not end a translation (make_student.py).

    The peer does, so all sources have one length, and all translations the peer's.
    """
    shape, peer = STUDENTS[name]
    rng, length, ends = random.Random(1), 32, ENDS[peer]
    sentences = [[rng.randrange(200, 32000, 2) for _ in range(length - 1)] + [0]
                 for _ in range(64)]
    about = (f"student of the {shape} shape ({SHAPES[f'{shape} student']}), random weights, "
             f"{length} source and {ends(length)} target tokens")
    text = sentences[0][:TEXT_TOKENS - 1] + [0]
    return Load(name, about, shape_folder(cache, name), sentences[:1], ends(length), sentences,
                ends(length), None, text_of(text), ends(TEXT_TOKENS))


def ended_at_once(ids: list[int]) -> list[int]:
    """A student's source of odd ids, of which it gives </s> as the first token."""
    return [i | 1 for i in ids[:-1]] + ids[-1:]


def make_load(cache: Path, name: str) -> Load:
    if name in STUDENTS:
        return make_student(cache, name)
    if name == "demo":
        hf = ROOT / "examples/en-de"
        with open(hf / "fixture.jsonl", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        sources = [row["source"] for row in rows]
        return Load(name, f"demo model, {len(rows)} real sentences", hf, sources, 0, sources, 0,
                    [row["target"] for row in rows], rows[0]["source_text"])
    hf = shape_folder(cache, name)
    rng = random.Random(1)
    source, target, batch_target = 32, 64, 32
    batch = [random_sentence(rng, hf, rng.randint(8, 56)) for _ in range(64)]
    about = f"{SHAPES[name]}, random weights, {source} source and {target} target tokens"
    sentences = [random_sentence(rng, hf, source)]
    text = None if name == "t5-small" else text_of(random_sentence(rng, hf, TEXT_TOKENS))
    return Load(name, about, hf, sentences, target, batch, batch_target, None, text, TEXT_TOKENS)


def length_load(load: Load, tokens: int) -> list[list[int]]:
    return [random_sentence(random.Random(tokens), load.hf, tokens)]
