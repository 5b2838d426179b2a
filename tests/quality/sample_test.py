"""Tests what tests/quality counts, and that with the demo each feature leaves alone what it is not about.

    LATIMER=build/host/bin/latimer python3 tests/quality/sample_test.py
"""

import os
import re
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import cases
import marks
import models
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

    def test_each_tag_is_there_once_and_the_text_is_that_without_tags(self):
        tagged = [markup for markup, _ in cases.tagged(self.lines)]
        written = self.latimer.texts(self.model, tagged, "--html")
        plain = self.latimer.texts(self.model, self.lines, "--paragraphs")
        for source, output, text in zip(tagged, written, plain):
            self.assertEqual(Counter(re.findall("<[^>]*>", source)), Counter(re.findall("<[^>]*>", output)))
            self.assertEqual(text_of(output), text)


if __name__ == "__main__":
    unittest.main()
