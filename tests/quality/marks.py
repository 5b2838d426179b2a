"""What is counted of translations: the spans that must come out, the digits, and the rest of the text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

try:
    import sacrebleu
except ImportError:  # Counts need none.
    sacrebleu = None


@dataclass
class Line:
    """A line with a span in it, and the plain line that it is compared with."""

    text: str
    span: str
    plain: str
    stand_in: str = ""  # What stands in the plain line for the span, and in the reference; or nothing.
    reference: str | None = None


def rest(text: str, span: str) -> str:
    """A text without a span, with the spaces of one that never had it."""
    if not span:
        return text.strip()
    text = re.sub(rf"\s*{re.escape(span)}(?=\s*[.,;:!?)]|$)", "", text).replace(span, " ")
    return re.sub(r"\s+", " ", text).strip()


def glued(line: Line, output: str) -> bool:
    """Whether a word stands right beside a span where none does in the source, punctuation between them or not."""
    def words(text: str, at: int) -> list[str]:
        before = re.search(r"\S*$", text[:at]).group()
        after = re.match(r"\S*", text[at + len(line.span):]).group()
        return [side if any(unicodedata.category(c)[0] in "LNMS" for c in side) else "" for side in (before, after)]

    source = words(line.text, line.text.index(line.span))
    places = [match.start() for match in re.finditer(re.escape(line.span), output)]
    return any(mine and not theirs for at in places for mine, theirs in zip(words(output, at), source))


def digits(text: str) -> Counter:
    return Counter(unicodedata.digit(c) for c in text if unicodedata.category(c) == "Nd")


def keeps_digits(sources: list[str], outputs: list[str]) -> str:
    """Of the lines with digits, those that have the same ones in the translation."""
    rows = [digits(a) == digits(b) for a, b in zip(sources, outputs, strict=True) if digits(a)]
    return f"{sum(rows)} of {len(rows)}" if rows else "-"


def chrf(outputs: list[str], references: list[str] | None) -> str:
    if not sacrebleu or not references:
        return "-"
    return f"{sacrebleu.corpus_chrf(outputs, [references]).score:.2f}"


def bleu(outputs: list[str], references: list[str] | None) -> str:
    if not sacrebleu or not references:
        return "-"
    return f"{sacrebleu.corpus_bleu(outputs, [references]).score:.2f}"
