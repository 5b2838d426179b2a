"""Instructions that boards would execute per generated token and per encoder pass, counted by QEMU.

    python3 tests/bench/instructions                       # Latimer and its peers, two boards
    python3 tests/bench/instructions --boards riscv64 --contestants latimer-int8

Build each board first: cmake --workflow --preset NAME; and the host, which converts the models. The
peers' models are those of tests/bench/compare, made in the same environment, and run in a Python
for 64-bit ARM that is unpacked into the cache folder. All get the same ids, and one thread.

A process translates the sentences once with one token each (A), twice with one token (B) and once
with all tokens (C). (C - A) / further tokens is a token's count; (B - A) / sentences, less that, is
a pass of the encoder. Starting, loading and what is done once are in A alone.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

COMPARE = Path(__file__).resolve().parents[1] / "compare"
sys.path.insert(0, str(COMPARE))

import arm_root  # noqa: E402
import contestants  # noqa: E402
import environment  # noqa: E402
import loads  # noqa: E402


def parse() -> argparse.Namespace:
    names = [c.name for c in contestants.ALL if c.engine in ("latimer", *arm_root.PEERS)]
    parser = argparse.ArgumentParser(prog="instructions", description=__doc__.splitlines()[0])
    parser.add_argument("--boards", nargs="+", default=["raspberry_pi_4", "raspberry_pi_5"])
    parser.add_argument("--loads", nargs="+", default=["demo", "opus-mt"], choices=loads.NAMES)
    parser.add_argument("--contestants", nargs="+", choices=names,
                        default=["latimer-int8", "ctranslate2-int8", "onnxruntime-int8"])
    parser.add_argument("--sentences", type=int, default=4, help="of the demo")
    parser.add_argument("--tokens", type=int, default=17, help="per sentence of random weights")
    parser.add_argument("--latimer", type=Path, default=loads.ROOT / "build/host/bin",
                        help="folder of this machine's latimer-convert")
    parser.add_argument("--json", type=Path, help="write the counts to this file, and keep those "
                        "that it already holds")
    parser.set_defaults(cache=environment.cache_folder())
    return parser.parse_args()


def board_field(board: str, name: str) -> str:
    text = (loads.ROOT / f"targets/boards/{board}.cmake").read_text()
    match = re.search(rf"\b{name} ([^\n)]*)", text)
    if not match:
        sys.exit(f"instructions: {board} has no {name}.")
    return match[1]


class Board:
    def __init__(self, name: str):
        self.name = name
        self.tile = board_field(name, "TILE").split()[0]
        self.emulator = board_field(name, "QEMU").split()
        self.program = loads.ROOT / f"build/{name}/bin/latimer"
        if not self.program.exists():
            sys.exit(f"instructions: {self.program} is missing: cmake --workflow --preset {name}.")


def counted(plugin: Path, command: list, text: str) -> tuple[int, str]:
    """The instructions of a command whose first word is an emulator, and its output."""
    command = [command[0], "-plugin", f"{plugin},inline=on", "-d", "plugin", *command[1:]]
    result = subprocess.run([str(word) for word in command], input=text, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    count = re.search(r"insns: (\d+)", result.stderr)
    if result.returncode or not count:
        sys.exit(f"instructions: {' '.join(map(str, command))}: {result.stderr[-2000:]}")
    return int(count[1]), result.stdout


def command_of(arguments, settings, board: Board, who, load, times: int, bounds) -> list:
    """Translates the lines of its input, `times` times."""
    model = contestants.model_of(settings, who, load)
    if who.engine == "latimer":
        return [*board.emulator, board.program, "translate", model, "--ids", "--threads", 1,
                "--lanes", 1, "--min-target-tokens", bounds[0], "--max-target-tokens", bounds[1]]
    root = arm_root.python_root(arguments.cache, [sys.executable, "-m", "pip"])
    return [*arm_root.python_command(arguments.cache, root, board.emulator),
            Path(__file__).with_name("peer_run.py"), COMPARE, f"peer_{who.engine}", model,
            who.weights, times, *bounds]


def count(arguments, plugin: Path, board: Board, who, load) -> dict:
    settings = contestants.Settings(arguments.cache, arguments.latimer, board.tile, None, 1, 0, [],
                                    [])
    bounds = (arguments.tokens,) * 2 if load.target_tokens else load.bounds
    sentences = load.sentences[: arguments.sentences]

    def run(times: int, bounds) -> tuple[int, str]:
        own = who.engine == "latimer"
        text = contestants.lines_of(sentences * (times if own else 1))
        return counted(plugin, command_of(arguments, settings, board, who, load, times, bounds),
                       text)

    one, _ = run(1, (1, 1))
    two, _ = run(2, (1, 1))
    all_tokens, output = run(1, bounds)
    outputs = contestants.ids_of(output)
    per_token = (all_tokens - one) / (sum(map(len, outputs)) - len(sentences))
    return {"per_token": per_token, "per_encoder_pass": (two - one) / len(sentences) - per_token,
            "start_and_load": one - (two - one), "outputs": outputs}


def millions(value: float) -> str:
    return f"{value / 1e6:,.{0 if value >= 1e8 else 1 if value >= 1e7 else 2}f}"


def table(counts: list[dict]) -> str:
    """In brackets: how many times as many as Latimer int8."""
    lines = ["| load | board | contestant | per token, M | encoder pass, M | start, load, M |",
             "| --- | --- | --- | --- | --- | --- |"]
    for row in counts:
        base = next((r for r in counts if r["contestant"] == "latimer-int8"
                     and (r["load"], r["board"]) == (row["load"], row["board"])), row)
        cells = [millions(row[name]) + ("" if row is base else f" ({row[name] / base[name]:.2f})")
                 for name in ("per_token", "per_encoder_pass", "start_and_load")]
        lines.append(f"| {row['load']} | {row['board']} | {contestants.TITLES[row['contestant']]} "
                     f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    arguments = parse()
    plugin = arm_root.plugin(arguments.cache)
    kept = json.loads(arguments.json.read_text()) if arguments.json and arguments.json.exists() \
        else []
    chosen = [c for c in contestants.ALL if c.name in arguments.contestants]
    for name in arguments.loads:
        load = loads.make_load(arguments.cache, name)
        for board in map(Board, arguments.boards):
            for who in chosen:
                if who.engine != "latimer" and board.emulator[0] != "qemu-aarch64":
                    continue
                if not load.suits(who.engine):
                    continue
                print(f"{name}, {board.name}: {who.title}", file=sys.stderr)
                row = {"load": name, "board": board.name, "contestant": who.name}
                kept = [k for k in kept if not row.items() <= k.items()]
                kept.append(row | count(arguments, plugin, board, who, load))
                if arguments.json:
                    arguments.json.write_text(json.dumps(kept) + "\n")
    print(table(kept))


if __name__ == "__main__":
    if not {"-h", "--help"} & set(sys.argv):
        environment.restart_with_peers(environment.cache_folder())
    main()
