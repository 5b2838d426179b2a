"""Tests what tests/quality counts, and that with the demo each feature leaves alone what it is not about.

    LATIMER=build/host/bin/latimer python3 tests/quality/sample_test.py
"""

import html
import os
import re
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import cases
import marks
import models
import terms
from harm import text_of
from marks import Line
from program import Latimer

LINES = 40


class Counts(unittest.TestCase):
    """What is counted, on lines that a person can judge."""

    def test_the_rest_is_the_text_without_the_span_and_its_space(self):
        for text, span, rest in [("Das → Haus", "→", "Das Haus"), ("Das Haus →.", "→", "Das Haus."),
                                 ("→ Das Haus", "→", "Das Haus"), ("A → b → c", "→", "A b c"), ("Das Haus", "", "Das Haus"),
                                 ("Das Haus →", "→", "Das Haus"), ("Haupt→dukte", "→", "Haupt dukte")]:
            self.assertEqual(marks.rest(text, span), rest)

    def test_a_word_beside_a_span_is_glued_unless_the_source_has_one_there(self):
        for source, output, glued in [
                ("Open URL now", "Öffne URL jetzt", False), ("Open URL now", "Öffne URL-2 jetzt", True),
                ("Open URL now", "Öffne (URL) jetzt.", False), ("Open URL now", "Öffne xURL jetzt", True),
                ("Open URL-based", "Öffne URL-basiert", False), ("Open URL-based", "Öffne aURL-basiert", True),
                ("Open URL now", "Öffne jetzt", False), ("Open URL, now", "Öffne URL, jetzt URL)x", True)]:
            self.assertEqual(marks.glued(Line(source, "URL", ""), output), glued, output)

    def test_digits_are_counted_whatever_separates_them(self):
        self.assertEqual(marks.keeps_digits(["1,299.00", "BE0768", "none"], ["1 299,00", "BE768", "1"]), "1 of 2")

    def test_a_name_is_one_that_source_and_reference_write_alike(self):
        self.assertEqual(cases.shared_name("Today Siminoff said so.", "Siminoff hat es gesagt."), "Siminoff")
        self.assertIsNone(cases.shared_name("Today Vienna is big.", "Wien ist groß."))

    def test_each_line_has_its_span_once_and_its_plain_line_has_none(self):
        lines = models.read_lines(models.DEMO / "data/test.en")[:200]
        references = models.read_lines(models.DEMO / "data/test.de")[:200]
        rows = (cases.with_symbols(lines, references, cases.SYMBOLS) + cases.with_spans("en", lines, references, 60)
                + cases.short("en", cases.SYMBOLS) + cases.identifiers("en"))
        self.assertGreater(len(rows), 300)
        for row in rows:
            self.assertEqual((row.text.count(row.span), row.plain.count(row.span)), (1, 0), row.text)


class Demo(unittest.TestCase):
    """Ids and text of the demo, with features on and off."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.latimer = Latimer(Path(os.environ["LATIMER"]))
        cls.model = cls.latimer.convert(models.DEMO, Path(cls.folder.name) / "demo.ltm")
        cls.lines = models.read_lines(models.DEMO / "data/test.en")[:LINES]

    def all_models(self) -> list[models.Model]:
        """The demo, and the published students if harm.py has downloaded them."""
        found = [models.Model("demo", "en", "de", self.model, self.lines, None)]
        cache = Path(os.environ.get("LATIMER_QUALITY_CACHE", Path.home() / ".cache/latimer-quality"))
        if not models.student_package(cache).exists():
            print(f"The published students are left out: {cache} has none. harm.py downloads them.")
            return found
        for name in models.STUDENTS:
            source, target = name.split("-")
            file = self.latimer.convert(models.student(name, cache), Path(self.folder.name) / f"{name}.ltm")
            lines = [frame.format("Tom") for some in cases.FRAMES[source].values() for frame in some]
            found.append(models.Model(name, source, target, file, lines, None))
        return found

    def ids(self, *options: str) -> list[list[int]]:
        return [answer.ids for answer in self.latimer.translate(self.model, self.lines, *options)]

    def test_a_line_is_unreadable_if_no_piece_has_a_character_of_it(self):
        self.assertEqual(self.latimer.unreadable(self.model, ["The house", "The 日本 house", "", "😀"]),
                         [False, True, False, True])

    def test_a_feature_leaves_lines_alone_that_have_nothing_for_it(self):
        self.assertFalse(any(self.latimer.unreadable(self.model, self.lines)))
        default = self.ids()
        for option in ("--no-keep-unknown", "--no-fold", "--protect"):
            with self.subTest(option):
                self.assertEqual(self.ids(option), default)

    def test_keeping_changes_no_id_with_beams_and_lanes(self):
        for model in self.all_models():
            unreadable = self.latimer.unreadable(model.file, cases.SYMBOLS)
            symbols = [symbol for symbol, unknown in zip(cases.SYMBOLS, unreadable) if unknown]
            rows = cases.with_symbols(model.lines[:LINES], None, symbols)
            lines = [row.text for row in rows]
            # Behind a sentence, a symbol is one of its own, which the model reads only if it is not kept.
            read = [row.plain if re.search(rf"[.!?] {re.escape(row.span)}$", row.text) else row.text for row in rows]
            for options in ([], ["--lanes", "1"], ["--beams", "4"], ["--beams", "4", "--lanes", "4"]):
                for way, lines_lost in ([], read), (["--no-sentences"], lines):
                    with self.subTest(model=model.name, options=[*way, *options]):
                        kept = self.latimer.translate(model.file, lines, *way, *options)
                        lost = self.latimer.translate(model.file, lines_lost, "--no-keep-unknown", *way, *options)
                        self.assertEqual([answer.ids for answer in kept], [answer.ids for answer in lost])
                        for row, answer in zip(rows, kept):
                            self.assertEqual(answer.text.count(row.span), 1, f"{row.text!r}: {answer.text!r}")

    def test_signs_of_ascii_are_kept_alike_whatever_the_lanes(self):
        """A student lacks some of them, and where they go is read from a line that must still be there."""
        for model in self.all_models():
            lines = [f"{line} {sign} {line} {sign}x" for line in model.lines[:LINES // 4] for sign in "{}^~|<>="]
            with self.subTest(model=model.name):
                self.assertEqual(self.latimer.texts(model.file, lines),
                                 self.latimer.texts(model.file, lines, "--lanes", "1"))

    def test_each_protected_span_is_there_once(self):
        for model in self.all_models():
            rows = cases.with_spans(model.source, model.lines, model.references, 2 * LINES)
            rows += cases.identifiers(model.source)
            for options in ([], ["--beams", "4"]):
                answers = self.latimer.translate(model.file, [row.text for row in rows], "--protect", *options)
                for row, answer in zip(rows, answers):
                    with self.subTest(model=model.name, options=options):
                        self.assertEqual(answer.text.count(row.span), 1, f"{row.text!r}: {answer.text!r}")

    def test_terms_come_out_as_whole_words(self):
        both = [models.read_lines(models.DEMO / f"data/test.{language}")[:500] for language in ("en", "de")]
        rows = terms.draw(self.latimer, models.Model("lines", "en", "de", self.model, *both), 500)[:LINES]
        self.assertGreater(len(rows), LINES // 2)
        file = Path(self.folder.name) / "terms.tsv"
        for source, _, (word, term) in rows:
            with self.subTest(source=source, term=term):
                file.write_text(f"{word}\t{term}\n", encoding="utf-8")
                self.assertRegex(self.latimer.texts(self.model, [source], "--terms", str(file))[0], rf"\b{term}\b")

    def test_a_line_without_a_letter_comes_out_as_it_is(self):
        for model in self.all_models():
            for options in ([], ["--paragraphs"], ["--html"], ["--beams", "4"], ["--protect"]):
                with self.subTest(model=model.name, options=options):
                    escape = html.escape if options == ["--html"] else str
                    texts = self.latimer.texts(model.file, [escape(line) for line in cases.NOTHING], *options)
                    self.assertEqual([html.unescape(text) if options == ["--html"] else text for text in texts],
                                     cases.NOTHING)

    def test_each_tag_is_there_once_and_the_text_is_that_without_tags(self):
        tagged = [markup for markup, _ in cases.tagged(self.lines)]
        written = self.latimer.texts(self.model, tagged, "--html")
        plain = self.latimer.texts(self.model, self.lines, "--paragraphs")
        for source, output, text in zip(tagged, written, plain):
            self.assertEqual(Counter(re.findall("<[^>]*>", source)), Counter(re.findall("<[^>]*>", output)))
            self.assertEqual(text_of(output), text)


if __name__ == "__main__":
    unittest.main()
