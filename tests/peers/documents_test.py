#!/usr/bin/env python3
"""Tries examples/documents with documents of the libraries that people write them with.

    VENV/bin/pip install argos-translate-files python-docx python-pptx odfpy ebooklib
    PYTHONPATH=build/host/python VENV/bin/python tests/peers/documents_test.py build/host/en-de.ltm
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import docx
import ebooklib.epub
import odf.opendocument
import odf.text
import pptx

MODEL = pathlib.Path(sys.argv.pop(1)).absolute()
EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/documents/translate.py"
TEXTS = ["The house is old.", "I am here."]


def make_docx(path):
    document = docx.Document()
    document.add_paragraph(TEXTS[0])
    document.add_paragraph().add_run(TEXTS[1]).bold = True
    document.save(path)


def make_pptx(path):
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    for shape, text in zip(slide.placeholders, TEXTS):
        shape.text = text
    show.save(path)


def make_odt(path):
    document = odf.opendocument.OpenDocumentText()
    for text in TEXTS:
        document.text.addElement(odf.text.P(text=text))
    document.save(path)


def make_epub(path):
    book = ebooklib.epub.EpubBook()
    book.set_identifier("id")
    book.set_title("Book")
    book.set_language("en")
    page = ebooklib.epub.EpubHtml(title="Page", file_name="page.xhtml")
    page.content = f"<html><body><p>{TEXTS[0]}</p><p><b>{TEXTS[1]}</b></p></body></html>"
    book.add_item(page)
    book.toc, book.spine = [page], [page]
    book.add_item(ebooklib.epub.EpubNcx())
    ebooklib.epub.write_epub(path, book)


def make_srt(path):
    times = ["00:00:01,000 --> 00:00:02,000", "00:00:03,000 --> 00:00:04,500"]
    cues = [f"{i + 1}\n{time}\n{text}\n" for i, (time, text) in enumerate(zip(times, TEXTS))]
    pathlib.Path(path).write_text("\n".join(cues), encoding="utf-8")


def content(path: pathlib.Path) -> str:
    """All text in a file, or in the files of an archive."""
    if not zipfile.is_zipfile(path):
        return path.read_text(encoding="utf-8")
    with zipfile.ZipFile(path) as archive:
        return "\n".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())


class DocumentsTest(unittest.TestCase):
    def test_each_format_has_the_translations_in_place_of_the_texts(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for make in (make_docx, make_pptx, make_odt, make_epub, make_srt):
                files.append(os.path.join(folder, "text." + make.__name__.split("_")[1]))
                make(files[-1])
            run = subprocess.run([sys.executable, "-W", "ignore", EXAMPLE, MODEL, *files, "no.xyz"], check=True,
                                 capture_output=True, text=True)  # fmt: skip
            lines = run.stdout.splitlines()
            self.assertEqual(lines.pop(), "no.xyz: argos-translate-files does not know this format.")
            self.assertEqual(len(lines), len(files))
            for name, file in zip(lines, files):
                with self.subTest(os.path.basename(file)):
                    text = content(pathlib.Path(name))
                    for wanted in ("Das Haus ist alt.", "Ich bin hier."):
                        self.assertIn(wanted, text)
                    for source in TEXTS:
                        self.assertNotIn(source, text)
                    self.assertIn(TEXTS[0], content(pathlib.Path(file)))


if __name__ == "__main__":
    unittest.main()
