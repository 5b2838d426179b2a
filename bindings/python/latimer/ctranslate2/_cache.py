"""Models that were converted once, in the user's cache."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._c import library
from .._convert import convert
from ._log import log


def cache_folder() -> Path:
    """LATIMER_CACHE, or `latimer/models` in the user's cache."""
    named = os.environ.get("LATIMER_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "latimer" / "models"


def files_key(folder: Path) -> str:
    """What tells whether the files of a folder have changed: where they are,
    their sizes and times."""
    found = [
        (entry.name, entry.stat().st_size, entry.stat().st_mtime_ns)
        for entry in os.scandir(folder)
        if entry.is_file()
    ]
    return repr((str(folder.resolve()), sorted(found)))


def contents_key(files: Mapping[str, bytes]) -> str:
    """What tells whether files in memory have changed."""
    digests = {name: hashlib.sha256(data).digest() for name, data in files.items()}
    return repr(sorted(digests.items()))


def converted(folder: Path, key: str, options: Mapping[str, Any]) -> Path:
    """The model file of a folder, which is converted if it is not there.

    One process converts at a time, and a file has its name when it is whole.

    Args:
        folder: what latimer-convert reads.
        key: what the files in it are.
        options: of the converter.

    Raises:
        ConversionError: the converter's sentence.
        OSError: the cache cannot be written to.
    """
    version = library.version().decode()
    text = repr((key, sorted(options.items()), version))
    name = f"{folder.name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    path = cache_folder() / f"{name}.ltm"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            log(logging.INFO, f"Converting {folder} once, to {path}")
            unfinished = path.with_suffix(".new.ltm")
            try:
                said = convert(folder, unfinished, **options)
                for warning in said["warnings"]:
                    log(logging.WARNING, warning)
                os.replace(unfinished, path)
            finally:
                unfinished.unlink(missing_ok=True)
    return path
