"""Whispers of CTranslate2's folders, and transformers' Whisper with the same weights.

Tensors have the names of transformers, without the prefix "model.".
"""

import copy
import json
import re
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DTYPES = {0: np.float32, 4: np.float16}
STEERING = ("startoftranscript", "endoftext", "transcribe", "translate", "startofprev", "notimestamps")
ENGLISH = 51864  # The vocabulary of the models of English alone.


@dataclass
class Whisper:
    tensors: dict[str, np.ndarray]
    heads: int
    tokens: dict[str, int]  # Those of the tokenizer that are no text.
    suppressed: list[int]
    suppressed_first: list[int]
    several: bool = False  # Languages.

    @property
    def languages(self) -> dict[str, int]:
        """By their tokens; none of a model of English alone."""
        found = {token: i for token, i in self.tokens.items() if re.fullmatch(r"<\|[a-z]{2,3}\|>", token)}
        return found if self.several else {}


def variables(path: Path) -> dict[str, np.ndarray]:
    """The variables of a model.bin of version 6 in f32 or f16; scalars are left out."""
    data, at = memoryview(path.read_bytes()), 0

    def take(form: str) -> int:
        nonlocal at
        at += struct.calcsize(form)
        return struct.unpack_from("<" + form, data, at - struct.calcsize(form))[0]

    def text() -> str:
        nonlocal at
        size = take("H")
        at += size
        return bytes(data[at - size : at - 1]).decode()

    if take("I") != 6 or text() != "WhisperSpec":
        raise SystemExit(f"{path}: no Whisper of version 6")
    take("I")  # The revision.
    out = {}
    for _ in range(take("I")):
        name = text()
        shape = [take("I") for _ in range(take("B"))]
        kind, size = take("B"), take("I")
        if shape:
            out[name] = np.frombuffer(data[at : at + size], DTYPES[kind]).reshape(shape)
        elif name.endswith("num_heads"):
            out[name] = np.frombuffer(data[at : at + size], np.int16)[0]
        at += size
    return out


def renamed(of: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """CTranslate2's variables by the names of transformers, with the joined matrices of attention divided."""
    parts = {("self_attention", 0): "qkv", ("attention", 0): "q", ("attention", 1): "kv"}
    out = {}
    for name, values in of.items():
        name = name.replace("/", ".").replace("gamma", "weight").replace("beta", "bias")
        name = name.replace("position_encodings.encodings", "embed_positions.weight")
        name = name.replace("embeddings.weight", "embed_tokens.weight").replace(".layer_norm.", ".\0.")
        name = re.sub(r"\.layer_(\d+)", r".layers.\1", name)
        name = re.sub(r"\.ffn\.linear_(\d)", lambda found: f".fc{int(found[1]) + 1}", name)
        name = name.replace(".ffn.\0", ".final_layer_norm").replace(".self_attention.\0", ".self_attn_layer_norm")
        name = name.replace(".attention.\0", ".encoder_attn_layer_norm").replace("\0", "layer_norm")
        found = re.fullmatch(r"(.*)\.(self_attention|attention)\.linear_(\d)\.(\w+)", name)
        if not found:
            out[name] = values
            continue
        own = f"{found[1]}.{'self_attn' if found[2] == 'self_attention' else 'encoder_attn'}"
        joined = parts.get((found[2], int(found[3])))
        if joined is None:
            out[f"{own}.out_proj.{found[4]}"] = values
            continue
        for part, rows in zip(joined, np.split(values, len(joined))):
            if (part, found[4]) != ("k", "bias"):  # It is all zeros.
                out[f"{own}.{part}_proj.{found[4]}"] = rows
    return out


def read(folder: Path) -> Whisper:
    found = variables(folder / "model.bin")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    added = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["added_tokens"]
    heads = int(found.pop("encoder/num_heads"))
    del found["decoder/num_heads"]
    tensors = renamed(found)
    return Whisper(tensors, heads, {token["content"]: token["id"] for token in added}, config["suppress_ids"],
                   config["suppress_ids_begin"], len(tensors["decoder.embed_tokens.weight"]) != ENGLISH)


def layers(tensors: dict[str, np.ndarray], stack: str) -> int:
    return len({name.split(".")[2] for name in tensors if name.startswith(stack + ".layers.")})


def transformers_model(whisper: Whisper):
    """WhisperForConditionalGeneration in f32."""
    import torch
    from transformers import GenerationConfig, WhisperConfig, WhisperForConditionalGeneration

    tensors = whisper.tensors
    vocabulary, d = tensors["decoder.embed_tokens.weight"].shape
    token = {name: whisper.tokens[f"<|{name}|>"] for name in STEERING}
    ids = {"decoder_start_token_id": token["startoftranscript"], "eos_token_id": token["endoftext"],
           "pad_token_id": token["endoftext"], "bos_token_id": token["endoftext"]}
    positions = len(tensors["decoder.embed_positions.weight"])
    model = WhisperForConditionalGeneration(WhisperConfig(
        vocab_size=vocabulary, d_model=d, num_mel_bins=tensors["encoder.conv1.weight"].shape[1],
        encoder_layers=layers(tensors, "encoder"), decoder_layers=layers(tensors, "decoder"),
        encoder_attention_heads=whisper.heads, decoder_attention_heads=whisper.heads,
        encoder_ffn_dim=len(tensors["encoder.layers.0.fc1.bias"]),
        decoder_ffn_dim=len(tensors["decoder.layers.0.fc1.bias"]),
        max_source_positions=len(tensors["encoder.embed_positions.weight"]), max_target_positions=positions, **ids))
    state = {"model." + name: torch.tensor(values, dtype=torch.float32) for name, values in tensors.items()}
    state["proj_out.weight"] = state["model.decoder.embed_tokens.weight"]
    model.load_state_dict(state, strict=True)
    several = whisper.languages
    steering = {"lang_to_id": several, "task_to_id": {task: token[task] for task in ("transcribe", "translate")}}
    model.generation_config = GenerationConfig(
        is_multilingual=bool(several), suppress_tokens=whisper.suppressed, max_length=positions,
        begin_suppress_tokens=whisper.suppressed_first, no_timestamps_token_id=token["notimestamps"],
        prev_sot_token_id=token["startofprev"], max_initial_timestamp_index=50, **ids,
        **(steering if several else {}))
    return model.eval()


def window_ids(model, features: np.ndarray, prompt: list[int], timestamps: bool,
               most: int) -> tuple[list[int], float]:
    """What greedy search writes behind a prompt in a window [1, bins, frames], without EOS, and by how much the logit
    of a token exceeds all others at least: the search of transformers with the rules of its Whisper, whose own
    `generate` would go on with what follows the last segment."""
    import torch
    from transformers import GenerationMixin
    from transformers.generation import (LogitsProcessorList, SuppressTokensAtBeginLogitsProcessor,
                                         SuppressTokensLogitsProcessor, WhisperTimeStampLogitsProcessor)

    config, begin = copy.deepcopy(model.generation_config), len(prompt)
    rules = [SuppressTokensAtBeginLogitsProcessor(config.begin_suppress_tokens, begin),
             SuppressTokensLogitsProcessor(config.suppress_tokens)]
    config.suppress_tokens = config.begin_suppress_tokens = None
    if timestamps:
        rules.append(WhisperTimeStampLogitsProcessor(config, begin_index=begin))
    out = GenerationMixin.generate(
        model, torch.from_numpy(features), decoder_input_ids=torch.tensor([prompt]), generation_config=config,
        logits_processor=LogitsProcessorList(rules), max_new_tokens=most, do_sample=False, output_scores=True,
        return_dict_in_generate=True)
    margins = [float(best - second) for best, second in (scores[0].topk(2).values for scores in out.scores)]
    written = out.sequences[0].tolist()[begin:]
    return written[:-1] if written[-1:] == [config.eos_token_id] else written, min(margins)


def generated(model, features: np.ndarray, timestamps: bool, most: int) -> list[int]:
    """What the greedy `generate` of transformers' Whisper writes of a recording of one window, without EOS."""
    import torch

    options = {"task": "transcribe"} if model.generation_config.is_multilingual else {}
    return model.generate(torch.from_numpy(features), return_timestamps=timestamps, max_new_tokens=most,
                          do_sample=False, num_beams=1, **options)[0].tolist()


def tokenizer(folder: Path):
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(folder / "tokenizer.json"))
