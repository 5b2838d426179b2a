#!/usr/bin/env python3
"""Writes what SentencePiece's BPE, char and word models, Marian's vocabularies
and plain Python make of text.

Run with sentencepiece 0.2.3 and PyYAML:

    tokenizer_kinds_fixture.py       rewrites tests/data/{sentencepiece_bpe,
                                     marian_vocabulary,words}/
    tokenizer_kinds_fixture.py --out DIR [--lines N]
                                     larger models, with all built-in
                                     normalization rules, and N lines (20,000)
                                     of the training text for each, for
                                     LATIMER_TOKENIZER_KINDS_FIXTURE=DIR

Lines are those of tokenizer_fixture.py; `decoded` is stripped at both ends.
In words/ `kind` names the tokenizer, whose original is this file.
"""
import argparse
import codecs
import collections
import json
import lzma
import pathlib
import random

import sentencepiece as spm
import yaml

from tokenizer_fixture import (DATA, DEMO, LARGE, ROOT, Repeated, adversarial,
                               line, random_texts, sentencepiece_fixture)

BPE = {
    "bpe_byte_fallback": dict(byte_fallback=True, vocab_size=560),
    "bpe_split_digits": dict(split_digits=True),
    "bpe_no_dummy_prefix": dict(add_dummy_prefix=False,
                                normalization_rule_name="identity"),
    "bpe_whitespace_suffix": dict(treat_whitespace_as_suffix=True),
    "bpe_keep_whitespace": dict(remove_extra_whitespaces=False,
                                normalization_rule_name="identity",
                                allow_whitespace_only_pieces=True),
    "bpe_user_defined": dict(
        user_defined_symbols=["<sep>", "Tom ", "A", "ä́", "▁▁", ">>de<<", "zzz",
                              "zz"],
        control_symbols=["<ctl>", "☃"], byte_fallback=True, vocab_size=580),
    "bpe_across_spaces": dict(split_by_whitespace=False, vocab_size=400),
    "bpe_unused": dict(edit="unused", vocab_size=400),
    "bpe_unused_across_spaces": dict(edit="unused", split_by_whitespace=False,
                                     vocab_size=400, byte_fallback=True),
    "bpe_ties": dict(edit="ties", vocab_size=400),
    "char": dict(model_type="char", user_defined_symbols=["Tom", "ee"],
                 vocab_size=90),
    "word": dict(model_type="word", user_defined_symbols=["Tom"],
                 vocab_size=300),
}
for options in BPE.values():
    options.setdefault("model_type", "bpe")
LARGE_BPE = {f"bpe_{name}": options | dict(model_type="bpe", vocab_size=8000)
             for name, options in LARGE.items()}
LARGE_BPE["bpe_identity"] = dict(model_type="bpe", vocab_size=8000,
                                 normalization_rule_name="identity",
                                 byte_fallback=True)


def training_lines(count):
    with lzma.open(DEMO / "data" / "train.en.xz", "rt", encoding="utf-8") as f:
        return [next(f).rstrip("\n") for _ in range(count)]


# ---- Marian: pieces of SentencePiece, ids of a .yml --------------------------

def marian_fixture(folder, folders, models, texts, random_count):
    """As `spm_encode | marian-decoder` with a vocab.yml: by the piece's text."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(3)
    with open(folder / "fixture.jsonl", "w", encoding="ascii") as out:
        for name in models:
            path = next(f / name for f in folders if (f / name).exists())
            sp = spm.SentencePieceProcessor(model_file=str(path))
            pieces = [sp.id_to_piece(i) for i in range(3, sp.get_piece_size())]
            rng.shuffle(pieces)
            # Some pieces of the model are missing, others are no pieces of it.
            words = ["</s>", "<unk>", *pieces[:-20], "中文", "字", "🙂", ">>de<<",
                     "null", "~", "yes", "1", "1.0", "'", '"', "\\", "#", "- a",
                     "a: b", "\x85", "\u2028", "\ufeffx"]
            ids = {w: i for i, w in enumerate(dict.fromkeys(words))}
            stem = name.removesuffix(".spm")
            # PyYAML writes line breaks of YAML 1.1 so that it reads them back
            # as spaces.
            (folder / f"{stem}.yml").write_text("".join(
                f"{json.dumps(w)}: {i}\n" if set(w) & set("\x85\u2028\ufeff")
                else yaml.dump({w: i}, allow_unicode=True, width=10000)
                for w, i in ids.items()), encoding="utf-8")
            inverse = list(ids)
            for case in texts:
                text = case.text if isinstance(case, Repeated) else case
                raw = text.encode() if isinstance(text, str) else text
                tokens = []
                if raw.startswith(b">>") and b"<<" in raw:
                    end = raw.index(b"<<") + 2
                    tokens.append(raw[:end].decode("utf-8", "replace"))
                    raw = raw[end:]
                tokens += [p.decode() for p in sp.encode(raw, out_type=bytes)]
                encoded = [ids.get(t, ids["<unk>"]) for t in tokens]
                decoded = sp.decode_pieces([inverse[i] for i in encoded])
                decoded = decoded.replace("\u2581", " ").strip()
                out.write(line(case, encoded, decoded, model=name))
            for _ in range(random_count):
                some = [rng.randrange(1, len(ids)) for _ in range(12)]
                decoded = sp.decode_pieces([inverse[i] for i in some])
                decoded = decoded.replace("\u2581", " ").strip()
                out.write(json.dumps({"model": name, "ids": some,
                                      "decoded": decoded}) + "\n")
    print(f"{folder}: {(folder / 'fixture.jsonl').stat().st_size} bytes")


# ---- Words and characters: what people write by hand -------------------------

def replace_byte(error):
    """Each invalid byte becomes U+FFFD, as SentencePiece does it."""
    return "\ufffd", error.start + 1


codecs.register_error("each_byte", replace_byte)


def lower(text):
    return "".join(c.lower() for c in text)


KINDS = {
    "words": str.split,
    "lower_words": lambda text: lower(text).split(),
    "characters": list,
    "lower_characters": lambda text: list(lower(text)),
    "characters_without_spaces":
        lambda text: [c for c in text if not c.isspace()],
}
SPECIAL = ["<pad>", "<sos>", "<eos>", "<unk>"]
# Kinds in which unknown words are left out.
SKIPS = "skip_"


def longest_pieces(text, pieces):
    """From the left, the longest of the pieces that fits, or a character."""
    longest = max(map(len, pieces))
    found = []
    begin = 0
    while begin < len(text):
        sizes = range(min(longest, len(text) - begin), 0, -1)
        size = next((n for n in sizes if text[begin:begin + n] in pieces), 1)
        found.append(text[begin:begin + size])
        begin += size
    return found


PIECES = {
    "pieces": lambda text: text,
    "lower_pieces": lower,
    "pieces_without_spaces":
        lambda text: "".join(c for c in text if not c.isspace()),
}


def words_fixture(folder, texts, lines, size, random_count):
    folder.mkdir(parents=True, exist_ok=True)
    counts = collections.Counter(w for text in lines for w in text.split())
    words = [w for w, _ in counts.most_common(size)]
    words += ["中文", "ßa", "i\u0307x", "σας", "über", "élan", "ａ", "▁", "a▁b",
              "🙂", "\ufffd", "ǆ", "ꙁ", "𐐨"]
    characters = sorted({c for text in lines for c in text} | set("中文σ🙂ß \u0307▁"))
    # Stretches of the text, also across words, and longer ones.
    stretches = collections.Counter(
        text[i:i + n] for text in lines for n in (1, 2, 3, 5)
        for i in range(len(text) - n + 1))
    pieces = [p for p, _ in stretches.most_common(size)]
    pieces += ["Tom said", "中文", "中", "ä\u0301", "🙂", "x" * 1000, "zzz", "zz"]
    vocabularies = {
        "words": {w: i for i, w in enumerate(dict.fromkeys(SPECIAL + words))},
        "characters": {c: i for i, c in enumerate(SPECIAL + characters)},
        "pieces": {p: i for i, p in enumerate(dict.fromkeys(SPECIAL + pieces))}}
    (folder / "words.json").write_text(
        json.dumps(vocabularies["words"], indent=0))
    (folder / "characters.txt").write_text(
        "\n".join(vocabularies["characters"]) + "\n", encoding="utf-8")
    (folder / "pieces.json").write_text(
        json.dumps(vocabularies["pieces"], indent=0))
    splits = dict(KINDS)
    for kind, prepare in PIECES.items():
        splits[kind] = (lambda prepare: lambda text: longest_pieces(
            prepare(text), vocabularies["pieces"]))(prepare)
    for kind in ("words", "characters", "pieces"):
        splits[SKIPS + kind] = splits[kind]
    rng = random.Random(4)
    differs = 0
    with open(folder / "fixture.jsonl", "w", encoding="ascii") as out:
        for kind, split in splits.items():
            of_words = kind.endswith("words")
            ids = vocabularies["words" if of_words else "pieces" if "pieces"
                               in kind else "characters"]
            inverse = list(ids)
            unknown = [] if kind.startswith(SKIPS) else [ids["<unk>"]]

            def decode(some):
                join = " " if of_words else ""
                return join.join(inverse[i] for i in some
                                 if inverse[i] not in SPECIAL[:3]).strip()

            for case in texts:
                text = case.text if isinstance(case, Repeated) else case
                if isinstance(text, bytes):
                    text = text.decode("utf-8", "each_byte")
                differs += kind == "lower_words" and lower(text) != text.lower()
                some = [i for t in split(text)
                        for i in ([ids[t]] if t in ids else unknown)]
                out.write(line(case, some, decode(some), kind=kind))
            for _ in range(random_count):
                some = [rng.randrange(len(ids)) for _ in range(12)]
                out.write(json.dumps({"kind": kind, "ids": some,
                                      "decoded": decode(some)}) + "\n")
    print(f"{folder}: {(folder / 'fixture.jsonl').stat().st_size} bytes; "
          f"str.lower() differs in {differs} texts")


LOWER = ["ÀÉÎÕÜ ẞ Ǆ ǅ İX I ΣΑΣ ΌΣΟΣ ЖЩ ԱԲ Ⴀ Ꭰ Ꙁ Ａ 𐐀 𞤀 Å K Ω", "TOM said NO",
         "Tom\u00a0said\u2003no\u3000x\x1cy\x85z", "ÜBER Élan", "a\u2028b",
         "x" * 1500 + " y", "x" * 1022 + "é Z", "<pad> <unk> <sos>"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--lines", type=int, default=20000)
    args = parser.parse_args()
    # Text without white space, which a slow merge would take for ever over.
    long = [Repeated("abcdefgh", 4000), Repeated("thethe", 5000),
            Repeated("zz", 3000), Repeated("ing ", 2000)]
    if args.out:
        lines = training_lines(args.lines)
        shared = ROOT.parent.parent / "shared" / "text"
        for path in sorted(shared.glob("flores-devtest.*")):
            lines += path.read_text(encoding="utf-8").splitlines()
        texts = adversarial() + LOWER + long + lines + list(
            random_texts(20000, 17))
        print(f"{len(texts)} texts, {len(lines)} of them real")
        sentencepiece_fixture(LARGE_BPE | BPE, args.out / "sentencepiece",
                              texts, own_ids=True)
        marian_fixture(args.out / "marian", [args.out / "sentencepiece"],
                       ["bpe_nmt_nfkc.spm", "bpe_identity.spm",
                        "bpe_byte_fallback.spm"], texts, 2000)
        words_fixture(args.out / "words", texts, lines, 20000, 2000)
        return
    texts = [t for t in adversarial() + LOWER + long
             if len(getattr(t, "unit", t)) < 100] + list(random_texts(15, 15))
    sentencepiece_fixture(BPE, DATA / "sentencepiece_bpe", texts, own_ids=True)
    marian_fixture(DATA / "marian_vocabulary",
                   [DATA / "sentencepiece_bpe", DATA / "sentencepiece"],
                   ["bpe_byte_fallback.spm", "bpe_no_dummy_prefix.spm",
                    "whitespace_suffix.spm"], texts, 40)
    words_fixture(DATA / "words", adversarial() + LOWER + list(
        random_texts(30, 16)), training_lines(3000), 300, 40)


if __name__ == "__main__":
    main()
