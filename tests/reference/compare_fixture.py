"""Compares `latimer translate --ids` with the expected ids of fixtures, outside the C++ tests.

    python tests/reference/compare_fixture.py                      # demo model and all tiny models
    python tests/reference/compare_fixture.py tests/data/tiny_marian/prenorm --weights f32

A fixture is fixture.jsonl (source, target) or fixture.json (sequences of src_ids, output_ids, and
max_new_tokens). Prints one line per model and each difference; exits with 1 where the number of
different rows is above --allow.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def read_fixture(folder: Path) -> tuple[list[list[int]], list[list[int]], int | None]:
    """Source ids, expected ids, and the limit of target tokens if the fixture has one."""
    lines = folder / "fixture.jsonl"
    if lines.exists():
        rows = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
        return [r["source"] for r in rows], [r["target"] for r in rows], None
    fixture = json.loads((folder / "fixture.json").read_text())
    rows = fixture["sequences"]
    limit = fixture["max_new_tokens"]
    return [r["src_ids"] for r in rows], [r["output_ids"] for r in rows], limit


def run(tools: Path, folder: Path, weights: str, sources, limit) -> list[list[int]]:
    with tempfile.TemporaryDirectory() as scratch:
        model = str(Path(scratch) / "model.ltm")
        command = [tools / "latimer-convert", folder, "-o", model, "--weights", weights]
        command += ["--no-tokenizer"]
        subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)
        command = [str(tools / "latimer"), "translate", model, "--ids"]
        if limit:
            command += ["--max-target-tokens", str(limit)]
        text = "".join(" ".join(map(str, ids)) + "\n" for ids in sources)
        result = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True)
    return [[int(i) for i in line.split()] for line in result.stdout.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--latimer", type=Path, default=ROOT / "build/host/bin",
                        help="folder of latimer and latimer-convert")
    parser.add_argument("--weights", choices=("f32", "int8"), default="f32")
    parser.add_argument("--allow", type=int, default=0, help="different rows allowed per model")
    arguments = parser.parse_args()
    tiny = sorted((ROOT / "tests/data/tiny_marian").glob("*/"))
    failed = False
    for folder in arguments.folders or [ROOT / "examples/en-de", *tiny]:
        sources, expected, limit = read_fixture(folder)
        outputs = run(arguments.latimer, folder, arguments.weights, sources, limit)
        pairs = list(zip(expected, outputs, strict=True))
        different = [i for i, (a, b) in enumerate(pairs) if a != b]
        print(f"{folder.name}: {len(expected) - len(different)} of {len(expected)} rows equal")
        for row in different:
            print(f"  row {row}\n    expected {expected[row]}\n    got      {outputs[row]}")
        failed |= len(different) > arguments.allow
    sys.exit(failed)


if __name__ == "__main__":
    main()
