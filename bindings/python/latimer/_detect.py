"""Which language a text is in: py3langid, the extra `detect`."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection

from ._options import check_text
from ._pairs import KNOWN

# The table of models has one code for both forms of Norwegian.
_SAME = {"nb": "no", "nn": "no"}

# A candidate is believed unless another language is as many times as likely.
_LEAST = 0.01


def detect_language(
    text: str, languages: Collection[str] | None = None
) -> str | None:
    """The language that a text is most likely in; None if it has no letters.

    A single word may be of several languages; a sentence is told nearly
    always.

    Args:
        text: a text.
        languages: the candidates, by default those of the table of models;
            fewer of them are told apart better.

    Returns:
        A code of ISO 639-1, such as "de".

    Raises:
        ImportError: py3langid is not installed.
        ValueError: a candidate is not known, or there is none.
    """
    return rank(text, languages)[0]


def rank(
    text: str, languages: Collection[str] | None = None
) -> tuple[str | None, float]:
    """The same, with the probability that it is that one, of those in the
    table of models and the candidates."""
    found = _probabilities(text, languages)
    if not found:
        return None, 0.0
    candidates = set(found if languages is None else languages)
    best = max((code for code in found if code in candidates), key=found.__getitem__)
    return best, found[best]


def rank_any(text: str, languages: Collection[str]) -> tuple[str | None, float]:
    """The same, but another language if it is none of the candidates, for all
    that can be told."""
    best, share = rank(text, languages)
    found = _probabilities(text, languages)
    if best is None:
        return best, share
    other = max(found, key=found.__getitem__)
    return (other, found[other]) if share < _LEAST * found[other] else (best, share)


def _probabilities(
    text: str, languages: Collection[str] | None
) -> dict[str, float]:
    """Of the candidates and the languages in the table of models; empty for a
    text without letters."""
    check_text(text, str)
    try:
        import py3langid
    except ImportError as error:
        raise ImportError(
            "Languages are detected by py3langid: pip install py3langid."
        ) from error
    known = _known()
    candidates = KNOWN & known if languages is None else set(languages)
    if missing := candidates - known:
        raise ValueError(
            f"{' '.join(sorted(missing))}: no such language is detected; give "
            "codes of ISO 639-1."
        )
    if not candidates:
        raise ValueError("languages: give at least one.")
    if not any(character.isalpha() for character in text):
        return {}
    candidates |= KNOWN & known
    weights: dict[str, float] = {}
    most = None
    for label, score in py3langid.rank(text):  # Logarithms, the best first.
        code: str = _SAME.get(label, label)
        if code in candidates and code not in weights:
            most = score if most is None else most
            weights[code] = math.exp(score - most)
    total = sum(weights.values())
    return {code: weight / total for code, weight in weights.items()}


@functools.cache
def _known() -> frozenset[str]:
    """The codes of all languages that py3langid knows."""
    import py3langid

    return frozenset(_SAME.get(label, label) for label, _ in py3langid.rank(""))
