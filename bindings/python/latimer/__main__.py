"""python -m latimer, and the commands latimer and latimer-convert.

`convert` runs latimer-convert; `get`, `models`, `remove` and `serve` are about
models by their names, `document` translates a document; everything else is the
latimer program's.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any, NoReturn

from ._convert import program

_USAGE = """\
Usage: latimer get SOURCE-TARGET [GET_OPTION...] [CONVERT_OPTION...]
       latimer get MODEL [--revision REVISION] [CONVERT_OPTION...]

Fetches and converts a model, unless it is there, and prints the path of the
file: latimer translate "$(latimer get en-pt)" --text "Good morning."
SOURCE and TARGET are two languages, as en-pt, pt-BR:de or English Portuguese.
A published student of Mozilla's comes first, then two by way of English, then
OPUS-MT's; two paths are those of two models: latimer translate $(latimer get
pt-de). MODEL is OWNER/NAME of a Hub, the path of a folder or an Argos package,
or whisper-tiny.en, which reads speech.

  --size SIZE     of the student: tiny, base-memory or base; else the largest
  --offline       fetch nothing
  --update        look for a newer student; one that is here stays otherwise
  --list          what there is: latimer models

LATIMER_MODELS names a folder or a catalog of one's own in place of Mozilla's.
Other options are those of latimer-convert, such as --weights int8.
"""

_MODELS_USAGE = """\
Usage: latimer models [LANGUAGE...] [--offline] [--update] [--json]

Lists the published students of the languages, or all: the pair, size, MB of
the file, MB of RAM beside it, milliseconds for a sentence of 32 tokens on one
core of this machine, BLEU and COMET of FLORES-200 as published, licence, where
it comes from, and whether it is here. RAM and time of what is not here are
predicted: those of a stand-in of the same size, which is made and timed once, in
a second. The catalog is kept for a day; --update asks at once, and --offline
takes what is here.
"""

_REMOVE_USAGE = """\
Usage: latimer remove MODEL...

Removes what `latimer get` made of these models, such as en-pt.
"""

_SERVE_USAGE = """\
Usage: latimer serve SOURCE-TARGET... [--offline] [SERVER_OPTION...]

Fetches and converts models as `latimer get` does, unless they are here, and
starts latimer-serve with them: latimer serve en-pt pt-en --port 5000. Files
(de-en=FILE.ltm) are taken as they are. --offline fetches nothing; other options
are those of latimer-serve, which server/README.md builds; it must be in PATH.
"""

_DOCUMENT_USAGE = """\
Usage: latimer document MODEL [SECOND] DOCUMENT [-o OUTPUT] [--overwrite]
                        [--offline] [--OPTION VALUE...]

Translates a document: .docx, .pptx, .odt, .odp, .epub, .html, .htm or .txt.
MODEL and SECOND are converted files; or MODEL is two languages, whose models
are fetched as `latimer get` does: latimer document en-pt letter.docx.

  -o, --output FILE   the translation; else letter.translated.docx
  --overwrite         FILE may be there already
  --offline           fetch nothing

Other options are those of a translation in Python: --beams 4, --protect,
--source-lang eng_Latn.
"""

_MORE_HELP = """
Of the Python package:
  get         fetch a model by its languages or name and convert it
  models      list published students, and what is here
  remove      remove models that were fetched
  serve       start latimer-serve with models by their languages
  document    translate a document: .docx, .pptx, .odt, .odp, .epub, .html
  convert     what latimer-convert does
"""


def main() -> None:
    try:
        _main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # Whoever reads has enough, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _main(arguments: list[str]) -> None:
    if arguments in (["--help"], ["-h"], ["help"]):
        code = subprocess.call([program("latimer"), *arguments])
        print(_MORE_HELP, end="")
        sys.exit(code)
    if arguments[:1] == ["get"]:
        sys.exit(get(arguments[1:]))
    if arguments[:1] == ["models"]:
        sys.exit(models(arguments[1:]))
    if arguments[:1] == ["remove"]:
        sys.exit(remove(arguments[1:]))
    if arguments[:1] == ["serve"]:
        sys.exit(serve(arguments[1:]))
    if arguments[:1] == ["document"]:
        sys.exit(document(arguments[1:]))
    if arguments[:1] == ["convert"]:
        _run("latimer-convert", arguments[1:])
    _run("latimer", arguments)


def convert() -> None:
    _run("latimer-convert", sys.argv[1:])


def get(arguments: list[str]) -> int:
    """Prints the paths of what `latimer get` names."""
    from . import _for_pair, _languages, _pretrained
    from ._errors import LatimerError

    if "--help" in arguments or "-h" in arguments:
        print(_USAGE, end="")
        return 0
    names, options = _parse(arguments)
    if options.pop("list", False):
        return models(names + [a for a in arguments if a in ("--offline", "--update")])
    try:
        pair = tuple(names)
        if len(names) == 1 and not os.path.exists(names[0]):
            pair = _languages.pair(names[0]) or pair
        if len(pair) == 2 and "revision" not in options:
            files = _for_pair.pair_files(*pair, **options)
        elif len(pair) == 1:
            files = [_pretrained.model_file(names[0], **options)]
        else:
            print(_USAGE, end="", file=sys.stderr)
            return 2
    except (LatimerError, ValueError, TypeError, OSError) as error:
        print(f"latimer get: {error}", file=sys.stderr)
        return 1
    for file in files:
        print(file)
    return 0


def models(arguments: list[str]) -> int:
    """Lists published students."""
    if "--help" in arguments or "-h" in arguments:
        print(_MODELS_USAGE, end="")
        return 0
    from . import _list

    names, options = _parse(arguments)
    for option in sorted(options.keys() - {"offline", "update", "json"}):
        print(f"latimer models: unknown option --{option}.", file=sys.stderr)
        return 2
    as_json = options.pop("json", False)
    return _list.print_students(names, as_json=as_json, **options)


def remove(arguments: list[str]) -> int:
    """Removes models that were fetched."""
    from . import models as kept

    if not arguments or arguments[0].startswith("-"):
        wrong = arguments[:1] not in (["--help"], ["-h"])
        print(_REMOVE_USAGE, end="", file=sys.stderr if wrong else sys.stdout)
        return 2 if wrong else 0
    for name in arguments:
        try:
            freed = kept.remove(name)
        except (ValueError, OSError) as error:
            print(f"latimer remove: {error}", file=sys.stderr)
            return 1
        print(f"{name}: {freed / 1e6:.1f} MB are free again.")
    return 0


def serve(arguments: list[str]) -> int:
    """Becomes latimer-serve, with models by their languages."""
    from . import _for_pair, _languages
    from ._errors import LatimerError

    if not arguments or arguments[0].startswith("-"):
        wrong = arguments[:1] not in (["--help"], ["-h"])
        print(_SERVE_USAGE, end="", file=sys.stderr if wrong else sys.stdout)
        return 2 if wrong else 0
    if not (server := shutil.which("latimer-serve")):
        print(
            "latimer serve: the program latimer-serve is not in PATH; build it "
            "as server/README.md says, and append build/host/bin to PATH.",
            file=sys.stderr,
        )
        return 1
    offline = "--offline" in arguments
    loaded: dict[str, None] = {}  # In order, and each once.
    options: list[str] = []
    for argument in arguments:
        if options or argument.startswith("-"):
            options += [argument] if argument != "--offline" else []
        elif "=" in argument or not (pair := _languages.pair(argument)):
            loaded[argument] = None
        else:
            try:
                files = _for_pair.pair_files(*pair, offline=offline)
            except (LatimerError, ValueError, OSError) as error:
                print(f"latimer serve: {error}", file=sys.stderr)
                return 1
            languages = pair if len(files) == 1 else (pair[0], "en", pair[1])
            for source, target, file in zip(languages, languages[1:], files):
                loaded[f"{source}-{target}={file}"] = None
    os.execv(server, [server, *loaded, *options])


def document(arguments: list[str]) -> int:
    """Translates a document, and prints the path of what it writes."""
    from . import _for_pair, _languages
    from ._errors import LatimerError
    from ._pivot import PivotTranslator
    from ._translator import Translator

    if "--help" in arguments or "-h" in arguments:
        print(_DOCUMENT_USAGE, end="")
        return 0
    names, options = _parse(["--output" if a == "-o" else a for a in arguments])
    if not 2 <= len(names) <= 3:
        print(_DOCUMENT_USAGE, end="", file=sys.stderr)
        return 2
    *models, path = names
    offline = options.pop("offline", False)
    output = options.pop("output", None)
    overwrite = options.pop("overwrite", False)
    for name, value in options.items():
        if isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value):
            options[name] = float(value) if "." in value else int(value)
    try:
        files = [pathlib.Path(model) for model in models]
        pair = None if files[0].exists() else _languages.pair(models[0])
        if pair and len(models) == 1:
            files = _for_pair.pair_files(*pair, offline=offline)
        opened = [Translator(file) for file in files]
        translator = PivotTranslator(*opened) if len(opened) == 2 else opened[0]
        print(
            translator.translate_document(
                path, output, overwrite=overwrite, **options
            )
        )
    except (LatimerError, ValueError, TypeError, OSError) as error:
        says: object = error
        if isinstance(error, OSError) and error.filename:
            says = f"{error.filename}: {error.strerror}."
        print(f"latimer document: {says}", file=sys.stderr)
        return 1
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
