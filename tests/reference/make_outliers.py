"""Makes a model of a Hugging Face family twice: as it is, and with outliers inside its feed-forward layers.

Some channels inside the feed-forward layers of the second model, one in twenty, are up to 256 times as large as in the
first, as in trained T5 and NLLB, and the weights behind them are as much smaller, so that both models compute the same.
The weights are random; the tokenizer is one of tests/data/huggingface_tokenizer.

    python tests/reference/make_outliers.py m2m100 --out /tmp/m2m100     # /tmp/m2m100/plain, /tmp/m2m100/outliers

How much of int8's precision the outliers take, and latimer-convert --equalize gives back:
docs/notes/2026-11-23-equalize.md.
"""

import argparse
import json
import shutil
from pathlib import Path

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, GenerationConfig

from make_family_texts import LANGUAGES, TOKENIZERS, make_config

WIDTH, INSIDE, LAYERS, HEADS = 256, 1024, 3, 4
ONE_IN, LARGEST_EXPONENT = 20, 8


def resize(config) -> None:
    if config.model_type in ("t5", "mt5"):
        config.d_model, config.d_ff, config.d_kv, config.num_heads = WIDTH, INSIDE, WIDTH // HEADS, HEADS
        config.num_layers = config.num_decoder_layers = LAYERS
        return
    config.d_model, config.encoder_ffn_dim, config.decoder_ffn_dim = WIDTH, INSIDE, INSIDE
    config.encoder_layers = config.decoder_layers = LAYERS
    config.encoder_attention_heads = config.decoder_attention_heads = HEADS


def randomize(model) -> None:
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.normal_(1.0 if name.endswith("weight") else 0.0, 0.2)
            elif "embed_positions" not in name:
                # T5 does not scale its queries.
                width = parameter.shape[-1] * (WIDTH // HEADS if name.endswith("Attention.q.weight") else 1)
                parameter.normal_(0.0, 1.5 / width ** 0.5)


def feed_forwards(model):
    """The matrix that makes the channels, its bias or None, and the matrix behind."""
    for module in model.modules():
        if hasattr(module, "fc1"):
            yield module.fc1.weight, module.fc1.bias, module.fc2.weight
        elif hasattr(module, "wo"):
            made = module.wi_1 if hasattr(module, "wi_1") else module.wi
            yield made.weight, None, module.wo.weight


def add_outliers(model) -> None:
    with torch.no_grad():
        for made, bias, behind in feed_forwards(model):
            width = made.shape[0]
            channels = torch.randperm(width)[:width // ONE_IN]
            factors = 2.0 ** torch.randint(3, LARGEST_EXPONENT + 1, (len(channels),))
            made[channels] *= factors[:, None]
            if bias is not None:
                bias[channels] *= factors
            behind[:, channels] /= factors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(LANGUAGES))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(TOKENIZERS / args.name)
    rows = json.loads((TOKENIZERS / args.name / "config.json").read_text())["vocab_size"]
    config = make_config(args.name, tokenizer, rows)
    resize(config)
    model = AutoModelForSeq2SeqLM.from_config(config)
    randomize(model)
    # Otherwise such a model repeats one token.
    model.generation_config = GenerationConfig(
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=config.decoder_start_token_id, no_repeat_ngram_size=2, max_length=40)
    for kind in ("plain", "outliers"):
        if kind == "outliers":
            add_outliers(model)
        folder = args.out / kind
        shutil.copytree(TOKENIZERS / args.name, folder, dirs_exist_ok=True)
        (folder / "fixture.jsonl").unlink(missing_ok=True)
        model.save_pretrained(folder)


if __name__ == "__main__":
    main()
