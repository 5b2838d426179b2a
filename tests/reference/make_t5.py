"""Makes the tiny T5 and T5Gemma models of tests/data/t5 and their expected outputs.

Each model learns a toy task (a fixed permutation of 40 symbols, order kept), as those of
make_tiny_marian.py do. The fixture is then written from the files on disk: what transformers'
generate(num_beams=1) yields, in float32. Rows reach beyond the last bucket of the relative
positions, in the source and in the target.

    python tests/reference/make_t5.py --out tests/data/t5 [NAME ...]

Weights depend on the torch build, so a rerun gives other models, as good as these.
"""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import (
    AutoConfig, AutoModelForSeq2SeqLM, GenerationConfig, MT5Config, MT5ForConditionalGeneration,
    T5Config, T5ForConditionalGeneration, T5GemmaConfig, T5GemmaForConditionalGeneration,
    UMT5Config, UMT5ForConditionalGeneration,
)
from transformers.models.t5.modeling_t5 import T5Attention

import tiny_fixture

PAD, EOS = 0, 1
BOS = 2
SYMBOLS = 40
MIN_MARGIN = 0.03
LONG_MIN_MARGIN = 0.01
"""Of the rows that reach the limit, in which a hundred and more decisions must be clear."""

DEFINITION = (
    "output_ids = transformers generate(num_beams=1, max_new_tokens=max_new_tokens), unbatched, "
    "float32, without the start token, with </s> where it was produced. first_step_logits = logits "
    "for decoder input [decoder_start]; all_step_logits = the same for decoder input "
    "[decoder_start]+output_ids[:-1], the first 10 steps at most; last_step_logits = the last of "
    "all these. min_margin = smallest gap between the best and the second best logit on the path. "
    "attention = output_attentions for row `row`, [layer][head][query][key]."
)


@dataclass
class Spec:
    """One tiny model: what differs from the usual shape, and how its files are written."""

    about: str
    config: dict = field(default_factory=dict)
    family: str = "t5"
    dtype: torch.dtype = torch.float16
    untied: bool = False
    longest: int = 0
    """Tokens of the longest source, and of the longest translation but a few."""
    form: str = "saved"
    """saved: as save_pretrained of transformers 5 writes it; hub: config.json as it was published,
    tie_word_embeddings as T5 1.1 means it; old_bin: pytorch_model.bin with all tied copies and the
    unused tensors of the first uploads."""


# d_model 24, 2 + 2 layers, d_ff 32, 3 heads of 8, 32 buckets up to 128, unless said.
SPECS = {
    "relu_tied": Spec(
        "the first T5: relu, tied and scaled output, 32 buckets of which the last is reached",
        dict(num_heads=3, d_kv=8), dtype=torch.float32, longest=150,
    ),
    "old_bin": Spec(
        "an upload of 2020: pytorch_model.bin with tied copies and the unused relative bias of "
        "the cross-attention, task_specific_params and n_positions, no generation_config.json",
        dict(num_heads=2, d_kv=7, relative_attention_num_buckets=16,
             relative_attention_max_distance=20),
        dtype=torch.float32, longest=40, form="old_bin",
    ),
    "gated_gelu_untied": Spec(
        "T5 1.1 and flan-T5: gated-gelu, lm_head of its own, not scaled, heads wider than "
        "d_model, 1 + 3 layers, 8 buckets up to 16",
        dict(feed_forward_proj="gated-gelu", num_heads=3, d_kv=10, num_layers=1,
             num_decoder_layers=3, d_ff=37, relative_attention_num_buckets=8,
             relative_attention_max_distance=16),
        untied=True, longest=40, form="hub",
    ),
    "gated_silu": Spec(
        "gated-silu with a tied output, as transformers 5 saves it; d_ff larger than half of the "
        "other widths; one head",
        dict(feed_forward_proj="gated-silu", num_heads=1, d_kv=9, num_layers=3,
             num_decoder_layers=1, d_ff=90, relative_attention_num_buckets=32,
             relative_attention_max_distance=40),
        dtype=torch.bfloat16, longest=60,
    ),
    "mt5": Spec(
        "mT5: gated-gelu, lm_head of its own, 4 + 2 layers as in ByT5, 16 buckets up to 128",
        dict(feed_forward_proj="gated-gelu", num_heads=6, d_kv=5, num_layers=4,
             num_decoder_layers=2, relative_attention_num_buckets=16,
             relative_attention_max_distance=128),
        family="mt5", untied=True, longest=150, form="hub",
    ),
    "umt5": Spec(
        "umT5: a relative bias in each layer, gated-gelu, lm_head of its own, 3 + 2 layers, as "
        "published",
        dict(feed_forward_proj="gated-gelu", num_heads=3, d_kv=8, num_layers=3,
             num_decoder_layers=2, relative_attention_num_buckets=16,
             relative_attention_max_distance=40),
        family="umt5", untied=True, longest=60, form="hub",
    ),
    "umt5_tied": Spec(
        "umT5 with a tied and scaled output, 1 + 3 layers, as transformers 5 saves it",
        dict(num_heads=2, d_kv=6, num_layers=1, num_decoder_layers=3,
             relative_attention_num_buckets=8, relative_attention_max_distance=16),
        family="umt5", longest=40,
    ),
    "t5gemma": Spec(
        "T5Gemma: rotary positions, 4 heads that share 2 keys and values, norms before and after "
        "each sublayer, capped logits, windows that cover every text",
        dict(num_attention_heads=4, num_key_value_heads=2, head_dim=10, query_pre_attn_scalar=12,
             attn_logit_softcapping=3.0, final_logit_softcapping=9.0),
        family="t5gemma", dtype=torch.bfloat16, longest=40,
    ),
    "t5gemma_uneven": Spec(
        "T5Gemma with sides of other heads and bases, an lm_head of its own, 1 + 3 layers, and "
        "neither caps nor windows",
        dict(num_attention_heads=3, num_key_value_heads=3, head_dim=8, num_hidden_layers=1,
             hidden_activation="silu", attn_logit_softcapping=None, final_logit_softcapping=None,
             layer_types=["full_attention"],
             decoder=dict(num_attention_heads=4, num_key_value_heads=1, head_dim=6,
                          num_hidden_layers=3, layer_types=["full_attention"] * 3,
                          rope_parameters={"rope_type": "default", "rope_theta": 300.0})),
        family="t5gemma", dtype=torch.float32, untied=True, longest=40,
    ),
}

CLASSES = {
    "t5": (T5Config, T5ForConditionalGeneration), "mt5": (MT5Config, MT5ForConditionalGeneration),
    "umt5": (UMT5Config, UMT5ForConditionalGeneration),
}

# The fields of the published t5-small besides the shape.
OLD_BIN_FIELDS = {
    "n_positions": 512,
    "output_past": True,
    "task_specific_params": {
        "translation_en_to_de": {
            "early_stopping": True, "max_length": 300, "num_beams": 4,
            "prefix": "translate English to German: ",
        }
    },
}


def roughen(model) -> None:
    """Norms unlike one, and biases by distance that matter."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "layer_norm" in name:
                parameter.uniform_(0.5, 1.5)
            elif "norm" in name:  # T5Gemma's, which are less by one.
                parameter.uniform_(-0.5, 0.5)
            elif "relative_attention_bias" in name:
                parameter.normal_(0.0, 0.7)
            elif parameter.dim() == 2:
                parameter.normal_(0.0, 1.0 if "shared" in name else parameter.shape[1] ** -0.5)


def make_t5gemma(spec: Spec):
    shape = dict(vocab_size=64, hidden_size=24, intermediate_size=32, num_hidden_layers=2,
                 max_position_embeddings=200) | spec.config
    decoder = shape | shape.pop("decoder", {})
    config = T5GemmaConfig(
        encoder=shape, decoder=decoder, vocab_size=64, tie_word_embeddings=not spec.untied,
        attn_implementation="eager")
    model = T5GemmaForConditionalGeneration(config)
    roughen(model)
    return model


def start_of(model) -> int:
    return BOS if model.config.model_type == "t5gemma" else PAD


def make_model(spec: Spec):
    if spec.family == "t5gemma":
        return make_t5gemma(spec)
    shape = dict(vocab_size=64, d_model=24, d_ff=32, num_layers=2, num_decoder_layers=2,
                 dropout_rate=0.0, decoder_start_token_id=PAD) | spec.config
    if spec.untied:
        shape["tie_word_embeddings"] = False
    config, model_class = CLASSES[spec.family]
    model = model_class(config(**shape))
    # transformers 5 forgets it, and scales the output of every umT5.
    model.config.tie_word_embeddings = not (spec.untied and spec.family == "umt5")
    if spec.untied:
        # transformers 5 ties always, but where it reads two matrices that differ.
        model.lm_head.weight = torch.nn.Parameter(torch.randn(64, 24) * 24**-0.5)
    roughen(model)
    return model


def toy_task(rng: random.Random) -> dict[int, int]:
    ids = list(range(2, 64))
    return dict(zip(rng.sample(ids, SYMBOLS), rng.sample(ids, SYMBOLS)))


def train(model, task: dict[int, int], steps: int, longest: int, rng: random.Random) -> float:
    symbols = list(task)
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=4e-3, betas=(0.9, 0.98), weight_decay=0.0)
    model.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 4e-3 * min(1.0, (step + 1) / 50) * (1.0 - step / steps)
        long = step % 8 == 7
        length = rng.randint(13, longest) if long else rng.randint(1, 12)
        batch = [rng.choices(symbols, k=length) for _ in range(4 if long else 24)]
        source = torch.tensor([row + [EOS] for row in batch])
        target = torch.tensor([[task[s] for s in row] + [EOS] for row in batch])
        start = torch.full((len(batch), 1), start_of(model))
        logits = model(input_ids=source, decoder_input_ids=torch.cat([start, target[:, :-1]], 1),
                       use_cache=False).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
    model.eval()
    return loss.item()


def write_model(model, spec: Spec, folder: Path) -> None:
    model = model.to(spec.dtype)
    everything = {k: v.detach().clone().contiguous() for k, v in model.state_dict().items()}
    start = start_of(model)
    model.generation_config = GenerationConfig(
        eos_token_id=EOS, pad_token_id=PAD,
        **({"bos_token_id": start} if start != PAD else {"decoder_start_token_id": start}))
    model.save_pretrained(folder)
    fields = json.loads((folder / "config.json").read_text())
    if spec.form == "old_bin":
        everything["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"] = (
            torch.randn(spec.config["relative_attention_num_buckets"], spec.config["num_heads"]))
        torch.save(everything, folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
        (folder / "generation_config.json").unlink()
        for name in ("dtype", "dense_act_fn", "is_gated_act", "scale_decoder_outputs",
                     "tie_word_embeddings", "classifier_dropout"):
            fields.pop(name, None)
        fields |= OLD_BIN_FIELDS | {"transformers_version": "2.3.0"}
    elif spec.form == "hub":
        fields.pop("scale_decoder_outputs", None)
        fields |= {"tie_word_embeddings": False}
        weights = load_file(folder / "model.safetensors") | {
            k: everything[k] for k in ("shared.weight", "lm_head.weight")}
        weights.pop("encoder.embed_tokens.weight", None)
        weights.pop("decoder.embed_tokens.weight", None)
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(fields, indent=2, sort_keys=True) + "\n")


def load(folder: Path):
    model = AutoModelForSeq2SeqLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager").eval()
    if model.config.model_type == "umt5":
        # transformers 5 forgets this field, by which transformers 4 scales the output or not.
        fields = json.loads((folder / "config.json").read_text())
        model.config.tie_word_embeddings = fields["tie_word_embeddings"]
    return model


def rounded(values, digits: int = 7) -> list[float]:
    return [float(f"{value:.{digits}g}") for value in values]


def run_row(model, source: list[int], max_new_tokens: int) -> dict:
    """transformers' own greedy search, checked against a run without KV cache."""
    config = model.config
    result = model.generate(
        torch.tensor([source]), attention_mask=torch.ones(1, len(source), dtype=torch.long),
        num_beams=1, do_sample=False, max_new_tokens=max_new_tokens,
        return_dict_in_generate=True, output_logits=True,
        # transformers 5.23 makes a cache for as many layers as the encoder has.
        use_cache=(config.model_type == "t5gemma"
                   or config.num_decoder_layers <= config.num_layers),
    )
    output = result.sequences[0].tolist()[1:]
    best = torch.stack([step[0] for step in result.logits]).topk(2)
    assert best.indices[:, 0].tolist() == output
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([source]),
                       decoder_input_ids=torch.tensor([[start_of(model)] + output[:-1]]),
                       use_cache=False).logits[0]
    cached = torch.stack([step[0] for step in result.logits])
    assert torch.allclose(logits, cached, rtol=1e-4, atol=1e-4)
    return {
        "src_ids": source, "output_ids": output, "ended_with_eos": output[-1] == EOS,
        "min_margin": (best.values[:, 0] - best.values[:, 1]).min().item(), "logits": logits,
    }


def candidate_sources(task: dict[int, int], longest: int, rng: random.Random):
    """Endless sources: long ones, toy ones of growing length, then any."""
    symbols = list(task)
    while True:
        # Of few symbols, in turn or in runs: many more decisions are clear.
        few = rng.sample(symbols, rng.randint(2, 5))
        yield "long", (few * longest)[:longest - 1] + [EOS]
        yield "long", sorted(rng.choices(few, k=longest - 1)) + [EOS]
        for length in (1, 2, 3, 5, 7, 9, 11):
            yield "toy", rng.choices(symbols, k=length) + [EOS]
        for _ in range(8):
            yield "any", rng.choices(range(2, 64), k=rng.randint(2, 30)) + [EOS]


def choose_rows(model, task, longest: int, rng: random.Random) -> list[dict]:
    """Rows in which every decision is clear, with distinct outputs; two reach the limit."""
    wanted = {"long": 2, "toy": 6, "any": 4}
    rows, seen = [], set()
    for tried, (kind, source) in enumerate(candidate_sources(task, longest, rng)):
        if wanted[kind] == 0:
            continue
        row = run_row(model, source, longest)
        key = tuple(row["output_ids"])
        reaches = len(key) > 0.75 * longest and len(set(key)) > 2
        least = LONG_MIN_MARGIN if kind == "long" else MIN_MARGIN
        if row["min_margin"] >= least and key not in seen and reaches == (kind == "long"):
            seen.add(key)
            wanted[kind] -= 1
            rows.append(row)
        if not any(wanted.values()):
            return sorted(rows, key=lambda row: len(row["src_ids"]))
        if tried == 3000:
            raise RuntimeError(f"too few clear rows, {wanted}: train longer or use another seed")


def attention_of(model, row: dict, index: int) -> dict:
    """The model's own attention weights for the row's output."""
    with torch.no_grad():
        out = model(input_ids=torch.tensor([row["src_ids"]]),
                    decoder_input_ids=torch.tensor([[start_of(model)] + row["output_ids"][:-1]]),
                    use_cache=False, output_attentions=True)
    def layers(attentions):
        return [[[[round(w, 6) for w in query] for query in head] for head in layer[0].tolist()]
                for layer in attentions]
    return {"row": index, "encoder": layers(out.encoder_attentions),
            "decoder": layers(out.decoder_attentions), "cross": layers(out.cross_attentions)}


def write_fixture(folder: Path, spec: Spec, task, seed: int, loss: float) -> str:
    model = load(folder)
    rows = choose_rows(model, task, spec.longest, random.Random(seed + 1))
    # Of middle length: small, but with distances beyond the buckets of one distance each.
    attended = min(range(len(rows)), key=lambda i: abs(len(rows[i]["src_ids"]) - 12))
    attention = attention_of(model, rows[attended], attended)
    lines = []
    for index, row in enumerate(rows):
        logits = row.pop("logits")
        row["min_margin"] = float(f"{row['min_margin']:.4g}")
        if index % 3 == 0:
            row["first_step_logits"] = rounded(logits[0].tolist())
        if index in (4, 8):
            row["all_step_logits"] = [rounded(step) for step in logits[:10].tolist()]
        row["last_step_logits"] = rounded(logits[-1].tolist())
        lines.append(json.dumps(row, separators=(",", ":")))
    head = {
        "about": spec.about, "definition": DEFINITION, "seed": seed,
        "transformers": transformers.__version__, "torch": torch.__version__,
        "decoder_start_token_id": start_of(model), "eos_token_id": EOS, "pad_token_id": PAD,
        "max_new_tokens": spec.longest,
    }
    blocks = ',\n "attention": ' + json.dumps(attention, separators=(",", ":"))
    note = f"loss {loss:.3f}  lengths {[len(r['output_ids']) for r in rows]}"
    return tiny_fixture.write_fixture_file(folder, head, rows, lines, blocks, note)


def make(name: str, out: Path, steps: int) -> str:
    spec = SPECS[name]
    seed = 500 + list(SPECS).index(name)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = make_model(spec)
    task = toy_task(rng)
    loss = train(model, task, steps, spec.longest, rng)
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    write_model(model, spec, folder)
    config = AutoConfig.from_pretrained(folder)
    assert not spec.untied or not getattr(config, "scale_decoder_outputs", False)
    return write_fixture(folder, spec, task, seed, loss)


def write_buckets(path: Path) -> None:
    """Where the buckets of transformers' own function begin, for distances of -1100 to 1100."""
    cases = []
    distances = torch.arange(-1100, 1101)
    for both_ways in (True, False):
        for buckets, max_distance in ((32, 128), (8, 16), (16, 20), (16, 128), (32, 40), (32, 256),
                                      (64, 128), (4, 8), (12, 1000)):
            found = T5Attention._relative_position_bucket(
                distances, bidirectional=both_ways, num_buckets=buckets, max_distance=max_distance)
            pairs = list(zip(distances.tolist(), found.tolist()))
            runs = pairs[:1] + [now for before, now in zip(pairs, pairs[1:]) if before[1] != now[1]]
            cases.append({"both_ways": both_ways, "buckets": buckets,
                          "max_distance": max_distance, "runs": runs})
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    path.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    tiny_fixture.run(__doc__, SPECS, "tests/data/t5", 1500, make,
                     before=lambda out: write_buckets(out / "buckets.json"))
