"""Whisper in int8: Latimer beside CTranslate2 and whisper.cpp, on 30 seconds of a recording with one thread.

    python3 tests/bench/compare/speech.py FOLDER...
    python3 tests/bench/compare/speech.py FOLDER... --isa avx2

FOLDER is a Whisper as CTranslate2 publishes it. The recording is two_cities.wav of the package in
tests/trained/recordings.txt. Each engine writes a few tokens and many, greedily and without
timestamps; the difference gives the time of a further token, and what is left is the window with
its first token. Engines take turns in rounds, each in a process of its own on the last processor.
CTranslate2 gets features, which are not in its times; the others get samples. Needs the target
latimer_python.
"""

import argparse
import importlib.metadata
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import environment
import ggml_whisper
import numpy as np
import tables
from worker import peak_rss

ROOT = Path(__file__).resolve().parents[3]
CLIENT = Path(__file__).resolve().parent / "speech_client.py"
RATE = 16000
TOKENS = (4, 60)
FIGURES = (("window_ms", "window and first token, ms"), ("token_ms", "further token, ms"),
           ("load_ms", "load, ms"))


@dataclass(frozen=True)
class Contestant:
    engine: str
    title: str
    weights: str = "int8"


ALL = (
    Contestant("latimer", "Latimer"),
    Contestant("ctranslate2", "CTranslate2"),
    Contestant("whispercpp", "whisper.cpp, q8_0", "q8_0"),
    Contestant("whispercpp", "whisper.cpp, f16", "f16"),
)


def listen(cache: Path, work: Path) -> None:
    """Writes samples.npy at 16 kHz and features.npy."""
    sys.path.append(str(ROOT / "tests/trained"))
    from recordings import recordings
    from resample import samples_of
    from transformers import WhisperFeatureExtractor

    folder = recordings(cache)
    if folder is None:
        sys.exit("speech.py: the recordings cannot be downloaded")
    samples = samples_of(folder / "two_cities.wav")[: 30 * RATE]
    np.save(work / "samples.npy", samples)
    features = WhisperFeatureExtractor()(samples, sampling_rate=RATE, return_tensors="np").input_features
    np.save(work / "features.npy", np.ascontiguousarray(features))


def convert(arguments, who: Contestant, folder: Path, work: Path) -> Path:
    """What the engine reads."""
    out = work / f"{folder.name}-{who.engine}-{who.weights}"
    if who.engine == "ctranslate2":
        return folder
    if who.engine == "whispercpp":
        ggml_whisper.convert(folder, out, who.weights)
    else:
        tile = ["--tile", environment.ISA_TILES[arguments.isa]] if arguments.isa else []
        subprocess.run([arguments.build / "bin/latimer-convert", folder, "-o", out, "--quiet", "--weights",
                        who.weights, *tile], check=True)
    return out


def run(arguments, who: Contestant, model: Path, work: Path) -> dict:
    job = {"engine": who.engine, "model": str(model), "tokens": TOKENS,
           "samples": str(work / "samples.npy"), "features": str(work / "features.npy"),
           "isa": arguments.isa, "python": str(arguments.build / "python")}
    done = subprocess.run([sys.executable, "-W", "ignore", CLIENT], input=json.dumps(job), text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          **environment.limits(1, arguments.isa))
    return json.loads(done.stdout.splitlines()[-1])


def program_rss(arguments, model: Path, work: Path) -> int:
    """Peak resident bytes of `latimer transcribe` on the same 30 seconds."""
    isa = ["--cpu", arguments.isa] if arguments.isa else []
    pcm = np.clip(np.load(work / "samples.npy") * 32768, -32768, 32767).astype("<i2").tobytes()
    peak = 0
    with subprocess.Popen([arguments.build / "bin/latimer", "transcribe", model, "--pcm-rate", str(RATE), *isa],
                          stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        process.stdin.write(pcm)
        process.stdin.close()
        while process.poll() is None:
            peak = max(peak, peak_rss(process.pid))
            time.sleep(0.005)
    return peak


def table(runs: dict[Contestant, list[dict]]) -> str:
    """Medians of the rounds; in brackets how many times as much as Latimer's."""
    rows = [["", *(title for _, title in FIGURES), "peak RSS", "without Python's"]]
    medians = {who: {name: statistics.median(one[name] for one in all_rounds)
                     for name in all_rounds[0] if name.endswith(("_ms", "_bytes"))}
               for who, all_rounds in runs.items()}
    ours = next((values for who, values in medians.items() if who.engine == "latimer"), None)
    for who, values in medians.items():
        def cell(name, scale=1.0, unit=""):
            text = f"{tables.number(values[name] / scale)}{unit}"
            return text if ours in (None, values) else f"{text} ({values[name] / ours[name]:.1f})"

        rows.append([who.title, *(cell(name) for name, _ in FIGURES), cell("peak_rss_bytes", 1e6, " MB"),
                     cell("own_rss_bytes", 1e6, " MB")])
    return tables.markdown(rows)


def measure(arguments, folder: Path, players: list[Contestant], work: Path) -> str:
    models = {who: convert(arguments, who, folder, work) for who in players}
    runs = {who: [] for who in players}
    for number in range(arguments.rounds):
        for who in players if number % 2 == 0 else players[::-1]:
            print(f"{folder.name}, round {number + 1}: {who.title}", file=sys.stderr)
            runs[who].append(run(arguments, who, models[who], work))
    for who in players:
        print(f"{who.title}: {runs[who][-1]['text'].strip()}", file=sys.stderr)
    text = f"**{folder.name}**, median of {arguments.rounds} rounds\n\n{table(runs)}\n"
    for who in players:
        if who.engine == "latimer":
            peak = program_rss(arguments, models[who], work)
            text += f"\n`latimer transcribe` with the same 30 seconds: {tables.number(peak / 1e6)} MB."
    return text


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="speech.py", description=__doc__.splitlines()[0])
    engines = list(dict.fromkeys(player.engine for player in ALL))
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--contestants", nargs="+", default=engines, choices=engines, metavar="NAME")
    parser.add_argument("--isa", choices=environment.ISA_VARIABLES, help="keep Latimer and CTranslate2 to it")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", type=Path, default=ROOT / "build/host")
    parser.add_argument("--recordings", type=Path, default=Path.home() / ".cache" / "latimer-quality",
                        metavar="FOLDER", help="where they are kept")
    environment.add_options(parser)
    return parser.parse_args()


def main() -> None:
    environment.restart_if_needed(sys.argv)
    arguments = parse()
    players = [player for player in ALL if player.engine in arguments.contestants]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("ctranslate2", "pywhispercpp"))
    print(environment.headline(*([arguments.isa] if arguments.isa else []), versions))
    with tempfile.TemporaryDirectory() as work:
        listen(arguments.recordings, Path(work))
        for folder in arguments.folders:
            print(measure(arguments, folder, players, Path(work)) + "\n", flush=True)


if __name__ == "__main__":
    main()
