"""Recordings that others published, as runtime/audio hears them: their features are those of transformers.

    python tests/trained/recordings.py [--bin build/host/bin] [--cache FOLDER]

Downloads the package of recordings.txt, by its digest: the recordings are others' and never in this repository. Exits
with 1 if a feature differs from tests/data/audio/recordings.json, and with 77, as a skipped test, if nothing can be
downloaded.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "quality"))

from downloads import package  # noqa: E402

ROOT = FOLDER.parents[1]
SKIPPED = 77
NAMES = ("beckett.wav", "endgame_nagg_nell.wav", "two_cities.wav")


def recordings(cache: Path) -> Path | None:
    """The folder of the recordings, or None if they cannot be downloaded."""
    folder = package(FOLDER / "recordings.txt", cache, lambda path: Path(path).name in NAMES, "manylinux_2_34_x86_64")
    return folder and folder / "moonshine_voice" / "assets"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "host" / "bin")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "latimer-quality")
    arguments = parser.parse_args()
    folder = recordings(arguments.cache)
    if not folder:
        return SKIPPED
    return subprocess.run([str(arguments.bin / "tests" / "audio_test"), "recordings_test"],
                          env=os.environ | {"LATIMER_RECORDINGS": str(folder)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
