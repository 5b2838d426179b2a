"""slimt, on a student in Marian's own files (make_student.py).

slimt takes and gives text, and its tokenizer takes part in its times. It ends a translation at </s>
or when it has as many tokens as the longest source of the batch; no option changes that. The first
token alone is therefore timed with a source of odd ids.
"""

import importlib.util
import shutil
import sys
from pathlib import Path

import loads


def import_all() -> None:
    """The package itself asks the network for a list of models when it is imported."""
    sys.path.insert(0, importlib.util.find_spec("slimt").submodule_search_locations[0])
    import _slimt  # noqa: F401


def convert(folder: Path, out: Path, weights: str) -> None:
    """Reads Marian's files as they are."""
    out.mkdir()
    for file in loads.student_files(folder):
        shutil.copy(file, out)


class Engine:
    def __init__(self, model: Path, weights: str, threads: int):
        import _slimt

        self.version = f"slimt {_slimt.__version__.rstrip('+')}"
        weights, pieces, shortlist = map(str, loads.student_files(model))
        package = _slimt.Package(model=weights, vocabulary=pieces, shortlist=shortlist)
        self.model = _slimt.Model(_slimt.preset.tiny(), package)  # Layers and heads, not widths.
        self.service = _slimt.Service(workers=threads, cache_size=0)

    def prepare(self, sources):
        """One text with a sentence in each line, so that slimt gets all of them at once."""
        odd = map(loads.ended_at_once, sources)
        return tuple("\n".join(map(loads.text_of, rows)) for rows in (sources, odd))

    def translate(self, batch, least, most):
        all_tokens, first_token = batch
        return self.service.translate(self.model, [first_token if most == 1 else all_tokens])[0]

    def translate_text(self, text: str) -> str:
        return self.service.translate(self.model, [text])[0].target.text

    def translate_texts(self, texts: list[str]) -> list[str]:
        """slimt forms the batches."""
        return [response.target.text for response in self.service.translate(self.model, texts)]

    def ids(self, result):
        target = result.target
        ranges = [target.sentence_as_range(i) for i in range(target.sentence_count())]
        return [[int(word[1:]) for word in target.text[r.begin : r.end].split()] for r in ranges]
