"""fxtranslate, on a student in Marian's own files (make_student.py).

fxtranslate takes and gives text, one sentence in a call, and its tokenizer takes part in its times.
It ends a translation at </s> or at a length of its own (loads.ENDS); no option changes that. The
first token alone is therefore timed with a source of odd ids.
"""

from importlib.metadata import version
from pathlib import Path

import loads
from peer_slimt import convert  # noqa: F401  The same files.


def import_all() -> None:
    import fxtranslate  # noqa: F401


class Engine:
    def __init__(self, model: Path, weights: str, threads: int):
        import fxtranslate

        weights, pieces, shortlist = (file.read_bytes() for file in loads.student_files(model))
        self.translator = fxtranslate.Translator(weights, pieces, pieces, shortlist)
        self.version = f"fxtranslate {version('fxtranslate')} ({self.translator.backend()})"

    def prepare(self, sources):
        odd = map(loads.ended_at_once, sources)
        return tuple(list(map(loads.text_of, rows)) for rows in (sources, odd))

    def translate(self, batch, least, most):
        """A batch is no more than its sentences, one after another."""
        all_tokens, first_token = batch
        return list(map(self.translator.translate, first_token if most == 1 else all_tokens))

    def translate_text(self, text: str) -> str:
        return self.translator.translate(text)

    def ids(self, result):
        return [[int(word[1:]) for word in text.split()] for text in result]
