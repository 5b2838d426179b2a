"""From the start of a process to its first translated line: Latimer beside its peers.

    python3 tests/bench/compare/start.py
    python3 tests/bench/compare/start.py --loads demo --contestants latimer-int8 --rounds 20

Contestants translate one line of text from a model in the page cache, and then from one that was
dropped from it; their programs and libraries are in the page cache in both cases. Of peers, which
are Python programs, the time after their imports is given too. README.md has more.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import contestants
import environment
import loads
import tables

ENGINES = ("latimer", "ctranslate2", "onnxruntime", *loads.ENDS)
CLIENT = Path(__file__).resolve().parent / "first_line.py"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="start.py", description=__doc__.splitlines()[0])
    able = [who.name for who in contestants.ALL if is_able(who)]
    parser.add_argument("--loads", nargs="+", default=["demo", "opus-mt"],
                        choices=[name for name in loads.NAMES if name != "t5-small"])
    parser.add_argument("--contestants", nargs="+", choices=able, default=able, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    parser.add_argument("--latimer", type=Path, default=loads.ROOT / "build/host/bin",
                        help="folder of latimer and latimer-convert")
    environment.add_options(parser)
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds is at least 1")
    return arguments


def is_able(who: contestants.Contestant) -> bool:
    return who.engine in ENGINES and who.weights == "int8"


def text_folder(settings: contestants.Settings, who: contestants.Contestant,
                load: loads.Load) -> Path:
    """The peer's model with all that a client needs to translate text."""
    model = contestants.model_of(settings, who, load)
    if who.engine in loads.ENDS:
        return model
    folder = model.with_name(model.name + "-text")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(model, folder)
    for name in ("source.spm", "target.spm", "vocab.json"):
        shutil.copy(load.hf / name, folder)
    if who.engine == "ctranslate2":
        give_pieces(folder)
    return folder


def give_pieces(folder: Path) -> None:
    """Puts the pieces into CTranslate2's vocabulary, which peer_ctranslate2 has invented."""
    ids = json.loads((folder / "vocab.json").read_text())
    pieces = sorted(ids, key=ids.get)[:-1]  # <pad> is left out, as in peer_ctranslate2.
    (folder / "shared_vocabulary.json").write_text(json.dumps(pieces))


def command_of(arguments, settings, who: contestants.Contestant,
               load: loads.Load) -> tuple[list[str], Path]:
    """What translates the load's text, and the file or folder that it reads the model from."""
    tokens = load.text_target_tokens
    if who.engine == "latimer":
        model = contestants.latimer_model(settings, who, load, for_text=True)
        limits = ["--min-target-tokens", tokens, "--max-target-tokens", tokens] if tokens else []
        return contestants.latimer_command(settings, "translate", model, "--text", load.text,
                                           "--threads", arguments.threads, *limits), model
    folder = text_folder(settings, who, load)
    words = [sys.executable, CLIENT, who.engine, folder, arguments.threads, tokens,
             tokens or loads.LONGEST, load.text]
    return [str(word) for word in words], folder


def first_line(command: list[str], variables: dict) -> tuple[float, float]:
    """Milliseconds until the first line, and until a peer's imports are done."""
    with tempfile.TemporaryFile("w+") as errors:
        start = time.monotonic()
        with subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=errors, env=variables) as process:
            line = process.stdout.readline()
            taken = time.monotonic() - start
            rest = process.stdout.read()
        if process.returncode or not line.strip():
            errors.seek(0)
            sys.exit(f"start.py: no translation by {' '.join(command)}\n{errors.read()}")
    imports = float(rest) - start if rest else 0.0
    return taken * 1e3, imports * 1e3


def measure(arguments, settings, load: loads.Load) -> dict[str, dict[str, float]]:
    """Contestant -> figure -> the best of all rounds."""
    players = [who for who in contestants.ALL
               if who.name in arguments.contestants and load.suits(who.engine)]
    commands = {who: command_of(arguments, settings, who, load) for who in players}
    variables = environment.limits(arguments.threads)["env"]
    best: dict[str, dict[str, float]] = {who.name: {} for who in players}

    def note(who, figure, value):
        best[who.name][figure] = min(value, best[who.name].get(figure, value))

    for number in range(arguments.rounds):
        for who in players if number % 2 == 0 else players[::-1]:
            command, files = commands[who]
            environment.drop(files)
            for state in ("dropped", "cached"):
                taken, imports = first_line(command, variables)
                note(who, state, taken)
                note(who, f"{state}, after imports", taken - imports)
    return best


def table(best: dict[str, dict[str, float]]) -> str:
    """In brackets how many times better Latimer is."""
    figures = [f"{state}{part}" for state in ("cached", "dropped")
               for part in ("", ", after imports")]
    ours = best.get("latimer-int8")

    def cell(name, figure):
        if name == "latimer-int8" and "imports" in figure:
            return ""
        value = tables.number(best[name][figure])
        if ours is None or name == "latimer-int8":
            return value
        return f"{value} ({best[name][figure] / ours[figure]:.1f})"

    rows = [["first line, ms", *figures]]
    rows += [[contestants.TITLES[name], *(cell(name, figure) for figure in figures)]
             for name in best]
    return tables.markdown(rows)


def main() -> None:
    environment.restart_if_needed(sys.argv)
    arguments = parse()
    settings = contestants.Settings(arguments.cache, arguments.latimer, None, None, 1, 1.0, [], [])
    os.sched_setaffinity(0, environment.processors(arguments.threads))  # Children inherit it.
    for name in arguments.loads:
        load = loads.make_load(arguments.cache, name)
        length = f", {load.text_target_tokens} target tokens" if load.text_target_tokens else ""
        print(f"{load.name}, {len(load.text.split())} words{length}, best of {arguments.rounds}\n\n"
              f"{table(measure(arguments, settings, load))}\n")


if __name__ == "__main__":
    main()
