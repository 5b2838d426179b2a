"""Writes models.md, the page of published students, from models.tsv.

    python3 docs/models.py             writes the page
    python3 docs/models.py --check     exits with 1 unless the page is what this program writes
    python3 docs/models.py --from DIR  before that, reads a clone of mozilla/firefox-translations-models into models.tsv

A row of models.tsv: pair, architecture, pieces of a vocabulary, vocabularies, bytes of the weights, BLEU and COMET of
the student and of OPUS-MT.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
DATA, PAGE = DOCS / "models.tsv", DOCS / "models.md"
SIZES = ("tiny", "base-memory", "base")
# What `latimer plan` says of stand-ins, 2026-11-27: architecture, pieces, vocabularies; MB of RAM for 512 and for 64
# tokens of source and target, MB of the converted file.
SHAPES = {
    ("tiny", 16000, 1): (6.6, 1.3, 15),
    ("tiny", 32000, 1): (6.6, 1.3, 21),
    ("base-memory", 32000, 1): (12.5, 2.2, 35),
    ("base-memory", 32000, 2): (12.5, 2.2, 35),
    ("base-memory", 64000, 1): (12.7, 2.4, 51),
    ("base", 32000, 1): (12.4, 2.4, 47),
    ("base", 32000, 2): (12.4, 2.3, 47),
    ("base", 64000, 1): (12.5, 2.5, 66),
}

HEAD = """\
# Published students

Mozilla trained these models for Firefox, from or to English, in the sizes tiny, base-memory and base. They are small
enough for this project's boards and good enough for daily use. Latimer's Python package fetches one [by its
languages](../bindings/python/README.md#models-by-languages); `latimer models` lists the current ones. By its name,
`latimer get whisper-tiny.en` fetches a model that [reads speech](speech.md).

```sh
apt-get install g++ python3-venv
python3 -m venv ~/latimer && . ~/latimer/bin/activate
pip install .            # four minutes
latimer translate "$(latimer get en-pt)" --text "Good morning."    # Bom dia.
latimer get en-pt --size tiny
```

## Without Python

[get_student](../examples/get_student) downloads the files of a student with curl, checks them with sha256sum, and
unpacks them into a folder, here `en-pt`:

```sh
apt-get install g++ cmake curl jq ninja-build
cmake --workflow --preset demo      # five minutes: builds latimer and its converter
examples/get_student en-pt tiny     # or base-memory, base; else the largest that is released
build/host/bin/latimer-convert en-pt -o en-pt.ltm
build/host/bin/latimer translate en-pt.ltm --text "Good morning."    # Bom dia.
```

## What a size takes

The converted file is in flash or is mapped from a disk. RAM is the workspace plus the stacks, for sources and
translations of up to 512 tokens, or of 64 (`--max-source-tokens 64 --max-target-tokens 64`). It does not depend on the
languages.

| size | pieces | file | RAM, 512 tokens | RAM, 64 tokens |
| --- | --- | --- | --- | --- |
"""

MIDDLE = """
These are figures of `latimer plan`, 2026-11-27, for int8 stand-ins with each shape and a shortlist of 24 tokens per
piece; the file of a published model may be 2 MB larger or smaller. Every size fits every board with an operating system
(from the BeagleBone Black and the Raspberry Pi Zero 2 W up), x86-64 and browsers. With 512 tokens, none fits the boards
without an operating system, such as Cortex-M's, which have 4.2 MB of RAM or less. To check one file, run
`latimer plan FILE --board NAME`.

## What there is

These are the {pairs} pairs and {rows} models that the public repository
[mozilla/firefox-translations-models](https://github.com/mozilla/firefox-translations-models) had in December 2025
(e7957fc4); newer ones are in Mozilla's registry. *Weights* is the size of the published file, unpacked. BLEU and COMET
are the publishers' own figures: those on FLORES from the `metadata.json` of each model, those of OPUS-MT on FLORES
devtest from the folder `evaluation`. We [measured](../tests/trained/README.md#published-students) two published
students with Latimer. The repository is under the MPL 2.0, which `latimer get` records as the licence of each model.
`-`: not published.

| pair | languages | size | weights | BLEU | COMET | OPUS-MT: BLEU | COMET |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def languages():
    """The module that knows their names; it imports nothing else of the package."""
    path = DOCS.parent / "bindings" / "python" / "latimer" / "_languages.py"
    spec = importlib.util.spec_from_file_location("languages", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["languages"] = module
    spec.loader.exec_module(module)
    return module


def read_repository(root: Path) -> list[list[str]]:
    rows = []
    for path in root.glob("models/*/*/metadata.json"):
        data = json.loads(path.read_text("utf-8"))
        source, target, size = data["sourceLanguage"], data["targetLanguage"], data["architecture"]
        folder = root / "evaluation" / f"{source}-{target}"

        def published(metric: str) -> str:
            file = folder / f"flores-test.opusmt.{target}.{metric}"
            return file.read_text().strip() if file.exists() else "-"

        scores = [data["flores"].get(metric) for metric in ("bleu", "comet")]
        pieces, vocabularies = data["modelConfig"]["dim-vocabs"][0], 2 - data["modelConfig"]["tied-embeddings-all"]
        rows.append([f"{source}-{target}", size, pieces, vocabularies, data["byteSize"],
                     *("-" if score is None else score for score in scores), published("bleu"), published("comet")])
    if not rows:
        sys.exit(f"{root}: no models/SIZE/PAIR/metadata.json; name a clone of mozilla/firefox-translations-models.")
    return sorted(([str(cell) for cell in row] for row in rows), key=lambda row: (row[0], SIZES.index(row[1])))


def page(rows: list[list[str]]) -> str:
    known = languages()
    text = HEAD
    for (size, pieces, vocabularies), (ram, small, file) in SHAPES.items():
        if vocabularies == 1:
            text += f"| {size} | {pieces:,} | {file} MB | {ram} MB | {small} MB |\n"
    text += MIDDLE.format(pairs=len({row[0] for row in rows}), rows=len(rows))
    for pair, size, pieces, vocabularies, weights, *scores in rows:
        if (size, int(pieces), int(vocabularies)) not in SHAPES:
            sys.exit(f"{pair}, {size}: {pieces} pieces: SHAPES has no such shape; add what latimer plan says of it.")
        source, target = (known.name(language) for language in known.pair(pair))
        text += f"| {pair} | {source} to {target} | {size} | {int(weights) / 1e6:.1f} MB | {' | '.join(scores)} |\n"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--from", dest="repository", type=Path)
    arguments = parser.parse_args()
    if arguments.repository:
        rows = read_repository(arguments.repository)
        DATA.write_text("".join("\t".join(row) + "\n" for row in rows))
    written = page([line.split("\t") for line in DATA.read_text("utf-8").splitlines()])
    if not arguments.check:
        PAGE.write_text(written, "utf-8")
    elif not PAGE.exists() or PAGE.read_text("utf-8") != written:
        print(f"{PAGE}: not what docs/models.py writes from models.tsv; run it.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
