"""Files from a server: resumed where they ended, and kept only if their digest
is right."""

from __future__ import annotations

import errno
import gzip
import hashlib
import http.client
import os
import pathlib
import shutil
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ._errors import DownloadError

_TIMEOUT = 30  # Seconds without a byte.
_TRIES = 3
_BLOCK = 1 << 18
_MOST = 1 << 30  # Of a file that says nothing of its size.


@dataclass(frozen=True)
class File:
    """A file of a model, where it is and what it must be."""

    name: str
    """As it is kept: without .gz."""
    url: str
    """http, https, or the path of a file; .gz is unpacked, and .zst is left to
    latimer-convert."""
    size: int | None = None
    """Bytes of the unpacked file."""
    sha256: str | None = None
    """Of the unpacked file."""
    packed_size: int | None = None
    packed_sha256: str | None = None


class Gone(DownloadError):
    """The server answers, and has no such file."""


def host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc or url


def read(url: str) -> bytes:
    """A small file, such as a catalog."""
    if not _is_remote(url):
        return pathlib.Path(url).read_bytes()
    with _errors(url), _open(url, 0) as answer:
        data: bytes = answer.read(_MOST)
        length = answer.headers.get("Content-Length")
        if length is not None and len(data) != int(length):
            raise DownloadError(f"{url}: the connection ended early; try again.")
        return data


def fetch(files: list[File], folder: pathlib.Path, what: str) -> None:
    """Makes the files in a folder that has none of them yet, or parts."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        if not (folder / file.name).exists():
            _fetch(file, folder, what)


def _fetch(file: File, folder: pathlib.Path, what: str) -> None:
    packed = folder / (pathlib.PurePosixPath(file.url).name + ".part")
    with _room(folder):
        if not _is_remote(file.url):
            try:
                shutil.copyfile(file.url, packed)
            except FileNotFoundError as error:
                raise Gone(f"{file.url}: there is no such file.") from error
        else:
            _download(file, packed, what)
        try:
            _check(packed, file.packed_size, file.packed_sha256, file.url)
            unpacked = _unpack(packed, file)
            if not file.name.endswith(".zst"):
                _check(unpacked, file.size, file.sha256, file.url)
        except DownloadError:
            packed.unlink(missing_ok=True)
            raise
        os.replace(unpacked, folder / file.name)
        packed.unlink(missing_ok=True)


def _download(file: File, packed: pathlib.Path, what: str) -> None:
    """The bytes of a file; a part of it is gone on with."""
    for left in reversed(range(_TRIES)):
        begin = packed.stat().st_size if packed.exists() else 0
        try:
            with _errors(file.url), _open(file.url, begin) as answer:
                if begin and answer.status != 206:
                    begin = 0  # The server sends all of it.
                length = answer.headers.get("Content-Length")
                total = begin + int(length) if length else None
                _write(answer, packed, begin, total, f"{what}: {file.name}")
                return
        except Gone:
            raise
        except DownloadError:
            if not left:
                raise
            time.sleep(0.2 if packed.exists() else 0.5)


def _write(
    answer: http.client.HTTPResponse,
    packed: pathlib.Path,
    begin: int,
    total: int | None,
    what: str,
) -> None:
    done = begin
    shown = sys.stderr.isatty()
    with open(packed, "ab" if begin else "wb") as out:
        while block := answer.read(_BLOCK):
            out.write(block)
            done += len(block)
            if done > (total or _MOST):
                raise DownloadError(f"{what}: more bytes than announced.")
            if shown and total:
                print(
                    f"\rlatimer: {what} {100 * done // total} % of "
                    f"{total / 1e6:.1f} MB\033[K",
                    end="", file=sys.stderr, flush=True,
                )
    if shown:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    if total is not None and done < total:
        raise http.client.IncompleteRead(b"", total - done)


def _open(url: str, begin: int) -> http.client.HTTPResponse:
    request = urllib.request.Request(url, headers={"User-Agent": "latimer"})
    if begin:
        request.add_header("Range", f"bytes={begin}-")
    try:
        answer: http.client.HTTPResponse = urllib.request.urlopen(
            request, timeout=_TIMEOUT
        )
        return answer
    except urllib.error.HTTPError as error:
        if error.code == 416:  # All of it is here, or another file is there.
            return _open(url, 0)
        raise


@contextmanager
def _errors(url: str) -> Iterator[None]:
    """Failures of a connection in one sentence."""
    try:
        yield
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (404, 410):
            raise Gone(
                f"{url}: the server has no such file (HTTP {error.code})."
            ) from error
        raise DownloadError(
            f"{url}: the server answered with HTTP status {error.code}; try "
            "again later."
        ) from error
    except (http.client.HTTPException, urllib.error.URLError, TimeoutError,
            ConnectionError) as error:
        why = getattr(error, "reason", None) or type(error).__name__
        raise DownloadError(
            f"{host(url)} could not be reached, or the connection ended "
            f"({why}); check the network and try again; a download goes on "
            "where it ended."
        ) from error


@contextmanager
def _room(folder: pathlib.Path) -> Iterator[None]:
    """A full or read-only disk in one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno not in (
            errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES,
        ):
            raise
        raise DownloadError(
            f"{folder}: a model cannot be kept there ({error.strerror}); make "
            "room, or name another folder in LATIMER_CACHE."
        ) from error


def _check(
    path: pathlib.Path, size: int | None, sha256: str | None, url: str
) -> None:
    found = path.stat().st_size
    if size is not None and found != size:
        raise DownloadError(
            f"{url}: {found} bytes came, and the catalog says {size}; it may "
            "have changed meanwhile: try again."
        )
    if sha256 is None:
        return
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    if digest.hexdigest() != sha256.lower():
        raise DownloadError(
            f"{url}: damaged, or not the file of the catalog: its SHA-256 is "
            f"{digest.hexdigest()[:12]}..., not {sha256[:12]}...; try again."
        )


def _unpack(packed: pathlib.Path, file: File) -> pathlib.Path:
    if not file.url.endswith(".gz"):
        return packed
    unpacked = packed.with_name(file.name + ".unpacked")
    try:
        with gzip.open(packed) as data, open(unpacked, "wb") as out:
            _copy(data, out, file)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DownloadError(
            f"{file.url}: damaged: it cannot be unpacked; try again."
        ) from error
    return unpacked


def _copy(data: object, out: object, file: File) -> None:
    """Copies as much as the file may have, and a byte more as a sign."""
    left = (file.size if file.size is not None else _MOST) + 1
    while left and (block := data.read(min(left, _BLOCK))):  # type: ignore[attr-defined]
        out.write(block)  # type: ignore[attr-defined]
        left -= len(block)


def _is_remote(url: str) -> bool:
    return url.startswith(("http://", "https://"))
