"""Models for a pair of languages: a published student, two by way of English,
or what the table of OPUS-MT has."""

from __future__ import annotations

import difflib
import os
import pathlib
import shutil
from typing import TYPE_CHECKING, Any, TypeVar

from . import _languages, _pairs, _pretrained
from ._auto import AutoTranslator, OpenedWhenNeeded
from ._cache import Entry, Record
from ._detect import detect_language
from ._errors import DownloadError, LatimerError
from ._loaded import LoadedTranslator
from ._pivot import PivotTranslator
from ._pretrained import Open

if TYPE_CHECKING:  # Of the network: not at every start.
    from ._catalog import Catalog, Student

Loaded = TypeVar("Loaded", bound=LoadedTranslator)
_BEST = "best"  # A tag of what comes where no size is asked for.
_ORIGINAL = "original-"


def open_auto(
    opened: Open[Loaded], target: str, options: dict[str, Any]
) -> AutoTranslator:
    """Opens a model for a language, when a text is in another."""
    target = _languages.code(target)
    languages = _pairs.sources(target)
    if not languages:
        _pairs.choose("en", target)  # Says what to give.
    detect_language("a", languages)  # Complains now, not at the first text.
    return AutoTranslator(
        OpenedWhenNeeded(
            languages, target, lambda s: open_pair(opened, s, target, options)
        )
    )


def open_pair(
    opened: Open[Loaded], source: str, target: str, options: dict[str, Any]
) -> Loaded | PivotTranslator:
    """Opens the model, or the two models, for two languages."""
    try:
        translators = [opened(f) for f in pair_files(source, target, **options)]
    except LatimerError as error:
        if error.code not in _pretrained.STALE:
            raise
        # Damaged, or made for another CPU or by another release.
        for file in pair_files(source, target, **options):
            if (record := file.with_suffix(".json")).exists():  # It is ours.
                record.unlink()
                file.unlink()
        translators = [opened(f) for f in pair_files(source, target, **options)]
    if len(translators) == 1:
        return translators[0]
    return PivotTranslator(*translators)


def pair_files(
    source: str,
    target: str,
    *,
    size: str | None = None,
    offline: bool = False,
    update: bool = False,
    **options: Any,
) -> list[pathlib.Path]:
    """The converted files of one model for a pair, or of two in turn.

    Args:
        source, target: languages as people type them.
        size: of the student: tiny, base-memory or base; else the largest.
        offline: fetch nothing.
        update: look for a newer student; else one that is here stays.
        **options: those of latimer.convert.

    Raises:
        LatimerError, ValueError: one sentence that says what is wrong.
    """
    from . import _catalog

    source, target = _languages.code(source), _languages.code(target)
    if source == target:
        _pairs.choose(source, target)  # Says so.
    if size not in (None, *_catalog.SIZES):
        raise ValueError(f"size {size}: give {', '.join(_catalog.SIZES)}.")
    stated = _pretrained.stated(options)
    if not update and (file := _kept(source, target, size, stated)):
        return [file]
    catalog = _catalog.load(offline, update)
    route = catalog.route(source, target, size)
    if not route:
        legs = [_kept(*leg, size, stated) for leg in _legs(source, target)]
        if files := [file for file in legs if file]:
            if len(files) == len(legs):
                return files
        return _of_hub(catalog, source, target, size, offline, options)
    if len(route) == 2:
        _pretrained.say(
            f"{source} to {target}: no student does that; two do, by way of "
            "English."
        )
    return [
        (not update and _kept(s.source, s.target, size, stated))
        or _student_file(s, size, stated, offline)
        for s in route
    ]


def _legs(source: str, target: str) -> list[tuple[str, str]]:
    return [(source, "en"), ("en", target)]


def _kept(
    source: str, target: str, size: str | None, options: dict[str, Any]
) -> pathlib.Path | None:
    """A student that was converted, for which nobody is asked."""
    if os.environ.get("LATIMER_MODELS"):
        return None  # A folder of one's own is looked at, each time.
    made = Entry.of(f"{source}-{target}").find(
        lambda record: record.options == options
        and (size or _BEST) in record.revisions
    )
    return made[1] if made else None


def _student_file(
    student: Student, size: str | None, options: dict[str, Any], offline: bool
) -> pathlib.Path:
    if student.folder:
        if student.folder.suffix == ".ltm":
            for option in sorted(options.keys() - {"weights"}):
                raise TypeError(
                    f"{option}: {student.folder} is converted already; leave "
                    "it out."
                )
            return student.folder
        return _pretrained.of_path(os.path.realpath(student.folder), options)
    tags = [student.size] + ([_BEST] if size is None else [])
    entry = Entry.of(student.pair)
    busy = f"{student.pair}: waiting for another process."
    with entry.lock(lambda: _pretrained.say(busy)):
        student, folder = _fetched(student, entry, size, offline)
        made = entry.find(
            lambda r: r.options == options and r.commit == student.key
        )
        if made:
            record = made[0]
            record.revisions = sorted({*record.revisions, *tags})
            file = entry.keep(record)
        else:
            record = Record(student.pair, student.key, tags, options, "")
            file = _pretrained.convert_for(folder, record, options, entry)
        _forget(entry, record)
    return file


def _fetched(
    student: Student, entry: Entry, size: str | None, offline: bool
) -> tuple[Student, pathlib.Path]:
    """A student and the folder of its files."""
    from . import _catalog
    from ._download import Gone

    folder = entry.path / f"{_ORIGINAL}{student.key}"
    if offline and not folder.exists():
        raise DownloadError(
            f"{student.pair} is not on this machine, and is to be had with a "
            "network only; fetch it once: latimer get " + student.pair + "."
        )
    try:
        return student, _catalog.fetch(student, folder, _pretrained.say)
    except Gone as gone:  # The catalog may be older than what is there.
        newer = _catalog.load(renew=True).find(student.source, student.target, size)
        if newer is None or newer.files == student.files:
            raise DownloadError(
                f"{student.pair}: {student.origin} names it, and does not have "
                f"it any more ({gone}); try later, or another --size."
            ) from gone
        folder = entry.path / f"{_ORIGINAL}{newer.key}"
        return newer, _catalog.fetch(newer, folder, _pretrained.say)


def _forget(entry: Entry, kept: Record) -> None:
    """Removes what a newer one replaces, and originals of nothing here."""
    for record, file in entry.converted():
        if record.commit == kept.commit or record.options != kept.options:
            continue
        record.revisions = [t for t in record.revisions if t not in kept.revisions]
        if record.revisions:
            entry.keep(record)
        else:
            file.with_suffix(".json").unlink()
            file.unlink()
    used = {record.commit for record, _ in entry.converted()}
    for folder in entry.path.glob(f"{_ORIGINAL}*"):
        if folder.name.removeprefix(_ORIGINAL) not in used:
            shutil.rmtree(folder, ignore_errors=True)


def _of_hub(
    catalog: Catalog,
    source: str,
    target: str,
    size: str | None,
    offline: bool,
    options: dict[str, Any],
) -> list[pathlib.Path]:
    """The files of OPUS-MT's models, where there is no student."""
    for problem in catalog.problems:
        _pretrained.say(f"students: {problem}")
    if size is not None:
        raise ValueError(
            f"{source} to {target}: no student of the size {size} is known; "
            "latimer models lists what there is."
        )
    try:
        choices = _pairs.choose(source, target)
    except ValueError as error:
        raise ValueError(_unknown(catalog, source, target)) from error
    if offline:
        os.environ["HF_HUB_OFFLINE"] = "1"  # Read when the package is imported.
    for choice in choices:
        _pretrained.say(
            f"{choice.source} to {choice.target}: {choice.name}, about "
            f"{choice.megabytes} MB as int8."
        )
    return [
        _pretrained.model_file(
            choice.name, **{"target_lang": choice.target_lang} | options
        )
        for choice in choices
    ]


def _unknown(catalog: Catalog, source: str, target: str) -> str:
    known = {language for pair in catalog.pairs() for language in pair}
    known |= _pairs.KNOWN
    said = f"{source} to {target}: no model is known for that"
    hints = []
    for language in (source, target):
        if language not in known:
            near = difflib.get_close_matches(language, known, 3, 0.5)
            near = near or sorted(known)
            hints.append(f"for {language} there is none; there are "
                         + ", ".join(f"{c} ({_languages.name(c)})" for c in near))
    return f"{said}; {'; '.join(hints) or 'latimer models lists what there is'}."
