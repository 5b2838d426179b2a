"""Who takes part, how its model is made, and one run of it."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import environment
import loads

# Of runtime/include/latimer/internal/any_profile.h.
MOST_LANES = 32
WORKER = Path(__file__).resolve().parent / "worker.py"


@dataclass(frozen=True)
class Contestant:
    engine: str
    weights: str
    title: str

    @property
    def name(self) -> str:
        return f"{self.engine}-{self.weights}"


ALL = (
    Contestant("latimer", "int8", "Latimer int8"),
    Contestant("latimer", "int6", "Latimer int6"),
    Contestant("latimer", "f32", "Latimer f32"),
    Contestant("ctranslate2", "int8", "CTranslate2 int8"),
    Contestant("ctranslate2", "f32", "CTranslate2 f32"),
    Contestant("onnxruntime", "int8", "ONNX Runtime int8"),
    Contestant("slimt", "int8", "slimt int8"),
    Contestant("fxtranslate", "int8", "fxtranslate int8"),
    Contestant("transformers", "int8", "transformers int8"),
    Contestant("transformers", "f32", "transformers f32"),
)
WITH_BEAMS = WITH_WORKERS = ("latimer", "ctranslate2")
TITLES = {c.name: c.title for c in ALL}


@dataclass
class Settings:
    """What the command line says about every run."""

    cache: Path
    latimer: Path  # folder of latimer and latimer-convert
    tile: str | None
    isa: str | None  # all may use; null: what the CPU has
    repeat: int
    budget_s: float
    batches: list[int]
    lengths: list[int]
    beams: int = 1
    workers: int = 1  # of batches

    def limits(self, threads: int) -> dict:
        return environment.limits(threads, self.isa, self.workers)


def is_installed(who: Contestant) -> bool:
    return who.engine == "latimer" or importlib.util.find_spec(who.engine) is not None


def newest_change(folder: Path) -> float:
    return max(f.stat().st_mtime for f in folder.iterdir() if f.is_file())


def model_of(settings: Settings, who: Contestant, load: loads.Load) -> Path:
    """The contestant's own form of the model, made on first use."""
    if who.engine == "latimer":
        return latimer_model(settings, who, load)
    out = settings.cache / "models" / f"{load.name}-{who.name}"
    done = out.with_suffix(".done")
    if not done.exists() or done.stat().st_mtime < newest_change(load.hf):
        print(f"converting {load.name} for {who.title}", file=sys.stderr)
        subprocess.run(["rm", "-rf", out], check=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, WORKER, "--convert", f"peer_{who.engine}", load.hf, out,
                        who.weights], check=True, stdout=sys.stderr)
        done.touch()
    return out


def latimer_model(settings: Settings, who: Contestant, load: loads.Load,
                  for_text: bool = False) -> Path:
    tile = ["--tile", settings.tile] if who.weights != "f32" and settings.tile else []
    tokenizer = [] if for_text else ["--no-tokenizer"]
    beams = ["--beams", settings.beams] if settings.beams > 1 else []
    name = "-".join([load.name, who.name, *tile[1:], *(["text"] if for_text else []),
                     *(f"{n}beams" for n in beams[1:])])
    out = settings.cache / "models" / f"{name}.ltm"
    converter = settings.latimer / "latimer-convert"
    changed = max(newest_change(load.hf), converter.stat().st_mtime)
    if not out.exists() or out.stat().st_mtime < changed:
        print(f"converting {load.name} for {who.title}", file=sys.stderr)
        out.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([converter, load.hf, "-o", out, "--weights", who.weights,
                        *tokenizer, *tile, *map(str, beams)], check=True,
                       stdout=subprocess.DEVNULL)
        # A file that was just written is in the page cache in small pages.
        environment.drop(out)
        subprocess.run([settings.latimer / "latimer", "inspect", out], check=True,
                       stdout=subprocess.DEVNULL)
    return out


def run(settings: Settings, who: Contestant, load: loads.Load, threads: int,
        with_lengths: bool) -> dict:
    """One round's figures: see figures.py for their names."""
    model = model_of(settings, who, load)
    lengths = settings.lengths if with_lengths else []
    if who.engine == "latimer":
        return run_latimer(settings, model, load, threads, lengths)
    job = {
        "module": f"peer_{who.engine}", "model": str(model), "weights": who.weights,
        "threads": threads, "beams": settings.beams, "workers": settings.workers,
        "sentences": load.sentences, "bounds": load.bounds,
        "batches": settings.batches, "batch_sentences": load.batch_sentences,
        "batch_bounds": load.batch_bounds, "repeat": settings.repeat,
        "budget_s": settings.budget_s,
        "lengths": {str(n): loads.length_load(load, n) for n in lengths},
    }
    result = subprocess.run([sys.executable, "-W", "ignore", WORKER], input=json.dumps(job),
                            text=True, stdout=subprocess.PIPE, check=True,
                            **settings.limits(threads))
    return json.loads(result.stdout.splitlines()[-1])


def latimer_command(settings: Settings, command: str, model: Path, *options) -> list[str]:
    isa = ["--cpu", settings.isa] if settings.isa else []
    return [str(c) for c in (settings.latimer / "latimer", command, model, *isa, *options)]


def lines_of(sentences: list[list[int]]) -> str:
    return "".join(" ".join(map(str, ids)) + "\n" for ids in sentences)


def ids_of(lines: str) -> list[list[int]]:
    return [list(map(int, line.split())) for line in lines.splitlines()]


def latimer_bench(settings: Settings, model: Path, sentences, target_tokens: int, threads: int,
                  *options: str) -> dict:
    if target_tokens:
        options += ("--target-tokens", target_tokens)
    command = latimer_command(settings, "bench", model, "--ids", "--json", "--threads", threads,
                              "--repeat", settings.repeat, "--beams", settings.beams, *options)
    result = subprocess.run(command, input=lines_of(sentences), text=True, stdout=subprocess.PIPE,
                            check=True, **settings.limits(threads))
    return json.loads(result.stdout)


def latimer_translate(settings: Settings, model: Path, text: str, bounds, threads: int,
                      lanes: int) -> tuple[float, str]:
    """Milliseconds of a whole process, and its output."""
    least, most = bounds
    command = latimer_command(settings, "translate", model, "--ids", "--threads", threads,
                              "--workers", settings.workers, "--lanes",
                              min(lanes * settings.beams, MOST_LANES), "--beams",
                              settings.beams, "--min-target-tokens", least,
                              "--max-target-tokens", most)
    with tempfile.TemporaryFile("w+") as source:
        source.write(text)
        source.seek(0)
        start = time.perf_counter()
        result = subprocess.run(command, stdin=source, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **settings.limits(threads))
        taken = (time.perf_counter() - start) * 1e3
    if result.returncode:
        sys.exit(result.stderr)
    return taken, result.stdout  # Its warnings are of limits that were asked for.


def run_latimer(settings: Settings, model: Path, load: loads.Load, threads: int,
                lengths: list[int]) -> dict:
    """`latimer bench` for sentences one at a time, `latimer translate` for many.

    Of many the time is that of the process with all lines less that with the first line alone:
    starting and loading are in both.
    """
    bench = latimer_bench(settings, model, load.sentences, load.target_tokens, threads)
    figures = {"latimer": bench, "batches": {}, "lengths": {}}
    figures["load_ms"], figures["peak_rss_bytes"] = bench["first_load_ms"], bench["peak_rss_bytes"]
    figures["own_rss_bytes"] = bench["peak_rss_bytes"]
    text = lines_of(load.batch_sentences)
    bounds = load.batch_bounds
    first = text[: text.index("\n") + 1]
    for size in settings.batches:
        one_ms, one = min(latimer_translate(settings, model, first, bounds, threads, size)
                          for _ in range(3))
        rates = []
        for _ in range(settings.repeat):
            all_ms, out = latimer_translate(settings, model, text, bounds, threads, size)
            tokens = len(out.split()) - len(one.split())
            rates.append(tokens / (all_ms - one_ms) * 1e3)
        figures["batches"][str(size)] = {"tokens_per_s": rates, "outputs": ids_of(out)}
    _, out = latimer_translate(settings, model, lines_of(load.sentences), load.bounds, threads, 1)
    figures["single"] = {"outputs": ids_of(out)}
    for tokens in lengths:
        sentence = loads.length_load(load, tokens)
        result = latimer_bench(settings, model, sentence, tokens, threads)
        figures["lengths"][str(tokens)] = [result["ms_per_sentence"]]
    return figures


def expected_ids(settings: Settings, load: loads.Load) -> list[list[int]] | None:
    """One sentence at a time in float32: by transformers or, of a student, by Latimer."""
    if settings.beams > 1 or load.name not in loads.STUDENTS:
        return load.expected if settings.beams == 1 else None
    model = latimer_model(settings, Contestant("latimer", "f32", "Latimer f32"), load)
    _, out = latimer_translate(settings, model, lines_of(load.batch_sentences), load.batch_bounds,
                               1, 1)
    return ids_of(out)


def profile(settings: Settings, load: loads.Load, threads: int) -> dict:
    """`latimer bench --profile` of the int8 model."""
    model = latimer_model(settings, ALL[0], load)
    return latimer_bench(settings, model, load.sentences, load.target_tokens, threads,
                         "--profile")["profile"]
