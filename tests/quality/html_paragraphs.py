"""Translates paragraphs of HTML pages with their tags, and compares the text with that of the same paragraphs without.

    python tests/quality/html_paragraphs.py /usr/share/doc/debian-policy --models demo en-pt

Each paragraph has inline tags. Those whose elements are all translated are one group; those with code and the like,
which the model does not see, are another. A tag is kept if the paragraph has it as often as before; elements nest if
each end tag closes the element that was opened last. "chrF to plain" compares the text of the HTML with the translation
of the plain text, "same text" counts those that are equal but for spaces. Of paragraphs with code, only those count
here in which the model copies all of the code from the plain text, and the code is left out of both.
"""

from __future__ import annotations

import argparse
import html
import os
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import marks
import models
from program import Latimer

TAG = re.compile(r"<[^>]*>")
INLINE = set("a abbr acronym b bdi bdo big cite del dfn em font i ins mark q s small span strike strong sub sup time "
             "u".split())
UNSEEN = set("code kbd samp tt var".split())


def names(markup: str) -> list[str]:
    return [tag.strip("</>").split()[0].lower() for tag in TAG.findall(markup)]


def text_of(markup: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(TAG.sub("", markup))).strip()


def paragraphs(folders: list[Path], most: int) -> tuple[list[str], list[str]]:
    """Contents of <p>, <li> and <dd> on one line: with translated elements only, and with code. Those of many pages."""
    seen: set[str] = set()
    groups: tuple[list[str], list[str]] = ([], [])
    for page in sorted(path for folder in folders for path in folder.rglob("*.html") if path.is_file()):
        source = page.read_text(encoding="utf-8", errors="replace")
        for found in re.findall(r"<(?:p|li|dd)\b[^>]*>((?:(?!</?(?:p|li|dd)\b).)*)</(?:p|li|dd)>", source, re.S):
            markup = re.sub(r"\s+", " ", found).strip()
            used = set(names(markup))
            words = len(text_of(markup).split())
            if not used or used - INLINE - UNSEEN or not 8 <= words <= 80 or not nests(markup) or "�" in markup:
                continue
            if markup not in seen:
                seen.add(markup)
                groups[bool(used & UNSEEN)].append(markup)
    draw = random.Random(1)
    return tuple(draw.sample(group, min(most, len(group))) for group in groups)


def unseen(markup: str) -> list[str]:
    """The texts that the model does not see."""
    return [text_of(found) for _, found in re.findall(rf"<({'|'.join(UNSEEN)})\b[^>]*>(.*?)</\1>", markup)]


def rest(text: str, spans: list[str]) -> str | None:
    """A text without the spans, or None if it lacks one of them."""
    for span in sorted(spans, key=len, reverse=True):
        if not span or span not in text:
            return None
        text = text.replace(span, " ", 1)
    return re.sub(r"\s+", " ", text).strip()


def nests(markup: str) -> bool:
    open_names: list[str] = []
    for tag in TAG.findall(markup):
        name = names(tag)[0]
        if not tag.startswith("</"):
            open_names.append(name)
        elif not open_names or open_names.pop() != name:
            return False
    return not open_names


def compare(latimer: Latimer, model: models.Model, title: str, group: list[str], show: int) -> list:
    plain = latimer.texts(model.file, [text_of(markup) for markup in group], "--paragraphs")
    written = latimer.texts(model.file, group, "--html")
    kept = sum(Counter(TAG.findall(a)) == Counter(TAG.findall(b)) for a, b in zip(group, written))
    pairs = [(rest(text_of(b), spans), rest(text, spans))
             for b, text, spans in zip(written, plain, map(unseen, group))]
    judged = [i for i, (ours, theirs) in enumerate(pairs) if ours is not None and theirs is not None]
    texts, plain_texts = [pairs[i][0] for i in judged], [pairs[i][1] for i in judged]
    differ = [i for i, a, b in zip(judged, texts, plain_texts) if re.sub(r"\s", "", a) != re.sub(r"\s", "", b)]
    for i in differ[:show]:
        print(f"{group[i]}\n  HTML:  {written[i]}\n  plain: {plain[i]}", file=sys.stderr)
    return [model.title, f"{len(group)} {title}", kept, sum(map(nests, written)),
            f"{len(judged) - len(differ)} of {len(judged)}", marks.chrf(texts, plain_texts)]


def main() -> None:
    cache = Path(os.environ.get("LATIMER_QUALITY_CACHE", Path.home() / ".cache/latimer-quality"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", help="folders of English HTML pages")
    parser.add_argument("--latimer", type=Path, default=models.FOLDER.parents[1] / "build/host/bin/latimer",
                        help="the program; latimer-convert lies beside it")
    parser.add_argument("--models", nargs="+", default=["demo"], help="as those of harm.py, from English")
    parser.add_argument("--lines", type=int, default=200, help="at most so many paragraphs of a group")
    parser.add_argument("--show", type=int, default=0, help="print so many whose text differs to standard error")
    arguments = parser.parse_args()
    groups = paragraphs(arguments.folders, arguments.lines)
    if not any(groups):
        sys.exit("The folders have no paragraphs with inline tags.")
    latimer = Latimer(arguments.latimer)
    head = ["model", "paragraphs", "tags kept", "nest", "same text", "chrF to plain"]
    with tempfile.TemporaryDirectory() as work:
        chosen = models.load(arguments.models, latimer, cache, None, Path(work))
        for row in [head, ["---"] * len(head), *(
                compare(latimer, model, title, group, arguments.show) for model in chosen if model.source == "en"
                for title, group in zip(("with translated elements", "with code"), groups) if group)]:
            print(f"| {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    main()
