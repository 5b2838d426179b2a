"""Writes a Whisper of CTranslate2's as the file that whisper.cpp reads: matrices in f16, or in q8_0 as its own
quantization has them."""

import json
import re
import struct
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "reference"))

import whisper_files  # noqa: E402

MAGIC = 0x67676D6C
F32, F16, Q8_0 = 0, 1, 8  # Types of tensors.
FILES = {"f16": 1, "q8_0": 7 + 2000}  # Types of files; thousands are the version of the quantization.
BLOCK = 32  # Values of a row with a scale of their own in q8_0.

# From the names of transformers to OpenAI's, in this order.
NAMES = (
    (r"layers\.", "blocks."), (r"self_attn_layer_norm", "attn_ln"), (r"encoder_attn_layer_norm", "cross_attn_ln"),
    (r"final_layer_norm", "mlp_ln"), (r"self_attn", "attn"), (r"encoder_attn", "cross_attn"), (r"out_proj", "out"),
    (r"q_proj", "query"), (r"k_proj", "key"), (r"v_proj", "value"), (r"fc1", "mlp.0"), (r"fc2", "mlp.2"),
    (r"encoder\.layer_norm", "encoder.ln_post"), (r"decoder\.layer_norm", "decoder.ln"),
    (r"embed_positions\.weight", "positional_embedding"), (r"embed_tokens", "token_embedding"),
)


def pieces(folder: Path, end: int) -> list[bytes]:
    """Bytes of the tokens before the end of text; tokenizer.json has GPT-2's characters for them."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    byte_of = {chr(byte): byte for byte in kept} | {chr(256 + i): byte for i, byte in enumerate(others)}
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = {i: piece for piece, i in tokenizer["model"]["vocab"].items()}
    return [bytes(byte_of[character] for character in vocabulary[i]) for i in range(end)]


def quantized(values: np.ndarray) -> bytes:
    blocks = values.astype(np.float32).reshape(-1, BLOCK)
    scales = np.abs(blocks).max(1) / 127
    inverse = np.divide(1, scales, out=np.zeros_like(scales), where=scales > 0)
    out = np.empty(len(blocks), np.dtype([("scale", np.float16), ("values", np.int8, BLOCK)]))
    out["scale"], out["values"] = scales, np.round(blocks * inverse[:, None])
    return out.tobytes()


def tensor(name: str, values: np.ndarray, weights: str) -> bytes:
    for old, new in NAMES:
        name = re.sub(old, new, name)
    if re.fullmatch(r"encoder\.conv\d\.bias", name):
        values = values.reshape(-1, 1)
    if values.ndim == 1 or values.shape[-1] == 1 or name.endswith("positional_embedding"):
        kind, data = F32, values.astype(np.float32).tobytes()
    elif weights == "q8_0" and values.ndim == 2:
        kind, data = Q8_0, quantized(values)
    else:
        kind, data = F16, values.astype(np.float16).tobytes()
    text = name.encode()
    shape = values.shape[::-1]
    return struct.pack(f"<{3 + len(shape)}i", len(shape), len(text), kind, *shape) + text + data


def convert(folder: Path, out: Path, weights: str) -> None:
    from transformers import WhisperFeatureExtractor

    whisper = whisper_files.read(folder)
    tensors = whisper.tensors
    vocabulary, d = tensors["decoder.embed_tokens.weight"].shape
    bins = tensors["encoder.conv1.weight"].shape[1]
    filters = np.ascontiguousarray(WhisperFeatureExtractor(feature_size=bins).mel_filters.T, np.float32)
    words = pieces(folder, whisper.tokens["<|endoftext|>"])
    sizes = [len(tensors[f"{stack}.embed_positions.weight"]) for stack in ("encoder", "decoder")]
    layers = [whisper_files.layers(tensors, stack) for stack in ("encoder", "decoder")]
    with open(out, "wb") as file:
        file.write(struct.pack("<12i", MAGIC, vocabulary, sizes[0], d, whisper.heads, layers[0], sizes[1], d,
                               whisper.heads, layers[1], bins, FILES[weights]))
        file.write(struct.pack("<2i", *filters.shape) + filters.tobytes())
        file.write(struct.pack("<i", len(words)))
        for word in words:
            file.write(struct.pack("<i", len(word)) + word)
        for name, values in tensors.items():
            file.write(tensor(name, values, weights))
