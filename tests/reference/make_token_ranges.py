#!/usr/bin/env python3
"""Writes tests/data/token_ranges.jsonl: the bytes of each token in its text.

Hugging Face's tokenizers 0.23 give them as offsets, sentencepiece 0.2.3 as begin
and end. Here they are in bytes of UTF-8, without white
space at their ends.
"""
import base64
import json
import os
import pathlib

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import sentencepiece
import tokenizers

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
TEXTS = """Hello  world, fine 日本
 All human beings are born free  and equal.
Würde und Rechte: „gleich“ – ½ x² naïve cœur
Все люди рождаются свободными, 你好世界。これは本です。
a\u00a0b\tc \u2003d ＨＥＬＬＯ 🙂👍🏽 don't 3.14 (x) "y"
ي خ न्म 한국어 กขค
xyzzyqqq€€€ ''' ---
a
""".split("\n")
FOLDERS = ["t5_json", "nllb_json", "mbart_json", "bart_json", "pegasus_json"]
MODELS = ["sentencepiece/byte_fallback.spm", "sentencepiece/keep_whitespace.spm",
          "sentencepiece/whitespace_suffix.spm",
          "sentencepiece_bpe/bpe_byte_fallback.spm",
          "sentencepiece_bpe/bpe_split_digits.spm",
          "sentencepiece_bpe/bpe_keep_whitespace.spm"]


def in_bytes(text, begin, end):
    """Without white space at the ends."""
    part = text[begin:end]
    begin += len(part) - len(part.lstrip())
    part = part.strip()
    first = len(text[:begin].encode())
    return [first, first + len(part.encode())]


def of_hugging_face(folder):
    path = DATA / "huggingface_tokenizer" / folder / "tokenizer.json"
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    for text in TEXTS:
        found = tokenizer.encode(text, add_special_tokens=False)
        yield text, found.ids, found.offsets


def of_sentencepiece(model):
    """Of several pieces of a character only the last has its range: here all
    do."""
    processor = sentencepiece.SentencePieceProcessor(
        model_file=str(DATA / model))
    for text in TEXTS:
        pieces = processor.encode(text, return_type="proto").pieces
        offsets = []
        for piece in pieces:
            begin = len(text.encode()[:piece.begin].decode())
            end = len(text.encode()[:piece.end].decode())
            is_part = begin == end and piece.piece.strip("\u2581") != ""
            offsets.append((begin, end + 1 if is_part else end))
        yield text, [piece.id for piece in pieces], offsets


def main():
    with open(DATA / "token_ranges.jsonl", "w", encoding="utf-8") as file:
        for name, read in ([(f, of_hugging_face) for f in FOLDERS] +
                           [(m, of_sentencepiece) for m in MODELS]):
            for text, ids, offsets in read(name):
                ranges = [in_bytes(text, *offset) for offset in offsets]
                ranges = [r if r[0] < r[1] else [0, 0] for r in ranges]
                file.write(json.dumps({
                    "tokenizer": name,
                    "text": base64.b64encode(text.encode()).decode(),
                    "ids": ids,
                    "ranges": ranges}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
