#!/usr/bin/env python3
"""Cycles of the hot loops in a board's build, by llvm-mca's model of a CPU.

    python3 tests/bench/loop_cycles.py build/raspberry_pi_4 cortex-a72
    python3 tests/bench/loop_cycles.py build/raspberry_pi_5 cortex-a76 --llvm-mca llvm-mca-19

Finds the innermost loops of the GEMM kernels, of the planes of nibbles and of attention in the
object files, and prints for each what an iteration takes if all data is in the first-level cache:
instructions, cycles, and both per byte of weights (of attention: of keys or values). Bytes of
weights are what is loaded through the register that most is loaded through.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

# Object files that are hot, and their functions.
OBJECTS = (
    ("qd8-f32-qc8w-gemm-*.c.o", r"ukernel_(\d+x.*)"),
    ("gemm_int8*isa.cc.o", r"::(GemmInt8Rows\w+)\("),
    ("dot_isa.cc.o", r"::(Bound|Compute|Maximum)\("),
    ("attention*isa.cc.o", r"::(Attend\w*|ScorePanel<.*?>)\("),
)
# A76 has no model of its own; Neoverse N1 is the same core, with a model since LLVM 17.
MODELS = {"cortex-a76": "neoverse-n1"}
BRANCH = re.compile(r"^(b|b\.?[a-z]{2}|b[a-z]*\.[nw]|j[a-z]+|cbn?z|tbn?z)\s+(?:.*,\s*)?([0-9a-f]+) <")


def disassembly(objdump: str, file: Path) -> dict[str, list[tuple[int, str]]]:
    """Address and text of the instructions of each function."""
    text = subprocess.run([objdump, "-dC", "--no-show-raw-insn", file], stdout=subprocess.PIPE,
                          text=True, check=True).stdout
    functions, current = {}, []
    for line in text.splitlines():
        if match := re.match(r"^[0-9a-f]+ <(.*)>:$", line):
            current = functions.setdefault(match[1], [])
        elif match := re.match(r"^\s*([0-9a-f]+):\s+(.*?)(?:\s*(?://|;).*)?$", line):
            current.append((int(match[1], 16), match[2].replace("\t", " ")))
    return functions


def innermost_loops(code: list[tuple[int, str]]) -> list[list[tuple[int, str]]]:
    """The stretches that a backward branch repeats and that hold no other one."""
    loops = []
    for i, (address, text) in enumerate(code):
        match = BRANCH.match(text)
        # What an unconditional branch goes back to is no loop, but code out of line.
        if not match or match[1] in ("b", "jmp") or not code[0][0] <= (target := int(match[2], 16)) < address:
            continue
        body = [line for line in code[: i + 1] if line[0] >= target]
        if not any(other[0][0] >= target for other in loops):
            loops.append(body)
    return loops


def assembly(body: list[tuple[int, str]]) -> list[str]:
    """Branches that leave the loop fall through; the last one goes to its start."""
    lines = [".Lbegin:"]
    for i, (_, text) in enumerate(body):
        match = BRANCH.match(text)
        if match:
            text = text[: match.start(2)] + (".Lbegin" if i == len(body) - 1 else ".Lend")
        elif re.match(r"^(bl|adrp?)\s", text):
            continue
        lines.append(text)
    return [*lines, ".Lend:"]


def vector_bytes(text: str, registers: str) -> int:
    """What an instruction loads into vector registers, "d0, d1" or "{v0.16b-v3.16b}"."""
    numbers = [int(n) for n in re.findall(r"[vqds](\d+)", registers)]
    count = numbers[-1] - numbers[0] + 1 if "-" in registers else len(numbers)
    if text.startswith("ld1r") or "[" in registers:
        return 8  # into all elements
    widths = {"q": 16, "d": 8, "s": 4, "v": 8 if ".8b" in registers else 16}
    return count * widths.get(registers.strip("{ ")[:1], 0)


def loaded_bytes(body: list[tuple[int, str]]) -> int:
    """Bytes loaded into vectors through the register that most are loaded through."""
    by_base, seen = {}, set()
    for _, text in body:
        if match := re.match(r"^v?ld\S*\s+(.*?),?\s*\[(\w+)[^\[]*$", text):
            by_base[match[2]] = by_base.get(match[2], 0) + vector_bytes(text, match[1])
        elif match := re.match(r"^v?\w+ (?:\$\w+,)?(-?\w*\((%\w+).*?\)),.*%([xyz])mm", text):
            if match[1] not in seen and not re.search("broadcast|1to", text):  # x86
                size = {"x": 16, "y": 32, "z": 64}[match[3]]
                by_base[match[2]] = by_base.get(match[2], 0) + size
            seen.add(match[1])
    return max(by_base.values(), default=0)


def cycles_of(arguments, lines: list[str]) -> float:
    cpu = MODELS.get(arguments.cpu, arguments.cpu)
    triple = arguments.objdump.split("-")[0] if "-" in arguments.objdump else "x86_64"
    triple = triple.replace("arm", "armv7") if triple == "arm" else triple
    result = subprocess.run([arguments.llvm_mca, f"-mtriple={triple}-linux-gnu", f"-mcpu={cpu}",
                             "-iterations=200", "-instruction-info=false",
                             "-resource-pressure=false"],
                            input="\n".join(lines) + "\n", text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    match = re.search(r"Total Cycles:\s+(\d+)", result.stdout)
    if not match:
        sys.exit(f"loop_cycles: {result.stderr[-1500:]}")
    return int(match[1]) / 200


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="loop_cycles", description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("cpu", help="such as cortex-a53")
    parser.add_argument("--llvm-mca", default="llvm-mca")
    parser.add_argument("--objdump", help="default: that of the build's architecture")
    parser.add_argument("--least", type=int, default=64, help="bytes that a loop loads")
    parser.add_argument("--print", action="store_true", help="the loops themselves too")
    arguments = parser.parse_args()
    if not arguments.objdump:
        cache = (arguments.build / "CMakeCache.txt").read_text()
        arguments.objdump = re.search(r"CMAKE_OBJDUMP:FILEPATH=(.*)", cache)[1]
        arguments.objdump = Path(arguments.objdump).name
    return arguments


def main() -> None:
    arguments = parse()
    print("| loop | bytes | instructions | cycles | instructions/byte | cycles/byte |")
    print("| --- | --- | --- | --- | --- | --- |")
    for pattern, names in OBJECTS:
        for file in sorted(arguments.build.rglob(pattern)):
            for function, code in disassembly(arguments.objdump, file).items():
                name = re.search(names, function)
                if not name:
                    continue
                rows = []
                for body in innermost_loops(code):
                    if (loaded := loaded_bytes(body)) >= arguments.least:
                        lines = assembly(body)
                        row = (loaded, len(lines) - 2, round(cycles_of(arguments, lines), 1))
                        if arguments.print and row not in rows:
                            print("\n".join(lines))
                        rows.append(row)
                for row in dict.fromkeys(rows):
                    times = f" ({rows.count(row)} times)" if rows.count(row) > 1 else ""
                    print(f"| {name[1]}{times} | {' | '.join(map(str, row))} | "
                          f"{row[1] / row[0]:.3f} | {row[2] / row[0]:.3f} |")


if __name__ == "__main__":
    main()
