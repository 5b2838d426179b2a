"""python -m latimer: the latimer program; `convert` runs latimer-convert."""

import os
import sys

from ._convert import program


def main() -> None:
    arguments = sys.argv[1:]
    name = "latimer"
    if arguments[:1] == ["convert"]:
        name = "latimer-convert"
        del arguments[0]
    path = program(name)
    os.execv(path, [path, *arguments])


if __name__ == "__main__":
    main()
