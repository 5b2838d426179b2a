"""Translations that are kept, for texts that repeat."""

from __future__ import annotations

import ctypes
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Union

from ._results import Translation

if TYPE_CHECKING:
    from ._options import TranslateOptions

# What decides a translation: whether it is of a text, the text or the ids, and
# the options.
Key = tuple[bool, bytes, str]

# About what an object and an int take.
_OBJECT, _INT = 500, 40


def options_key(options: TranslateOptions) -> str | None:
    """What equal options have in common; None: a translation is not to be
    kept, because it depends on more or does more, or because an option is no
    plain value."""
    if options.get("sample") or options.get("on_token") is not None:
        return None
    if options.get("attention") not in (None, "none"):
        return None
    try:
        return repr(sorted((name, _plain(v)) for name, v in options.items()))
    except TypeError:
        return None


def _plain(value: object) -> object:
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if type(value) in (list, tuple):
        return [_plain(item) for item in value]  # type: ignore[attr-defined]
    if isinstance(value, dict):
        return [(_plain(k), _plain(v)) for k, v in value.items()]
    raise TypeError


def source_key(
    source: Union[bytes, ctypes.Array[ctypes.c_int32]], options: str
) -> Key:
    return isinstance(source, bytes), bytes(source), options


class Kept:
    """Translations within a number of bytes; what was used least recently goes
    first. Any number of threads may use it."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._found: OrderedDict[Key, Translation] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Key) -> Translation | None:
        with self._lock:
            found = self._found.get(key)
            if found is not None:
                self._found.move_to_end(key)
            return found

    def add(self, key: Key, translation: Translation) -> None:
        if translation.stop_reason in ("budget", "cancelled"):
            return
        size = _bytes(key, translation)
        with self._lock:
            if size > self._most_bytes or key in self._found:
                return
            self._found[key] = translation
            self._bytes += size
            while self._bytes > self._most_bytes:
                self._bytes -= _bytes(*self._found.popitem(last=False))

    def after_fork(self) -> None:
        """In the child: another thread may have had the lock."""
        self._lock = threading.Lock()


def _bytes(key: Key, translation: Translation) -> int:
    t = translation
    ints = len(t.tokens) + len(t.source_tokens)
    objects = len(t.scores or ()) + len(t.words or ()) + len(t.alignment or ())
    for one in t.hypotheses:
        ints += len(one.tokens) + len(one.text)
        objects += 1
    texts = len(key[1]) + len(key[2]) + 4 * len(t.text)
    return texts + _INT * ints + _OBJECT * (objects + 2)
