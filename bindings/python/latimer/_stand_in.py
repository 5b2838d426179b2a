"""What a student takes on this machine before it is fetched.

RAM and time depend on a student's shape and not on its weights, so a file of
zeros in the same shape tells them. It takes a second, and the answer is kept.
"""

from __future__ import annotations

import json
import os
import pathlib
import platform
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from . import _cache
from ._catalog import Student
from ._convert import convert, program
from ._errors import LatimerError

TOKENS = 32
"""Of the sentence that is timed, and of its translation."""
_UNKNOWN = {"RAM": None, "ms": None}


@dataclass(frozen=True)
class Shape:
    """As Mozilla's students have it; all have six encoder layers, with eight
    heads, and decoders of SSRUs."""

    size: str
    d_model: int
    d_ffn: int
    decoder_layers: int
    pieces: int = 32000
    vocabularies: int = 1

    def matrices(self) -> Iterator[tuple[str, int, int]]:
        """Names, rows and columns; vectors have one row."""
        d = self.d_model
        yield from self._layers("encoder", 6, "self")
        yield from self._layers("decoder", self.decoder_layers, "context")
        for layer in range(1, self.decoder_layers + 1):
            name = f"decoder_l{layer}_rnn"
            yield f"{name}_W", d, d
            yield from _linear(name, "f", d, d)
            yield from _norm(f"{name}_ffn", d)
        names = ("Wemb",) if self.vocabularies == 1 else ("encoder_Wemb", "decoder_Wemb")
        yield from ((name, self.pieces, d) for name in names)
        yield "decoder_ff_logit_out_b", 1, self.pieces

    def _layers(self, part: str, count: int, kind: str) -> Iterator[tuple[str, int, int]]:
        d = self.d_model
        for layer in (f"{part}_l{i}" for i in range(1, count + 1)):
            for letter in "qkvo":
                yield from _linear(f"{layer}_{kind}", letter, d, d)
            yield from _norm(f"{layer}_{kind}_Wo", d)
            yield from _linear(f"{layer}_ffn", "1", d, self.d_ffn)
            yield from _linear(f"{layer}_ffn", "2", self.d_ffn, d)
            yield from _norm(f"{layer}_ffn_ffn", d)

    def bytes(self) -> int:
        """Of the weights, as they are published."""
        return sum(r * c * (1 if r > 1 else 4) for _, r, c in self.matrices())


def _linear(name: str, letter: str, rows: int, columns: int) -> Iterator[tuple[str, int, int]]:
    yield f"{name}_W{letter}", rows, columns
    yield f"{name}_b{letter}", 1, columns


def _norm(name: str, size: int) -> Iterator[tuple[str, int, int]]:
    yield f"{name}_ln_scale", 1, size
    yield f"{name}_ln_bias", 1, size


_SIZES = (
    Shape("tiny", 256, 1536, 2), Shape("base-memory", 384, 1536, 4), Shape("base", 512, 2048, 2),
)


def _shape_of(student: Student) -> Shape | None:
    """The shape of a student, by its size and by the bytes of its weights."""
    found = next((s for s in _SIZES if s.size == student.size), None)
    weights = [f for f in student.files if f.name.startswith("model.")]
    if found is None or not weights or weights[0].size is None:
        return found
    vocabularies = 2 if any(f.name.startswith("srcvocab") for f in student.files) else 1
    shapes = [
        replace(found, pieces=pieces, vocabularies=vocabularies)
        for pieces in (16000, 32000, 64000)
    ]
    published = weights[0].size
    return min(shapes, key=lambda shape: abs(shape.bytes() - published))


def measure(file: pathlib.Path) -> dict[str, Any]:
    """MB of RAM beside a converted file, and milliseconds for a sentence."""
    plan = _run("plan", file)
    tokens = str(TOKENS)
    bench = _run("bench", file, "--source-tokens", tokens, "--target-tokens", tokens)
    return {
        "RAM": round(plan["ram_bytes"] / 1e6, 1) if plan else None,
        "ms": round(bench["ms_per_sentence"], 1) if bench else None,
    }


def _run(command: str, file: pathlib.Path, *options: str) -> dict[str, Any] | None:
    done = subprocess.run(
        [program("latimer"), command, str(file), "--json", *options],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
    )
    # It fails for a file of another release: `latimer get` converts it again.
    answer: dict[str, Any] | None = None if done.returncode else json.loads(done.stdout)
    return answer


def predict(student: Student) -> dict[str, Any]:
    """As measure(), of a stand-in; kept for this machine and these programs."""
    shape = _shape_of(student)
    if shape is None:
        return _UNKNOWN
    kept = _cache.folder() / "predicted.json"
    stat = os.stat(program("latimer"))
    about = f"{platform.node()} {stat.st_size} {stat.st_mtime_ns}"
    known: dict[str, Any]
    try:
        known = json.loads(kept.read_text("utf-8"))
        known = known if known["of"] == about else {}
    except (OSError, ValueError, TypeError, KeyError):
        known = {}
    found: dict[str, Any] | None = known.get(repr(shape))
    if found is None:
        try:
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "stand-in.ltm"
                _write(shape, pathlib.Path(folder))
                convert(folder, file)
                found = measure(file)
        except (OSError, LatimerError):
            return _UNKNOWN  # Such as no room.
        _cache.write(kept, json.dumps(known | {"of": about, repr(shape): found}).encode())
    return found


def _write(shape: Shape, folder: pathlib.Path) -> None:
    (folder / "model.xxyy.intgemm.alphas.bin").write_bytes(_weights(shape))
    (folder / "lex.50.50.xxyy.s2t.bin").write_bytes(_shortlist(shape.pieces))
    for name in ("vocab",) if shape.vocabularies == 1 else ("srcvocab", "trgvocab"):
        (folder / f"{name}.xxyy.spm").write_bytes(_pieces(shape.pieces))


def _weights(shape: Shape) -> bytes:
    """Marian's .bin: headers, names, shapes and arrays."""
    options = {
        "type": "transformer", "dim-emb": shape.d_model, "enc-depth": 6,
        "dec-depth": shape.decoder_layers, "transformer-dim-ffn": shape.d_ffn,
        "transformer-ffn-activation": "relu", "transformer-decoder-autoreg": "rnn",
        "dec-cell": "ssru", "dim-vocabs": [shape.pieces] * 2,
        "tied-embeddings-all": shape.vocabularies == 1,
        "tied-embeddings": shape.vocabularies == 2,
    }
    lines = (f"{name}: {value}\n" for name, value in options.items())
    text = "".join(lines).lower() + "\0"
    # Types are characters, f32, and int8 with a scale.
    items = [("special:model.yml", 0x101, 1, len(text), text.encode())]
    for name, rows, columns in shape.matrices():
        if rows > 1:
            data = bytes(rows * columns) + struct.pack("<f", 1)
            items.append((name, 0x4101, rows, columns, data))
        else:
            items.append((name, 0x404, 1, columns, bytes(4 * columns)))
    items = [(*item[:4], item[4] + bytes(-len(item[4]) % 256)) for item in items]
    head = struct.pack("<2Q", 1, len(items)) + b"".join(
        struct.pack("<4Q", len(name) + 1, kind, 2, len(data)) for name, kind, _, _, data in items
    )
    head += b"".join(name.encode() + b"\0" for name, *_ in items)
    head += b"".join(struct.pack("<2I", rows, columns) for _, _, rows, columns, _ in items)
    gap = -(len(head) + 8) % 256
    return head + struct.pack("<Q", gap) + bytes(gap) + b"".join(item[4] for item in items)


def _shortlist(pieces: int, candidates: int = 24) -> bytes:
    """The lists of candidates of each piece, each with others."""
    offsets = range(0, candidates * pieces + 1, candidates)
    ids = [i % pieces for i in range(candidates * pieces)]
    body = struct.pack(f"<4Q{len(offsets)}Q", 50, 50, len(offsets), len(ids), *offsets)
    body += struct.pack(f"<{len(ids)}I", *ids)
    digest, mask = 0, 2**64 - 1
    for (word,) in struct.iter_unpack("<Q", body):
        digest ^= (word + 0x9E3779B9 + (digest << 6) + (digest >> 2)) & mask
    return struct.pack("<2Q", 0xF11A48D5013417F5, digest) + body


def _pieces(count: int) -> bytes:
    """A SentencePiece model: text, score and type of each piece."""
    out = b""
    for i in range(count):
        text = ("</s>", "<unk>")[i] if i < 2 else f"p{i}"
        kind = (3, 2)[i] if i < 2 else 1
        piece = b"\n" + bytes([len(text)]) + text.encode() + b"\x15" + struct.pack("<f", -1)
        piece += bytes([0x18, kind])
        out += b"\n" + bytes([len(piece)]) + piece
    return out
