"""Translates documents: .docx, .odt, .pptx, .odp, .epub, .srt, .html, .txt and .pdf.

    pip install latimer argos-translate-files
    python translate.py MODEL.ltm FILE...

The translation of letter.docx is letter.translated.docx.
"""

import pathlib
import sys
from types import SimpleNamespace

import latimer
from argostranslatefiles.argostranslatefiles import translate_file

if len(sys.argv) < 3:
    sys.exit(__doc__)
translator = latimer.Translator(sys.argv[1])
by_lines = SimpleNamespace(
    translate=lambda text: "\n".join(translator.translate(line).text for line in text.split("\n"))
)
for file in map(pathlib.Path, sys.argv[2:]):
    output = str(file.with_suffix(".translated" + file.suffix))
    known = translate_file(by_lines, str(file), lambda *_: output)
    print(output if known else f"{file}: argos-translate-files does not know this format.")
