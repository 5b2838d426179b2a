"""Messages on standard error, as CTranslate2's library writes them."""

from __future__ import annotations

import logging
import os

_LEVELS = (
    logging.CRITICAL,
    logging.ERROR,
    logging.WARNING,
    logging.INFO,
    logging.DEBUG,
    logging.NOTSET,
)
_level = logging.WARNING


def set_log_level(level: int) -> None:
    """Sets the level of messages, one of Python's logging."""
    global _level
    if level not in _LEVELS:
        raise ValueError(f"Level {level} is not a valid logging level")
    _level = level


def get_log_level() -> int:
    """The level of messages, one of Python's logging."""
    return _level


def log(level: int, message: str) -> None:
    """Writes a line, unless messages of this level are off."""
    if level >= _level:
        name = logging.getLevelName(level).lower()
        os.write(2, f"[latimer] [{name}] {message}\n".encode())
