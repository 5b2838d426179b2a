"""Makes the tiny Marian models of tests/data/tiny_marian and their expected outputs.

Each model learns a toy task (a fixed permutation of 50 symbols, order kept),
because an untrained model with tied embeddings only repeats one token. The fixture is then written
from the files on disk: what Hugging Face's generate(num_beams=1) yields, in float32.

    python tests/reference/make_tiny_marian.py --out tests/data/tiny_marian [NAME ...]

Weights depend on the torch build, so a rerun gives other models, as good as these.
"""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import GenerationConfig, MarianConfig, MarianMTModel

import tiny_fixture
from marian_reference import ReferenceMarian, has_extra_norms, load

EOS = 0
SYMBOLS = 50
MIN_MARGIN = 0.03
MAX_NEW_TOKENS = 24

DEFINITION = (
    "output_ids = transformers generate(num_beams=1, max_new_tokens=max_new_tokens), unbatched, "
    "float32, rules of the folder's generation_config.json (config.json where that is missing), "
    "without the start token, with </s> where it was produced. first_step_logits = raw logits "
    "(with final_logits_bias, before any rule) for decoder input [decoder_start]; all_step_logits "
    "= the same for decoder input [decoder_start]+output_ids[:-1]. min_margin = smallest gap "
    "between the best and the second best logit on the path, after the rules."
)


@dataclass
class Spec:
    """One tiny model: what differs from the usual shape, and how its files are written."""

    about: str
    config: dict = field(default_factory=dict)
    rules: dict = field(default_factory=dict)
    """generation_config.json entries besides the token ids."""
    dtype: torch.dtype = torch.float32
    learned_positions: bool = False
    form: str = "saved"
    """saved: as save_pretrained writes it; v4_untied: shared and lm_head alone; hub_2020: all
    tied copies and position tables, every rule in config.json, no generation_config.json."""


# Vocabulary 100, d_model 24, 2 + 2 layers, d_ffn 32, 2 heads, swish, unless said.
SPECS = {
    "heads_1_relu": Spec(
        "one head, relu, odd and different d_ffn",
        dict(encoder_attention_heads=1, decoder_attention_heads=1, activation_function="relu",
             encoder_ffn_dim=37, decoder_ffn_dim=61),
    ),
    "heads_2_6_gelu": Spec(
        "2 encoder heads, 6 decoder heads, gelu",
        dict(encoder_attention_heads=2, decoder_attention_heads=6, activation_function="gelu",
             encoder_ffn_dim=61, decoder_ffn_dim=37),
    ),
    "head_dim_5_silu": Spec(
        "odd head size (30 / 6), silu, 1 + 3 layers",
        dict(d_model=30, encoder_attention_heads=6, decoder_attention_heads=6, encoder_layers=1,
             decoder_layers=3, activation_function="silu", encoder_ffn_dim=35, decoder_ffn_dim=33),
    ),
    "odd_d_model_gelu_new": Spec(
        "odd d_model (27 = 3 heads of 9; one more sine than cosine), gelu_new, 3 + 1 layers",
        dict(d_model=27, encoder_attention_heads=3, decoder_attention_heads=3, encoder_layers=3,
             decoder_layers=1, activation_function="gelu_new", encoder_ffn_dim=31),
    ),
    "no_scale": Spec(
        "scale_embedding false, 40 positions",
        dict(scale_embedding=False, max_position_embeddings=40),
    ),
    "untied": Spec(
        "tie_word_embeddings false as transformers 5 saves it: encoder, decoder and output "
        "matrices differ, model.shared.weight is in the file and unused",
        dict(tie_word_embeddings=False),
    ),
    "untied_v4": Spec(
        "tie_word_embeddings false as transformers 4 saves it: model.shared.weight for both "
        "embeddings, and lm_head.weight (transformers 5 cannot load this)",
        dict(tie_word_embeddings=False),
        form="v4_untied",
    ),
    "separate_vocabs": Spec(
        "source vocabulary 110, target vocabulary 95, output tied to the decoder embedding",
        dict(vocab_size=110, decoder_vocab_size=95, share_encoder_decoder_embeddings=False),
    ),
    "separate_untied": Spec(
        "source vocabulary 100, target vocabulary 113, output matrix of its own",
        dict(vocab_size=100, decoder_vocab_size=113, share_encoder_decoder_embeddings=False,
             tie_word_embeddings=False),
    ),
    "learned_positions": Spec(
        "static_position_embeddings false: the tables are in the file, and differ",
        dict(static_position_embeddings=False, max_position_embeddings=40),
        learned_positions=True,
    ),
    "float16": Spec("weights stored as float16", dict(encoder_ffn_dim=33), dtype=torch.float16),
    "bfloat16": Spec("weights stored as bfloat16", dict(decoder_ffn_dim=33), dtype=torch.bfloat16),
    "hub_2020": Spec(
        "the file layout of old OPUS-MT uploads: tied copies and position tables stored, all "
        "rules in config.json, float16",
        dtype=torch.float16,
        rules=dict(max_length=MAX_NEW_TOKENS + 1, num_beams=6, forced_eos_token_id=EOS),
        form="hub_2020",
    ),
    "bad_words": Spec(
        "bad_words_ids of one, two and three tokens, suppress_tokens, begin_suppress_tokens",
    ),
    "lengths": Spec(
        "min_length 5 and max_length 9 (both count the start token), forced_eos_token_id",
        rules=dict(min_length=5, max_length=9, forced_eos_token_id=EOS, renormalize_logits=True),
    ),
    "prenorm": Spec("normalize_before", dict(normalize_before=True)),
    "prenorm_final": Spec(
        "normalize_before, add_final_layer_norm, odd d_ffn",
        dict(normalize_before=True, add_final_layer_norm=True, decoder_ffn_dim=45),
    ),
    "prenorm_all": Spec(
        "normalize_before, add_final_layer_norm, normalize_embedding, relu",
        dict(normalize_before=True, add_final_layer_norm=True, normalize_embedding=True,
             activation_function="relu"),
    ),
    "postnorm_all": Spec(
        "add_final_layer_norm and normalize_embedding after post-norm layers",
        dict(add_final_layer_norm=True, normalize_embedding=True),
    ),
}

HUB_2020_FIELDS = dict(
    _num_labels=3, add_bias_logits=False, add_final_layer_norm=False, classif_dropout=0.0,
    extra_pos_embeddings=100, gradient_checkpointing=False, normalize_before=False,
    normalize_embedding=False, num_hidden_layers=2, output_past=True, prefix=None,
    id2label={"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"},
    label2id={"LABEL_0": 0, "LABEL_1": 1, "LABEL_2": 2}, static_position_embeddings=True,
    task_specific_params=None, torch_dtype="float16",
)


def make_config(spec: Spec) -> MarianConfig:
    values = dict(
        vocab_size=100, d_model=24, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=32,
        decoder_ffn_dim=32, encoder_attention_heads=2, decoder_attention_heads=2,
        activation_function="swish", max_position_embeddings=64, scale_embedding=True,
        normalize_before=False, static_position_embeddings=True, dropout=0.0, eos_token_id=EOS,
        bos_token_id=EOS,
    ) | spec.config
    pad = min(values["vocab_size"], values.get("decoder_vocab_size", 10**9)) - 1
    return MarianConfig(
        **values, pad_token_id=pad, decoder_start_token_id=pad, forced_eos_token_id=None
    )


def roughen(model: MarianMTModel) -> None:
    """Gives every bias, norm weight and table a value that matters."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" in name:
                continue
            if "norm" in name and name.endswith("weight"):
                parameter.normal_(1.0, 0.15)
            elif name.endswith("bias"):
                parameter.normal_(0.0, 0.1)
            elif "embed" in name or "shared" in name or "lm_head" in name:
                scale = 1.0 if model.config.scale_embedding else model.config.d_model ** 0.5
                parameter.normal_(0.0, 0.15 * scale)
            else:
                parameter.normal_(0.0, parameter.shape[1] ** -0.5)
        model.final_logits_bias.normal_(0.0, 0.3)


def learn_positions(model: MarianMTModel) -> None:
    """Replaces the sinusoid tables by others, unequal in encoder and decoder."""
    with torch.no_grad():
        for stack in (model.model.encoder, model.model.decoder):
            stack.embed_positions.weight.normal_(0.0, 0.7)


def toy_pairs(config: MarianConfig, rng: random.Random) -> dict[int, int]:
    """The toy task: source symbol -> target symbol."""
    source = rng.sample(range(1, config.pad_token_id), SYMBOLS)
    target = rng.sample(range(1, config.pad_token_id), SYMBOLS)
    return dict(zip(source, target))


def train(model: MarianMTModel, task: dict[int, int], steps: int, rng: random.Random) -> float:
    """Trains on the toy task; returns the last loss."""
    config, symbols = model.config, list(task)
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=4e-3, betas=(0.9, 0.98), weight_decay=0.0)
    model.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 4e-3 * min(1.0, (step + 1) / 50) * (1.0 - step / steps)
        length = rng.randint(1, 12)
        batch = [rng.choices(symbols, k=length) for _ in range(24)]
        source = torch.tensor([row + [EOS] for row in batch])
        target = torch.tensor([[task[s] for s in row] + [EOS] for row in batch])
        start = torch.full((len(batch), 1), config.decoder_start_token_id)
        logits = model(
            input_ids=source,
            decoder_input_ids=torch.cat([start, target[:, :-1]], dim=1),
            use_cache=False,
        ).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
    model.eval()
    return loss.item()


def write_model(model: MarianMTModel, spec: Spec, rules: dict, folder: Path) -> None:
    """Writes config.json, generation_config.json and model.safetensors in the spec's form."""
    config = model.config
    ids = dict(
        bos_token_id=config.bos_token_id, eos_token_id=config.eos_token_id,
        pad_token_id=config.pad_token_id, decoder_start_token_id=config.decoder_start_token_id,
    )
    rules = ids | {"bad_words_ids": [[config.pad_token_id]]} | rules
    model = model.to(spec.dtype)
    everything = {k: v.detach().clone().contiguous() for k, v in model.state_dict().items()}
    model.generation_config = GenerationConfig(**rules)
    model.save_pretrained(folder)
    model.to(torch.float32)

    weights = load_file(folder / "model.safetensors")
    if spec.form == "v4_untied":
        weights = {k: v for k, v in weights.items() if "embed_tokens" not in k}
    elif spec.form == "hub_2020":
        weights = everything
    elif spec.learned_positions:
        weights |= {k: v for k, v in everything.items() if "embed_positions" in k}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})

    fields = json.loads((folder / "config.json").read_text())
    fields["architectures"] = ["MarianMTModel"]
    if spec.form == "hub_2020":
        fields.pop("dtype")
        fields |= HUB_2020_FIELDS | rules | {"transformers_version": "4.0.0"}
        (folder / "generation_config.json").unlink()
    (folder / "config.json").write_text(json.dumps(fields, indent=2, sort_keys=True) + "\n")


def rounded(values) -> list[float]:
    return [float(f"{value:.7g}") for value in values]


def run_row(model: MarianMTModel, source: list[int], max_new_tokens: int) -> dict:
    """One fixture row: Hugging Face's own greedy search, checked against a run without KV cache."""
    start = model.config.decoder_start_token_id
    result = model.generate(
        torch.tensor([source]), attention_mask=torch.ones(1, len(source), dtype=torch.long),
        num_beams=1, do_sample=False, max_new_tokens=max_new_tokens,
        return_dict_in_generate=True, output_logits=True, output_scores=True,
    )
    output = result.sequences[0].tolist()[1:]
    margins = []
    for token, scores in zip(output, result.scores):
        best = scores[0].topk(2)
        assert best.indices[0] == token
        margins.append((best.values[0] - best.values[1]).item())
    with torch.no_grad():
        logits = model(
            input_ids=torch.tensor([source]),
            decoder_input_ids=torch.tensor([[start] + output[:-1]]),
            use_cache=False,
        ).logits[0]
    cached = torch.stack([step[0] for step in result.logits])
    assert torch.allclose(logits, cached, rtol=1e-4, atol=1e-4)
    return {
        "src_ids": source, "output_ids": output, "ended_with_eos": output[-1] == EOS,
        "min_margin": min(margins), "logits": logits,
    }


def candidate_sources(config: MarianConfig, task: dict[int, int], rng: random.Random):
    ids = [i for i in range(1, config.vocab_size) if i != config.pad_token_id]
    return tiny_fixture.toy_and_any_sources(
        task, EOS, rng, lambda: rng.choices(ids, k=rng.randint(2, 35)))


def choose_rows(model, task, max_new_tokens: int, rng: random.Random, count: int = 12):
    """Rows in which every decision is clear, with distinct outputs; 8 toy rows at most."""
    rows, seen, toy = [], set(), 0
    for tried, source in enumerate(candidate_sources(model.config, task, rng)):
        is_toy = all(i in task for i in source[:-1])
        if is_toy and toy == count - 4:
            continue
        row = run_row(model, source, max_new_tokens)
        key = tuple(row["output_ids"])
        if row["min_margin"] >= MIN_MARGIN and key not in seen:
            seen.add(key)
            toy += is_toy
            rows.append(row)
        if len(rows) == count:
            return rows
        if tried == 2000:
            raise RuntimeError("too few clear rows: train longer or use another seed")


def biting_bad_words(model, task, rng: random.Random) -> dict:
    """Rules that change this model's outputs: parts of its own unrestricted outputs are banned."""
    outputs = []
    for source in candidate_sources(model.config, task, rng):
        ids = run_row(model, source, MAX_NEW_TOKENS)["output_ids"]
        if len(ids) > 5 and EOS not in ids[:5]:
            outputs.append(ids)
        if len(outputs) == 6:
            break
    start, pad = model.config.decoder_start_token_id, model.config.pad_token_id
    return dict(
        bad_words_ids=[
            [pad], [EOS], [outputs[0][1]], outputs[1][1:3], outputs[2][1:4],
            [start, outputs[3][0]],
        ],
        suppress_tokens=[outputs[i][2] for i in (3, 4, 5)],
        begin_suppress_tokens=[outputs[i][0] for i in (0, 1, 4, 5)],
    )


def write_fixture(folder: Path, spec: Spec, task, seed: int, loss: float) -> str:
    """Runs the model from disk and writes fixture.json; returns a line of summary."""
    model = load(folder)
    config, rules = model.config, model.generation_config
    max_new_tokens = (rules.max_length - 1) if rules.max_length else MAX_NEW_TOKENS
    rows = choose_rows(model, task, max_new_tokens, random.Random(seed + 1))
    if not has_extra_norms(config) and spec.form != "v4_untied":
        plain = MarianMTModel.from_pretrained(folder, dtype=torch.float32).eval()
        for row in rows:
            assert run_row(plain, row["src_ids"], max_new_tokens)["output_ids"] == row["output_ids"]
    lines = []
    for index, row in enumerate(rows):
        logits = row.pop("logits")
        row["min_margin"] = float(f"{row['min_margin']:.4g}")
        if index % 3 == 0:
            row["first_step_logits"] = rounded(logits[0].tolist())
        if index in (4, 11):
            row["all_step_logits"] = [rounded(step) for step in logits[:10].tolist()]
        lines.append(json.dumps(row, separators=(",", ":")))
    head = {
        "about": spec.about, "definition": DEFINITION, "seed": seed,
        "transformers": transformers.__version__, "torch": torch.__version__,
        "decoder_start_token_id": config.decoder_start_token_id, "eos_token_id": EOS,
        "pad_token_id": config.pad_token_id, "max_new_tokens": max_new_tokens,
    }
    note = f"loss {loss:.3f}  ended {sum(r['ended_with_eos'] for r in rows):2}/12"
    return tiny_fixture.write_fixture_file(folder, head, rows, lines, note=note)


def make(name: str, out: Path, steps: int) -> str:
    spec = SPECS[name]
    seed = 100 + list(SPECS).index(name)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    config = make_config(spec)
    model = ReferenceMarian(config)
    roughen(model)
    if spec.form == "v4_untied":
        model.model.encoder.embed_tokens = model.model.decoder.embed_tokens = model.model.shared
    if spec.learned_positions:
        learn_positions(model)
    task = toy_pairs(config, rng)
    loss = train(model, task, steps, rng)
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    rules = spec.rules
    if name == "bad_words":
        write_model(model, spec, rules, folder)
        rules = biting_bad_words(load(folder), task, random.Random(seed + 1))
    write_model(model, spec, rules, folder)
    return write_fixture(folder, spec, task, seed, loss)


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    tiny_fixture.run(__doc__, SPECS, "tests/data/tiny_marian", 2000, make)
