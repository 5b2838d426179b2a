"""Makes tests/data/ctranslate2: folders that CTranslate2's own converters write, and what it translates.

The models are the tiny ones of tests/data and a few random ones for the other converters. Each
fixture.json has ids and scores of `translate_batch(beam_size=1)` with compute_type float32, so a
quantized folder is multiplied out. Made with ctranslate2 4.8.5.

    python tests/reference/make_ctranslate2.py --out tests/data/ctranslate2 [NAME ...]
"""

import argparse
import json
import random
import re
import shutil
import struct
import tempfile
from pathlib import Path
from types import SimpleNamespace

import ctranslate2
import numpy as np
import sentencepiece
import torch
import transformers
from ctranslate2.converters import MarianConverter, OpenNMTPyConverter, TransformersConverter
from ctranslate2.specs import common_spec, transformer_spec

import make_family_texts as family_texts
from verify_model import read_vocabulary

DATA = Path("tests/data")
ROWS = 12
MAX_TOKENS = 24
MIN_MARGIN = 5e-3
VOCABULARY = 90
"""Of the random models."""
ARGOS_PIECES = DATA / "marian_tokenizer/separate/source.spm"
ARGOS_TEXTS = Path("examples/en-de/data/test.en").read_text(encoding="utf-8").split("\n")[:60]


class Tokens:
    """The tokenizer of a tiny model that has none: token i is "ti"."""

    def __init__(self, config):
        self.size = config.vocab_size
        ids = {"bos_token": "bos_token_id", "eos_token": "eos_token_id", "pad_token": "pad_token_id"}
        for name, field in ids.items():
            value = getattr(config, field, None)
            setattr(self, name, None if value is None else self.convert_ids_to_tokens(value))
        self.unk_token, self.unk_token_id, self.special_tokens_map = "t3", 3, {}
        self.marian_pad = config.pad_token_id if config.model_type == "marian" else -1

    def convert_ids_to_tokens(self, token):
        return f"t{token}"

    def get_vocab(self):
        return {"<pad>" if i == self.marian_pad else f"t{i}": i for i in range(self.size)}


class WithNormFields(TransformersConverter):
    """Fields of published models that transformers 5 no longer writes."""

    def load_model(self, model_class, path, **arguments):
        model = super().load_model(model_class, path, **arguments)
        kind = model.config.model_type
        model.config.normalize_before = kind in ("mbart", "pegasus")
        model.config.normalize_embedding = kind in ("bart", "mbart")
        if "mbart50" in str(path):
            model.config.tokenizer_class = "MBart50Tokenizer"
        return model


class WithExactRows(WithNormFields):
    """Models that have no more rows than their tokenizer has tokens, as the converter demands."""

    def load_model(self, model_class, path, **arguments):
        model = super().load_model(model_class, path, **arguments)
        if model.config.model_type in ("bart", "mbart", "pegasus"):
            size = len(transformers.AutoTokenizer.from_pretrained(path).get_vocab())
            model.resize_token_embeddings(size)
        return model

    def load_tokenizer(self, tokenizer_class, path, **arguments):
        tokenizer = super().load_tokenizer(tokenizer_class, path, **arguments)
        if tokenizer.bos_token is None and "mbart50" in path:
            tokenizer.bos_token = "<s>"  # As with transformers 4; CTranslate2 wants one.
        return tokenizer


class WithoutTokenizer(WithNormFields):
    def load_tokenizer(self, tokenizer_class, path, **unused):
        return Tokens(transformers.AutoConfig.from_pretrained(path))


# ---- What each folder is made of: function(temporary folder) -> converter ---------------------


def tiny(folder: str):
    return lambda temporary: WithoutTokenizer(str(DATA / folder))


def with_tokenizer(name: str):
    """A model and its tokenizer, as they are published."""
    def make(temporary: Path):
        for part in ("huggingface_tokenizer", "family_texts"):
            shutil.copytree(DATA / part / name, temporary / name, dirs_exist_ok=True)
        return WithExactRows(str(temporary / name))
    return make


def marian_with_tokenizer(temporary: Path):
    folder = temporary / "marian"
    shutil.copytree(DATA / "marian_tokenizer/added_tokens", folder)
    tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
    config = transformers.MarianConfig(
        vocab_size=len(tokenizer), decoder_vocab_size=len(tokenizer), d_model=16, encoder_layers=1,
        decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=24,
        decoder_ffn_dim=24, max_position_embeddings=128, scale_embedding=True, dropout=0.0,
        pad_token_id=tokenizer.pad_token_id, decoder_start_token_id=tokenizer.pad_token_id)
    model = transformers.MarianMTModel(config)
    family_texts.roughen(model)
    model.save_pretrained(folder)
    return WithNormFields(str(folder))


def native(folder: str):
    path = DATA / "tiny_native" / folder
    vocabularies = [str(path / f"vocab.{side}.yml") for side in ("source", "target")]
    return lambda temporary: MarianConverter(str(path / "model.npz"), vocabularies)


def random_tensor(*shape):
    return torch.randn(*shape) * (0.6 if len(shape) > 1 else 0.2)


def opennmt_py(temporary: Path):
    """A checkpoint as OpenNMT-py saves it: two vocabularies, an output of its own, 1,300 positions."""
    d, ffn, layers = 24, 36, 2
    tokens = {side: ["<unk>", "<blank>", "<s>", "</s>"] + [f"{side}{i}" for i in range(4, size)]
              for side, size in (("src", VOCABULARY), ("tgt", VOCABULARY - 7))}
    state, generator = {}, {"weight": random_tensor(len(tokens["tgt"]), d),
                            "bias": random_tensor(len(tokens["tgt"]))}

    def linear(name, outputs, inputs):
        state[f"{name}.weight"] = random_tensor(outputs, inputs)
        state[f"{name}.bias"] = random_tensor(outputs)

    def norm(name):
        state[f"{name}.weight"] = 1 + random_tensor(d)
        state[f"{name}.bias"] = random_tensor(d)

    for stack, side in (("encoder", "src"), ("decoder", "tgt")):
        embeddings = f"{stack}.embeddings.make_embedding"
        state[f"{embeddings}.emb_luts.0.weight"] = random_tensor(len(tokens[side]), d)
        positions = np.arange(1300)[:, None] / 10000.0 ** (np.arange(0, d, 2) / d)
        table = np.stack([np.sin(positions), np.cos(positions)], axis=2).reshape(1300, 1, d)
        state[f"{embeddings}.pe.pe"] = torch.tensor(table, dtype=torch.float32)
        norm(f"{stack}.layer_norm")
        for i in range(layers):
            decoder = stack == "decoder"
            layer = f"{stack}.transformer{'_layers' * decoder}.{i}"
            for attention in ["self_attn"] + ["context_attn"] * decoder:
                for part in ("linear_query", "linear_keys", "linear_values", "final_linear"):
                    linear(f"{layer}.{attention}.{part}", d, d)
            for part in (["layer_norm_1", "layer_norm_2"] if decoder else ["layer_norm"]):
                norm(f"{layer}.{part}")
            norm(f"{layer}.feed_forward.layer_norm")
            linear(f"{layer}.feed_forward.w_1", ffn, d)
            linear(f"{layer}.feed_forward.w_2", d, ffn)
    options = SimpleNamespace(encoder_type="transformer", decoder_type="transformer", heads=3,
                              position_encoding=True, enc_layers=layers, dec_layers=layers)
    path = temporary / "model.pt"
    torch.save({"vocab": tokens, "opt": options, "model": state, "generator": generator}, path)
    return OpenNMTPyConverter(str(path), unsafe_deserialization=True)


def opennmt_tf(temporary: Path):
    """The layout of OpenNMT-tf's Transformer: sinusoids that are not stored, scaled embeddings."""
    return SpecConverter(None)


def fairseq(temporary: Path):
    """The layout of fairseq's Transformer: post-norm, gelu, the encoder's source ends with </s>."""
    return SpecConverter("fairseq")


def argos(temporary: Path):
    """An Argos package's model: OpenNMT's layout, and the pieces of one SentencePiece model."""
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(ARGOS_PIECES))
    texts = [pieces.id_to_piece(i) for i in range(pieces.get_piece_size())]
    special = ["<unk>", "<blank>", "<s>", "</s>"]
    return SpecConverter(None, special + [text for text in texts if text not in special])


def opennmt_tf_of_2020(temporary: Path):
    """The same as the first releases of CTranslate2 knew it: 8 heads, relu, no <unk> in the vocabulary."""
    return SpecConverter("2020")


class SpecConverter(ctranslate2.converters.Converter):
    def __init__(self, like, tokens=None):
        self.like = like
        self.tokens = tokens or ["<s>", "<blank>", "</s>", "<unk>"] + [f"t{i}" for i in range(4, VOCABULARY)]

    def _load(self):
        d, ffn, like_fairseq = 24, 36, self.like == "fairseq"
        activation = {"fairseq": common_spec.Activation.GELU, "2020": common_spec.Activation.RELU}
        spec = transformer_spec.TransformerSpec.from_config(
            (2, 1), 8 if self.like == "2020" else 4, pre_norm=not like_fairseq, layernorm_embedding=like_fairseq,
            activation=activation.get(self.like, common_spec.Activation.SWISH))
        if self.like == "2020":
            self.tokens = [token for token in self.tokens if token != "<unk>"] + ["<unk>"]
        rows = len(self.tokens)
        embedding = random_tensor(rows, d).numpy()

        def fill(layer, name, value):
            key = name.split("/")[-1]
            if value is not None:
                return
            shape = {"gamma": (d,), "beta": (d,)}.get(key)
            if shape is None:
                cross = "/attention/" in name
                outputs = (rows if "embeddings" in name or "projection" in name else
                           ffn if name.endswith("ffn/linear_0/weight") else
                           3 * d if name.endswith("self_attention/linear_0/weight") else
                           2 * d if cross and "linear_1" in name else d)
                shape = (outputs, ffn if name.endswith("ffn/linear_1/weight") else d)
            shared = shape[0] == rows and like_fairseq
            setattr(layer, key, embedding if shared else
                    (random_tensor(*shape) + (key == "gamma")).numpy())
            if key == "weight" and hasattr(layer, "bias") and "projection" not in name:
                layer.bias = random_tensor(shape[0]).numpy()

        spec._visit(fill)
        spec.register_source_vocabulary(self.tokens)
        spec.register_target_vocabulary(self.tokens)
        if like_fairseq:
            for stack in (spec.encoder, spec.decoder):
                stack.scale_embeddings = 3.5
                stack.position_encodings.encodings = random_tensor(64, d).numpy()
            spec.config.add_source_eos, spec.config.decoder_start_token = True, "</s>"
        return spec


# ---- The folders -----------------------------------------------------------------------------

SPECS = {
    "marian": (tiny("tiny_marian/heads_1_relu"), "float32"),
    "marian_int8": (tiny("tiny_marian/heads_1_relu"), "int8"),
    "marian_int16": (tiny("tiny_marian/heads_1_relu"), "int16"),
    "marian_float16": (tiny("tiny_marian/no_scale"), "float16"),
    "marian_bfloat16": (tiny("tiny_marian/learned_positions"), "bfloat16"),
    "marian_old": (tiny("tiny_marian/no_scale"), "int8"),
    "bart": (tiny("tiny_families/bart_cnn"), "int8_float32"),
    "mbart50": (tiny("tiny_families/mbart50"), "int8_float16"),
    "m2m100": (tiny("tiny_families/m2m100"), "int8_bfloat16"),
    "pegasus_untied": (tiny("tiny_families/pegasus_untied"), "int8"),
    "t5": (tiny("t5/relu_tied"), "int8"),
    "t5_untied": (tiny("t5/gated_gelu_untied"), "int8"),
    "mt5": (tiny("t5/mt5"), "float16"),
    "native_separate": (native("separate"), "int8_float16"),
    "opennmt_py": (opennmt_py, "int8_float16"),
    "opennmt_tf": (opennmt_tf, "int8"),
    "fairseq": (fairseq, "float32"),
    "text_bart": (with_tokenizer("bart"), "int8"),
    "text_m2m100": (with_tokenizer("m2m100"), "int8"),
    "text_marian": (marian_with_tokenizer, "int8"),
    "text_mbart": (with_tokenizer("mbart"), "int8"),
    "text_mbart50_json": (with_tokenizer("mbart50_json"), "int8"),
    "text_mt5": (with_tokenizer("mt5"), "int8"),
    "text_nllb_json": (with_tokenizer("nllb_json"), "int8"),
    "text_pegasus": (with_tokenizer("pegasus"), "int8"),
    "text_t5": (with_tokenizer("t5"), "int8"),
    "text_argos": (argos, "int8"),
    "opennmt_tf_version_1": (opennmt_tf_of_2020, "int16"),
    "opennmt_tf_version_2": (opennmt_tf_of_2020, "int8"),
}


def parse(data: bytes) -> tuple[str, int, dict]:
    """Spec, revision and (shape, type, bytes) of each variable of a model.bin of version 6."""
    place = 4

    def take(code):
        nonlocal place
        value, = struct.unpack_from("<" + code, data, place)
        place += struct.calcsize(code)
        return value

    def take_bytes(count):
        nonlocal place
        place += count
        return data[place - count:place]

    def text():
        return take_bytes(take("H"))[:-1].decode()

    spec, revision, variables = text(), take("I"), {}
    for _ in range(take("I")):
        name, rank = text(), take("B")
        shape, type_id = [take("I") for _ in range(rank)], take("B")
        variables[name] = (shape, type_id, take_bytes(take("I")))
    for _ in range(take("I")):
        alias = text()
        variables[alias] = variables[text()]
    return spec, revision, variables


def pack_text(value: str) -> bytes:
    raw = value.encode() + b"\0"
    return struct.pack("<H", len(raw)) + raw


def write_version_5(folder: Path) -> None:
    """Rewrites a folder as CTranslate2 2 wrote it: binary version 5, no config.json, text vocabularies."""
    data = (folder / "model.bin").read_bytes()
    config = json.loads((folder / "config.json").read_text())
    at = 4 + 2 + struct.unpack_from("<H", data, 4)[0]
    revision, count = struct.unpack_from("<II", data, at)

    def variable(name, shape, type_id, raw):
        return (pack_text(name) + struct.pack("<B", len(shape)) + struct.pack(f"<{len(shape)}I", *shape)
                + struct.pack("<BI", type_id, len(raw)) + raw)

    added = [variable(name, [len(config[name])], 1, config[name].encode())
             for name in ("unk_token", "bos_token", "eos_token")]
    added += [variable(name, [], 1, struct.pack("<b", value)) for name, value in
              (("with_source_bos", 0), ("with_source_eos", 1), ("with_target_bos", 0))]
    (folder / "model.bin").write_bytes(
        struct.pack("<I", 5) + data[4:at] + struct.pack("<II", revision, count + len(added))
        + b"".join(added) + data[at + 8:])
    write_text_vocabulary(folder)


def name_of_version_1(name: str) -> str:
    """OpenNMT-tf's, as CTranslate2 maps it back (map_v1_variable_name)."""
    for new, old in ((r"(decoder/layer_\d+)/self_attention", r"\1/masked_multi_head"), (r"/attention/", "/multi_head/"),
                     (r"self_attention", "multi_head"), (r"embeddings/weight", "w_embs"), (r"weight", "kernel"),
                     (r"layer_norm", "LayerNorm"), (r"projection", "dense"), (r"linear_0", "conv1d"),
                     (r"linear_(\d)", r"conv1d_\1")):
        name = re.sub(new, old, name)
    return f"transformer/{name}:0"


def write_of_2020(folder: Path, version: int) -> None:
    """Binary version 1 or 2: an item's size for its type, no numbers, and in version 1 no spec and a fixed scale."""
    _, _, variables = parse((folder / "model.bin").read_bytes())
    out = []
    for name, (shape, type_id, raw) in variables.items():
        if not shape or version == 1 and name.endswith("_scale"):
            continue
        item = {0: 4, 1: 1, 2: 2}[type_id]
        if type_id == 2:
            scale, = struct.unpack("<f", variables[f"{name}_scale"][2])
            values = np.frombuffer(raw, np.int16) / scale
            raw = np.clip(np.rint(values * 1000), -32767, 32767).astype(np.int16).tobytes()
        out.append(pack_text(name_of_version_1(name) if version == 1 else name)
                   + struct.pack(f"<B{len(shape)}I", len(shape), *shape)
                   + struct.pack("<BI", item, len(raw) // item) + raw)
    head = struct.pack("<I", version)
    if version > 1:
        head += pack_text("TransformerBase") + struct.pack("<I", version)
    (folder / "model.bin").write_bytes(head + struct.pack("<I", len(out)) + b"".join(out))
    write_text_vocabulary(folder)


def write_text_vocabulary(folder: Path) -> None:
    """And no config.json."""
    (folder / "config.json").unlink()
    tokens = json.loads((folder / "shared_vocabulary.json").read_text())
    (folder / "shared_vocabulary.json").unlink()
    if tokens[-1] == "<unk>":  # Which CTranslate2 adds.
        tokens.pop()
    (folder / "shared_vocabulary.txt").write_text("\n".join(tokens) + "\n")


# ---- Fixtures --------------------------------------------------------------------------------


def translate(translator, target, row: dict, tokens: list[str], prefix: list[str]) -> bool:
    """Adds ids and score to a row; returns whether it is clear which token is best."""
    options = dict(target_prefix=[prefix] if prefix else None, beam_size=1, length_penalty=0,
                   max_decoding_length=MAX_TOKENS, return_scores=True, return_end_token=True)
    logits = translator.translate_batch([tokens], return_logits_vocab=True, **options)[0].logits[0]
    result = translator.translate_batch([tokens], **options)[0]
    row["output_ids"] = [target.index(token) for token in result.hypotheses[0]]
    row["score"] = round(result.scores[0], 5)
    tops = [np.sort(np.asarray(step))[-2:] for step in logits]
    return all(top[1] - top[0] >= MIN_MARGIN for top in tops)


def id_rows(name: str, config: dict, source: list[str], rng: random.Random):
    """Source tokens for a model without a tokenizer, as its users give them."""
    adds_eos, eos = config["add_source_eos"], config["eos_token"]
    plain = [token for token in source if token not in config.values() and token[0] != "<"]
    ends = not adds_eos and not name.startswith("opennmt")
    for length in [1, 2, 3, 5, 7, 9, 11, 12] + [rng.randint(2, 30) for _ in range(400)]:
        tokens = rng.choices(plain, k=length)
        ids = [source.index(token) for token in tokens]
        row = {"src_ids": ids + ([source.index(eos)] if ends or adds_eos else [])}
        yield row, tokens + [eos] * ends, []


def text_rows(name: str, temporary: Path, folder: Path, rng: random.Random):
    family = name.removeprefix("text_")
    if family == "argos":
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(ARGOS_PIECES))
        vocabulary = json.loads((folder / "shared_vocabulary.json").read_text())
        for text in ARGOS_TEXTS:
            tokens = pieces.encode(text, out_type=str)
            yield {"text": text, "src_ids": [
                vocabulary.index(t if t in vocabulary else "<unk>") for t in tokens]}, tokens, []
        return
    if family == "marian":
        tokenizer = transformers.MarianTokenizer.from_pretrained(temporary / "marian")
        texts, languages = family_texts.texts("marian_codes"), None
    else:
        tokenizer = transformers.AutoTokenizer.from_pretrained(temporary / family)
        texts, languages = family_texts.texts(family), family_texts.LANGUAGES[family]
    rng.shuffle(texts)
    for number, text in enumerate(dict.fromkeys(texts)):
        row, prefix, code = {"text": text}, [], ""
        if family == "marian" and number % 2:
            code = family_texts.TARGETS["marian_codes"][number // 2 % 2]
            row = {"text": text, "target_language": code.strip("<>")} if number % 4 == 1 else {"text": code + text}
        if languages:
            source, target = languages
            tokenizer.src_lang = source.strip("_") if family == "m2m100" else source
            row |= {"source_language": source.strip("_"), "target_language": target.strip("_")}
            prefix = [target]
        row["src_ids"] = tokenizer(code + text).input_ids
        if text.strip("\u2581 "):  # Not a text of spaces alone, as "▁" is to SentencePiece.
            yield row, tokenizer.convert_ids_to_tokens(row["src_ids"]), prefix


def make(name: str, out: Path) -> str:
    converter_of, quantization = SPECS[name]
    seed = 900 + list(SPECS).index(name)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    folder = out / name
    with tempfile.TemporaryDirectory() as temporary:
        temporary = Path(temporary)
        converter_of(temporary).convert(str(folder), quantization=quantization, force=True)
        config = json.loads((folder / "config.json").read_text())
        if name == "marian_old":
            config["add_source_eos"] = True
            write_version_5(folder)
        elif "_version_" in name:
            write_of_2020(folder, int(name[-1]))
        vocabulary, target = (read_vocabulary(folder, side) for side in ("source", "target"))
        translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
        rows, seen = [], set()
        for row, tokens, prefix in (text_rows(name, temporary, folder, rng) if name.startswith("text_") else
                                    id_rows(name, config, vocabulary, rng)):
            if not translate(translator, target, row, tokens, prefix):
                continue
            ids = tuple(row["output_ids"])
            if ids not in seen:
                seen.add(ids)
                rows.append(row)
            if len(rows) == ROWS:
                break
    head = {"about": f"CTranslate2's {quantization} folder, translated with float32",
            "seed": seed, "ctranslate2": ctranslate2.__version__, "max_new_tokens": MAX_TOKENS}
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
    (folder / "fixture.json").write_text(
        json.dumps(head)[:-1] + ',\n"sequences": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")
    size = sum(f.stat().st_size for f in folder.iterdir())
    return (f"{name:20} {len(rows):2} rows, {len({i for r in rows for i in r['output_ids']})} ids, "
            f"{size / 1000:.0f} kB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"from: {', '.join(SPECS)}")
    parser.add_argument("--out", type=Path, default=DATA / "ctranslate2")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    for name in arguments.names or SPECS:
        print(make(name, arguments.out), flush=True)


if __name__ == "__main__":
    main()
