"""The models that Translator.from_pretrained has fetched and converted.

    for model in latimer.models.list():
        print(model.name, model.bytes)
    latimer.models.remove("Helsinki-NLP/opus-mt-en-de")

huggingface_hub keeps the originals in a cache of its own: `hf cache list`.
"""

from __future__ import annotations

import builtins
import os
import pathlib
from dataclasses import dataclass, field
from typing import Any

from . import _cache


@dataclass(frozen=True)
class Model:
    """A model that was converted."""

    name: str
    """OWNER/NAME, or the path of the original."""
    commit: str
    """The version of the original."""
    revisions: tuple[str, ...]
    """Branches and tags that lead to it here, such as "main"."""
    options: dict[str, Any]
    """Of the conversion, such as {"weights": "int8"}."""
    license: str = field(repr=False)  # Pages of text.
    path: pathlib.Path
    """The file, for Translator and the latimer program."""
    bytes: int
    """Its size on disk."""


def folder() -> pathlib.Path:
    """Where they are: LATIMER_CACHE, or a folder of the platform's."""
    return _cache.folder()


def list() -> builtins.list[Model]:
    """All of them."""
    return [
        Model(
            record.name,
            record.commit,
            tuple(record.revisions),
            record.options,
            record.license,
            file,
            file.stat().st_size,
        )
        for entry in _cache.entries()
        for record, file in entry.converted()
    ]


def remove(name: str | os.PathLike[str]) -> int:
    """Removes all conversions of a model; translators that use one keep it.

    Args:
        name: as in list(), or a path that was converted.

    Returns:
        How many bytes are free again.

    Raises:
        ValueError: there is no such model.
    """
    text = os.fspath(name)
    wanted = (text, os.path.realpath(text))
    freed = 0
    for model in list():
        if model.name in wanted:
            freed += model.bytes
    if not freed:
        raise ValueError(
            f"{text}: no such model is in {folder()}; latimer.models.list() "
            "has those that are."
        )
    for found in {model.name for model in list() if model.name in wanted}:
        _cache.Entry.of(found).remove()
    return freed
