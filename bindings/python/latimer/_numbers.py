"""Whether a translation has the numbers of its source."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from . import _c
from ._options import check_text

# LATIMER_MOST_CHECKED_NUMBERS of latimer.h.
_MOST = 256


@dataclass(frozen=True)
class NumberCheck:
    """Numbers that one text has, and the other lacks, as they are written."""

    missing: tuple[str, ...]
    """Those of the source."""
    surplus: tuple[str, ...]
    """Those of the translation."""

    @property
    def ok(self) -> bool:
        """Whether there are none."""
        return not self.missing and not self.surplus


def check_numbers(source: str, translation: str) -> NumberCheck:
    """Compares the numbers of a text with those of its translation.

    Takes texts that were translated anywhere. 1,234.5 is 1.234,5, 9:00 is 9,
    8 p.m. is 20:00, and a number up to 12 may be a word; docs/translate.md
    says more.
    """
    check_text(source, str)
    check_text(translation, str)
    texts = source.encode(), translation.encode()
    ranges = (_c.TextRange * _MOST)()
    missing = ctypes.c_size_t()
    count = _c.library.check_numbers(
        texts[0], len(texts[0]), texts[1], len(texts[1]), ranges, _MOST,
        ctypes.byref(missing),
    )
    found = [
        texts[i >= missing.value][ranges[i].begin : ranges[i].end].decode()
        for i in range(count)
    ]
    return NumberCheck(
        tuple(found[: missing.value]), tuple(found[missing.value :])
    )
