"""Makes the tiny native Marian models of tests/data/tiny_native and their expected outputs.

Each model learns the toy task of make_tiny_marian.py (a fixed permutation of symbols, order kept)
in PyTorch, is written in Marian's file formats, read back by NumPy's reader or by offset, and run by
marian_numpy.py in float64 from the float32 numbers of the file.

    python tests/reference/make_tiny_native.py --out tests/data/tiny_native [NAME ...]
"""

import io
import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import sentencepiece
import torch
import torch.nn.functional as F
import yaml

import marian_files
import tiny_fixture
from marian_numpy import EPSILON, MarianModel, sinusoids

EOS, UNK = 0, 1
SYMBOLS = 40
MIN_MARGIN = 0.03
MAX_NEW_TOKENS = 24

DEFINITION = (
    "output_ids = greedy search of tests/reference/marian_numpy.py in float64, <unk> suppressed, "
    "at most max_new_tokens; no start token, EOS where it came. Logits are raw, before <unk> is "
    "suppressed. src_ids end with EOS."
)

BASE = {
    "type": "transformer", "dim-emb": 24, "dim-vocabs": [90, 90], "enc-depth": 2, "dec-depth": 2,
    "transformer-heads": 2, "transformer-dim-ffn": 32, "transformer-decoder-dim-ffn": 0,
    "transformer-ffn-depth": 2, "transformer-decoder-ffn-depth": 0,
    "transformer-ffn-activation": "swish", "transformer-preprocess": "",
    "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
    "transformer-postprocess-top": "", "transformer-decoder-autoreg": "self-attention",
    "transformer-no-projection": False, "transformer-tied-layers": [],
    "transformer-train-position-embeddings": False, "transformer-depth-scaling": False,
    "tied-embeddings": False, "tied-embeddings-src": False, "tied-embeddings-all": True,
    # What else Marian 1.9 to 1.12 writes, at its defaults.
    "bert-train-type-embeddings": True, "bert-type-vocab-size": 2, "dec-cell": "gru",
    "dec-cell-base-depth": 2, "dec-cell-high-depth": 1, "dim-rnn": 1024, "enc-cell": "gru",
    "enc-cell-depth": 1, "enc-type": "bidirectional", "factors-combine": "sum",
    "factors-dim-emb": 0, "input-types": [], "layer-normalization": False, "lemma-dim-emb": 0,
    "right-left": False, "skip": False, "transformer-aan-activation": "swish",
    "transformer-aan-depth": 2, "transformer-aan-nogate": False, "transformer-dim-aan": 2048,
    "transformer-guided-alignment-layer": "last", "transformer-rnn-projection": False,
    "ulr": False, "ulr-dim-emb": 0, "ulr-trainable-transformation": False,
    "version": "v1.9.0 ba94c5b9 2020-05-17 10:42:17 +0100",
}
SSRU = {"transformer-decoder-autoreg": "rnn", "dec-cell": "ssru"}
PRENORM = {
    "transformer-preprocess": "n", "transformer-postprocess": "da",
    "transformer-postprocess-top": "n",
}


@dataclass
class Spec:
    about: str
    options: dict = field(default_factory=dict)
    form: str = "npz"  # "npz", "npz_compressed", "bin", "firefox"
    legacy_output: bool = False  # decoder_ff_logit_out_W [D, V], as before Marian 1.8
    learned_positions: int = 0
    same_weights_as: str = ""
    shortlist: bool = False


SPECS = {
    "tied_all": Spec("post-norm, swish, one matrix for all embeddings, deflated npz",
                     form="npz_compressed"),
    "separate": Spec(
        "source vocabulary 80, target 100, nothing tied, relu, decoder_ff_logit_out_W of old "
        "models, an arrays of fortran order, transformer-decoder-dim-ffn",
        {"dim-vocabs": [80, 100], "tied-embeddings-all": False,
         "transformer-ffn-activation": "relu", "transformer-decoder-dim-ffn": 40},
        legacy_output=True),
    "tied_target": Spec(
        "source vocabulary 100, target 80, output tied to the target embedding, 1 + 3 layers",
        {"dim-vocabs": [100, 80], "tied-embeddings-all": False, "tied-embeddings": True,
         "enc-depth": 1, "dec-depth": 3}),
    "tied_source": Spec(
        "one embedding matrix, the output's apart (Wt), no output bias, tied decoder layers, "
        "float32 bin",
        {"tied-embeddings-all": False, "tied-embeddings-src": True, "output-omit-bias": True,
         "transformer-tied-layers": [1, 1], "transformer-heads": 3},
        form="bin"),
    "prenorm": Spec(
        "pre-norm with final norms and norms of the embeddings, relu",
        PRENORM | {"transformer-postprocess-emb": "nd", "transformer-ffn-activation": "relu"}),
    "learned_positions": Spec(
        "position embeddings Wpos of 40 rows, embeddings not scaled",
        {"transformer-train-positions": True}, learned_positions=40),
    "ssru": Spec("SSRU decoder, relu, tied-embeddings-all, as the tiny students",
                 SSRU | {"transformer-ffn-activation": "relu"}),
    "ssru_prenorm": Spec("SSRU decoder, pre-norm with final norms", SSRU | PRENORM),
    "student": Spec(
        "the ssru model as Firefox ships its students: one bin with intgemm8 matrices, options in "
        "it, no decoder.yml", form="firefox", same_weights_as="ssru"),
    "student_shortlist": Spec(
        "the student with a binary lexical shortlist", form="firefox", same_weights_as="ssru",
        shortlist=True),
    "student_separate": Spec(
        "a student of Firefox's base-memory shape: 4 SSRU layers, 8 heads, a vocabulary for each "
        "side, output tied to the target embedding",
        SSRU | {"transformer-ffn-activation": "relu", "dim-vocabs": [90, 80], "dec-depth": 4,
                "transformer-heads": 8, "tied-embeddings": True, "tied-embeddings-all": False},
        form="firefox"),
}


# ---- The model in PyTorch, only to train -----------------------------------


def shapes(options: dict, spec: Spec) -> dict[str, tuple[int, int]]:
    d, (v_source, v_target) = options["dim-emb"], options["dim-vocabs"]
    pre, post = options["transformer-preprocess"], options["transformer-postprocess"]
    result = {}

    def norms(prefix, ops, suffix=""):
        if "n" in ops:
            result[f"{prefix}_ln_scale{suffix}"] = result[f"{prefix}_ln_bias{suffix}"] = (1, d)

    def linear(prefix, suffix, inputs, outputs):
        result[f"{prefix}_W{suffix}"] = (inputs, outputs)
        result[f"{prefix}_b{suffix}"] = (1, outputs)

    def sublayer_norms(prefix, pre_prefix=None):
        norms(pre_prefix or prefix, pre, "_pre")
        norms(prefix, post)

    def attention(prefix):
        for name in "qkvo":
            linear(prefix, name, d, d)
        sublayer_norms(f"{prefix}_Wo")

    def ffn(prefix, width):
        linear(prefix, "1", d, width)
        linear(prefix, "2", width, d)
        sublayer_norms(f"{prefix}_ffn")

    if options["tied-embeddings-all"] or options["tied-embeddings-src"]:
        result["Wemb"] = (v_source, d)
    else:
        result["encoder_Wemb"], result["decoder_Wemb"] = (v_source, d), (v_target, d)
    if spec.learned_positions:
        result["Wpos"] = (spec.learned_positions, d)
    for stack in ("encoder", "decoder"):
        norms(f"{stack}_emb", options["transformer-postprocess-emb"], "_pre")
        norms(f"{stack}_top", options["transformer-postprocess-top"])
    for i in range(1, options["enc-depth"] + 1):
        attention(f"encoder_l{i}_self")
        ffn(f"encoder_l{i}_ffn", options["transformer-dim-ffn"])
    width = options["transformer-decoder-dim-ffn"] or options["transformer-dim-ffn"]
    for i in sorted(set(options["transformer-tied-layers"] or range(1, options["dec-depth"] + 1))):
        if options["transformer-decoder-autoreg"] == "rnn":
            prefix = f"decoder_l{i}_rnn"
            result[f"{prefix}_W"] = (d, d)
            linear(prefix, "f", d, d)
            sublayer_norms(f"{prefix}_ffn", prefix)
        else:
            attention(f"decoder_l{i}_self")
        attention(f"decoder_l{i}_context")
        ffn(f"decoder_l{i}_ffn", width)
    if spec.legacy_output:
        result["decoder_ff_logit_out_W"] = (d, v_target)
    elif not (options["tied-embeddings"] or options["tied-embeddings-all"]):
        result["decoder_ff_logit_out_Wt"] = (v_target, d)
    if not options.get("output-omit-bias"):
        result["decoder_ff_logit_out_b"] = (1, v_target)
    return result


def initial(name: str, shape: tuple[int, int]) -> torch.Tensor:
    """Every bias and norm gets a value that matters."""
    if "_ln_scale" in name:
        return torch.normal(1.0, 0.15, shape)
    if "_ln_bias" in name or "_b" in name:
        return torch.normal(0.0, 0.1, shape)
    if name == "Wpos":
        return torch.normal(0.0, 0.7, shape)
    if "emb" in name or name.endswith("Wt"):
        return torch.normal(0.0, 0.2, shape)
    return torch.normal(0.0, shape[0] ** -0.5, shape)


class Trainer:
    """marian_numpy.MarianModel for batches of one length."""

    def __init__(self, options: dict, spec: Spec):
        self.o, self.d = options, options["dim-emb"]
        self.p = {n: initial(n, s).requires_grad_() for n, s in shapes(options, spec).items()}

    def affine(self, x, prefix, suffix):
        return x @ self.p[f"{prefix}_W{suffix}"] + self.p[f"{prefix}_b{suffix}"][0]

    def norm(self, x, prefix, suffix=""):
        return F.layer_norm(x, (self.d,), self.p[f"{prefix}_ln_scale{suffix}"][0],
                            self.p[f"{prefix}_ln_bias{suffix}"][0], EPSILON)

    def sublayer(self, x, prefix, function, pre_prefix=None):
        y = x
        if "n" in self.o["transformer-preprocess"]:
            y = self.norm(y, pre_prefix or prefix, "_pre")
        y = function(y) + x
        return self.norm(y, prefix) if "n" in self.o["transformer-postprocess"] else y

    def attention(self, prefix, x, memory, causal):
        heads = self.o["transformer-heads"]

        def split(y, name):
            y = self.affine(y, prefix, name)
            return y.unflatten(-1, (heads, -1)).transpose(1, 2)

        def run(y):
            m = y if memory is None else memory
            z = F.scaled_dot_product_attention(
                split(y, "q"), split(m, "k"), split(m, "v"), is_causal=causal)
            return self.affine(z.transpose(1, 2).flatten(-2), prefix, "o")

        return self.sublayer(x, f"{prefix}_Wo", run)

    def ffn(self, prefix, x):
        act = {"relu": F.relu, "swish": F.silu}[self.o["transformer-ffn-activation"]]
        return self.sublayer(x, f"{prefix}_ffn", lambda y: self.affine(
            act(self.affine(y, prefix, "1")), prefix, "2"))

    def ssru(self, prefix, x):
        def run(y):
            candidate = y @ self.p[f"{prefix}_W"]
            forget = torch.sigmoid(self.affine(y, prefix, "f"))
            cell, outputs = torch.zeros_like(y[:, 0]), []
            for t in range(y.shape[1]):
                cell = forget[:, t] * cell + (1 - forget[:, t]) * candidate[:, t]
                outputs.append(F.relu(cell))
            return torch.stack(outputs, 1)

        return self.sublayer(x, f"{prefix}_ffn", run, prefix)

    def place(self, x, stack):
        length = x.shape[1]
        if "Wpos" in self.p:
            x = x + self.p["Wpos"][:length]
        else:
            x = self.d**0.5 * x + torch.tensor(sinusoids(length, self.d), dtype=torch.float32)
        if "n" in self.o["transformer-postprocess-emb"]:
            x = self.norm(x, f"{stack}_emb", "_pre")
        return x

    def top(self, x, stack):
        return self.norm(x, f"{stack}_top") if self.o["transformer-postprocess-top"] else x

    def logits(self, source, target):
        def embedding(stack):
            return self.p.get(f"{stack}_Wemb", self.p.get("Wemb"))

        x = self.place(embedding("encoder")[source], "encoder")
        for i in range(1, self.o["enc-depth"] + 1):
            x = self.attention(f"encoder_l{i}_self", x, None, False)
            x = self.ffn(f"encoder_l{i}_ffn", x)
        memory = self.top(x, "encoder")
        before = F.pad(embedding("decoder")[target[:, :-1]], (0, 0, 1, 0))
        x = self.place(before, "decoder")
        for i in self.o["transformer-tied-layers"] or range(1, self.o["dec-depth"] + 1):
            if self.o["transformer-decoder-autoreg"] == "rnn":
                x = self.ssru(f"decoder_l{i}_rnn", x)
            else:
                x = self.attention(f"decoder_l{i}_self", x, None, True)
            x = self.attention(f"decoder_l{i}_context", x, memory, False)
            x = self.ffn(f"decoder_l{i}_ffn", x)
        x = self.top(x, "decoder")
        if "decoder_ff_logit_out_W" in self.p:
            y = x @ self.p["decoder_ff_logit_out_W"]
        else:
            y = x @ self.p.get("decoder_ff_logit_out_Wt", embedding("decoder")).T
        return y + self.p["decoder_ff_logit_out_b"][0] if "decoder_ff_logit_out_b" in self.p else y


def train(model: Trainer, task: dict[int, int], steps: int, rng: random.Random) -> float:
    parameters = list(model.p.values())
    optimizer = torch.optim.AdamW(parameters, lr=4e-3, betas=(0.9, 0.98), weight_decay=0.0)
    symbols = list(task)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 4e-3 * min(1.0, (step + 1) / 50) * (1.0 - step / steps)
        length = rng.randint(1, 12)
        batch = [rng.choices(symbols, k=length) for _ in range(24)]
        source = torch.tensor([row + [EOS] for row in batch])
        target = torch.tensor([[task[s] for s in row] + [EOS] for row in batch])
        loss = F.cross_entropy(model.logits(source, target).flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
    return loss.item()


# ---- Files -------------------------------------------------------------------


def words(language: str, size: int) -> list[str]:
    return ["</s>", "<unk>"] + [f"{language}{i}" for i in range(2, size)]


def write_pieces(path: Path, size: int) -> sentencepiece.SentencePieceProcessor:
    """A SentencePiece model with Marian's special ids, of the demo's English."""
    model = io.BytesIO()
    lines = (Path(__file__).parents[2] / "examples/en-de/data/test.en").read_text().splitlines()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size, model_type="unigram",
        character_coverage=0.98, bos_id=-1, eos_id=EOS, unk_id=UNK, num_threads=1,
        normalization_rule_name="identity", minloglevel=2)
    path.write_bytes(model.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def write_shortlist(path: Path, task: dict[int, int], rng: random.Random):
    """Writes one and returns it as a function from source ids to the ids that may come."""
    first, size = 3, BASE["dim-vocabs"][0]
    lists = []
    for i in range(size):
        # A third of the words lack their right translation.
        right = [task[i]] if i in task and rng.random() < 0.67 else []
        lists.append(sorted(set(right + rng.sample(range(size), rng.randint(0, 3)))))
    marian_files.write_shortlist(path, first, 50, lists)
    # One vocabulary serves both sides: source ids may be copied.
    return lambda source: {EOS, *range(first), *source, *(t for i in source for t in lists[i])}


def text_rows(model: MarianModel, pieces, target_pieces) -> list[dict]:
    """The model's translations of texts; nonsense, but always the same."""
    rows = []
    for line in (Path(__file__).parents[2] / "examples/en-de/data/test.en").open():
        ids = pieces.encode(line.strip()) + [EOS]
        output, _, margin = model.greedy(ids, EOS, UNK, MAX_NEW_TOKENS)
        if margin >= MIN_MARGIN and len(ids) < 40:
            kept = output[:-1] if output[-1] == EOS else output
            rows.append({"source": line.strip(), "src_ids": ids, "target": target_pieces.decode(kept)})
        if len(rows) == 6:
            return rows


def write_model(folder: Path, spec: Spec, parameters: dict, options: dict) -> None:
    names = {"npz": "model.npz", "npz_compressed": "model.npz", "bin": "model.bin",
             "firefox": "model.xxyy.intgemm.alphas.bin"}
    path = folder / names[spec.form]
    if spec.form == "firefox":
        marian_files.write_bin(path, parameters, options, marian_files.INTGEMM8_BROWSERMT)
        return
    if spec.form == "bin":
        marian_files.write_bin(path, parameters, options)
    else:
        marian_files.write_npz(path, parameters, options, spec.form == "npz_compressed",
                               ["encoder_l1_ffn_W1"] if spec.legacy_output else [])
    vocabularies = [f"vocab.{n}.yml" for n in ("source", "target")]
    for name, size, language in zip(vocabularies, options["dim-vocabs"], "st"):
        lines = [f"{json.dumps(w)}: {i}" for i, w in enumerate(words(language, size))]
        (folder / name).write_text("\n".join(lines) + "\n")
    decoder = {"relative-paths": True, "models": [path.name], "vocabs": vocabularies,
               "beam-size": 6, "normalize": 1.0, "word-penalty": 0.0, "mini-batch": 1,
               "maxi-batch": 1, "maxi-batch-sort": "src"}
    (folder / "decoder.yml").write_text(yaml.safe_dump(decoder, sort_keys=False))


def rounded(values) -> list[float]:
    return [float(f"{value:.7g}") for value in values]


def candidate_sources(size: int, task: dict[int, int], rng: random.Random):
    return tiny_fixture.toy_and_any_sources(
        task, EOS, rng, lambda: [rng.randrange(1, size) for _ in range(rng.randint(2, 30))])


def write_fixture(
    folder: Path, spec: Spec, model: MarianModel, task, seed: int, texts: list[dict],
    shortlist=None,
) -> str:
    rng, rows, seen, toy, bites = random.Random(seed + 1), [], set(), 0, 0
    lines = []
    for tried, source in enumerate(candidate_sources(model.options["dim-vocabs"][0], task, rng)):
        is_toy = all(i in task for i in source[:-1])
        if is_toy and toy == 8:
            continue
        allowed = shortlist(source) if shortlist else None
        output, logits, margin = model.greedy(source, EOS, UNK, MAX_NEW_TOKENS, allowed)
        bites += output != model.greedy(source, EOS, UNK, MAX_NEW_TOKENS)[0] if shortlist else 0
        if margin < MIN_MARGIN or tuple(output) in seen:
            assert tried < 3000, "too few clear rows"
            continue
        seen.add(tuple(output))
        toy += is_toy
        row = {"src_ids": source, "output_ids": output, "ended_with_eos": output[-1] == EOS,
               "min_margin": float(f"{margin:.4g}")}
        if len(rows) % 3 == 0:
            row["first_step_logits"] = rounded(logits[0])
        if len(rows) in (4, 11):
            row["all_step_logits"] = [rounded(step) for step in logits[:10]]
        rows.append(row)
        lines.append(json.dumps(row, separators=(",", ":")))
        if len(rows) == 12:
            break
    assert bites > 3 or not shortlist
    head = {"about": spec.about, "definition": DEFINITION, "seed": seed, "numpy": np.__version__,
            "torch": torch.__version__, "eos_token_id": EOS, "unknown_token_id": UNK,
            "max_new_tokens": MAX_NEW_TOKENS}
    blocks = ""
    if texts:
        rows_text = ",\n".join(json.dumps(row, separators=(",", ":")) for row in texts)
        blocks = ',\n "texts": [\n' + rows_text + "\n]"
    note = f"ended {sum(r['ended_with_eos'] for r in rows):2}/12"
    return tiny_fixture.write_fixture_file(folder, head, rows, lines, blocks, note)


def make(name: str, out: Path, steps: int) -> str:
    spec = SPECS[name]
    trained = SPECS[spec.same_weights_as or name]
    seed = 500 + list(SPECS).index(spec.same_weights_as or name)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    options = BASE | trained.options | spec.options
    source_size, target_size = options["dim-vocabs"]
    task = dict(zip(rng.sample(range(2, source_size), SYMBOLS),
                    rng.sample(range(2, target_size), SYMBOLS)))
    model = Trainer(options, trained)
    loss = train(model, task, steps, rng)
    parameters = {n: p.detach().numpy() for n, p in model.p.items()}
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    write_model(folder, spec, parameters, options)

    if spec.form == "firefox":
        parameters = marian_files.dequantized(parameters)
    reference = MarianModel(parameters, options)
    source = rng.choices(list(task), k=7) + [EOS]
    output, logits, _ = reference.greedy(source)
    if spec.form != "firefox":  # The trainer is a second opinion about the formulas.
        with torch.no_grad():
            trained_logits = model.logits(torch.tensor([source]), torch.tensor([output]))[0]
        assert np.allclose(trained_logits, logits, rtol=1e-3, atol=1e-3)
    texts = []
    if spec.form == "firefox":
        if options["tied-embeddings-all"]:
            pieces = target_pieces = write_pieces(folder / "vocab.xxyy.spm", source_size)
        else:
            pieces = write_pieces(folder / "srcvocab.xxyy.spm", source_size)
            target_pieces = write_pieces(folder / "trgvocab.xxyy.spm", target_size)
        texts = text_rows(reference, pieces, target_pieces)
    shortlist = None
    if spec.shortlist:
        texts, shortlist = [], write_shortlist(folder / "lex.50.50.xxyy.s2t.bin", task, rng)
    summary = write_fixture(folder, spec, reference, task, seed, texts, shortlist)
    return summary + f"  loss {loss:.3f}"


if __name__ == "__main__":
    tiny_fixture.run(__doc__, SPECS, "tests/data/tiny_native", 1500, make)
