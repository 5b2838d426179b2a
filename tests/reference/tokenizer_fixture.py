#!/usr/bin/env python3
"""Writes the results of the original tokenizers, for tests/text.

Run with transformers 5.23, sentencepiece 0.2.3:

    tokenizer_fixture.py             rewrites tests/data/tokenizer_*.jsonl,
                                     tests/data/training_sample.ids and
                                     tests/data/{sentencepiece,
                                     marian_tokenizer}/
    tokenizer_fixture.py --demo
                                     of these only what depends on the demo's
                                     tokenizer, the first two
    tokenizer_fixture.py --corpus F.. --output OUT.jsonl
                                     every line of the given texts (or .xz), for
                                     LATIMER_TOKENIZER_FIXTURE=OUT.jsonl
    tokenizer_fixture.py --models DIR
                                     larger SentencePiece models with all
                                     built-in normalization rules, for
                                     LATIMER_SENTENCEPIECE_FIXTURE=DIR

A line is {"text": base64, "ids": [...] without end of sentence, "decoded":
the ids decoded without special tokens}; for a long text, {"text", "times",
"count", "ids_fnv1a", "decoded_fnv1a"}: hashes of the little-endian int32 ids
and of the decoded UTF-8. Texts are bytes: what is not UTF-8 is
given to SentencePiece directly and its pieces are looked up as transformers
does.
"""
import argparse
import base64
import json
import lzma
import pathlib
import random
import struct
import tempfile
import warnings

warnings.filterwarnings("ignore")
ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = ROOT / "examples" / "en-de"
DATA = ROOT / "tests" / "data"


class Repeated:
    """A long text, stored as what it repeats and hashes of its results."""

    def __init__(self, unit, times):
        self.unit, self.times, self.text = unit, times, unit * times


def fnv1a(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return str(value)


def adversarial():
    """Texts that look for the edges of a tokenizer; bytes or str."""
    spaces = ["\u00a0", "\u3000", "\ufeff", "\u200b", "\u2009", "\u202f",
              "\u1680", "\u2028", "\x85", "\x1c", "\x0b", "\x0c"]
    texts = ["", " ", "   ", "\t", "\r\n", "\n", " \t\r\n ", "a", " a", "a ",
             "  a  b  ", "a\tb\rc\nd", "▁", "▁▁▁", " ▁ ", "a▁b", "▁a ▁b▁",
             "\0", "a\0b", "\0\0 \0", "Hello\0world.", "\u00ad", "a\u00adb",
             "\u2047", " \u2047 ", "<", "<<", ">>", "<>", "</", "</s"]
    texts += spaces + [f"a{s}b" for s in spaces] + [f"{s}a{s}" for s in spaces]
    texts += [
        "👩‍👩‍👧‍👦 family", "👍🏽👍🏿", "🇩🇪🇬🇧", "☃️", "1️⃣ 2️⃣",
        "中文没有空格的句子。", "日本語のテキスト、テスト！", "한국어 문장입니다.",
        "\u1112\u1161\u11ab\u1100\u1173\u11af", "ﾊﾟｶﾞ", "㍿㌔㈱",
        "مرحبا بالعالم", "שלום עולם", "हिन्दी में", "ภาษาไทย", "Ελληνικά",
        "Русский текст", "e\u0301 a\u0308 n\u0303", "Z\u0335\u0321a\u0341l\u0327g",
        "q\u0307\u0323 q\u0323\u0307", "ＦＵＬＬ　ｗｉｄｔｈ，１２３！", "ﬁne ﬂag ﬀ ﬃ ﬄ",
        "\ufdfa", "x\ufdfay \ufdfb", "½ ¼ ²³ ™ ℡ № Ⅷ ①", "“quotes” ‘single’ „low‟ «g»",
        "em—dash en–dash hy‐phen … dots", "€ £ ¥ ₿", "\u200d", "a\u200cb\u200dc",
        "\u202eright to left\u202c", "\ufffd", "a\ufffdb", "\ufff9\ufffa", "\U0010ffff",
        "\ue000\uf8ff", "I'm can't won't it's y'all", "3.14, 1,000.00 50% #1",
        "https://example.org/a?b=c&d=%20e", "user@example.org", "C:\\dir\\file",
        "ALL CAPS AND mIxEd", "Donaudampfschifffahrtsgesellschaftskapitän",
        "antidisestablishmentarianism", "a" + " " * 200 + "b",
    ]
    texts += [Repeated(*r) for r in [
        ("x", 300), ("Aa1-", 100), ("🙂", 200), ("中", 300), ("中a", 100),
        ("a", 10000), ("é", 5000), ("The", 3400), ("x\u0300", 1000),
        ("\ufdfa", 60), ("\ufdfa", 1800), ("word ", 400), ("?!.,", 100),
        ("\u2581", 200), ("\u2581", 20000), (" ", 5000), ("12345678", 40),
        ("字", 10000), ("qz", 30000), ("字z", 15000), (b"\xff", 500),
        ("</s>", 3000), ("Tom said no. ", 4000)]]
    special = ["</s>", "<unk>", "<pad>"]
    for s in special:
        texts += [s, s + s, f"a{s}b", f"a {s} b", f" {s} ", f"{s}a", f"a{s}",
                  f"<{s}>", s[:-1], s.upper(), f"{s[:2]}{s}{s[2:]}",
                  "＜" + s[1:-1] + "＞"]
    texts += ["a</s><unk><pad>b", "</s> </s>", "<<pad>>", "</s</s>",
              ">>de<< Hello.", ">>de<<", ">><<", ">>de<<Hello", " >>de<< Hello",
              ">>de<< >>fr<< x", ">>a b c<< d", ">>de< <", "a >>de<< b",
              ">>de", ">>中文<< x", ">>a</s>b<< c", "</s>>>de<< x",
              "</s> >>de<< x", ">></s><<", "<s>", "<s> a", "<0x41>", "▁the"]
    invalid = [b"\x80", b"a\xffb", b"\xc3", b"\xc3(", b"\xe2\x82", b"\xe2\x28\xa1",
               b"\xf0\x9f\x98", b"\xf0\x28\x8c\xbc", b"\xed\xa0\x80", b"\xc0\x80",
               b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe\xff", b"\xe2\x96",
               b"ok \xe2\x96\x81\x96\x81", b"\x00\xff\x00", b"\xf4\x90\x80\x80",
               b"Tom \xe4\xf6\xfc Mary", b"\xe0\x80\xaf",
               b"\xc3\xa9\xc3", b" \xa0 ", b"e\xcc", b"e\xcc\x81\xcc"]
    return texts + invalid


def random_texts(count, seed):
    """Random mixtures of plain words, odd characters and bytes."""
    rng = random.Random(seed)
    with lzma.open(DEMO / "data" / "train.en.xz", "rt", encoding="utf-8") as f:
        words = " ".join(next(f) for _ in range(2000)).split()
    ranges = [(0x20, 0x7f), (0, 0x20), (0xa0, 0x250), (0x300, 0x370),
              (0x370, 0x600), (0x600, 0x700), (0x1100, 0x1200),
              (0x2000, 0x2070), (0x2070, 0x2700), (0x3000, 0x3400),
              (0x4e00, 0x4f00), (0xac00, 0xad00), (0xf900, 0xfb50),
              (0xfb50, 0xfe00), (0xfe00, 0x10000), (0x1d400, 0x1d800),
              (0x1f300, 0x1f700), (0xe0000, 0xe0080)]
    for _ in range(count):
        parts = []
        for _ in range(rng.randint(1, 12)):
            kind = rng.random()
            if kind < 0.35:
                parts.append(rng.choice(words).encode())
            elif kind < 0.45:
                parts.append(rng.choice([b" ", b"  ", b"\t", b"</s>", b"<unk>",
                                         b"<pad>", b">>de<<", b"\xe2\x96\x81"]))
            elif kind < 0.95:
                lo, hi = rng.choice(ranges)
                run = "".join(chr(rng.randrange(lo, hi))
                              for _ in range(rng.randint(1, 5)))
                parts.append(run.encode())
            else:
                parts.append(bytes(rng.randrange(256)
                                   for _ in range(rng.randint(1, 3))))
            if rng.random() < 0.4:
                parts.append(b" ")
        yield b"".join(parts)


def to_str(text):
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return None


def line(text, ids, decoded, **more):
    if isinstance(text, Repeated):
        packed = struct.pack(f"<{len(ids)}i", *ids)
        more |= {"times": text.times, "count": len(ids),
                 "ids_fnv1a": fnv1a(packed),
                 "decoded_fnv1a": fnv1a(decoded.encode("utf-8"))}
        text, ids, decoded = text.unit, [], ""
    raw = text.encode("utf-8") if isinstance(text, str) else text
    return json.dumps({**more, "text": base64.b64encode(raw).decode(),
                       "ids": ids, "decoded": decoded}) + "\n"


class Marian:
    def __init__(self, folder=DEMO):
        from transformers import MarianTokenizer
        self.tokenizer = MarianTokenizer.from_pretrained(folder)

    def decode_lines(self, count, vocabulary, seed):
        """Random target ids: more kinds than encoding produces."""
        rng = random.Random(seed)
        for _ in range(count):
            ids = [rng.randrange(vocabulary) for _ in range(rng.randint(1, 20))]
            decoded = self.tokenizer.decode(ids, skip_special_tokens=True)
            yield json.dumps({"ids": ids, "decoded": decoded}) + "\n"

    def line(self, case):
        t = self.tokenizer
        text = case.text if isinstance(case, Repeated) else case
        string = to_str(text)
        if string is not None:
            ids = t(string, add_special_tokens=False)["input_ids"]
        else:
            # As PythonBackend.tokenize, on bytes.
            ids = []
            for part in self.split(text):
                code = b""
                if part in self.added:
                    ids.append(self.added[part])
                    continue
                if part.startswith(b">>") and b"<<" in part:
                    end = part.index(b"<<") + 2
                    code, part = part[:end], part[end:]
                    ids.append(t.encoder.get(code.decode("utf-8", "replace"),
                                             t.unk_token_id))
                pieces = t.spm_source.encode(part, out_type=bytes)
                ids += [t.encoder.get(p.decode(), t.unk_token_id)
                        for p in pieces]
        decoded = t.decode(ids, skip_special_tokens=True)
        return line(case, ids, decoded)

    @property
    def added(self):
        return {k.encode(): v
                for k, v in self.tokenizer.added_tokens_encoder.items()}

    def split(self, text):
        import re
        pattern = b"(" + b"|".join(map(re.escape, self.added)) + b")"
        return [part for part in re.split(pattern, text) if part]


def sample(demo):
    """Ids, end of sentence included, of each line of the training sample."""
    text = (DEMO / "data" / "sample.en").read_text(encoding="utf-8")
    path = DATA / "training_sample.ids"
    with open(path, "w", encoding="ascii") as out:
        for line in text.removesuffix("\n").split("\n"):
            out.write(" ".join(map(str, demo.tokenizer(line)["input_ids"])) + "\n")
    print(f"{path}: {path.stat().st_size} bytes")


def corpus(demo, paths, output):
    lines = 0
    with open(output, "w", encoding="ascii") as out:
        for path in paths:
            opener = lzma.open if path.endswith(".xz") else open
            with opener(path, "rt", encoding="utf-8", newline="\n") as f:
                for text in f:
                    out.write(demo.line(text.removesuffix("\n")))
                    lines += 1
    print(f"{output}: {lines} lines")


RULES = """\
0041\t0061
0042\t0062
0054\t0074
00C4\t0061 0065
0065 0301\t00E9
0061 0308\t00E4
FB01\t0066 0069
FF21\t0041
3000\t0020
0009\t0020
00A0\t0020
200B\t
1F600\t003A 0029
FDFA\t0635 0644 0649 0020 0627 0644 0644 0647 0020 0639
"""

# Small enough to be committed: the built-in rules alone take 240 KB.
SMALL = {
    "byte_fallback": dict(byte_fallback=True, vocab_size=560),
    "no_dummy_prefix": dict(add_dummy_prefix=False,
                            normalization_rule_name="identity"),
    "whitespace_suffix": dict(treat_whitespace_as_suffix=True),
    "keep_whitespace": dict(remove_extra_whitespaces=False,
                            normalization_rule_name="identity",
                            allow_whitespace_only_pieces=True),
    "user_defined": dict(user_defined_symbols=["<sep>", "Tom ", "A", "ä́", "▁▁"],
                         control_symbols=["<ctl>"], byte_fallback=True,
                         vocab_size=580),
    "suffix_keep": dict(treat_whitespace_as_suffix=True,
                        remove_extra_whitespaces=False,
                        user_defined_symbols=["  ", "é"]),
    "unescaped": dict(edit="unescape"),
    "near_ties": dict(edit="near_ties"),
}
LARGE = {name: dict(normalization_rule_name=name, vocab_size=1000)
         for name in ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf")}


def train(name, options, folder, rules):
    import sentencepiece as spm
    from sentencepiece import sentencepiece_model_pb2 as pb
    options = dict(options)
    edit = options.pop("edit", None)
    options.setdefault("model_type", "unigram")
    if "normalization_rule_name" not in options:
        options["normalization_rule_tsv"] = str(rules)
    options.setdefault("vocab_size", 300)
    path = folder / f"{name}.spm"
    with lzma.open(DEMO / "data" / "train.en.xz", "rt", encoding="utf-8") as f:
        sentences = [next(f).rstrip("\n") for _ in range(4000)]
    sentences += ["é è ä ö ü ß"] * 20
    prefix = str(folder / name)
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_prefix=prefix,
        num_threads=1, minloglevel=2,
        hard_vocab_limit=False, **options)
    model = pb.ModelProto()
    model.ParseFromString(pathlib.Path(prefix + ".model").read_bytes())
    del model.trainer_spec.input[:]
    model.trainer_spec.model_prefix = ""
    model.normalizer_spec.normalization_rule_tsv = ""
    if edit == "near_ties":
        # Every segmentation is nearly as good: each rounding decides.
        for i, piece in enumerate(model.pieces):
            piece.score = -500 * len(piece.piece) + i * 7919 % 101 * 0.003
    if edit == "unescape":
        model.normalizer_spec.escape_whitespaces = False
        for piece in model.pieces:
            piece.piece = piece.piece.replace("\u2581", " ")
    if edit == "unused":
        # As spm_encode --vocabulary marks them. Every third long piece, so that
        # some fall apart to others that do.
        for i, piece in enumerate(model.pieces):
            if piece.type == piece.NORMAL and len(piece.piece) > 1 and i % 3:
                piece.type = piece.UNUSED
        one = next(p for p in model.pieces if p.piece == "q")
        one.type = one.UNUSED
    if edit == "ties":
        for piece in model.pieces:
            piece.score = -float(len(piece.piece) // 3)
    path.write_bytes(model.SerializeToString())
    for end in (".model", ".vocab"):
        pathlib.Path(prefix + end).unlink()
    return path


def sentencepiece_fixture(models, folder, texts, own_ids=False):
    """Trains the models and writes their fixture beside them."""
    import sentencepiece as spm
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "fixture.jsonl", "w", encoding="ascii") as out, \
            tempfile.NamedTemporaryFile("w", suffix=".tsv") as rules:
        rules.write(RULES)
        rules.flush()
        for name, options in models.items():
            path = train(name, options, folder, rules.name)
            sp = spm.SentencePieceProcessor(model_file=str(path))
            for case in texts:
                text = case.text if isinstance(case, Repeated) else case
                if text[:2] in (">>", b">>") and not own_ids:
                    continue  # Language codes are MarianTokenizer's.
                ids = sp.encode(text)
                if own_ids:
                    decoded = sp.decode(ids)
                else:
                    pieces = [sp.id_to_piece(i) for i in ids]
                    decoded = sp.decode_pieces(pieces).replace("\u2581", " ")
                out.write(line(case, ids, decoded.strip(), model=path.name))
            print(f"{path}: {path.stat().st_size} bytes, "
                  f"{sp.get_piece_size()} pieces")


def marian_fixtures(models, folder):
    """Small Marian tokenizers with settings that the demo's does not have."""
    import sentencepiece as spm

    def pieces(name):
        sp = spm.SentencePieceProcessor(model_file=str(models / name))
        return [sp.id_to_piece(i) for i in range(sp.get_piece_size())]

    def write(name, source, target, vocabularies, config):
        out = folder / name
        out.mkdir(parents=True, exist_ok=True)
        for file, model in (("source.spm", source), ("target.spm", target)):
            (out / file).write_bytes((models / model).read_bytes())
        for file, vocabulary in vocabularies.items():
            ids = {p: i for i, p in enumerate(dict.fromkeys(vocabulary))}
            (out / file).write_text(json.dumps(ids, indent=0))
        (out / "tokenizer_config.json").write_text(json.dumps(config, indent=1))
        marian = Marian(out)
        size = len(marian.tokenizer.decoder)
        texts = [t for t in adversarial() if len(getattr(t, "text", t)) < 60]
        texts += [f"a{s}{t}{s}b" for t in ("<keep>", "<strip>", "<extra>")
                  for s in ("", " ", "\u3000\t ", "</s>", ">>xx<<")]
        with open(out / "fixture.jsonl", "w", encoding="ascii") as lines:
            lines.writelines(map(marian.line, texts))
            lines.writelines(map(marian.line, random_texts(20, 8)))
            lines.writelines(marian.decode_lines(60, size, 9))
            ids = {p: i for i, p in marian.tokenizer.decoder.items()}
            for between in (["</s>"], ["<s>"], ["<unk>"], []):
                run = ["<0xC3>", *between, "<0xA9>"]
                if not ids.keys() >= set(run):
                    continue
                run = [ids[p] for p in run]
                decoded = marian.tokenizer.decode(run, skip_special_tokens=True)
                lines.write(json.dumps({"ids": run, "decoded": decoded}) + "\n")
        print(f"{out}: {size} tokens")

    source, target = pieces("byte_fallback.spm"), pieces("user_defined.spm")
    special = ["</s>", "<unk>"]
    # Each vocabulary lacks some pieces of its model and has some of its own.
    first = special + source[3:200] + source[210:] + ["中文", "🙂"] + ["<pad>"]
    second = special + target[3:300] + ["<pad>", "<s>", "über"] + target[310:]
    write("separate", "byte_fallback.spm", "user_defined.spm",
          {"vocab.json": first, "target_vocab.json": second},
          {"separate_vocabs": True, "source_lang": "en", "target_lang": "de"})
    source = pieces("keep_whitespace.spm")
    joint = special + [">>de<<", ">>fr<<", "中文", "a</s>"] + source[3:] + [
        "<keep>", "<strip>", "<extra>", "<s>", "</s", ".", " .", "▁.", "▁n't",
        "'s", "▁'s", "▁'", "▁?", "<pad>"]
    joint = list(dict.fromkeys(joint))
    added = {joint.index(t): dict(content=t, lstrip=t == "<strip>",
                                  rstrip=t == "<strip>", normalized=False,
                                  single_word=False, special=t != "<keep>")
             for t in special + ["<pad>", "<keep>", "<strip>"]}
    write("added_tokens", "keep_whitespace.spm", "no_dummy_prefix.spm",
          {"vocab.json": joint},
          {"added_tokens_decoder": added, "extra_special_tokens": ["<extra>"],
           "clean_up_tokenization_spaces": True})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("--corpus", nargs="+", metavar="TEXT")
    parser.add_argument("--output", metavar="JSONL")
    parser.add_argument("--models", type=pathlib.Path, metavar="DIR")
    args = parser.parse_args()
    if args.models:
        texts = adversarial() + list(random_texts(20000, 7))
        sentencepiece_fixture(LARGE | SMALL, args.models, texts)
    elif args.corpus:
        corpus(Marian(), args.corpus, args.output)
    elif args.output:
        demo = Marian()
        with open(args.output, "w", encoding="ascii") as out:
            out.writelines(map(demo.line, random_texts(200000, 11)))
            out.writelines(demo.decode_lines(50000, len(demo.tokenizer), 12))
    else:
        demo = Marian()
        path = DATA / "tokenizer_adversarial.jsonl"
        with open(path, "w", encoding="ascii") as out:
            out.writelines(map(demo.line, adversarial()))
            out.writelines(map(demo.line, random_texts(150, 3)))
            out.writelines(demo.decode_lines(100, len(demo.tokenizer), 4))
        print(f"{path}: {path.stat().st_size} bytes")
        sample(demo)
        if args.demo:
            return
        sentencepiece_fixture(SMALL, DATA / "sentencepiece",
                              adversarial() + list(random_texts(25, 5)))
        marian_fixtures(DATA / "sentencepiece", DATA / "marian_tokenizer")


if __name__ == "__main__":
    main()
