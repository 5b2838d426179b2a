"""Makes the small models of tests/data/own_models and their outputs, with PyTorch.

    python tests/reference/make_own_models.py --out tests/data/own_models [NAME ...]

Each is a Transformer of own_models.py, trained a little: `*_words` on 400 sentence pairs of
examples/en-de, `*_characters` on a toy grammar from English to Chinese, `per_head*` on sorting, the
others on a toy task over ids (a fixed permutation of 40 symbols, order kept). The folder has the checkpoint, vocabularies
where there are any, and fixture.json with the map to convert it by and the module's own greedy
search, without cache, in float32. Weights depend on the torch build.
"""

import argparse
import itertools
import json
import lzma
import random
import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import torch
from safetensors.torch import save_file
from torch import nn

import keras_models
import own_models as own

MIN_MARGIN = 0.03
MAX_NEW_TOKENS = 16
MAX_LEN = 40
SYMBOLS = 40
ROOT = Path(__file__).parents[2]

DEFINITION = (
    "src_ids = what the module's encoder reads, with what its code puts around the text. output_ids "
    "= argmax, step by step without cache, unbatched, float32, without the start id, with the "
    "end id where it was produced, at most max_new_tokens. first_step_logits and all_step_logits "
    "= the module's logits for decoder input [start] and [start]+output_ids[:-1]. min_margin = "
    "smallest gap between the best and the second best logit on the path. attention = the weights "
    "after softmax of row `row`, [layer][head][query][key], the decoder's input being "
    "[start]+output_ids[:-1] and query t of decoder having t+1 keys."
)


@dataclass
class Ids:
    pad: int = 0
    sos: int = 1
    eos: int = 2
    unk: int = 3


@dataclass
class Spec:
    about: str
    build: Callable[..., nn.Module]
    map: str
    shape: dict = field(default_factory=dict)
    settings: list[str] = field(default_factory=list)
    """What `--set` adds to the preset; {folder} is that of the model."""
    ids: Ids = field(default_factory=Ids)
    start: str = "sos"
    prefix: tuple[str, ...] = ("sos",)
    suffix: tuple[str, ...] = ("eos",)
    length: int = 0
    """To which the code pads every source, without a mask; 0: it does not."""
    task: str = "permutation"
    """Or sorted, words, characters, pieces."""
    saved: str = "pt"
    """Or model_state_dict: a training checkpoint; module or compiled: with that prefix; lightning:
    with the prefix "model."; safetensors; keras: an .npz by examples/keras/export.py."""
    steps: int = 1500


FOREIGN = Ids(pad=1, sos=2, eos=3, unk=0)
TEXT_VECTORIZATION = Ids(pad=0, unk=1, sos=2, eos=3)

SPECS = {
    "encoder_layers_words": Spec(
        "words to words, real sentences", own.EncoderLayers, "preset:encoder_layers",
        dict(d_model=32, heads=4, layers=2, d_ff=48),
        ["heads=4", "source_vocabulary.file={folder}/source.json",
         "target_vocabulary.file={folder}/target.json"],
        task="words",
    ),
    "encoder_layers_characters": Spec(
        "words to characters, English to Chinese", own.EncoderLayers, "preset:encoder_layers",
        dict(d_model=28, heads=2, layers=1, d_ff=40),
        ["heads=2", "source_vocabulary.file={folder}/source.json",
         "target_vocabulary.file={folder}/target.json", "target_vocabulary.kind=characters"],
        task="characters",
    ),
    "enc_dec_attn": Spec(
        "positions [max_len, d_model], no embedding scale", own.EncDecAttn, "preset:enc_dec_attn",
        dict(d_model=24, heads=3, layers=2, d_ff=36), ["heads=3"],
    ),
    "enc_dec_attn_batch_axis": Spec(
        "positions added along the batch axis", own.EncDecAttn, "preset:enc_dec_attn",
        dict(d_model=24, heads=2, layers=1, d_ff=36, batch_axis=True),
        ["heads=2", "positions_axis=batch", "source_prefix=[]"],
        prefix=(), steps=500,
    ),
    "residual_connections": Spec(
        "a training checkpoint; d_ffn 37", own.ResidualConnections, "preset:residual_connections",
        dict(d_model=24, heads=4, layers=2, d_ff=37), ["heads=4"], saved="model_state_dict",
    ),
    "residual_connections_scalar": Spec(
        "norms with one alpha and one bias", own.ResidualConnections,
        "preset:residual_connections", dict(d_model=24, heads=2, layers=2, d_ff=32, scalar=True),
        ["heads=2"],
    ),
    "per_head": Spec(
        "one head module", own.PerHead, "preset:per_head",
        dict(d_model=24, heads=1, layers=1, d_ff=48),
        ["max_source_tokens=40", "max_target_tokens=40", "source_prefix=[]", "source_suffix=[]"],
        prefix=(), suffix=(), task="sorted",
    ),
    "per_head_2": Spec(
        "two head modules and an output projection", own.PerHead, "preset:per_head",
        dict(d_model=24, heads=2, layers=1, d_ff=48),
        ["max_source_tokens=40", "max_target_tokens=40", "source_prefix=[]", "source_suffix=[]"],
        prefix=(), suffix=(), task="sorted",
    ),
    "q_linear": Spec(
        "heads interleaved, scores scaled by sqrt(d_model), positions not in the file",
        own.QLinear, "preset:q_linear", dict(d_model=24, heads=4, layers=2, d_ff=32),
        ["heads=4", "head_layout=interleaved", "attention_scale=1/sqrt(d_model)",
         "max_source_tokens=40", "max_target_tokens=40"],
        saved="safetensors",
    ),
    "q_proj": Spec(
        "pre-norm, learned positions, gelu, one matrix for both embeddings and the output, a mask "
        "of bool in the file", own.QProj, "preset:q_proj",
        dict(d_model=24, heads=4, layers=2, d_ff=32),
        ["heads=4", "norm_order=pre", "positions=learned", "embedding_scale=1", "activation=gelu",
         "shared_embeddings=true", "tied_output=true", "decoder_start=eos", "source_prefix=[]"],
        start="eos", prefix=(),
    ),
    "nn_transformer": Spec(
        "post-norm with final norms, as nn.Transformer is by default", own.NnTransformer,
        "preset:nn_transformer", dict(d_model=24, heads=4, layers=2, d_ff=32), ["heads=4"],
        ids=FOREIGN,
    ),
    "nn_transformer_pre": Spec(
        "pre-norm with final norms, saved from DataParallel", own.NnTransformer,
        "preset:nn_transformer", dict(d_model=24, heads=2, layers=2, d_ff=33, norm_first=True),
        ["heads=2", "norm_order=pre"], ids=FOREIGN, saved="module",
    ),
    "nn_transformer_no_final": Spec(
        "post-norm without final norms, gelu, saved from torch.compile", own.NnTransformer,
        "preset:nn_transformer",
        dict(d_model=24, heads=2, layers=1, d_ff=32, final_norm=False, activation="gelu"),
        ["heads=2", "activation=gelu"], ids=FOREIGN, saved="compiled",
    ),
    "nn_transformer_pre_no_final": Spec(
        "pre-norm without final norms, without biases", own.NnTransformer, "preset:nn_transformer",
        dict(d_model=24, heads=3, layers=1, d_ff=32, norm_first=True, final_norm=False, bias=False),
        ["heads=3", "norm_order=pre", 'optional_bias=["encoder.*", "decoder.*"]'], ids=FOREIGN,
    ),
    "fc_q": Spec(
        "post-norm, learned positions, stacks that embed what they read", own.FcQ, "preset:fc_q",
        dict(d_model=24, heads=3, layers=2, d_ff=40), ["heads=3"], ids=FOREIGN,
    ),
    "fc_q_one_norm": Spec(
        "one norm for all sublayers of a layer; a checkpoint of PyTorch Lightning", own.FcQ,
        "preset:fc_q", dict(d_model=24, heads=2, layers=2, d_ff=32, one_norm=True), ["heads=2"],
        ids=FOREIGN, saved="lightning",
    ),
    "fc_q_embedding_norm": Spec(
        "embeddings that the decoder normalizes before it adds positions, the encoder after", own.FcQ,
        "preset:fc_q", dict(d_model=24, heads=2, layers=1, d_ff=32, norm=True),
        ["heads=2", "tensors.encoder.embedding_norm=encoder.norm", "tensors.decoder.embedding_norm=decoder.norm",
         'embedding_norm_order={"encoder": "after_positions", "decoder": "before_positions"}'],
        ids=FOREIGN,
    ),
    "annotated_transformer": Spec(
        "pre-norm, deviation plus epsilon, linears in a list", own.AnnotatedTransformer,
        "preset:annotated_transformer", dict(d_model=24, heads=4, layers=2, d_ff=32), ["heads=4"],
        ids=Ids(sos=0, eos=1, pad=2, unk=3),
    ),
    "encoder_layers_padded": Spec(
        "real sentences, each padded to 12 ids that the encoder and the decoder attend to",
        own.EncoderLayers, "preset:encoder_layers",
        dict(d_model=32, heads=4, layers=2, d_ff=48),
        ["heads=4", "source_length=12", "source_vocabulary.file={folder}/source.json",
         "target_vocabulary.file={folder}/target.json"],
        task="words", length=12,
    ),
    "encoder_layers_pieces": Spec(
        "the longest pieces of both languages; unknown characters are left out; 24 ids each",
        own.EncoderLayers, "preset:encoder_layers",
        dict(d_model=28, heads=2, layers=1, d_ff=40),
        ["heads=2", "source_length=24", "source_ids.unk=null", "target_ids.unk=null",
         'source_vocabulary={"kind": "pieces", "unknown": "skip", "lower_case": false}',
         "source_vocabulary.file={folder}/source.json", "target_vocabulary.kind=pieces",
         "target_vocabulary.file={folder}/target.json"],
        task="pieces", length=24,
    ),
    "keras_transformer": Spec(
        "keras.io's: learned positions; heads that are each as wide as the model", keras_models.KerasIo,
        "preset:keras_transformer", dict(width=16, inner=28, heads=2, count=2), ["heads=2"],
        ids=TEXT_VECTORIZATION, prefix=(), suffix=(), saved="keras", steps=400,
    ),
    "tensorflow_transformer": Spec(
        "TensorFlow's: scaled embeddings, all sines before all cosines, wide heads", keras_models.TensorFlow,
        "preset:tensorflow_transformer", dict(width=16, inner=28, heads=3, count=2),
        ["heads=3", "max_source_tokens=40", "max_target_tokens=40"], ids=TEXT_VECTORIZATION, saved="keras",
        steps=400,
    ),
}


# ---- Tasks: endless (source, target) without special ids -----------------------------------------


class Permutation:
    """Symbol by symbol; `sorted`: their images in order, for models that know no positions."""

    def __init__(self, spec: Spec, rng: random.Random):
        low = 4
        self.source_size = self.target_size = low + SYMBOLS + 6
        self.symbols = rng.sample(range(low, self.source_size), SYMBOLS)
        images = rng.sample(range(low, self.target_size), SYMBOLS)
        self.image = dict(zip(self.symbols, images))
        self.all_ids = list(range(low, self.source_size))
        self.sorted = spec.task == "sorted"

    def pair(self, rng: random.Random):
        if self.sorted:
            source = rng.sample(self.symbols, rng.randint(1, 4))
            return source, sorted(self.image[s] for s in source)
        source = rng.choices(self.symbols, k=rng.randint(1, 8))
        return source, [self.image[s] for s in source]

    def candidates(self, rng: random.Random):
        while True:
            if rng.random() < 0.7:
                yield None, self.pair(rng)[0]
            else:
                yield None, rng.choices(self.all_ids, k=rng.randint(2, 12))

    def write(self, folder: Path):
        pass


def real_pairs(count: int):
    """Short sentence pairs whose words are frequent, lower-case, without punctuation."""
    data = ROOT / "examples" / "en-de" / "data"
    sides = []
    for language in ("en", "de"):
        with lzma.open(data / f"train.{language}.xz", "rt", encoding="utf-8") as file:
            sides.append([re.sub(r"[^\w ]", "", line.strip().lower()) for line in file])
    pairs = [(a, b) for a, b in zip(*sides) if 2 <= len(a.split()) <= 5 and len(b.split()) <= 6]
    for size in range(60, 400, 5):
        known = [
            {word for word, _ in Counter(w for p in pairs for w in p[i].split()).most_common(size)}
            for i in (0, 1)
        ]
        good = {a: (a, b) for a, b in pairs
                if all(set(s.split()) <= known[i] for i, s in enumerate((a, b)))}
        if len(good) >= count:
            return list(good.values())[:count]
    raise RuntimeError("too few pairs")


def grammar_pairs():
    """A toy grammar, English words to Chinese characters."""
    subjects = {"i": "我", "you": "你", "he": "他", "she": "她", "we": "我们", "they": "他们"}
    verbs = {"like": "喜欢", "want": "想要", "see": "看见", "buy": "买", "have": "有"}
    objects = {
        "tea": "茶", "rice": "米饭", "a book": "一本书", "a dog": "一只狗", "a cat": "一只猫",
        "water": "水", "coffee": "咖啡", "a red apple": "一个红苹果", "new books": "新书",
    }
    pairs = []
    for (s, zs), (v, zv), (o, zo) in itertools.product(
        subjects.items(), verbs.items(), objects.items()
    ):
        third = {"have": "has"}.get(v, v + "s") if s in ("he", "she") else v
        pairs.append((f"{s} {third} {o}", zs + zv + zo))
        dont = "does not" if s in ("he", "she") else "do not"
        pairs.append((f"{s} {dont} {v} {o}", zs + ("没" if v == "have" else "不") + zv + zo))
    return pairs


class Text:
    def __init__(self, spec: Spec, rng: random.Random):
        self.characters = spec.task == "characters"
        self.pairs = grammar_pairs() if self.characters else real_pairs(400)
        self.source = self.vocabulary(a.split() for a, _ in self.pairs)
        self.target = self.vocabulary(self.target_pieces(b) for _, b in self.pairs)
        self.source_size, self.target_size = len(self.source), len(self.target)
        self.unk = self.source["<unk>"]
        self.target_text = {i: piece for piece, i in self.target.items()}

    def target_pieces(self, text):
        return list(text) if self.characters else text.split()

    @staticmethod
    def vocabulary(texts):
        counts = Counter(piece for text in texts for piece in text)
        pieces = ["<pad>", "<sos>", "<eos>", "<unk>", *(p for p, _ in counts.most_common())]
        return {piece: i for i, piece in enumerate(pieces)}

    def encode(self, text):
        return [self.source.get(word, self.unk) for word in text.lower().split()]

    def decode(self, ids):
        pieces = [self.target_text[i] for i in ids if i > 2]
        return ("" if self.characters else " ").join(pieces)

    def pair(self, rng: random.Random):
        source, target = rng.choice(self.pairs)
        return self.encode(source), [self.target[p] for p in self.target_pieces(target)]

    def candidates(self, rng: random.Random):
        """Real sentences; some with capitals, other white space, words that are not known, and no
        sense."""
        words = [word for word, i in self.source.items() if i > 3]
        for index in itertools.count():
            text = rng.choice(self.pairs)[0]
            if index % 4 == 1:
                text = "  " + text.title().replace(" ", "\t ") + " "
            elif index % 4 == 2:
                parts = text.split()
                parts[rng.randrange(len(parts))] = "zebra"
                text = " ".join(parts)
            elif index % 4 == 3:
                text = " ".join(rng.choices(words, k=rng.randint(1, 9)))
            yield text, self.encode(text)

    def write(self, folder: Path):
        for name, vocabulary in (("source", self.source), ("target", self.target)):
            text = json.dumps(vocabulary, ensure_ascii=False, indent=0)
            (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def longest_pieces(text: str, pieces) -> list[str]:
    """From the left, the longest of the pieces that fits; a character that begins none is left out."""
    found = []
    while text:
        fitting = [text[:size] for size in range(len(text), 0, -1) if text[:size] in pieces]
        if fitting:
            found.append(fitting[0])
        text = text[len(fitting[0]) if fitting else 1:]
    return found


class Pieces(Text):
    """Words, letters and spaces to Chinese words; nothing is unknown, and case matters."""

    def __init__(self, spec: Spec, rng: random.Random):
        self.characters = True
        self.pairs = grammar_pairs()
        english = {word for text, _ in self.pairs for word in text.split()}
        letters = {letter for word in english for letter in word} | {" "}
        self.source = self.ids(sorted(english | letters))
        self.target = self.ids(["喜欢", "想要", "看见", "我们", "米饭", "一本书", "一只", "咖啡", "一个",
                                "红苹果", "新书", "他们", *"我你他她买有茶狗猫水不没一"])
        self.source_size, self.target_size = len(self.source), len(self.target)
        self.target_text = {i: piece for piece, i in self.target.items()}

    @staticmethod
    def ids(pieces):
        return {piece: i for i, piece in enumerate(["<pad>", "<sos>", "<eos>", *pieces])}

    def target_pieces(self, text):
        return longest_pieces(text, self.target)

    def encode(self, text):
        return [self.source[piece] for piece in longest_pieces(text, self.source)]

    def candidates(self, rng: random.Random):
        """Sentences of the grammar; some with characters or words that are not known."""
        for index in itertools.count():
            text = rng.choice(self.pairs)[0]
            if index % 3 == 1:
                at = rng.randrange(len(text))
                text = text[:at] + rng.choice(["É", "!", "字", "I", "🙂?"]) + text[at:]
            elif index % 3 == 2:
                text = text.replace(rng.choice(text.split()), rng.choice(["tree", "knows", "like"]))
            ids = self.encode(text)
            if len(ids) <= 22:
                yield text, ids


# ---- Training and fixture ----------------------------------------------------------------------


class Runner:
    """A model with the ids that its code puts around a text."""

    def __init__(self, model, spec: Spec):
        self.model, self.ids = model, spec.ids
        around = [[getattr(spec.ids, name) for name in names] for names in (spec.prefix, spec.suffix)]
        self.prefix, self.suffix = around
        self.start, self.eos = getattr(spec.ids, spec.start), spec.ids.eos
        self.length = spec.length

    def frame(self, source):
        ids = self.prefix + source + self.suffix
        return ids + [self.ids.pad] * (self.length - len(ids))

    @torch.no_grad()
    def greedy(self, source):
        memory = self.model.encode(torch.tensor([source]))
        target, margins = [self.start], []
        while len(target) <= MAX_NEW_TOKENS:
            best = self.model.decode(torch.tensor([target]), memory)[0, -1].topk(2)
            margins.append((best.values[0] - best.values[1]).item())
            target.append(best.indices[0].item())
            if target[-1] == self.eos:
                break
        logits = self.model.decode(torch.tensor([target[:-1]]), memory)[0]
        return target[1:], min(margins), logits


def roughen(model):
    """Gives norms and biases values that matter."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            last = name.split(".")[-1]
            if parameter.dim() > 1:
                continue
            if "norm" in name and last in ("weight", "gamma", "alpha", "a_2"):
                parameter.normal_(1.0, 0.15)
            elif last in ("bias", "beta", "b_2", "in_proj_bias"):
                parameter.normal_(0.0, 0.1)


def train(runner: Runner, task, steps: int, rng: random.Random) -> float:
    """Batches of pairs of one length each way, so that no batch needs pads."""
    model = runner.model
    groups: dict[tuple[int, int], list] = {}
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.98), weight_decay=0.0)
    model.train()
    done, losses = 0, []
    while done < steps:
        source, target = task.pair(rng)
        group = groups.setdefault((len(source), len(target)), [])
        group.append((source, target))
        if len(group) < 24:
            continue
        groups[len(source), len(target)] = []
        for parameters in optimizer.param_groups:
            parameters["lr"] = 3e-3 * min(1.0, (done + 1) / 50) * (1.0 - done / steps)
        sources = torch.tensor([runner.frame(s) for s, _ in group])
        targets = torch.tensor([t + [runner.eos] for _, t in group])
        start = torch.full((len(group), 1), runner.start)
        inputs = torch.cat([start, targets[:, :-1]], dim=1)
        logits = model.decode(inputs, model.encode(sources))
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        done += 1
    model.eval()
    return sum(losses[-50:]) / 50


def choose_rows(runner: Runner, task, rng: random.Random, count: int = 12):
    """Rows in which every decision is clear, with distinct outputs."""
    rows, seen = [], set()
    for tried, (text, source) in enumerate(task.candidates(rng)):
        ids = runner.frame(source)
        output, margin, logits = runner.greedy(ids)
        if margin >= MIN_MARGIN and tuple(output) not in seen:
            seen.add(tuple(output))
            row = {"src_ids": ids, "output_ids": output, "ended_with_eos": output[-1] == runner.eos,
                   "min_margin": float(f"{margin:.4g}"), "logits": logits}
            if text is not None:
                row |= {"src_text": text, "output_text": task.decode(output)}
            rows.append(row)
        if len(rows) == count:
            return rows
        if tried == 3000:
            raise RuntimeError(f"too few clear rows: {len(rows)}")


def rounded(values, digits=7):
    if isinstance(values, list):
        return [rounded(value, digits) for value in values]
    return float(f"{values:.{digits}g}")


def save(runner: Runner, spec: Spec, folder: Path):
    if spec.saved == "keras":
        runner.model.save(folder)
        return
    state = {k: v.detach().clone() for k, v in runner.model.state_dict().items()}
    if spec.saved == "safetensors":
        save_file(state, folder / "model.safetensors")
        return
    if spec.saved == "model_state_dict":
        optimizer = torch.optim.Adam(runner.model.parameters())
        state = {"epoch": 3, "model_state_dict": runner.model.state_dict(),
                 "optimizer_state_dict": optimizer.state_dict(), "global_step": spec.steps}
    elif spec.saved == "lightning":
        # The module keeps the model as self.model.
        state = {"epoch": 3, "global_step": spec.steps, "pytorch-lightning_version": "2.5.0",
                 "state_dict": {"model." + k: v for k, v in state.items()}, "loops": {},
                 "callbacks": {}, "optimizer_states": [], "lr_schedulers": []}
    elif spec.saved in ("module", "compiled"):
        prefix = {"module": "module.", "compiled": "_orig_mod."}[spec.saved]
        state = {prefix + k: v for k, v in runner.model.state_dict().items()}
    else:
        state = runner.model.state_dict()
    torch.save(state, folder / "model.pt")


@torch.no_grad()
def attention(runner: Runner, row: int, rows):
    source, output = rows[row]["src_ids"], rows[row]["output_ids"]
    memory = runner.model.encode(torch.tensor([source]))
    runner.model.decode(torch.tensor([[runner.start] + output[:-1]]), memory)
    in_keras = isinstance(runner.model, keras_models.KerasModel)
    found = runner.model.attention() if in_keras else own.attention_of(runner.model)
    found["decoder"] = [
        [[keys[: t + 1] for t, keys in enumerate(head)] for head in layer]
        for layer in found["decoder"]
    ]
    return {"row": row} | {kind: rounded(values, 5) for kind, values in found.items()}


def make(name: str, out: Path) -> str:
    spec = SPECS[name]
    seed = 200 + list(SPECS).index(name)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    kinds = {"words": Text, "characters": Text, "pieces": Pieces}
    task = kinds.get(spec.task, Permutation)(spec, rng)
    model = spec.build(task.source_size, task.target_size, max_len=MAX_LEN, **spec.shape)
    roughen(model)
    runner = Runner(model, spec)
    loss = train(runner, task, spec.steps, rng)
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    save(runner, spec, folder)
    task.write(folder)
    rows = choose_rows(runner, task, random.Random(seed + 1))
    # One of middling length.
    shown = min(range(len(rows)), key=lambda i: abs(len(rows[i]["src_ids"]) - 5) +
                abs(len(rows[i]["output_ids"]) - 5))
    weights = attention(runner, shown, rows)
    lines = []
    for index, row in enumerate(rows):
        logits = row.pop("logits")
        if index % 3 == 0:
            row["first_step_logits"] = rounded(logits[0].tolist())
        if index in (4, 11):
            row["all_step_logits"] = rounded(logits[:6].tolist())
        lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    head = {
        "about": spec.about, "definition": DEFINITION, "seed": seed, "torch": torch.__version__,
        "checkpoint": {"safetensors": "model.safetensors", "keras": "model.npz"}.get(spec.saved, "model.pt"),
        "map": spec.map, "set": spec.settings, "decoder_start_token_id": runner.start,
        "eos_token_id": runner.eos, "max_new_tokens": MAX_NEW_TOKENS,
        "source_prefix": runner.prefix, "source_suffix": runner.suffix,
    }
    if spec.length:
        head["source_length"] = spec.length
    text = json.dumps(head, indent=1)[:-2]
    text += ',\n "attention": ' + json.dumps(weights, separators=(",", ":"))
    text += ',\n "sequences": [\n' + ",\n".join(lines) + "\n]}\n"
    (folder / "fixture.json").write_text(text, encoding="utf-8")
    size = sum(f.stat().st_size for f in folder.iterdir())
    return (
        f"{name:28} loss {loss:.3f}  ended {sum(r['ended_with_eos'] for r in rows):2}/12  "
        f"ids {len({i for r in rows for i in r['output_ids']}):3}  "
        f"margin {min(r['min_margin'] for r in rows):.3f}  {size / 1000:.0f} kB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"from: {', '.join(SPECS)}")
    parser.add_argument("--out", type=Path, default=Path("tests/data/own_models"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name in arguments.names or SPECS:
        print(make(name, arguments.out), flush=True)


if __name__ == "__main__":
    main()
