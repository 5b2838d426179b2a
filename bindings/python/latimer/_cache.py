"""The folder of models that were fetched and converted.

Each model has a folder of its own, in which each way to convert it has a file
KEY.ltm and a record KEY.json. Both appear by renaming, the record last, so a
reader needs no lock.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Any

from ._errors import LatimerError


def folder() -> pathlib.Path:
    """Where the models are: LATIMER_CACHE, or a folder of the platform's."""
    if given := os.environ.get("LATIMER_CACHE"):
        return pathlib.Path(given).expanduser().absolute()
    if sys.platform == "darwin":
        base = pathlib.Path.home() / "Library" / "Caches"
    else:  # The XDG Base Directory Specification ignores relative paths.
        given = os.environ.get("XDG_CACHE_HOME", "")
        base = pathlib.Path(given if os.path.isabs(given) else "~/.cache")
    return base.expanduser() / "latimer" / "models"


def write(path: pathlib.Path, data: bytes) -> None:
    """Writes a file at once, or not at all if it cannot be kept."""
    partial = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        os.replace(partial, path)
    except OSError:
        partial.unlink(missing_ok=True)


@dataclass
class Record:
    """What a converted file was made of."""

    name: str
    """OWNER/NAME, or the path of what was converted."""
    commit: str
    """The version of these files: a commit, or a digest of sizes and times."""
    revisions: list[str]
    """Branches and tags that led to it."""
    options: dict[str, Any]
    """Of the conversion."""
    license: str


class Entry:
    """A model's folder in the cache."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    @staticmethod
    def of(name: str) -> Entry:
        """The folder of a model's name, or of a path, which need not exist."""
        if os.path.isabs(name):
            digest = hashlib.sha256(name.encode()).hexdigest()[:8]
            name = f"{pathlib.Path(name).name}@{digest}"
        safe = re.sub(r"[^\w.@-]", "-", name.replace("/", "--"))
        return Entry(folder() / safe)

    def converted(self) -> Iterator[tuple[Record, pathlib.Path]]:
        """The files that are there."""
        for path in sorted(self.path.glob("*.json")):
            file = path.with_suffix(".ltm")
            try:
                record = Record(**json.loads(path.read_text("utf-8")))
            except (OSError, ValueError, TypeError):
                continue  # Removed meanwhile, or not ours.
            if file.is_file() and file.stat().st_size > 0:
                yield record, file

    def find(
        self, wanted: Callable[[Record], bool]
    ) -> tuple[Record, pathlib.Path] | None:
        return next((made for made in self.converted() if wanted(made[0])), None)

    def file(self, record: Record) -> pathlib.Path:
        """Where the file of a record belongs."""
        made_of = [record.name, record.commit, record.options]
        text = json.dumps(made_of, sort_keys=True).encode()
        return self.path / (hashlib.sha256(text).hexdigest()[:16] + ".ltm")

    def keep(self, record: Record) -> pathlib.Path:
        """Records a file that was converted to the place that file() said."""
        file = self.file(record)
        partial = file.with_suffix(f".json.{os.getpid()}")
        try:
            partial.write_text(json.dumps(asdict(record), indent=1), "utf-8")
            os.replace(partial, file.with_suffix(".json"))
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise self._refusal(error.strerror) from error
        return file

    @contextmanager
    def lock(self, when_busy: Callable[[], None]) -> Iterator[None]:
        """Keeps other processes and threads out of this folder.

        The system frees the lock when its owner ends, however it ends. On a
        file system without locks there is none: then two may convert at a
        time, and the last one's file stays.
        """
        while True:
            self._make()
            try:
                lock = open(self.path / "lock", "w")
            except FileNotFoundError:
                continue  # Somebody removes the folder.
            with lock:
                _wait(lock.fileno(), when_busy)
                try:
                    there = os.stat(lock.name)
                except FileNotFoundError:
                    continue
                if os.path.samestat(there, os.fstat(lock.fileno())):
                    try:
                        yield
                    finally:  # Also of processes that were forked meanwhile.
                        _unlock(lock.fileno())
                    return

    def _make(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if os.access(self.path, os.W_OK):
                return
        except OSError as error:
            raise self._refusal(error.strerror) from error
        raise self._refusal(os.strerror(errno.EACCES))

    def _refusal(self, why: str | None) -> LatimerError:
        return LatimerError(
            f"{self.path}: cannot keep a model there ({why}); name another "
            "folder in LATIMER_CACHE.",
            "RESOURCE_UNAVAILABLE",
        )

    def remove(self) -> None:
        """Removes the folder, once nobody converts into it."""
        with self.lock(lambda: None):
            # What is left of a removal that was interrupted is no model.
            for path in sorted(self.path.glob("*.json")):
                path.unlink()
            shutil.rmtree(self.path)


def entries() -> Iterator[Entry]:
    """All models."""
    if folder().is_dir():
        for path in sorted(folder().iterdir()):
            if path.is_dir():
                yield Entry(path)


def _wait(file: int, when_busy: Callable[[], None]) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        when_busy()
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:
        pass  # No locks here.


def _unlock(file: int) -> None:
    with suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_UN)
