"""A peer's client that translates one line, as start.py times it.

    first_line.py ENGINE FOLDER THREADS LEAST MOST TEXT

The folder is that of text_folder in start.py. The program prints the translation, and in a second
line the time at which its imports were done, in seconds of the monotonic clock.
"""

import json
import sys
import time
from pathlib import Path


def pieces_in(folder: Path):
    from sentencepiece import SentencePieceProcessor

    return (SentencePieceProcessor(model_file=str(folder / f"{side}.spm"))
            for side in ("source", "target"))


def with_ctranslate2(folder: Path, threads: int, least: int, most: int, text: str) -> str:
    import ctranslate2

    source, target = pieces_in(folder)
    translator = ctranslate2.Translator(str(folder), device="cpu", compute_type="int8",
                                        inter_threads=1, intra_threads=threads)
    result = translator.translate_batch(
        [[*source.encode(text, out_type=str), "</s>"]], beam_size=1, min_decoding_length=least,
        max_decoding_length=most)
    return target.decode(result[0].hypotheses[0])


def with_onnxruntime(folder: Path, threads: int, least: int, most: int, text: str) -> str:
    import peer_onnxruntime

    source, target = pieces_in(folder)
    ids = json.loads((folder / "vocab.json").read_text())
    engine = peer_onnxruntime.Engine(folder, "int8", threads)
    sentence = [ids[piece] for piece in [*source.encode(text, out_type=str), "</s>"]]
    result = engine.ids(engine.translate(engine.prepare([sentence]), least, most))[0]
    pieces = {id: piece for piece, id in ids.items()}
    return target.decode([pieces[id] for id in result if id != engine.eos])


def with_slimt(folder: Path, threads: int, least: int, most: int, text: str) -> str:
    import peer_slimt

    return peer_slimt.Engine(folder, "int8", threads).translate_text(text)


def with_fxtranslate(folder: Path, threads: int, least: int, most: int, text: str) -> str:
    import peer_fxtranslate

    return peer_fxtranslate.Engine(folder, "int8", threads).translate_text(text)


def import_for(engine: str) -> None:
    import importlib

    importlib.import_module(f"peer_{engine}").import_all()
    if engine == "onnxruntime":
        import numpy  # noqa: F401
    if engine not in ("slimt", "fxtranslate"):
        import sentencepiece  # noqa: F401


def main() -> None:
    engine, folder, threads, least, most, text = sys.argv[1:]
    import_for(engine)
    imported = time.monotonic()
    client = {"ctranslate2": with_ctranslate2, "onnxruntime": with_onnxruntime,
              "slimt": with_slimt, "fxtranslate": with_fxtranslate}[engine]
    print(client(Path(folder), int(threads), int(least), int(most), text), flush=True)
    print(imported)


if __name__ == "__main__":
    main()
