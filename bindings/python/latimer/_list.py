"""`latimer models`: what students there are, and which are here."""

from __future__ import annotations

import json
import sys
from typing import Any

from . import _catalog, _languages, _stand_in, models
from ._catalog import Student

_HEAD = (
    "pair", "languages", "size", "MB", "RAM", "ms", "BLEU", "COMET", "licence", "from", "here",
)
_RIGHT = ("MB", "RAM", "ms", "BLEU", "COMET")
_NOTE = (
    "RAM: MB beside the file. ms: for a sentence of "
    f"{_stand_in.TOKENS} tokens on one core of this machine; of a model that is "
    "not here, predicted: what a stand-in of its size takes."
)


def print_students(
    languages: list[str],
    offline: bool = False,
    update: bool = False,
    as_json: bool = False,
) -> int:
    """Prints a table, or JSON; returns the exit code."""
    try:
        wanted = {code for text in languages for code in _codes(text)}
    except ValueError as error:
        print(f"latimer models: {error}", file=sys.stderr)
        return 2
    catalog = _catalog.load(offline, update)
    for problem in catalog.problems:
        print(f"latimer models: {problem}", file=sys.stderr)
    here = {(m.name, m.commit): m for m in models.list()}
    rows = [
        _row(student, here.get((student.pair, student.key)))
        for student in sorted(catalog.students, key=lambda s: (s.pair, s.size))
        if wanted <= {student.source, student.target}
    ]
    if as_json:
        _print_json(rows)
    else:
        _print_table(rows)
        print(_NOTE, file=sys.stderr)
    return 1 if catalog.problems and not catalog.students else 0


def _codes(text: str) -> tuple[str, ...]:
    return _languages.pair(text) or (_languages.code(text),)


def _row(student: Student, kept: models.Model | None) -> dict[str, Any]:
    source, target = map(_languages.name, (student.source, student.target))
    takes = _stand_in.measure(kept.path) if kept else _stand_in.predict(student)
    return {
        "pair": student.pair,
        "languages": f"{source} to {target}",
        "size": student.size or None,
        "MB": round(student.bytes / 1e6, 1) if student.bytes else None,
        **takes,
        "BLEU": student.bleu,
        "COMET": student.comet,
        "licence": student.license or None,
        "from": student.origin,
        "here": str(kept.path) if kept else None,
    }


def _print_json(rows: list[dict[str, Any]]) -> None:
    print(json.dumps(rows, indent=1, ensure_ascii=False))


def _print_table(rows: list[dict[str, Any]]) -> None:
    texts = [dict(zip(_HEAD, _HEAD))] + [
        {key: _text(key, value) for key, value in row.items()} for row in rows
    ]
    widths = {key: max(len(row[key]) for row in texts) for key in _HEAD}
    for row in texts:
        cells = [
            row[key].rjust(widths[key]) if key in _RIGHT else row[key].ljust(widths[key])
            for key in _HEAD
        ]
        print("  ".join(cells).rstrip())


def _text(key: str, value: Any) -> str:
    if value is None:
        return "-"
    if key == "here":
        return "yes"
    if not isinstance(value, float):
        return str(value)
    # COMET is published as a part of 1.
    return f"{value:.3f}" if key == "COMET" and value <= 1 else f"{value:.1f}"
