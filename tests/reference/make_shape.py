"""Writes a Marian or T5 model of a given shape with random weights, for benchmarks.

    python tests/reference/make_shape.py opus-mt --out /tmp/opus-mt
    python tests/reference/make_shape.py tiny --out /tmp/tiny --dtype float32
    python tests/reference/make_shape.py opus-mt --set encoder_layers=12 --out /tmp/deep

The folder has config.json, generation_config.json, model.safetensors and, if it is a Marian model,
the tokenizer of invented_tokenizer.py; convert a T5 model with `latimer-convert --no-tokenizer`.
Speed does not depend on the weights' values, but the outputs mean nothing: measure with a forced
number of target tokens.
"""

import argparse
import json
from pathlib import Path

import torch
import transformers
from transformers import (
    GenerationConfig, MarianConfig, MarianMTModel, T5Config, T5ForConditionalGeneration,
)

import invented_tokenizer

SHAPES = {
    # Helsinki-NLP/opus-mt-*: transformer-base.
    "opus-mt": dict(
        vocab_size=54688, d_model=512, encoder_layers=6, decoder_layers=6,
        encoder_attention_heads=8, decoder_attention_heads=8, encoder_ffn_dim=2048,
        decoder_ffn_dim=2048, activation_function="swish", max_position_embeddings=512,
    ),
    # Helsinki-NLP/opus-mt-tc-big-*: transformer-big.
    "opus-mt-tc-big": dict(
        vocab_size=54688, d_model=1024, encoder_layers=6, decoder_layers=6,
        encoder_attention_heads=16, decoder_attention_heads=16, encoder_ffn_dim=4096,
        decoder_ffn_dim=4096, activation_function="relu", max_position_embeddings=1024,
    ),
    # A student as distilled for browsers: deep encoder, shallow decoder.
    "tiny": dict(
        vocab_size=32000, d_model=256, encoder_layers=6, decoder_layers=2,
        encoder_attention_heads=8, decoder_attention_heads=8, encoder_ffn_dim=1536,
        decoder_ffn_dim=1536, activation_function="relu", max_position_embeddings=256,
    ),
    # google-t5/t5-small.
    "t5-small": dict(
        model_type="t5", vocab_size=32128, d_model=512, num_layers=6, num_heads=8, d_kv=64,
        d_ff=2048, feed_forward_proj="relu", tie_word_embeddings=True,
    ),
}


def make_marian(shape: dict) -> MarianMTModel:
    pad = shape["vocab_size"] - 1
    config = MarianConfig(
        **shape, scale_embedding=True, normalize_before=False, normalize_embedding=False,
        static_position_embeddings=True, pad_token_id=pad, decoder_start_token_id=pad,
        eos_token_id=0, bos_token_id=0, forced_eos_token_id=0,
    )
    model = MarianMTModel(config)
    with torch.no_grad():
        model.model.shared.weight[pad] = 0.0  # as in every published model
    model.generation_config = GenerationConfig(
        bos_token_id=0, eos_token_id=0, pad_token_id=pad, decoder_start_token_id=pad,
        forced_eos_token_id=0, bad_words_ids=[[pad]],
        max_length=shape["max_position_embeddings"],
    )
    return model


def make_t5(shape: dict) -> T5ForConditionalGeneration:
    ids = dict(pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)
    model = T5ForConditionalGeneration(T5Config(**shape, **ids))
    model.generation_config = GenerationConfig(**ids)
    return model


def make_shape(shape: dict, out: Path, dtype: torch.dtype, seed: int) -> int:
    """Writes the model to `out`; returns its number of parameters."""
    torch.manual_seed(seed)
    model = make_t5(shape) if shape.get("model_type") == "t5" else make_marian(shape)
    out.mkdir(parents=True, exist_ok=True)
    model.to(dtype).save_pretrained(out)
    if shape.get("model_type") != "t5":
        invented_tokenizer.write_marian(out, shape["vocab_size"])
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dtype", choices=("float16", "bfloat16", "float32"), default="float16")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE",
        help="change a field of config.json; the value is JSON or a plain word",
    )
    arguments = parser.parse_args()
    shape = dict(SHAPES[arguments.shape])
    for assignment in arguments.set:
        name, _, value = assignment.partition("=")
        try:
            shape[name] = json.loads(value)
        except json.JSONDecodeError:
            shape[name] = value
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    count = make_shape(shape, arguments.out, getattr(torch, arguments.dtype), arguments.seed)
    print(f"{arguments.out}: {arguments.shape}, {count / 1e6:.1f} M parameters, {arguments.dtype}")


if __name__ == "__main__":
    main()
