"""What published students there are for a pair of languages, and where.

A catalog is one of these, and tells by its content which:
* the JSON of Mozilla's model registry ("models" by pair, each with its files);
* records of Firefox's Remote Settings ("data" or "changes", one for a file);
* a folder, with a JSON as the registry has it (models.json or db/models.json,
  paths below the folder), or with folders SOURCE-TARGET of models.
Where no catalog has a pair, a Python package may: _wheels.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from . import _cache, _download, _wheels
from ._download import File
from ._errors import DownloadError
from ._languages import code

# The JSON that the README of mozilla/translations names.
MOZILLA = (
    "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-"
    "translations-data/db/models.json"
)
# Catalogs name none; this is that of the repository that trains the models.
_LICENSE = "MPL-2.0 (mozilla/translations)"
SIZES = ("tiny", "base-memory", "base")
_FRESH = 24 * 3600  # Seconds for which a catalog is not asked for again.
_PIVOT = "en"


@dataclass(frozen=True)
class Student:
    """A published model."""

    source: str
    target: str
    size: str
    """One of SIZES, as its publisher calls it."""
    origin: str
    """Where it comes from, in words."""
    version: str
    """As published, or a digest of what the catalog says of the files."""
    files: tuple[File, ...] = ()
    folder: pathlib.Path | None = None
    """Of a model that lies here."""
    wheel: _wheels.Wheel | None = None
    bleu: float | None = None
    comet: float | None = None
    license: str = ""
    released: bool = True

    @property
    def pair(self) -> str:
        return f"{self.source}-{self.target}"

    @property
    def key(self) -> str:
        """Changes when the model does; among the students of a pair."""
        return f"{self.size}-{self.version}".strip("-")

    @property
    def bytes(self) -> int | None:
        """Of its weights, about what the converted file has."""
        if self.wheel:
            return self.wheel.bytes
        sizes = [file.size for file in self.files if file.size is not None]
        return sum(sizes) or None


class Catalog:
    """The students of all places, and what was wrong with a place."""

    def __init__(self, students: Iterable[Student], problems: list[str]) -> None:
        self.students = list(students)
        self.problems = problems

    def find(
        self, source: str, target: str, size: str | None = None
    ) -> Student | None:
        """The best one for a pair: released, then the largest, if no size is
        asked for; of equal ones the first."""
        fitting = [
            student
            for student in self.students
            if (student.source, student.target) == (source, target)
            and size in (None, student.size)
        ]
        return max(
            fitting, default=None, key=lambda s: (s.released, _rank(s.size))
        )

    def route(
        self, source: str, target: str, size: str | None = None
    ) -> list[Student]:
        """One student, two by way of English, or none."""
        if direct := self.find(source, target, size):
            return [direct]
        first = self.find(source, _PIVOT, size)
        second = self.find(_PIVOT, target, size)
        return [first, second] if first and second else []

    def pairs(self) -> list[tuple[str, str]]:
        return sorted({(s.source, s.target) for s in self.students})


def load(offline: bool = False, renew: bool = False) -> Catalog:
    """The catalog of LATIMER_MODELS, or of Mozilla's registry and the wheels.

    Args:
        offline: what is here already.
        renew: ask again, however new the kept one is.
    """
    problems: list[str] = []
    place = os.environ.get("LATIMER_MODELS", "")
    students: list[Student] = []
    try:
        students += _read(place or MOZILLA, offline, renew)
    except (DownloadError, OSError, ValueError) as error:
        problems.append(str(error))
    if not place:
        have = {s.pair for s in students}
        for wheel in _wheels.WHEELS:
            source, _, target = wheel.model.partition("-")
            if wheel.model not in have:
                students.append(Student(
                    source, target, "tiny", f"{wheel.package} {wheel.version}",
                    wheel.sha256[:12], wheel=wheel, license=wheel.license,
                ))
    return Catalog(students, problems)


def _read(place: str, offline: bool, renew: bool) -> list[Student]:
    if place.startswith(("http://", "https://")):
        text, base = _kept(place, offline, renew), _base(place)
        return _students(place, text, base)
    folder = pathlib.Path(place).expanduser().absolute()
    if folder.is_file():
        return _students(place, folder.read_text("utf-8"), _base(str(folder)))
    if not folder.is_dir():
        raise DownloadError(
            f"LATIMER_MODELS: {place}: there is no such folder; name a folder "
            "of models, or the address of a catalog."
        )
    for name in ("models.json", "db/models.json"):
        if (folder / name).is_file():
            text = (folder / name).read_text("utf-8")
            return _students(place, text, str(folder))
    return list(_folders(folder))


def _folders(folder: pathlib.Path) -> Iterator[Student]:
    """Folders and converted files that are called SOURCE-TARGET."""
    for path in sorted(folder.iterdir()):
        stem = path.stem if path.suffix == ".ltm" else path.name
        if found := re.fullmatch(r"([a-z]{2,3}(?:_\w+)?)-([a-z]{2,3}(?:_\w+)?)", stem):
            files = [path] if path.is_file() else sorted(path.iterdir())
            state = [(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in files]
            yield Student(
                code(found[1]), code(found[2]), "", str(folder),
                hashlib.sha256(repr(state).encode()).hexdigest()[:12],
                folder=path,
            )


def _base(place: str) -> str:
    """What the paths of a catalog begin at: the folder of the catalog, or the
    one above if that is db."""
    folder = place.partition("?")[0].rpartition("/")[0]
    return folder.removesuffix("/db")


def _students(place: str, text: str, base: str) -> list[Student]:
    try:
        catalog = json.loads(text)
        if isinstance(catalog, dict) and isinstance(catalog.get("models"), dict):
            return list(_of_registry(catalog, base))
        if isinstance(catalog, dict):
            records = catalog.get("data", catalog.get("changes"))
            if isinstance(records, list):
                return list(_of_records(records, place))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DownloadError(
            f"{place}: a catalog that cannot be read ({error!r}); this "
            "release of Latimer may be too old for it."
        ) from error
    raise DownloadError(
        f"{place}: this is no catalog of models: it has neither models nor "
        "records of Remote Settings."
    )


def _of_registry(catalog: dict[str, Any], base: str) -> Iterator[Student]:
    for entries in catalog["models"].values():
        for entry in entries:
            files = [
                File(
                    _name(file["path"]), f"{base}/{file['path']}",
                    file.get("uncompressedSize"), file.get("uncompressedHash"),
                )
                for file in entry["files"].values()
            ]
            scores = (entry.get("metrics") or {}).get("flores200-plus", {})
            status = entry.get("releaseStatus") or ""
            text = json.dumps(entry["files"], sort_keys=True)
            if "model" not in entry["files"]:
                raise KeyError("model")
            yield Student(
                _code(entry["sourceLanguage"]), _code(entry["targetLanguage"]),
                entry.get("architecture") or "", "Mozilla's registry",
                hashlib.sha256(text.encode()).hexdigest()[:12],
                tuple(files), bleu=scores.get("bleu"), comet=scores.get("comet"),
                license=_LICENSE,
                released=status.lower().startswith("release"),
            )


def _of_records(records: list[Any], place: str) -> Iterator[Student]:
    """The newest release of each pair and size."""
    models: dict[tuple[str, str, str], dict[str, list[dict[str, Any]]]] = {}
    for record in records:
        if not record.get("attachment") or not record.get("fileType"):
            continue
        source = record.get("sourceLanguage") or record.get("fromLang")
        target = record.get("targetLanguage") or record.get("toLang")
        if not source or not target or record.get("variant"):
            continue
        key = (_code(source), _code(target), record.get("architecture") or "")
        models.setdefault(key, {}).setdefault(record["version"], []).append(record)
    base: list[str] = []
    for (source, target, size), versions in sorted(models.items()):
        whole = {
            version: rows for version, rows in versions.items()
            if {"model"} <= {row["fileType"] for row in rows}
        }
        if not whole:
            continue
        version = max(whole, key=_order)
        if not base:
            base.append(_attachments(place))
        files = []
        for row in whole[version]:
            if row["fileType"] not in ("model", "lex", "vocab", "srcvocab", "trgvocab"):
                continue
            attachment = row["attachment"]
            files.append(File(
                _name(attachment["filename"]),
                f"{base[0]}/{attachment['location']}",
                row.get("decompressedSize"), row.get("decompressedHash"),
                int(attachment["size"]), attachment["hash"],
            ))
        yield Student(
            source, target, size, "Firefox's Remote Settings",
            f"{version}", tuple(files), license=_LICENSE,
            released=_is_release(version),
        )


def _code(language: str) -> str:
    """As Mozilla's registry has it: zh_hant of zh-Hant."""
    return language.lower().replace("-", "_")


def _attachments(place: str) -> str:
    """The address that locations of attachments are relative to."""
    root, found, _ = place.partition("/v1/")
    if not found:
        return _base(place)
    about = json.loads(_download.read(f"{root}/v1/"))
    return str(about["capabilities"]["attachments"]["base_url"]).rstrip("/")


def _name(path: str) -> str:
    """A plain file name: what a catalog says stays in the model's folder."""
    name = pathlib.PurePosixPath(path).name.removesuffix(".gz")
    if not re.fullmatch(r"\w[\w.@-]*", name):
        raise ValueError(f"{path}: not the name of a file")
    return name


def _is_release(version: str) -> bool:
    """2.1 is one; 2.1a1 and 2.1b2 are for those who test Firefox."""
    return bool(re.fullmatch(r"[0-9.]+", version))


def _order(version: str) -> tuple[bool, list[int]]:
    return _is_release(version), [int(n) for n in re.findall(r"\d+", version)]


def _rank(size: str) -> int:
    return SIZES.index(size) if size in SIZES else -1


def _kept(url: str, offline: bool, renew: bool) -> str:
    """The catalog of a server, kept for a day; an older one if there is no
    network."""
    name = f"catalog-{hashlib.sha256(url.encode()).hexdigest()[:12]}.json"
    path = _cache.folder() / name
    age = time.time() - path.stat().st_mtime if path.exists() else None
    if age is not None and not renew and (offline or 0 <= age < _FRESH):
        return path.read_text("utf-8")
    if offline:
        raise DownloadError(
            f"{_download.host(url)}: its catalog is not on this machine; ask "
            "once with a network: latimer models."
        )
    try:
        data = _download.read(url)
        text = data.decode("utf-8")
        json.loads(text)  # Not what a hotel's network sends.
    except (DownloadError, ValueError) as error:
        if age is not None:
            return path.read_text("utf-8")
        if isinstance(error, DownloadError):
            raise
        raise DownloadError(
            f"{url}: this is no catalog of models, but something else; check "
            "the network and try again."
        ) from error
    _cache.write(path, data)
    return text


def fetch(
    student: Student, folder: pathlib.Path, say: Callable[[str], None]
) -> pathlib.Path:
    """The folder of a student's files, which are fetched unless they are
    there."""
    if student.folder:
        return student.folder
    names = [file.name for file in student.files]
    if not folder.exists() or not all((folder / name).exists() for name in names):
        size = f", {student.bytes / 1e6:.0f} MB unpacked" if student.bytes else ""
        say(
            f"{student.pair}: fetching {student.size or 'a model'} from "
            f"{student.origin}{size}, once."
        )
        if student.wheel:
            _wheels.fetch(student.wheel, folder)
        else:
            _download.fetch(list(student.files), folder, student.pair)
    _cache.write(folder / "metadata.json", _metadata(student))
    return folder


def _metadata(student: Student) -> bytes:
    """As Mozilla's repository of models has it, for latimer-convert."""
    return json.dumps({
        "sourceLanguage": student.source, "targetLanguage": student.target,
        "architecture": student.size, "version": student.version,
        "license": student.license,
        "flores": {"bleu": student.bleu, "comet": student.comet},
    }).encode()
