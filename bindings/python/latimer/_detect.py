"""Which language a text is in: py3langid, the extra `detect`."""

from __future__ import annotations

import functools
from collections.abc import Collection

from ._options import check_text
from ._pairs import KNOWN

# The table of models has one code for both forms of Norwegian.
_SAME = {"nb": "no", "nn": "no"}


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
    check_text(text, str)
    try:
        import py3langid
    except ImportError as error:
        raise ImportError(
            "Languages are detected by py3langid: pip install "
            "'latimer[detect]', or pip install py3langid."
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
        return None
    for label, _ in py3langid.rank(text):
        code: str = _SAME.get(label, label)
        if code in candidates:
            return code
    return None


@functools.cache
def _known() -> frozenset[str]:
    """The codes of all languages that py3langid knows."""
    import py3langid

    return frozenset(_SAME.get(label, label) for label, _ in py3langid.rank(""))
