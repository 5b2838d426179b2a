"""Makes the tiny BART, mBART, M2M100/NLLB and Pegasus models of tests/data/tiny_families.

As make_tiny_marian.py does for Marian: each model learns the toy task, is written as transformers
or older uploads write it, and the fixture is what transformers' generate() gives for the files.

    python tests/reference/make_tiny_families.py --out tests/data/tiny_families [NAME ...]
"""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import torch
import transformers
from transformers import AutoConfig, AutoModelForSeq2SeqLM, GenerationConfig

import make_tiny_marian as tiny
import tiny_fixture

VOCABULARY = 100
FIRST_SYMBOL = 5
"""Ids below are special; the last five stand for language tokens."""
LANGUAGE = VOCABULARY - 3
MAX_LENGTH = 25


@dataclass
class Spec:
    about: str
    model_type: str
    config: dict = field(default_factory=dict)
    rules: dict = field(default_factory=dict)
    start: int | None = None
    form: str = "saved"
    """saved: one safetensors file; sharded: several; bin: pytorch_model.bin of the whole state
    dictionary, tied copies and tables included, rules in config.json as in old uploads."""


SPECS = {
    "bart_cnn": Spec(
        "BART with the rules of bart-large-cnn: forced BOS and EOS, min_length, no_repeat_ngram 3",
        "bart",
        rules=dict(forced_bos_token_id=0, forced_eos_token_id=2, min_length=6,
                   no_repeat_ngram_size=3, max_length=16, num_beams=4, length_penalty=2.0),
    ),
    "bart_penalty": Spec(
        "BART: scaled embeddings, gelu_new, repetition_penalty 1.4, no_repeat_ngram 2",
        "bart",
        dict(scale_embedding=True, activation_function="gelu_new", d_model=30,
             encoder_attention_heads=3, decoder_attention_heads=5),
        rules=dict(repetition_penalty=1.4, no_repeat_ngram_size=2),
    ),
    "bart_bin": Spec(
        "BART as pytorch_model.bin with every tied copy, no generation_config.json",
        "bart",
        dict(normalize_before=False, normalize_embedding=True, add_final_layer_norm=False,
             static_position_embeddings=False, add_bias_logits=False,
             force_bos_token_to_be_generated=True, extra_pos_embeddings=2,
             task_specific_params={"summarization": {
                 "early_stopping": True, "length_penalty": 2.0, "max_length": 16, "min_length": 6,
                 "no_repeat_ngram_size": 3, "num_beams": 4}}),
        form="bin",
    ),
    "mbart_cc25": Spec(
        "mBART: the decoder starts from a language token; gelu, scaled embeddings",
        "mbart", dict(scale_embedding=True), rules=dict(forced_eos_token_id=2), start=LANGUAGE,
    ),
    "mbart50": Spec(
        "mBART-50: </s>, then a forced language token; relu, sharded safetensors",
        "mbart", dict(scale_embedding=True, activation_function="relu"),
        rules=dict(forced_bos_token_id=LANGUAGE, forced_eos_token_id=2), start=2, form="sharded",
    ),
    "m2m100": Spec(
        "M2M100: 3 + 1 layers, forced language token",
        "m2m_100", dict(encoder_layers=3, decoder_layers=1),
        rules=dict(forced_bos_token_id=LANGUAGE),
    ),
    "nllb_bin": Spec(
        "NLLB as pytorch_model.bin: swish, odd heads, suppressed tokens",
        "m2m_100",
        dict(activation_function="swish", d_model=36, encoder_attention_heads=3,
             decoder_attention_heads=6, num_hidden_layers=2),
        rules=dict(suppress_tokens=[7, 9]),
        form="bin",
    ),
    "pegasus_xsum": Spec(
        "Pegasus: relu, scaled embeddings, sinusoids, starts from <pad>, length limits",
        "pegasus", dict(scale_embedding=True, activation_function="relu"),
        rules=dict(forced_eos_token_id=1, max_length=12, min_length=4, num_beams=8,
                   length_penalty=0.6),
    ),
    "pegasus_untied": Spec(
        "Pegasus: gelu, an output matrix of its own",
        "pegasus", dict(tie_word_embeddings=False),
    ),
    "mvp": Spec("MVP without prompts", "mvp"),
    "plbart": Spec("PLBart: scaled embeddings", "plbart", rules=dict(forced_eos_token_id=2)),
    "blenderbot": Spec("Blenderbot: no rows before the first position", "blenderbot"),
    "blenderbot_small": Spec(
        "BlenderbotSmall: the decoder normalizes embeddings before it adds positions", "blenderbot-small",
    ),
    "fsmt": Spec(
        "FSMT: two vocabularies, sinusoids that are not saved, two layers and one", "fsmt",
        dict(src_vocab_size=VOCABULARY, tgt_vocab_size=VOCABULARY, langs=["en", "de"], decoder_layers=1),
    ),
    "fsmt_bin": Spec(
        "FSMT as pytorch_model.bin with one matrix under three names, no generation_config.json", "fsmt",
        dict(src_vocab_size=VOCABULARY, tgt_vocab_size=VOCABULARY, langs=["en", "de"],
             tie_word_embeddings=True, num_hidden_layers=2),
        form="bin",
    ),
}


def make_config(spec: Spec):
    pegasus = spec.model_type == "pegasus"
    ids = (dict(pad_token_id=0, eos_token_id=1, decoder_start_token_id=0) if pegasus else
           dict(bos_token_id=0, pad_token_id=1, eos_token_id=2, decoder_start_token_id=2))
    values = ids | dict(
        vocab_size=VOCABULARY, d_model=24, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=32,
        decoder_ffn_dim=37, encoder_attention_heads=2, decoder_attention_heads=2,
        max_position_embeddings=48, dropout=0.0, attention_dropout=0.0, encoder_layerdrop=0.0,
        decoder_layerdrop=0.0,
    ) | spec.config
    if spec.model_type == "fsmt":
        del values["vocab_size"]
    if spec.start is not None:
        values["decoder_start_token_id"] = spec.start
    return AutoConfig.for_model(spec.model_type, **values)


def roughen(model) -> None:
    """Gives every bias, norm weight and table a value that matters."""
    config = model.config
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name and name.endswith("weight"):
                parameter.normal_(1.0, 0.15)
            elif name.endswith("bias"):
                parameter.normal_(0.0, 0.1)
            elif "embed_positions" in name:
                if config.model_type not in ("m2m_100", "pegasus", "fsmt"):
                    parameter.normal_(0.0, 0.3)
            elif "embed" in name or "shared" in name or "lm_head" in name:
                scale = 1.0 if config.scale_embedding else config.d_model ** 0.5
                parameter.normal_(0.0, 0.15 * scale)
            else:
                parameter.normal_(0.0, parameter.shape[1] ** -0.5)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_(0.0, 0.3)


def toy_pairs(rng: random.Random) -> dict[int, int]:
    symbols = range(FIRST_SYMBOL, VOCABULARY - 5)
    return dict(zip(rng.sample(symbols, tiny.SYMBOLS), rng.sample(symbols, tiny.SYMBOLS)))


def candidate_sources(config, task: dict[int, int], rng: random.Random):
    """Toy sources of growing length, then ids of the whole range but <pad>."""
    symbols, ids = list(task), [i for i in range(VOCABULARY) if i != config.pad_token_id]
    for length in (1, 2, 3, 5, 7, 9, 11, 12):
        yield rng.choices(symbols, k=length) + [config.eos_token_id]
    while True:
        pool, longest = (symbols, 16) if rng.random() < 0.3 else (ids, 45)
        yield rng.choices(pool, k=rng.randint(2, longest)) + [config.eos_token_id]


def write_model(model, spec: Spec, folder: Path) -> None:
    config = model.config
    ids = {name: getattr(config, name, None) for name in
           ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id")}
    rules = {"max_length": MAX_LENGTH} | spec.rules
    model.generation_config = GenerationConfig(**ids, **rules)
    if spec.form == "sharded":
        model.save_pretrained(folder, max_shard_size="20KB")
    else:
        model.save_pretrained(folder)
    if spec.form != "bin":
        return
    (folder / "model.safetensors").unlink()
    (folder / "generation_config.json").unlink()
    tensors = model.state_dict()
    if spec.model_type == "fsmt":  # Its published files have no sinusoids.
        tensors = {name: tensor for name, tensor in tensors.items() if "embed_positions" not in name}
    torch.save(tensors, folder / "pytorch_model.bin")
    fields = json.loads((folder / "config.json").read_text()) | spec.config | rules
    if spec.model_type != "fsmt":
        fields.pop("forced_eos_token_id", None)  # The class has its own.
    fields["transformers_version"] = "4.2.0"
    (folder / "config.json").write_text(json.dumps(fields, indent=2, sort_keys=True) + "\n")


def write_fixture(folder: Path, spec: Spec, task, seed: int, loss: float) -> str:
    """Runs the model from disk and writes fixture.json; returns a line of summary."""
    model = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
    config, rules = model.config, model.generation_config
    max_new_tokens = rules.max_length - 1
    rows = tiny.choose_rows(model, task, max_new_tokens, random.Random(seed + 1))
    # What the rules leave of the logits depends on what came before.
    raw = not rules.no_repeat_ngram_size and (rules.repetition_penalty or 1) == 1
    lines = []
    for index, row in enumerate(rows):
        logits = row.pop("logits")
        row["min_margin"] = float(f"{row['min_margin']:.4g}")
        row["ended_with_eos"] = row["output_ids"][-1] == config.eos_token_id
        if index % 3 == 0:
            row["first_step_logits"] = tiny.rounded(logits[0].tolist())
        if index in (4, 11) and raw:
            row["all_step_logits"] = [tiny.rounded(step) for step in logits[:8].tolist()]
        lines.append(json.dumps(row, separators=(",", ":")))
    head = {
        "about": spec.about, "definition": tiny.DEFINITION, "seed": seed,
        "transformers": transformers.__version__, "torch": torch.__version__,
        "decoder_start_token_id": config.decoder_start_token_id,
        "eos_token_id": config.eos_token_id, "pad_token_id": config.pad_token_id,
        "max_new_tokens": max_new_tokens,
    }
    note = f"loss {loss:.3f}  ended {sum(r['ended_with_eos'] for r in rows):2}"
    return tiny_fixture.write_fixture_file(folder, head, rows, lines, note=note)


def make(name: str, out: Path, steps: int) -> str:
    spec = SPECS[name]
    seed = 300 + list(SPECS).index(name)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    config = make_config(spec)
    model = AutoModelForSeq2SeqLM.from_config(config)
    roughen(model)
    task = toy_pairs(rng)
    tiny.EOS, tiny.candidate_sources = config.eos_token_id, candidate_sources
    loss = tiny.train(model, task, steps, rng)
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    write_model(model, spec, folder)
    return write_fixture(folder, spec, task, seed, loss)


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    tiny_fixture.run(__doc__, SPECS, "tests/data/tiny_families", 1200, make)
