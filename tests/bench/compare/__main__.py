"""Latimer beside CTranslate2, ONNX Runtime, transformers and others: same models and ids, one run.

    python3 tests/bench/compare --quick           # some minutes
    python3 tests/bench/compare --json report.json --svg lengths.svg
    python3 tests/bench/compare --loads demo --threads 1 --rounds 1 --add --json report.json
    python3 tests/bench/compare --report report.json

Any Python from 3.10 on will do: the peers are installed into an environment of their own in the
cache folder, and this program goes on in it. Build Latimer first: cmake --workflow --preset demo.
Contestants take turns within each round, each run in a process of its own, kept to the same
processors, so that the machine's moods hit all of them. README.md says what each figure is.
"""

import argparse
import itertools
import json
import sys
from pathlib import Path

import environment


def parse() -> argparse.Namespace:
    import loads

    parser = argparse.ArgumentParser(prog="compare", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true",
                        help="two rounds of one thread, without T5, f32 and lengths")
    parser.add_argument("--loads", nargs="+", choices=loads.NAMES)
    parser.add_argument("--contestants", nargs="+", metavar="NAME", help="such as latimer-int8")
    parser.add_argument("--threads", nargs="+", type=int, metavar="N")
    parser.add_argument("--rounds", type=int, help="0: only make the models")
    parser.add_argument("--repeat", type=int, help="most repetitions within a round")
    parser.add_argument("--budget", type=float, metavar="SECONDS",
                        help="no further repetition of a peer's measurement after these")
    parser.add_argument("--batches", nargs="*", type=int, default=[8, 32])
    parser.add_argument("--lengths", nargs="*", type=int,
                        help="source lengths of the plot, with the opus-mt load on one thread")
    parser.add_argument("--latimer", type=Path, default=loads.ROOT / "build/host/bin",
                        help="folder of latimer and latimer-convert")
    parser.add_argument("--isa", choices=environment.ISA_VARIABLES,
                        help="instruction set that all contestants are limited to, except for "
                        "ONNX Runtime, slimt and fxtranslate, which cannot be")
    parser.add_argument("--beams", type=int, default=1,
                        help="search with these; only Latimer and CTranslate2 take part")
    parser.add_argument("--workers", type=int, default=1, metavar="N",
                        help="that translate batches side by side, each with the threads; only "
                        "Latimer and CTranslate2 take part")
    parser.add_argument("--tile", help="of Latimer's int8 weights; default is the converter's")
    environment.add_options(parser)
    parser.add_argument("--json", type=Path, help="write every run's figures to this file")
    parser.add_argument("--add", action="store_true", help="to what --json already holds")
    parser.add_argument("--svg", type=Path, help="draw ms per sentence against length")
    parser.add_argument("--report", type=Path, help="only print what this file holds")
    arguments = parser.parse_args()
    if arguments.add and not arguments.json:
        parser.error("--add needs --json")
    arguments.tile = arguments.tile or environment.ISA_TILES.get(arguments.isa)
    quick = arguments.quick
    for name, value in {
        "loads": ["opus-mt", "tiny", "demo"] if quick else list(loads.NAMES),
        "threads": [1] if quick else [1, 2], "rounds": 2 if quick else 5,
        "repeat": 3 if quick else 5, "budget": 1.0 if quick else 3.0,
        "lengths": [] if quick else [8, 16, 32, 64, 128, 256],
    }.items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    return arguments


def chosen(arguments) -> list:
    import contestants

    if arguments.contestants:
        unknown = set(arguments.contestants) - contestants.TITLES.keys()
        if unknown:
            sys.exit(f"compare: no contestant {', '.join(sorted(unknown))}; there are "
                     f"{', '.join(contestants.TITLES)}.")
        return [c for c in contestants.ALL if c.name in arguments.contestants]
    return [c for c in contestants.ALL
            if (c.weights != "f32" or not arguments.quick)
            and (arguments.beams == 1 or c.engine in contestants.WITH_BEAMS)
            and (arguments.workers == 1 or c.engine in contestants.WITH_WORKERS)]


def save(arguments, report: dict) -> None:
    """After each round, so that a run that is ended loses no whole one."""
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")


def run_rounds(arguments, settings, players, report: dict, load) -> None:
    """Adds rounds of one load to the report."""
    import contestants
    import figures

    entry = report["loads"].setdefault(load.name, {"about": load.about, "runs": {}})
    for player in players:  # converts before anything is timed
        contestants.model_of(settings, player, load)
    expected = contestants.expected_ids(settings, load) if arguments.rounds else None
    for threads in arguments.threads if arguments.rounds else []:
        runs = entry["runs"].setdefault(str(threads), {})
        for number in range(arguments.rounds):
            for player in players if number % 2 == 0 else players[::-1]:
                print(f"{load.name}, {threads} threads, round {number + 1}: {player.title}",
                      file=sys.stderr)
                with_lengths = load.name == "opus-mt" and threads == 1
                run = contestants.run(settings, player, load, threads, with_lengths)
                figures.count_same(run, expected)
                report["versions"][player.engine] = run.pop("version", "Latimer")
                runs.setdefault(player.name, []).append(run)
            save(arguments, report)
        if settings.beams == 1 and any(player.name == "latimer-int8" for player in players):
            entry.setdefault("profiles", {})[str(threads)] = contestants.profile(
                settings, load, threads)
            save(arguments, report)


def main() -> None:
    if "--report" not in sys.argv:
        environment.restart_if_needed(sys.argv)
    arguments = parse()
    import contestants
    import loads
    import tables

    if arguments.report:
        report = json.loads(arguments.report.read_text())
    elif not (arguments.latimer / "latimer").exists():
        sys.exit(f"compare: no latimer in {arguments.latimer}; build it with "
                 "cmake --workflow --preset demo.")
    else:
        report = measure(arguments, contestants, loads)
    print(tables.report_text(report))
    write_svg(arguments, report)


def measure(arguments, contestants, loads) -> dict:
    report = {"machine": environment.describe_machine(), "isa": arguments.isa,
              "beams": arguments.beams, "workers": arguments.workers, "versions": {}, "loads": {}}
    if arguments.add and arguments.json.exists():
        report = json.loads(arguments.json.read_text())
        for name, given in (("isa", arguments.isa), ("beams", arguments.beams),
                            ("workers", arguments.workers)):
            if report.get(name, given) != given:
                sys.exit(f"compare: {arguments.json} is of --{name} {report[name]}.")
    settings = contestants.Settings(
        arguments.cache, arguments.latimer, arguments.tile, arguments.isa, arguments.repeat,
        arguments.budget, arguments.batches, arguments.lengths, arguments.beams, arguments.workers)
    arguments.cache.mkdir(parents=True, exist_ok=True)
    for name in arguments.loads:
        load = loads.make_load(arguments.cache, name)
        players = [player for player in chosen(arguments) if load.suits(player.engine)]
        for player in itertools.filterfalse(contestants.is_installed, players):
            print(f"{load.name}: {player.title} does not take part, because this Python has no "
                  f"package {player.engine}.", file=sys.stderr)
        players = list(filter(contestants.is_installed, players))
        if players:
            run_rounds(arguments, settings, players, report, load)
    return report


def write_svg(arguments, report: dict) -> None:
    import figures
    import plot

    runs = report["loads"].get("opus-mt", {}).get("runs", {}).get("1", {})
    lines = {name: figures.lengths_of(rounds) for name, rounds in runs.items()}
    lines = {name: line for name, line in lines.items() if line}
    if arguments.svg and lines:
        title = "One sentence, one thread, OPUS-MT shape"
        arguments.svg.write_text(plot.lengths_svg(lines, title))


if __name__ == "__main__":
    main()
