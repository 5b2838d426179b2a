"""What a feature that touches text costs the rest of the text: each one on and off, with the same models and lines.

    python tests/quality/harm.py --models demo en-pt pt-en --texts FOLDER

Prints a table in Markdown for each case. The page docs/quality.md says what the columns mean.
"""

from __future__ import annotations

import argparse
import html
import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import cases
import marks
import models
import terms
from marks import Line
from program import Latimer

COLUMNS = ["model", "lines", "way", "ids equal", "span once", "glued", "digits", "chrF to plain", "chrF", "BLEU"]


def table(head: list[str], rows: list[list]) -> None:
    for row in [head, ["---"] * len(head), *rows]:
        print(f"| {' | '.join(str(cell) for cell in row)} |")
    print(flush=True)


def text_of(markup: str) -> str:
    return html.unescape(re.sub("<[^>]*>", "", markup)).strip()


class Measure:
    """The cases; each prints its tables."""

    def __init__(self, latimer: Latimer, chosen: list[models.Model], most: int, beams: list[int],
                 pages: Path | None):
        self.latimer, self.models, self.most, self.beams, self.pages = latimer, chosen, most, beams, pages

    def ways(self, off: str, on: str) -> tuple[list[str], list[str]]:
        """Options for a feature off and on: one of the two options exists, the other is the default."""
        return ([off] if self.latimer.has(off) else [], [on] if self.latimer.has(on) else [])

    def compare(self, model: models.Model, title: str, lines: list[Line], off: list[str], on: list[str],
                names: tuple[str, str], beams: int = 1, same_ids: bool = False) -> list[list]:
        """Rows for the plain lines, and for those with spans without and with a feature."""
        options = ["--beams", str(beams)] if beams > 1 else []
        plain = self.latimer.translate(model.file, [line.plain for line in lines], *off, *options)
        without = self.latimer.translate(model.file, [line.text for line in lines], *off, *options)
        with_it = self.latimer.translate(model.file, [line.text for line in lines], *on, *options)
        judged = [i for i, line in enumerate(lines) if line.reference]
        references = [marks.rest(lines[i].reference, lines[i].stand_in) for i in judged]
        plain_rest = [marks.rest(answer.text, line.stand_in) for answer, line in zip(plain, lines)]

        def row(way: str, answers: list, texts: list[str], spans: bool) -> list:
            left = [marks.rest(answer.text, line.span if spans else line.stand_in)
                    for answer, line in zip(answers, lines)]
            equal = sum(a.ids == b.ids for a, b in zip(answers, without)) if same_ids and answers is with_it else "-"
            once = sum(answer.text.count(line.span) == 1 for answer, line in zip(answers, lines))
            beside = sum(marks.glued(line, answer.text) for answer, line in zip(answers, lines))
            of_judged = [left[i] for i in judged]
            return [model.title, title + (f", {beams} beams" if beams > 1 else ""), way, equal,
                    f"{once} of {len(lines)}" if spans else "-", beside if spans else "-",
                    marks.keeps_digits(texts, [answer.text for answer in answers]),
                    marks.chrf(left, plain_rest) if spans else "-", marks.chrf(of_judged, references),
                    marks.bleu(of_judged, references)]

        texts = [line.text for line in lines]
        return [row("plain line", plain, [line.plain for line in lines], False),
                row(names[0], without, texts, True), row(names[1], with_it, texts, True)]

    def examples(self, texts: dict[str, list[str]], off: list[str], on: list[str], names: tuple[str, str]) -> None:
        rows = []
        for model in self.models:
            lines = texts.get(model.source, [])
            answers = [self.latimer.translate(model.file, lines, *options) for options in (off, on)]
            rows += [[model.title, *(f"`{text.replace('|', chr(92) + '|')}`" for text in (line, a.text, b.text))]
                     for line, a, b in zip(lines, *answers)]
        table(["model", "source", *names], rows)

    def keep(self) -> None:
        """Characters that a model cannot read."""
        off, on = self.ways("--no-keep-unknown", "--keep-unknown")
        if self.latimer.has("--no-sentences"):  # Behind a sentence, a symbol is one of its own, which has no ids if kept.
            off, on = [*off, "--no-sentences"], [*on, "--no-sentences"]
        names, rows = ("not kept", "kept"), []
        for model in self.models:
            symbols = [symbol for symbol, unknown in zip(
                cases.SYMBOLS, self.latimer.unreadable(model.file, cases.SYMBOLS)) if unknown]
            lines = cases.with_symbols(model.lines[: self.most], model.references, symbols)
            for beams in self.beams:
                rows += self.compare(model, f"{len(lines)} with a symbol", lines, off, on, names, beams, True)
            lines = cases.short(model.source, symbols)[: self.most]
            rows += self.compare(model, f"{len(lines)} short ones", lines, off, on, names, 1, True)
        table(COLUMNS, rows)
        self.examples(cases.KEPT_EXAMPLES, off, on, names)

    def protect(self) -> None:
        """Placeholders, addresses, paths, prices and the like."""
        off, on = self.ways("--no-protect", "--protect")
        names, rows = ("not protected", "protected"), []
        for model in self.models:
            lines = cases.with_spans(model.source, model.lines, model.references, self.most)
            parts = [("with a span", [line for line in lines if line.reference or line.stand_in not in
                                      {word for word, _ in cases.SPANS.values()}])]
            parts.append(("short ones", [line for line in lines if line not in parts[0][1]]))
            for beams in self.beams:
                for title, some in parts:
                    rows += self.compare(model, f"{len(some)} {title}", some, off, on, names, beams)
        table(COLUMNS, rows)
        self.examples(cases.PROTECTED_EXAMPLES, off, on, names)

    def fold(self) -> None:
        """Lines of the text that have characters which no piece of the vocabulary can read."""
        if not self.latimer.has("--no-fold"):
            print("This build folds nothing: latimer translate has no --no-fold.\n")
            return
        rows = []
        for model in self.models:
            which = [i for i, unknown in enumerate(self.latimer.unreadable(model.file, model.lines)) if unknown]
            which = which[: self.most]
            if not which:
                continue
            lines = [model.lines[i] for i in which]
            references = [model.references[i] for i in which] if model.references else None
            for way, options in [("neither", ["--no-fold", "--no-keep-unknown"]), ("kept only", ["--no-fold"]),
                                 ("folded only", ["--no-keep-unknown"]), ("both", [])]:
                texts = [answer.text for answer in self.latimer.translate(model.file, lines, *options)]
                rows.append([model.title, len(lines), way, marks.keeps_digits(lines, texts),
                             marks.chrf(texts, references), marks.bleu(texts, references)])
        table(["model", "lines", "way", "digits", "chrF", "BLEU"], rows)

    def html(self) -> None:
        """Tags around words."""
        rows = []
        for model in self.models:
            lines = model.lines[: self.most]
            references = model.references[: self.most] if model.references else None
            rows += self.compare_tags(model, f"{len(lines)} with tags", cases.tagged(lines), references)
            if self.pages and model.source == "en":
                lines = [(text, "") for text in cases.paragraphs(self.pages)[: self.most]]
                rows += self.compare_tags(model, f"{len(lines)} of pages", lines, None)
        table(["model", "lines", "way", "tags once", "on its name", "digits", "chrF to plain", "chrF", "BLEU"], rows)

    def compare_tags(self, model: models.Model, title: str, rows: list[tuple[str, str]],
                     references: list[str] | None) -> list[list]:
        """Rows for the text without its tags, and with them."""
        tagged = [markup for markup, _ in rows]
        lines = [text_of(markup) for markup in tagged]
        plain = self.latimer.texts(model.file, lines, "--paragraphs")
        written = self.latimer.texts(model.file, tagged, "--html")
        texts = [text_of(markup) for markup in written]
        once = sum(Counter(re.findall("<[^>]*>", a)) == Counter(re.findall("<[^>]*>", b))
                   for a, b in zip(tagged, written))
        named = [bool(re.search(rf"<\w[^>]*>{name}</", markup)) for markup, text, (_, name) in zip(written, texts, rows)
                 if name and len(re.findall(rf"\b{name}\b", text)) == 1]
        return [[model.title, title, "plain", "-", "-", marks.keeps_digits(lines, plain), "-",
                 marks.chrf(plain, references), marks.bleu(plain, references)],
                [model.title, title, "HTML", f"{once} of {len(rows)}",
                 f"{sum(named)} of {len(named)}" if named else "-", marks.keeps_digits(lines, texts),
                 marks.chrf(texts, plain), marks.chrf(texts, references), marks.bleu(texts, references)]]

    def nothing(self) -> None:
        """Lines without a letter, which come out as they are."""
        rows = []
        for model in self.models:
            for way, options in [("lines", []), ("paragraphs", ["--paragraphs"]), ("HTML", ["--html"])]:
                escape = html.escape if way == "HTML" else str
                outputs = [html.unescape(text) if way == "HTML" else text for text in
                           self.latimer.texts(model.file, [escape(line) for line in cases.NOTHING], *options)]
                wrong = [f"`{a}` `{b}`".replace("|", "\\|") for a, b in zip(cases.NOTHING, outputs) if a != b]
                rows.append([model.title, way, f"{len(outputs) - len(wrong)} of {len(outputs)}", ", ".join(wrong[:5])])
        table(["model", "way", "as they are", "not, such as"], rows)

    def numbers(self) -> None:
        """Digits of ordinary lines and of identifiers."""
        off, on = self.ways("--no-protect", "--protect")
        names, rows = ("not protected", "protected"), []
        for model in self.models:
            which = [i for i, line in enumerate(model.lines) if marks.digits(line)][: self.most]
            lines = [model.lines[i] for i in which]
            references = [model.references[i] for i in which] if model.references else None
            for name, options in zip(names, (off, on)):
                texts = [answer.text for answer in self.latimer.translate(model.file, lines, *options)]
                rows.append([model.title, f"{len(lines)} with digits", name, "-", "-", "-",
                             marks.keeps_digits(lines, texts), "-", marks.chrf(texts, references),
                             marks.bleu(texts, references)])
            lines = cases.identifiers(model.source)
            rows += self.compare(model, f"{len(lines)} with an identifier", lines, off, on, names)[1:]
        table(COLUMNS, rows)

    def terms(self) -> None:
        """Terms of a glossary, one for each line, drawn from its reference."""
        rows = []
        for model in self.models:
            if model.references:
                rows += terms.measure(self.latimer, model, self.most)
        table(terms.COLUMNS, rows)


CASES = ["keep", "protect", "fold", "html", "nothing", "numbers", "terms"]


def main() -> None:
    root = models.FOLDER.parents[1]
    cache = Path(os.environ.get("LATIMER_QUALITY_CACHE", Path.home() / ".cache/latimer-quality"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latimer", type=Path, default=root / "build/host/bin/latimer",
                        help="the program; latimer-convert lies beside it")
    parser.add_argument("--models", nargs="+", default=["demo", "en-pt", "pt-en"],
                        help="demo, en-pt, pt-en, or PATH:SOURCE-TARGET of a folder or converted file")
    parser.add_argument("--texts", type=Path,
                        help="folder of STEM.en, STEM.pt and so on (default: the demo's test lines)")
    parser.add_argument("--pages", type=Path, help="folder of English HTML pages, for the case html")
    parser.add_argument("--case", nargs="+", default=["all"], choices=["all", *CASES])
    parser.add_argument("--beams", nargs="+", type=int, default=[1])
    parser.add_argument("--lines", type=int, default=300, help="at most so many lines of a case")
    parser.add_argument("--cache", type=Path, default=cache, help="where downloaded students stay (%(default)s)")
    arguments = parser.parse_args()
    if not marks.sacrebleu:
        print("No BLEU and chrF: pip install -r tests/quality/requirements.txt", file=sys.stderr)
    latimer = Latimer(arguments.latimer)
    with tempfile.TemporaryDirectory() as work:
        chosen = models.load(arguments.models, latimer, arguments.cache, arguments.texts, Path(work))
        if not chosen:
            sys.exit("No model is left to measure.")
        measure = Measure(latimer, chosen, arguments.lines, arguments.beams, arguments.pages)
        for case in CASES:
            if case in arguments.case or "all" in arguments.case:
                method = getattr(measure, case)
                print(f"## {case}: {method.__doc__}\n")
                method()


if __name__ == "__main__":
    main()
