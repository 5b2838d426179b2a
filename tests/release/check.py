#!/usr/bin/env python3
"""Installs each file of a release in an empty folder and uses it once:

    packaging/release && build/release/venv/bin/python tests/release/check.py [FILE...]

Without FILEs, all of release/. A file that no function here knows is an error,
and so are a SHA256SUMS that does not fit, a bill of materials that is none, and
a library in it whose licence is missing. Needs what RELEASING.md says.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "release"
SOURCE, GERMAN = next(
    line.split("\t")[:2]
    for line in (ROOT / "tests/data/demo_texts.tsv").read_text("utf-8").splitlines()
    if line.startswith("How are you")
)
EMULATORS = {
    "x86_64": [],
    "aarch64": ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
}


def run(*command, **options):
    """What the command prints; a failure ends the check."""
    command = list(map(str, command))
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", **options,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(what, condition):
    if not condition:
        sys.exit(f"{what}")


def expect_german(name, output):
    """But for what QEMU says of features of a CPU that it lacks."""
    lines = [line for line in output.splitlines() if not line.startswith("qemu-")]
    expect(f"{name} translates '{SOURCE}' as {lines}, not as '{GERMAN}'", lines == [GERMAN])


def convert(converter, path, board=None):
    """The demo, for a board or in a layout that every computer here reads: the default
    is that of the computer that converts."""
    options = ["--board", board] if board else ["--tile", "8x8"]
    run(*converter, ROOT / "examples/en-de", "-o", path, "--quiet", *options)


class Bench:
    """What the checks of single files share: an empty folder, a model."""

    def __init__(self, folder, version):
        self.folder = folder
        self.version = version
        self.models = {}
        self.programs = None

    def empty(self, name):
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def converter(self):
        """That of the archive for this machine, as a command."""
        if self.programs is None:
            folder = self.empty("converter")
            name = f"latimer-{self.version}-linux_x86_64"
            with tarfile.open(RELEASE / f"{name}.tar.gz") as archive:
                archive.extractall(folder)
            self.programs = folder / name / "bin"
        return [self.programs / "latimer-convert"]

    def model(self, board=None):
        """The demo's, for a board."""
        if board not in self.models:
            path = self.folder / f"{board or 'pc'}.ltm"
            convert(self.converter(), path, board)
            self.models[board] = path
        return self.models[board]


def check_bill(name, bill, licenses):
    """`licenses` are the paths of what may be licence texts."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(bill)
    expect(f"{name}: latimer.cdx.json is no CycloneDX 1.5: {error}", error is None)
    components = json.loads(bill)["components"]
    names = {c["name"] for c in components if c["scope"] == "required"}
    folders = {pathlib.PurePosixPath(path).parent.name for path in licenses}
    expect(f"{name} has no licence of {names - folders}", names <= folders)
    expect(f"{name}: the bill lacks XNNPACK", "xnnpack" in names)


def check_folder_bill(name, folder):
    (bill,) = folder.rglob("latimer.cdx.json")
    check_bill(name, bill.read_text("utf-8"), list(bill.parent.glob("licenses/*/*")))


def check_programs(bench, name, folder, emulator, board=None, suffix=""):
    """Those of a folder, with the demo's model."""
    program = folder / f"latimer{suffix}"
    version = run(*emulator, program, "--version")
    expect(f"{name} has the version {version}", bench.version in version)
    output = run(*emulator, program, "translate", bench.model(board), "--text", SOURCE)
    expect_german(name, output)
    converter = folder / f"latimer-convert{suffix}"
    if converter.exists():
        own = bench.folder / "own.ltm"
        convert([*emulator, converter], own, board)
        expect(f"{name}: latimer-convert writes another file than the PC's",
               own.read_bytes() == bench.model(board).read_bytes())


# ---- One function for each kind of file: says why it was not used --------------


def source(bench, path):
    folder = bench.empty("source")
    with tarfile.open(path) as archive:
        archive.extractall(folder)
    (tree,) = folder.iterdir()
    run("cmake", "--workflow", "--preset", "demo", cwd=tree)


def debian(bench, path, architecture):
    machine = {"amd64": "x86_64", "arm64": "aarch64"}[architecture]
    expect(f"{path.name} says that it is for another architecture",
           run("dpkg-deb", "--field", path, "Architecture").strip() == architecture)
    depends = run("dpkg-deb", "--field", path, "Depends")
    expect(f"{path.name} depends on {depends}",
           re.search(r"\blibc6 ", depends) and "cross" not in depends)
    folder = bench.empty("debian")
    run("dpkg-deb", "--extract", path, folder)
    check_folder_bill(path.name, folder)
    check_programs(bench, path.name, folder / "usr/bin", EMULATORS[machine])
    expect(f"{path.name} has no man page", (folder / "usr/share/man/man1/latimer.1").exists())


def archive(bench, path, platform):
    folder = bench.empty(platform)
    with tarfile.open(path) as packed:
        packed.extractall(folder)
    (tree,) = folder.iterdir()
    check_folder_bill(path.name, tree)
    system, _, machine = platform.partition("_")
    if system == "linux" and machine in EMULATORS:  # Not a board.
        check_programs(bench, path.name, tree / "bin", EMULATORS[machine])
        compiler = "cc" if machine == "x86_64" else f"{machine}-linux-gnu-gcc"
        (library,) = tree.rglob("liblatimer.a")
        run(compiler, f"-I{tree}/include", ROOT / "examples/translate.c", library,
            "-lm", "-lpthread", "-o", folder / "program")
        expect_german(f"{path.name}: liblatimer.a", run(
            *EMULATORS[machine], folder / "program", bench.model(), SOURCE))
        return None
    board = (ROOT / f"targets/boards/{platform}.cmake").read_text("utf-8")
    qemu = re.search(r"^  QEMU ([^)]*)\)", board, re.M)
    emulator = qemu[1].split() if qemu else []
    linked = run("file", tree / "bin/latimer")
    expect(f"{path.name} is not linked statically: {linked}", "static" in linked)
    if not emulator:
        done = subprocess.run([tree / "bin/latimer", "--version"], capture_output=True, text=True)
        if done.returncode != 0 and "CPU" in done.stderr:
            return f"NOT USED: {done.stderr.strip()}"
    check_programs(bench, path.name, tree / "bin", emulator, platform)
    return None


def windows(bench, path):
    folder = bench.empty("windows")
    with zipfile.ZipFile(path) as packed:
        packed.extractall(folder)
    (tree,) = folder.iterdir()
    check_folder_bill(path.name, tree)
    wine = shutil.which("wine64", path=f"{os.environ['PATH']}:/usr/lib/wine")
    expect("wine64 is missing: apt-get install wine64", wine)
    emulator = ["env", "WINEDEBUG=-all", f"WINEPREFIX={bench.folder}/wineprefix", wine]
    check_programs(bench, path.name, tree / "bin", emulator, suffix=".exe")


def check_wheel_files(path):
    with zipfile.ZipFile(path) as packed:
        names = packed.namelist()
        (bill,) = [n for n in names if n.endswith(".dist-info/sboms/latimer.cdx.json")]
        check_bill(path.name, packed.read(bill).decode(),
                   [n for n in names if ".dist-info/licenses/" in n])


WHEEL = """
import latimer, sys
model, source = sys.argv[1:]
print(latimer.Translator(model).translate(source).text)
"""


def wheel(bench, path, machine):
    check_wheel_files(path)
    folder = bench.empty("wheel")
    if machine == "x86_64":
        run(sys.executable, "-m", "venv", folder)
        run(folder / "bin/pip", "install", "--quiet", "--no-deps", path)
        check_programs(bench, path.name, folder / "bin", [])
        python = [folder / "bin/python"]
    else:
        platform = path.stem.split("-")[-1].split(".")[0]
        run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder,
            "--platform", platform, "--only-binary", ":all:", path)
        root = foreign_python(bench.folder / machine, {"aarch64": "arm64"}[machine])
        check_programs(bench, path.name, folder / "latimer/bin", EMULATORS[machine])
        python = ["env", f"PYTHONPATH={folder}", f"qemu-{machine}", "-L", root,
                  root / "usr/bin/python3"]
    expect_german(path.name, run(*python, "-c", WHEEL, bench.model(), SOURCE, cwd=folder))


def foreign_python(folder, architecture):
    """The root of a Debian with Python for another CPU, from apt's mirror."""
    root = folder / "root"
    if root.exists():
        return root
    for name in ("state/lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    apt = ["apt-get", "-qq", "-o", f"Dir::State={folder}/state", "-o", f"Dir::Cache={folder}/cache",
           "-o", f"Dir::State::status={folder}/status", "-o", f"APT::Architecture={architecture}",
           "-o", f"APT::Architectures={architecture}", "-o", "Debug::NoLocking=1"]
    run(*apt, "update")
    run(*apt, "--no-install-recommends", "--download-only", "install", "python3", "libstdc++6")
    half = folder / "half"
    for package in (folder / "cache/archives").glob("*.deb"):
        run("dpkg-deb", "--extract", package, half)
    half.rename(root)
    return root


NODE = """
import {{ Latimer }} from "latimer";
const translator = await Latimer.load("{model}");
console.log((await translator.translate("{source}")).text);
"""


def npm(bench, path):
    folder = bench.empty("npm")
    run("npm", "install", "--no-audit", "--no-fund", "--silent", path, cwd=folder)
    package = folder / "node_modules/latimer"
    for name in ("latimer", "latimer-convert"):
        check_bill(path.name, (package / f"{name}.cdx.json").read_text("utf-8"),
                   list(package.glob("licenses/*/*")))
    exports = json.loads((package / "package.json").read_text("utf-8"))["exports"]
    files = [f for e in exports.values() for f in (e.values() if isinstance(e, dict) else [e])]
    for file in [*files, "latimer-convert.wasm"]:
        expect(f"{path.name} lacks {file}", (package / file).exists())
    program = folder / "program.mjs"
    program.write_text(NODE.format(model=bench.model("wasm32"), source=SOURCE), "utf-8")
    expect_german(path.name, run("node", program, cwd=folder))


JAVA = """
import dev.latimer.*;
import java.io.File;
public class Program {
  public static void main(String[] words) throws Exception {
    try (Translator translator = Translator.load(new File(words[0]))) {
      System.out.println(translator.translate(words[1]).text());
    }
  }
}
"""


def maven(bench, path):
    folder = bench.empty("maven")
    with zipfile.ZipFile(path) as packed:
        packed.extractall(folder)
    place = folder / "dev/latimer/latimer" / bench.version
    stem = f"latimer-{bench.version}"
    jar = place / f"{stem}.jar"
    for name in (f"{stem}.jar", f"{stem}.pom", f"{stem}-sources.jar", f"{stem}-javadoc.jar"):
        content = (place / name).read_bytes()
        for kind in ("md5", "sha1"):
            digest = (place / f"{name}.{kind}").read_text().strip()
            expect(f"{name}.{kind} is wrong", digest == hashlib.new(kind, content).hexdigest())
    pom = (place / f"{stem}.pom").read_text("utf-8")
    expect("the pom has another version", f"<version>{bench.version}</version>" in pom)
    with zipfile.ZipFile(jar) as packed:
        names = packed.namelist()
        check_bill(jar.name, packed.read("META-INF/sbom/latimer.cdx.json").decode(),
                   [n for n in names if n.startswith("META-INF/licenses/")])
        packed.extract("META-INF/native/linux-aarch64/liblatimer_jni.so", folder)
    (folder / "Program.java").write_text(JAVA)
    run("javac", "-cp", jar, "Program.java", cwd=folder)
    expect_german(path.name, run("java", "-cp", f"{jar}:.", "Program", bench.model(), SOURCE,
                                 cwd=folder))
    # No JVM for ARM is here; its loader takes the library.
    root = foreign_python(bench.folder / "aarch64", "arm64")
    run("qemu-aarch64", "-L", root, root / "usr/bin/python3", "-c",
        "import ctypes, sys; ctypes.CDLL(sys.argv[1]).Java_dev_latimer_Native_isCopied",
        folder / "META-INF/native/linux-aarch64/liblatimer_jni.so")


KINDS = [
    (r"latimer-V\.tar\.gz", source),
    (r"latimer_V_(amd64|arm64)\.deb", debian),
    (r"latimer-V-(\w+)\.tar\.gz", archive),
    (r"latimer-V-windows_x86_64\.zip", windows),
    (r"latimer-V-py3-none-manylinux\S*_(x86_64|aarch64)\.whl", wheel),
    (r"latimer-V\.tgz", npm),
    (r"latimer-V-maven\.zip", maven),
]


def check_sums(bench):
    """SHA256SUMS fits, and a signature of it holds as RELEASING.md says."""
    sums = RELEASE / "SHA256SUMS"
    listed = {line[66:] for line in sums.read_text().splitlines()}
    there = {path.name for path in RELEASE.iterdir()} - {sums.name, f"{sums.name}.minisig"}
    expect(f"SHA256SUMS and the folder differ: {listed ^ there}", listed == there)
    run("sha256sum", "--check", "--strict", "--quiet", sums.name, cwd=RELEASE)
    folder = bench.empty("signature")
    shutil.copy(sums, folder)
    run("minisign", "-G", "-W", "-p", "key.pub", "-s", "key", cwd=folder)
    run("minisign", "-S", "-s", "key", "-m", sums.name, cwd=folder)
    verify = ["minisign", "-V", "-q", "-p", "key.pub", "-m", sums.name]
    run(*verify, cwd=folder)
    (folder / sums.name).write_bytes(sums.read_bytes() + b"\n")
    done = subprocess.run(verify, cwd=folder, capture_output=True)
    expect("minisign accepts a list that was changed", done.returncode != 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, help="a folder to keep")
    arguments = parser.parse_args()
    header = (ROOT / "runtime/include/latimer/version.h").read_text("utf-8")
    version = re.search(r'LATIMER_VERSION "([0-9.]+)"', header)[1]
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench((arguments.work or pathlib.Path(temporary)).resolve(), version)
        if not arguments.files:
            check_sums(bench)
        files = arguments.files or sorted(
            path for path in RELEASE.iterdir() if not path.name.startswith("SHA256SUMS"))
        for path in files:
            for pattern, check in KINDS:
                found = re.fullmatch(pattern.replace("V", re.escape(version)), path.name)
                if found:
                    said = check(bench, path.resolve(), *found.groups())
                    print(f"{path.name}: {said or 'used'}", flush=True)
                    break
            else:
                sys.exit(f"{path.name} is no file of a release of Latimer {version}")


if __name__ == "__main__":
    main()
