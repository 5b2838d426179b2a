"""Makes tests/data/tiny_whisper: random Whispers as CTranslate2 and Hugging Face publish them, and what they write.

`english` is a CTranslate2 folder; `languages` is Hugging Face's, of two languages. Both fixture.json have the ids of
CTranslate2's Whisper.generate(beam_size=1) with compute_type float32, for features of transformers'
WhisperFeatureExtractor: without timestamps, with them (`timed`), and with them behind a prompt (`prompted`). A sound is
a sawtooth that the test makes itself: see `sawtooth`. Made with ctranslate2 4.8.5 and transformers 5.24, whose
search must write the same ids: the program tells where it does not.

    python tests/reference/make_tiny_whisper.py --out tests/data/tiny_whisper
    python tests/reference/make_tiny_whisper.py --out /tmp/whispers --random 40    # as many other shapes
    LATIMER_WHISPERS=/tmp/whispers build/host/bin/tests/system_test transcriber_test
"""

import argparse
import json
import random
import shutil
import struct
from pathlib import Path

import ctranslate2
import numpy as np
from ctranslate2.specs import whisper_spec
from transformers import WhisperFeatureExtractor
from whisper_files import Whisper, transformers_model, window_ids

SPECIAL = ["<|endoftext|>", "<|startoftranscript|>", "<|de|>", "<|en|>", "<|translate|>", "<|transcribe|>",
           "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
MAX_TOKENS = 24
PROMPT = "Of bees"
CLOSE = 1e-4  # Logits that are no farther apart are too close to call.


def byte_alphabet():
    """GPT-2's characters for the bytes."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    alphabet, more = {}, 0
    for byte in range(256):
        alphabet[byte] = chr(byte) if byte in kept else chr(256 + more)
        more += byte not in kept
    return [alphabet[byte] for byte in range(256)]


def sawtooth(samples, step):
    n = np.arange(samples, dtype=np.int64)
    return ((n * step % 1000 - 500).astype(np.float32) / np.float32(1000)) * ((n // 4000 % 2) * np.float32(0.75) +
                                                                               np.float32(0.25))


class Shape:
    def __init__(self, seed):
        rng = random.Random(seed)
        tiny = seed == 0
        self.heads = 2 if tiny else rng.choice([1, 2, 4])
        self.d = 16 if tiny else self.heads * rng.choice([8, 12, 16])
        self.encoder_layers = 2 if tiny else rng.choice([1, 2, 3])
        self.decoder_layers = 2 if tiny else rng.choice([1, 2, 3])
        self.ffn = 2 * self.d if tiny else self.d * rng.choice([1, 2, 4])
        self.bins = 80 if tiny else rng.choice([80, 128])
        self.positions = 100 if tiny else rng.choice([50, 100, 150])
        self.target_positions = 40


def weights(shape, vocabulary, seed):
    """By the names of transformers, without the prefix "model."."""
    rng = np.random.default_rng(seed)

    def matrix(*dims):
        return rng.normal(0, 1.2 / np.sqrt(np.prod(dims[1:])), dims).astype(np.float32)

    d, out = shape.d, {}
    out["encoder.conv1.weight"], out["encoder.conv1.bias"] = matrix(d, shape.bins, 3), matrix(d, 4).mean(1)
    out["encoder.conv2.weight"], out["encoder.conv2.bias"] = matrix(d, d, 3), matrix(d, 4).mean(1)
    out["encoder.embed_positions.weight"] = 3 * matrix(shape.positions, d)
    out["decoder.embed_positions.weight"] = 2 * matrix(shape.target_positions, d)
    out["decoder.embed_tokens.weight"] = 1.5 * matrix(vocabulary, d)

    def norm(name):
        out[name + ".weight"] = (1 + rng.normal(0, 0.1, d)).astype(np.float32)
        out[name + ".bias"] = rng.normal(0, 0.1, d).astype(np.float32)

    def attention(name):
        for part in "qkv":
            out[f"{name}.{part}_proj.weight"] = 2.5 * matrix(d, d)
            if part != "k":
                out[f"{name}.{part}_proj.bias"] = matrix(d, 4).mean(1)
        out[f"{name}.out_proj.weight"], out[f"{name}.out_proj.bias"] = 2 * matrix(d, d), matrix(d, 4).mean(1)

    for stack, layers in (("encoder", shape.encoder_layers), ("decoder", shape.decoder_layers)):
        for i in range(layers):
            own = f"{stack}.layers.{i}"
            attention(own + ".self_attn")
            norm(own + ".self_attn_layer_norm")
            if stack == "decoder":
                attention(own + ".encoder_attn")
                norm(own + ".encoder_attn_layer_norm")
            out[own + ".fc1.weight"], out[own + ".fc1.bias"] = matrix(shape.ffn, d), matrix(shape.ffn, 4).mean(1)
            out[own + ".fc2.weight"], out[own + ".fc2.bias"] = matrix(d, shape.ffn), matrix(d, 4).mean(1)
            norm(own + ".final_layer_norm")
        norm(stack + ".layer_norm")
    return out


def save_ctranslate2(folder, shape, tensors, tokens, suppressed, first):
    spec = whisper_spec.WhisperSpec(shape.encoder_layers, shape.heads, shape.decoder_layers, shape.heads)

    def pair(layer, name, weight="weight", bias="bias"):
        setattr(layer, weight, tensors[name + ".weight"])
        setattr(layer, bias, tensors[name + ".bias"])

    def norm(layer, name):
        pair(layer, name, "gamma", "beta")

    def attention(layer, name, cross=False):
        d = shape.d
        parts = {}
        for part in "qkv":
            parts[part] = (tensors[f"{name}.{part}_proj.weight"],
                           tensors.get(f"{name}.{part}_proj.bias", np.zeros(d, np.float32)))
        groups = ["q", "kv"] if cross else ["qkv"]
        for linear, group in zip(layer.linear, groups):
            linear.weight = np.concatenate([parts[part][0] for part in group])
            linear.bias = np.concatenate([parts[part][1] for part in group])
        pair(layer.linear[-1], name + ".out_proj")

    for stack in ("encoder", "decoder"):
        own = getattr(spec, stack)
        own.position_encodings.encodings = tensors[f"{stack}.embed_positions.weight"]
        norm(own.layer_norm, stack + ".layer_norm")
        for i, layer in enumerate(own.layer):
            name = f"{stack}.layers.{i}"
            attention(layer.self_attention, name + ".self_attn")
            norm(layer.self_attention.layer_norm, name + ".self_attn_layer_norm")
            if stack == "decoder":
                attention(layer.attention, name + ".encoder_attn", cross=True)
                norm(layer.attention.layer_norm, name + ".encoder_attn_layer_norm")
            pair(layer.ffn.linear_0, name + ".fc1")
            pair(layer.ffn.linear_1, name + ".fc2")
            norm(layer.ffn.layer_norm, name + ".final_layer_norm")
    pair(spec.encoder.conv1, "encoder.conv1")
    pair(spec.encoder.conv2, "encoder.conv2")
    spec.decoder.embeddings.weight = tensors["decoder.embed_tokens.weight"]
    spec.decoder.projection.weight = spec.decoder.embeddings.weight
    spec.register_vocabulary(tokens)
    spec.config.suppress_ids, spec.config.suppress_ids_begin = suppressed, first
    spec.config.lang_ids, spec.config.alignment_heads = [], [[0, 0]]
    spec.validate()
    spec.optimize()
    spec.save(str(folder))


def save_safetensors(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        bytes_ = np.ascontiguousarray(values).tobytes()
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def save_hugging_face(folder, shape, tensors, ids, suppressed, first):
    save_safetensors(folder / "model.safetensors", {"model." + name: values for name, values in tensors.items()})
    config = {"model_type": "whisper", "d_model": shape.d, "encoder_layers": shape.encoder_layers,
              "decoder_layers": shape.decoder_layers, "encoder_attention_heads": shape.heads,
              "decoder_attention_heads": shape.heads, "encoder_ffn_dim": shape.ffn, "decoder_ffn_dim": shape.ffn,
              "vocab_size": len(ids), "num_mel_bins": shape.bins, "max_source_positions": shape.positions,
              "max_target_positions": shape.target_positions, "activation_function": "gelu",
              "is_encoder_decoder": True, "scale_embedding": False}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    generation = {"is_multilingual": True, "suppress_tokens": suppressed, "begin_suppress_tokens": first,
                  "forced_decoder_ids": [[1, None], [2, ids["<|transcribe|>"]]]}
    (folder / "generation_config.json").write_text(json.dumps(generation, indent=1) + "\n")


def save_tokenizer(folder, pieces, special):
    added = [{"id": len(pieces) + i, "content": token, "single_word": False, "lstrip": False, "rstrip": False,
              "normalized": False, "special": "." not in token} for i, token in enumerate(special)]
    tokenizer = {"version": "1.0", "added_tokens": added, "normalizer": None,
                 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
                                   "use_regex": True},
                 "post_processor": None,
                 "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
                 "model": {"type": "BPE", "vocab": {piece: i for i, piece in enumerate(pieces)}, "merges": []}}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False) + "\n", encoding="utf-8")


def make(folder, seed, hugging_face, rows):
    shape = Shape(seed)
    pieces = byte_alphabet()
    special = SPECIAL + [f"<|{i / 50:.2f}|>" for i in range(shape.positions + 1)]
    tokens = pieces + special
    ids = {token: i for i, token in enumerate(tokens)}
    tensors = weights(shape, len(tokens), 1000 + seed)
    suppressed = [3, 7, *(ids[token] for token in SPECIAL[1:9])]
    first = [ids["<|endoftext|>"], 32]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    judged = folder if not hugging_face else folder / "judge"
    judged.mkdir(exist_ok=True)
    save_ctranslate2(judged, shape, tensors, tokens, suppressed, first)
    save_tokenizer(folder, pieces, special)
    model = ctranslate2.models.Whisper(str(judged), compute_type="float32", intra_threads=1)
    if hugging_face:
        save_hugging_face(folder, shape, tensors, ids, suppressed, first)
        shutil.rmtree(judged)
    other = transformers_model(Whisper(tensors, shape.heads, ids, suppressed, first, several=hugging_face))
    seconds = shape.positions / 50
    extractor = WhisperFeatureExtractor(feature_size=shape.bins, chunk_length=int(seconds))
    sounds, rng = [], random.Random(seed)
    start = ids["<|startoftranscript|>"]
    while len(sounds) < rows:
        samples, step = rng.randrange(3000, int(seconds * 16000)), rng.randrange(3, 400)
        features = extractor(sawtooth(samples, step), sampling_rate=16000, return_tensors="np").input_features
        encoded = model.encode(ctranslate2.StorageView.from_array(np.ascontiguousarray(features)))
        row = {"samples": samples, "step": step}
        prompt = [start]
        if hugging_face:
            row["language"] = rng.choice(["de", "en"])
            prompt = [start, ids[f"<|{row['language']}|>"], ids["<|transcribe|>"]]
        before = [ids["<|startofprev|>"], *(ids[piece] for piece in ("\u0120" + PROMPT.replace(" ", "\u0120")))]

        def generate(prompt):
            return model.generate(encoded, [prompt], beam_size=1, max_length=2 * MAX_TOKENS, return_scores=True,
                                  return_no_speech_prob=True, max_initial_timestamp_index=50)[0]

        result = generate([*prompt, ids["<|notimestamps|>"]])
        row["ids"], row["no_speech"] = result.sequences_ids[0], round(result.no_speech_prob, 6)
        row["timed"] = generate(prompt).sequences_ids[0]
        row["prompted"] = generate(before + prompt).sequences_ids[0]
        margins = []
        behind = {"ids": [*prompt, ids["<|notimestamps|>"]], "timed": prompt, "prompted": before + prompt}
        for name, start_of_text in behind.items():
            written, margin = window_ids(other, features, start_of_text, name != "ids", MAX_TOKENS)
            margins.append(margin)
            if written != row[name]:
                print(f"{folder}, {name} of {samples} samples: transformers writes {written}, not {row[name]}; its "
                      f"margin is {margin:.1e}")
        if min(margins) < CLOSE:
            print(f"{folder}: {samples} samples are left out: two logits are {min(margins):.1e} apart")
            continue
        sounds.append(row)
    fixture = {"max_tokens": MAX_TOKENS, "prompt": PROMPT, "sounds": sounds}
    (folder / "fixture.json").write_text(json.dumps(fixture).replace('{"samples"', '\n{"samples"') + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--random", type=int, default=0, help="make so many other shapes instead")
    arguments = parser.parse_args()
    if not arguments.random:
        make(arguments.out / "english", 0, hugging_face=False, rows=6)
        make(arguments.out / "languages", 0, hugging_face=True, rows=6)
    for seed in range(1, arguments.random + 1):
        make(arguments.out / f"{seed:02}", seed, hugging_face=seed % 2 == 0, rows=4)


if __name__ == "__main__":
    main()
