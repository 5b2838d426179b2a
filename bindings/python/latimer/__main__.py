"""python -m latimer, and the commands latimer and latimer-convert.

`convert` runs latimer-convert, and `get` fetches a model; everything else is
the latimer program's.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, NoReturn

from ._convert import program

_USAGE = """\
Usage: latimer get MODEL [--revision REVISION] [CONVERT_OPTION...]
       latimer get SOURCE TARGET [CONVERT_OPTION...]

Fetches and converts a model, unless it is there, and prints the path of the
file: latimer translate "$(latimer get Helsinki-NLP/opus-mt-en-de)"
MODEL is OWNER/NAME, or the path of a folder or an Argos package. SOURCE and
TARGET are two languages, as de and fr; two paths are those of two models by way
of English. Options are those of latimer-convert, such as --weights int8.
"""


_MORE_HELP = """
Of the Python package:
  get         fetch a model by its name and convert it
  convert     what latimer-convert does
"""


def main() -> None:
    arguments = sys.argv[1:]
    if arguments in (["--help"], ["-h"], ["help"]):
        code = subprocess.call([program("latimer"), *arguments])
        print(_MORE_HELP, end="")
        sys.exit(code)
    if arguments[:1] == ["get"]:
        sys.exit(get(arguments[1:]))
    if arguments[:1] == ["convert"]:
        _run("latimer-convert", arguments[1:])
    _run("latimer", arguments)


def convert() -> None:
    _run("latimer-convert", sys.argv[1:])


def get(arguments: list[str]) -> int:
    """Prints the paths of what `latimer get` names."""
    from . import _pretrained
    from ._errors import LatimerError

    if "--help" in arguments or "-h" in arguments:
        print(_USAGE, end="")
        return 0
    names, options = _parse(arguments)
    try:
        if len(names) == 1:
            files = [_pretrained.model_file(names[0], **options)]
        elif len(names) == 2 and "revision" not in options:
            files = _pretrained.pair_files(*names, **options)
        else:
            print(_USAGE, end="", file=sys.stderr)
            return 2
    except (LatimerError, ValueError, OSError) as error:
        print(f"latimer get: {error}", file=sys.stderr)
        return 1
    for file in files:
        print(file)
    return 0


def _parse(arguments: list[str]) -> tuple[list[str], dict[str, Any]]:
    """The names, and the options after them as latimer.convert has them."""
    names: list[str] = []
    options: dict[str, Any] = {}
    at = 0
    while at < len(arguments) and not arguments[at].startswith("-"):
        names.append(arguments[at])
        at += 1
    while at < len(arguments):
        flag, equals, text = arguments[at].partition("=")
        value: Any = text if equals else True
        at += 1
        if not equals and at < len(arguments):
            if not arguments[at].startswith("-"):
                value = arguments[at]
                at += 1
        key = flag.lstrip("-").replace("-", "_")
        if key in options:  # Such as --set, which is given for each setting.
            before = options[key]
            value = [*(before if isinstance(before, list) else [before]), value]
        options[key] = value
    return names, options


def _run(name: str, arguments: list[str]) -> NoReturn:
    path = program(name)
    os.execv(path, [path, *arguments])


if __name__ == "__main__":
    main()
