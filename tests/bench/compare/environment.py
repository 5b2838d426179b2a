"""The machine, and the Python environment that the peers are installed into."""

import argparse
import datetime
import hashlib
import os
import platform
import subprocess
import sys
import venv
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements.txt"


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "latimer-bench"


def python_with_peers(cache: Path) -> Path:
    """The Python of an environment that has REQUIREMENTS, made on first use.

    pip installs them, as it is set up on this machine. An environment whose stamp is not that of
    REQUIREMENTS is made again.
    """
    folder = cache / "venv"
    python = folder / "bin/python"
    stamp = folder / "installed"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"installing {REQUIREMENTS} into {folder}", file=sys.stderr)
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS],
                       check=True, stdout=sys.stderr)
        stamp.write_text(wanted)
    return python


def restart_with_peers(cache: Path) -> None:
    """Runs this program again in that environment; returns if it already runs there."""
    python = python_with_peers(cache)
    if Path(sys.prefix) != cache / "venv":
        os.execv(python, [str(python), *sys.orig_argv[1:]])


def add_options(parser: argparse.ArgumentParser) -> None:
    """What restart_if_needed reads."""
    parser.add_argument("--cache", type=Path, default=cache_folder())
    parser.add_argument("--installed", action="store_true",
                        help="the Python that runs this has the peers: install nothing")


def restart_if_needed(argv: list[str]) -> None:
    """The same, unless these arguments ask for help or for the Python that is running."""
    if {"-h", "--help", "--installed"} & set(argv):
        return
    named = "--cache" in argv
    restart_with_peers(Path(argv[argv.index("--cache") + 1]) if named else cache_folder())


def processors(threads: int) -> list[int]:
    """The last ones of this machine: the first are where the system's own work mostly runs."""
    return list(range(os.cpu_count()))[-threads:]


# What keeps peers and their libraries to an instruction set of --isa. CTranslate2's own setting
# does not reach oneDNN, which multiplies for it; MKL_ENABLE_INSTRUCTIONS has no effect on AMD,
# where MKL is not used. ONNX Runtime has no such setting.
ISA_VARIABLES = {
    "avxvnni": {"CT2_FORCE_CPU_ISA": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2_VNNI",
                "MKL_ENABLE_INSTRUCTIONS": "AVX2_E1", "OPENBLAS_CORETYPE": "Haswell",
                "ATEN_CPU_CAPABILITY": "avx2"},
    "avx2": {"CT2_FORCE_CPU_ISA": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2",
             "MKL_ENABLE_INSTRUCTIONS": "AVX2", "OPENBLAS_CORETYPE": "Haswell",
             "ATEN_CPU_CAPABILITY": "avx2"},
    "sse41": {"CT2_FORCE_CPU_ISA": "GENERIC", "ONEDNN_MAX_CPU_ISA": "SSE41",
              "MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "OPENBLAS_CORETYPE": "Nehalem",
              "ATEN_CPU_CAPABILITY": "default"},
}
# Latimer's fastest tile with each.
ISA_TILES = {"avxvnni": "8x8", "avx2": "8x8", "sse41": "4x8"}


def limits(threads: int, isa: str | None = None, workers: int = 1) -> dict:
    """Arguments for subprocess that keep a process to its processors, thread count and ISA."""
    return {
        "preexec_fn": lambda: os.sched_setaffinity(0, processors(threads * workers)),
        "env": os.environ | {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads),
                             "TOKENIZERS_PARALLELISM": "false"} | ISA_VARIABLES.get(isa, {}),
    }


def drop(path: Path) -> None:
    """Takes a file, or the files of a folder, from the page cache."""
    for file in path.iterdir() if path.is_dir() else [path]:
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)  # Only what is on the disk can be dropped.
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def describe_machine() -> dict:
    lscpu = subprocess.run(["lscpu"], stdout=subprocess.PIPE, text=True, check=True,
                           env=os.environ | {"LC_ALL": "C"}).stdout
    fields = dict(line.split(":", 1) for line in lscpu.splitlines() if ":" in line)
    fields = {name.strip(): value.strip() for name, value in fields.items()}
    return {
        "date": datetime.date.today().isoformat(),
        "cpu": fields.get("Model name", platform.machine()), "cpus": os.cpu_count(),
        "l2": fields.get("L2 cache", ""), "l3": fields.get("L3 cache", ""),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def headline(*measured: str) -> str:
    """Date and machine, in a line, and what else says what was measured: sentences."""
    machine = describe_machine()
    return (f"{machine['date']}, {machine['cpu']}, {machine['cpus']} processors, {machine['system']}"
            f"{'. '.join(['', *measured])}.\n")
