"""What the counting needs and Debian does not have ready: QEMU's insn plugin, and a Python for
64-bit ARM with the peers' wheels. Made once, in the cache folder; nothing is installed.
"""

import subprocess
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements.txt"
PEERS = ("ctranslate2", "onnxruntime")
PYTHON = "3.11"  # Debian 12's
PLATFORMS = ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64")
# Libraries of the peers ask /proc/cpuinfo which CPU they run on, and do not expect the PC's.
FEATURES = {"cortex-a72": ("0xd08", ""), "cortex-a76": ("0xd0b", " asimdhp lrcpc asimddp")}


def run(*command, **options) -> None:
    subprocess.run([str(word) for word in command], check=True, **options)


def apt(state: Path, *options: str) -> list[str]:
    """apt-get with lists and downloads of its own."""
    for folder in ("lists/partial", "archives/partial"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    folders = {"Dir::State::lists": state / "lists", "Dir::State::status": state / "status",
               "Dir::Cache": state, "APT::Sandbox::User": "root", "Acquire::Languages": "none"}
    return ["apt-get", "-q", *options, *(f"-o{name}={value}" for name, value in folders.items())]


def source_lists(folder: Path) -> Path:
    """This machine's lists of packages, as lists of sources."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in Path("/etc/apt").glob("sources.list*/*.sources"):
        (folder / file.name).write_text(
            file.read_text().replace("Types: deb\n", "Types: deb-src\n"))
    for file in [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*.list")]:
        if file.exists():
            lines = (line.split() for line in file.read_text().splitlines())
            (folder / f"{file.stem}.list").write_text(
                "".join(f"deb-src {' '.join(w[1:])}\n" for w in lines if w[:1] == ["deb"]))
    return folder


def plugin(cache: Path) -> Path:
    """QEMU's insn plugin, tests/plugin/insn.c of the sources of the installed QEMU."""
    folder = cache / "qemu-insn"
    made = folder / "insn.so"
    if made.exists():
        return made
    state = folder / "apt"
    lists = source_lists(folder / "sources")
    command = apt(state, "-oDir::Etc::sourcelist=/dev/null", f"-oDir::Etc::sourceparts={lists}")
    run(*command, "update")
    run(*command, "source", "--tar-only", "qemu", cwd=folder)
    run("sh", "-c", "tar xf qemu_*.orig.tar.* --wildcards '*/tests/plugin/insn.c' "
        "'*/include/qemu/qemu-plugin.h' --strip-components=1", cwd=folder)
    run("apt-get", "-q", "download", "libglib2.0-dev", cwd=folder)
    run("sh", "-c", "dpkg-deb -x libglib2.0-dev_*.deb glib", cwd=folder)
    config = next(folder.glob("glib/usr/lib/*/glib-2.0/include"))
    library = next(Path("/").glob("usr/lib/*/libglib-2.0.so.0"))
    run("gcc", "-O2", "-shared", "-fPIC", "-Iinclude/qemu", "-Iglib/usr/include/glib-2.0",
        f"-I{config}", "tests/plugin/insn.c", library, "-o", made, cwd=folder)
    return made


def wanted_peers() -> list[str]:
    lines = REQUIREMENTS.read_text().split()
    return [line for line in lines if line.split("==")[0] in (*PEERS, "numpy")]


def python_root(cache: Path, pip: list[str]) -> Path:
    """A folder with Debian's Python for arm64, and the peers in /site. `pip` is the command."""
    root = cache / "arm64-root"
    stamp = root / "installed"
    wanted = " ".join(wanted_peers())
    if stamp.exists() and stamp.read_text() == wanted:
        return root
    state = cache / "arm64-apt"
    command = apt(state, "-oAPT::Architecture=arm64", "-oAPT::Architectures::=arm64")
    run(*command, "update")
    run(*command, "install", "--yes", "--download-only", "--no-install-recommends",
        "python3-minimal", "libpython3-stdlib", "libstdc++6", "libgomp1")
    root.mkdir(parents=True, exist_ok=True)
    for package in (state / "archives").glob("*.deb"):
        run("dpkg-deb", "-x", package, root)
    platforms = [word for name in PLATFORMS for word in ("--platform", name)]
    run(*pip, "install", "--quiet", "--upgrade", "--target", root / "site", "--python-version",
        PYTHON, "--implementation", "cp", *platforms, "--only-binary=:all:", *wanted.split())
    stamp.write_text(wanted)
    return root


def python_command(cache: Path, root: Path, emulator: list[str]) -> list[str]:
    """The emulator's command of that Python, which then sees the right /proc/cpuinfo."""
    cpu = emulator[emulator.index("-cpu") + 1]
    part, features = FEATURES[cpu]
    (root / "proc").mkdir(exist_ok=True)
    (root / "proc/cpuinfo").write_text(
        f"processor\t: 0\nFeatures\t: fp asimd evtstrm crc32 cpuid{features}\n"
        "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\n"
        f"CPU part\t: {part}\nCPU revision\t: 0\n\n")
    return [*emulator, "-L", str(root), "-E", f"PYTHONPATH={root}/site", "-E",
            "OMP_NUM_THREADS=1", str(root / f"usr/bin/python{PYTHON}")]
