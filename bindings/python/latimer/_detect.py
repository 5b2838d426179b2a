"""Which language a text is in: py3langid, the extra `detect`."""

from __future__ import annotations

from collections.abc import Collection

from ._options import check_text

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
        languages: the candidates; fewer of them are told apart better.

    Returns:
        A code of ISO 639-1, such as "de".

    Raises:
        ImportError: py3langid is not installed.
        ValueError: no candidate is known.
    """
    check_text(text, str)
    try:
        import py3langid
    except ImportError as error:
        raise ImportError(
            "Languages are detected by py3langid: pip install "
            "'latimer[detect]', or pip install py3langid."
        ) from error
    if not any(character.isalpha() for character in text):
        return None
    for label, _ in py3langid.rank(text):
        code: str = _SAME.get(label, label)
        if languages is None or code in languages:
            return code
    raise ValueError(
        f"{' '.join(sorted(languages or ()))}: no such language is detected; "
        "give codes of ISO 639-1."
    )
