"""Writes a mirror of Mozilla's registry that has one published student, as pages get one without Python.

    python3 tests/pages/mirror.py FOLDER     FOLDER/db/models.json, with English to Portuguese

The student is that of tests/quality/students.txt. Exits with 1 if it cannot be downloaded.
"""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "quality"), str(TESTS / "bindings" / "python")]

from catalog_server import CatalogServer  # noqa: E402
from models import student  # noqa: E402

FILES = {"model": "model.*.bin", "vocab": "vocab.*.spm", "lex": "lex.*.bin"}


def main() -> int:
    mirror = Path(sys.argv[1])
    folder = student("en-pt", Path.home() / ".cache" / "latimer-quality")
    if folder is None:
        return 1
    with CatalogServer() as server:
        server.add("en-pt", {kind: next(folder.glob(name)).read_bytes() for kind, name in FILES.items()})
        server.shutdown()
    # The catalog last: with it, the mirror is whole.
    for path in sorted(server.files, key=lambda path: path.endswith("/models.json")):
        if path.startswith(("/models/", "/db/")):
            place = mirror / path[1:]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(server.files[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
