"""The converter: trained weights and tokenizer in, one model file out."""

from __future__ import annotations

import glob
import json
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Union

from . import _c
from ._errors import ConversionError
from ._options import Unpack

Progress = Callable[[str, int], None]
_Path = Union[str, "os.PathLike[str]"]
_Names = Union[str, Sequence[str]]


class ConvertOptions(TypedDict, total=False):
    """The options of latimer-convert, with underscores; its --help says more.

    An option that may be repeated takes a list, too.
    """

    map: _Path
    set: _Names
    source_lang: str
    target_lang: str
    sentence_rules: str
    no_tokenizer: bool
    no_target_tokenizer: bool
    weights: Literal["f32", "f16", "int8", "int6", "int4", "auto"]
    max_loss: float
    loss_of: Literal["tokens", "lines"]
    int4_error: float
    keep_int8: _Names
    keep_f16: _Names
    equalize: _Path
    calibrate: _Path
    board: _Path
    tile: str
    no_pruned_argmax: bool
    profile: _Path
    max_source_tokens: int
    max_target_tokens: int
    threads: int
    lanes: int
    beams: int
    f16_caches: bool
    copy_image: bool
    room_for: str
    keep_vocab: Union[_Path, Sequence[_Path]]
    keep_scripts: str
    unreachable: Union[_Path, Sequence[_Path]]
    shortlist_text: tuple[_Path, _Path]
    shortlist_alignment: _Path
    shortlist_first: int
    shortlist_best: int
    shortlist_threshold: float
    certify: _Path
    references: _Path
    min_agreement: float
    align_text: _Path
    license: str
    model_version: str
    sign: _Path


def convert(
    model: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    on_progress: Progress | None = None,
    **options: Unpack[ConvertOptions],
) -> dict[str, Any]:
    """Converts a trained model to a file that Translator reads.

        latimer.convert("opus-mt-en-de", "en-de.ltm", weights="int8")

    Args:
        model: the folder of a Hugging Face model, Marian's files, or a
            checkpoint that a map describes.
        output: the file to write, which ends in .ltm.
        on_progress: called with a step and how many percent of it are done.
        **options: see ConvertOptions: weights="f32", board="raspberry_pi_4",
            no_tokenizer=True, set=["heads=8", ...].

    Returns:
        What latimer-convert --json writes: sizes, architecture, memory.

    Raises:
        ConversionError: one sentence that says what is wrong and what to do;
            it is a ValueError.
        TypeError: there is no such option.
    """
    if unknown := [n for n in options if n not in ConvertOptions.__annotations__]:
        raise TypeError(f"{unknown[0]!r} is no option of a conversion.")
    command = [program("latimer-convert"), os.fspath(model)]
    command += ["-o", os.fspath(output), "--json"]
    if on_progress is not None:
        command.append("--progress")
    for name, value in options.items():
        command += _option(name, value)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            said = _read(process, on_progress)
            assert process.stdout is not None
            answer = process.stdout.read()
            code = process.wait()
        except BaseException:  # An interrupt, or what on_progress raised.
            process.kill()
            process.wait()
            begun = Path(os.path.realpath(output))  # As the converter writes it.
            for left in begun.parent.glob(
                f"{glob.escape(begun.name)}.partial.{process.pid}.*"
            ):
                if left.suffix[1:].isdecimal():
                    left.unlink()
            raise
    if code != 0:
        raise ConversionError(_sentence(said) or f"It ended with {code}.")
    result: dict[str, Any] = json.loads(answer)
    return result


def program(name: str) -> str:
    """The path of a program of this package."""
    return str(_c.FOLDER / "bin" / name)


def _option(name: str, value: Any) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [word for item in value for word in _option(name, item)]
    return [flag, os.fspath(value) if hasattr(value, "__fspath__") else str(value)]


def _read(process: subprocess.Popen[bytes], on_progress: Progress | None) -> str:
    """Reads standard error to its end; returns what is no progress."""
    assert process.stderr is not None
    said = ""
    rest = b""
    while chunk := os.read(process.stderr.fileno(), 65536):
        *lines, rest = re.split(rb"[\r\n]", rest + chunk)
        for line in lines:
            said += _line(line, on_progress)
    return said + _line(rest, on_progress)


def _line(line: bytes, on_progress: Progress | None) -> str:
    text = line.decode(errors="replace").replace("\x1b[K", "").strip()
    step = re.fullmatch(r"(.+?) +(\d+) %", text)
    if step is not None and on_progress is not None:
        on_progress(step[1], int(step[2]))
        return ""
    return text + "\n" if text else ""


def _sentence(said: str) -> str:
    return said.strip().removeprefix("latimer-convert: ")
