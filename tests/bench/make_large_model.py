"""Writes a large Marian or NLLB model with random weights, a few MB of RAM at a time.

    python tests/bench/make_large_model.py --out /tmp/large                    # NLLB-600M's shape, 2.5 GB
    python tests/bench/make_large_model.py --out /tmp/large --dtype bfloat16 --shards 4
    python tests/bench/make_large_model.py --out /tmp/large --format bin --family m2m_100
    python tests/bench/make_large_model.py --out /tmp/large --tokenizer        # with pieces of 8 scripts

The shape is that of nllb-200-distilled-600M: pre-norm, final norms, one matrix for both embeddings
and the output. The weights mean nothing: measure memory and speed, not translations. The tokenizer
is as invented: words of random letters, with a score of a word's frequency by its rank.
"""

import argparse
import json
import math
import random
import struct
from pathlib import Path

import numpy as np

CHUNK = 1 << 22  # Numbers that are made at a time.

# First and last letter, and how many share of all pieces.
SCRIPTS = {
    "Latn": (0x61, 0x7A, 8), "Cyrl": (0x430, 0x44F, 3), "Hani": (0x4E00, 0x5FFF, 3),
    "Arab": (0x627, 0x64A, 2), "Deva": (0x905, 0x939, 2), "Grek": (0x3B1, 0x3C9, 1),
    "Hang": (0xAC00, 0xB3FF, 1), "Thai": (0xE01, 0xE2E, 1),
}
SPECIAL = ["</s>", "<unk>"]


def config_of(arguments: argparse.Namespace) -> dict:
    a = arguments
    pad = a.vocabulary - 1
    return dict(
        model_type="marian", architectures=["MarianMTModel"], vocab_size=a.vocabulary,
        decoder_vocab_size=a.vocabulary, d_model=a.d_model, encoder_layers=a.layers,
        decoder_layers=a.layers, encoder_attention_heads=a.d_model // 64,
        decoder_attention_heads=a.d_model // 64, encoder_ffn_dim=a.ffn, decoder_ffn_dim=a.ffn,
        activation_function="relu", max_position_embeddings=1024, scale_embedding=True,
        normalize_before=True, normalize_embedding=False, add_final_layer_norm=True,
        static_position_embeddings=True, share_encoder_decoder_embeddings=True,
        tie_word_embeddings=True, pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=0,
        bos_token_id=0, forced_eos_token_id=0, max_length=512, bad_words_ids=[[pad]],
    )


def nllb_config_of(arguments: argparse.Namespace) -> dict:
    """The same network as an M2M100 model: without a bias of the output."""
    config = config_of(arguments)
    for name in ("decoder_vocab_size", "normalize_before", "normalize_embedding",
                 "add_final_layer_norm", "static_position_embeddings",
                 "share_encoder_decoder_embeddings", "forced_eos_token_id", "bad_words_ids"):
        del config[name]
    return config | dict(
        model_type="m2m_100", architectures=["M2M100ForConditionalGeneration"], bos_token_id=0,
        pad_token_id=1, eos_token_id=2, decoder_start_token_id=2)


def tensors_of(config: dict) -> list[tuple[str, list[int]]]:
    """Names and shapes, as transformers writes them."""
    d, ffn, vocabulary = config["d_model"], config["encoder_ffn_dim"], config["vocab_size"]
    tensors = [("model.shared.weight", [vocabulary, d])]
    if config["model_type"] == "marian":
        tensors.append(("final_logits_bias", [1, vocabulary]))

    def linear(name: str, outputs: int, inputs: int) -> None:
        tensors.extend([(f"{name}.weight", [outputs, inputs]), (f"{name}.bias", [outputs])])

    def norm(name: str) -> None:
        tensors.extend([(f"{name}.weight", [d]), (f"{name}.bias", [d])])

    for stack, attentions in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "encoder_attn"])):
        for i in range(config[f"{stack}_layers"]):
            layer = f"model.{stack}.layers.{i}"
            for attention in attentions:
                for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    linear(f"{layer}.{attention}.{part}", d, d)
                norm(f"{layer}.{attention}_layer_norm")
            linear(f"{layer}.fc1", ffn, d)
            linear(f"{layer}.fc2", d, ffn)
            norm(f"{layer}.final_layer_norm")
        norm(f"model.{stack}.layer_norm")
    return tensors


def chunks(name: str, shape: list[int], dtype: str, generator: np.random.Generator):
    """The numbers of one tensor, in pieces of at most CHUNK."""
    left = math.prod(shape)
    while left > 0:
        count = min(left, CHUNK)
        left -= count
        values = generator.standard_normal(count, dtype=np.float32)
        values *= np.float32(1 / math.sqrt(shape[-1]) if len(shape) == 2 else 0.02)
        if "norm" in name and name.endswith(".weight"):
            values += 1
        if dtype == "float16":
            yield values.astype(np.float16).tobytes()
        elif dtype == "bfloat16":
            yield (values.view(np.uint32) >> 16).astype(np.uint16).tobytes()
        else:
            yield values.tobytes()


def write_safetensors(path: Path, tensors: list, dtype: str, generator: np.random.Generator) -> None:
    size = 4 if dtype == "float32" else 2
    kind = {"float32": "F32", "float16": "F16", "bfloat16": "BF16"}[dtype]
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in tensors:
        begin, end = end, end + math.prod(shape) * size
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in tensors:
            for chunk in chunks(name, shape, dtype, generator):
                file.write(chunk)


def write_bin(path: Path, tensors: list, dtype: str, generator: np.random.Generator) -> None:
    """With torch.save, from a mapped file of the same numbers."""
    import torch

    raw = path.with_suffix(".raw")
    with open(raw, "wb") as file:
        for name, shape in tensors:
            for chunk in chunks(name, shape, dtype, generator):
                file.write(chunk)
    state, begin, size = {}, 0, 4 if dtype == "float32" else 2
    for name, shape in tensors:
        count = math.prod(shape)
        mapped = np.memmap(raw, np.uint8, "r+", begin, (count * size,))
        state[name] = torch.from_numpy(mapped).view(getattr(torch, dtype)).reshape(shape)
        begin += count * size
    torch.save(state, path)
    raw.unlink()


def write_weights(out: Path, config: dict, arguments: argparse.Namespace) -> None:
    generator = np.random.default_rng(arguments.seed)
    write = write_safetensors if arguments.format == "safetensors" else write_bin
    stem, suffix = ("model", ".safetensors") if write is write_safetensors else ("pytorch_model", ".bin")
    tensors = tensors_of(config)
    if arguments.shards == 1:
        write(out / (stem + suffix), tensors, arguments.dtype, generator)
        return
    weight_map = {}
    per_shard = -(-len(tensors) // arguments.shards)
    for i in range(arguments.shards):
        name = f"{stem}-{i + 1:05}-of-{arguments.shards:05}{suffix}"
        part = tensors[i * per_shard : (i + 1) * per_shard]
        write(out / name, part, arguments.dtype, generator)
        weight_map |= {tensor: name for tensor, _ in part}
    index = {"metadata": {}, "weight_map": weight_map}
    (out / f"{stem}{suffix}.index.json").write_text(json.dumps(index))


def make_pieces(count: int, seed: int) -> list[str]:
    """Letters of all scripts, then words of 2 to 8 of them, most with a space before."""
    chance = random.Random(seed)
    pieces = ["\u2581"] + [chr(c) for c in range(0x21, 0x7F)]
    for first, last, _ in SCRIPTS.values():
        pieces += [chr(c) for c in range(first, last + 1)]
    seen = dict.fromkeys(pieces)
    scripts = [s for s in SCRIPTS.values() for _ in range(s[2])]
    while len(seen) < count:
        first, last, _ = chance.choice(scripts)
        length = chance.randint(2, 8)
        word = "".join(chr(chance.randint(first, last)) for _ in range(length))
        seen[("\u2581" if chance.random() < 0.7 else "") + word] = None
    return list(seen)


def write_tokenizer(out: Path, config: dict, seed: int) -> None:
    from sentencepiece import sentencepiece_model_pb2

    vocabulary = config["vocab_size"]
    pieces = make_pieces(vocabulary - len(SPECIAL) - 1, seed)
    model = sentencepiece_model_pb2.ModelProto()
    model.trainer_spec.model_type = model.trainer_spec.UNIGRAM
    model.trainer_spec.vocab_size = len(pieces) + 3
    model.normalizer_spec.name = "identity"
    for text, kind in (("<unk>", 2), ("<s>", 3), ("</s>", 3)):
        model.pieces.add(piece=text, score=0, type=kind)
    for rank, text in enumerate(pieces):
        model.pieces.add(piece=text, score=-math.log(rank + 2) - 2, type=1)
    for name in ("source.spm", "target.spm"):
        (out / name).write_bytes(model.SerializeToString())
    ids = {text: i for i, text in enumerate(SPECIAL + pieces + ["<pad>"])}
    (out / "vocab.json").write_text(json.dumps(ids, ensure_ascii=False))
    (out / "tokenizer_config.json").write_text(json.dumps({"separate_vocabs": False}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--family", choices=("marian", "m2m_100"), default="marian")
    parser.add_argument("--dtype", choices=("float32", "float16", "bfloat16"), default="float32")
    parser.add_argument("--format", choices=("safetensors", "bin"), default="safetensors")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--vocabulary", type=int, default=256206)
    parser.add_argument("--d-model", type=int, default=1024)
    parser.add_argument("--ffn", type=int, default=4096)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--tokenizer", action="store_true", help="invent a tokenizer too")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.tokenizer and arguments.family != "marian":
        parser.error("--tokenizer is for --family marian only")
    arguments.out.mkdir(parents=True, exist_ok=True)
    config = (config_of if arguments.family == "marian" else nllb_config_of)(arguments)
    (arguments.out / "config.json").write_text(json.dumps(config, indent=2))
    write_weights(arguments.out, config, arguments)
    if arguments.tokenizer:
        write_tokenizer(arguments.out, config, arguments.seed)


if __name__ == "__main__":
    main()
