"""Shows how many texts of a call are done."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any, TypeVar

Item = TypeVar("Item")

_PAUSE = 0.2  # Seconds between two lines.


def shown(items: Iterator[Item], total: int | None) -> Iterator[Item]:
    """`items`, counted by tqdm if it is installed, else in a line of standard
    error. `total`: how many there are, if that is known."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _line(items, total)
    bar: Any = tqdm(items, total=total, unit="text")
    return iter(bar)


def _line(items: Iterator[Item], total: int | None) -> Iterator[Item]:
    of = "" if total is None else f" of {total}"
    is_terminal = sys.stderr.isatty()
    done = 0
    next_time = 0.0
    try:
        for item in items:
            yield item
            done += 1
            if is_terminal and time.monotonic() >= next_time:
                print(f"\r{done}{of} texts", end="", file=sys.stderr, flush=True)
                next_time = time.monotonic() + _PAUSE
    finally:
        print(f"{chr(13) if is_terminal else ''}{done}{of} texts", file=sys.stderr)
