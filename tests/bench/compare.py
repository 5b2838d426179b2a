"""Latimer beside CTranslate2: same model, same machine, one thread, one run.

    python tests/bench/compare.py                        # everything, 5 rounds
    python tests/bench/compare.py --only ct2 --rounds 3  # without a Latimer build

Two loads:
  shape  an OPUS-MT shape with random weights: S source tokens, exactly T target tokens
  demo   the 200 sentences of examples/en-de/fixture.jsonl, one at a time, by ids, to </s>

Contestants take turns within each round, each run in a process of its own and pinned to the same
CPU, so that drift of the machine hits all of them and peak memory belongs to one run. Models are
converted once into the cache folder, which is outside the repository. See README.md for what each
figure means.
"""

import argparse
import datetime
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CT2_TYPES = {"int8": "int8", "f32": "float32"}


# --- one run of CTranslate2, in a process of its own -------------------------------------------


def peak_rss() -> int:
    """Peak resident bytes of this process. Not ru_maxrss: a child inherits its parent's."""
    for line in open("/proc/self/status", encoding="ascii"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmHWM in /proc/self/status")


def timed(function) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1e3


def worker_ct2(job: dict) -> dict:
    """Runs one load on CTranslate2; `job` is what run_ct2 sends."""
    import ctranslate2

    imported = peak_rss()
    start = time.perf_counter()
    translator = ctranslate2.Translator(
        job["model"], device="cpu", compute_type=job["type"], inter_threads=1, intra_threads=1
    )
    load_ms = (time.perf_counter() - start) * 1e3

    def translate(tokens: list[str], least: int, most: int) -> list[str]:
        result = translator.translate_batch(
            [tokens], beam_size=1, min_decoding_length=least, max_decoding_length=most,
            max_input_length=0, return_end_token=True,
        )
        return result[0].hypotheses[0]

    figures = {"load_ms": load_ms, "version": ctranslate2.__version__}
    if job["load"] == "shape":
        target = job["target_tokens"]
        source = job["sentences"][0]
        assert len(translate(source, target, target)) == target
        total, first = [], []
        for _ in range(job["repeat"]):
            total.append(timed(lambda: translate(source, target, target)))
            first.append(timed(lambda: translate(source, 1, 1)))
        figures |= spread("total_ms", total)
        for suffix, pick in (("", min), ("_median", statistics.median)):
            per_token = (pick(total) - pick(first)) / (target - 1)
            figures[f"ms_per_token{suffix}"] = per_token
            figures[f"encode_ms{suffix}"] = pick(first) - per_token
    else:
        outputs = [translate(source, 0, 256) for source in job["sentences"]]
        times = [
            timed(lambda: [translate(source, 0, 256) for source in job["sentences"]])
            for _ in range(job["repeat"])
        ]
        figures |= spread("ms_per_sentence", [t / len(job["sentences"]) for t in times])
        figures["outputs"] = outputs
    figures["peak_rss_bytes"] = peak_rss()
    figures["own_rss_bytes"] = peak_rss() - imported
    return figures


def worker_convert(job: dict) -> dict:
    """Converts a Hugging Face folder for CTranslate2.

    Uses its Marian loader for the weights and invents the vocabulary ("t17" is id 17), so that no
    tokenizer is needed and ids go in and come out. <pad>, the last id, is dropped, as
    CTranslate2's own converter does.
    """
    import torch
    import transformers
    from ctranslate2.converters.transformers import MarianMTLoader

    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    model = transformers.MarianMTModel.from_pretrained(job["hf"], dtype=torch.float32).eval()
    with torch.no_grad():
        spec = MarianMTLoader().get_model_spec(model)
    tokens = token_names(range(model.config.vocab_size - 1))
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    spec.config.eos_token = "</s>"
    spec.config.unk_token = "<unk>"
    spec.config.decoder_start_token = "</s>"  # unused: decoding starts from a zero embedding
    spec.config.add_source_eos = False
    spec.validate()
    spec.optimize(quantization=job["type"])
    Path(job["out"]).mkdir(parents=True, exist_ok=True)
    spec.save(job["out"])
    return {}


def token_names(ids) -> list[str]:
    special = {0: "</s>", 1: "<unk>"}
    return [special.get(i, f"t{i}") for i in ids]


def token_ids(names: list[str]) -> list[int]:
    special = {"</s>": 0, "<unk>": 1}
    return [special[n] if n in special else int(n[1:]) for n in names]


def spread(name: str, values: list[float]) -> dict:
    return {name: min(values), f"{name}_median": statistics.median(values)}


def run_worker(kind: str, job: dict) -> dict:
    result = subprocess.run(
        [sys.executable, __file__, "--worker", kind], input=json.dumps(job), text=True,
        stdout=subprocess.PIPE, check=True,
    )
    return json.loads(result.stdout.splitlines()[-1])


# --- one run of Latimer ------------------------------------------------------------------------


def run_latimer_bench(arguments, model: Path, source_tokens: int, target_tokens: int) -> dict:
    command = [
        arguments.latimer / "latimer", "bench", model, "--json", "--threads", "1",
        "--source-tokens", source_tokens, "--target-tokens", target_tokens,
        "--repeat", arguments.repeat,
    ]
    result = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)


def run_latimer_demo(arguments, model: Path, sentences: list[list[int]]) -> dict:
    """Times whole processes: (all lines `repeat` times - the first line) / sentences between.

    That takes starting, loading and the first touch of the weights out, as the contestant's
    in-process time has them out. Load time and peak memory are those of `latimer bench` with the
    longest source and output.
    """
    lines = [" ".join(map(str, ids)) + "\n" for ids in sentences]

    def translate(text: str) -> tuple[float, str]:
        command = [str(arguments.latimer / "latimer"), "translate", str(model), "--ids"]
        with tempfile.TemporaryFile("w+") as source:
            source.write(text)
            source.seek(0)
            start = time.perf_counter()
            result = subprocess.run(
                command, stdin=source, stdout=subprocess.PIPE, text=True, check=True
            )
            return (time.perf_counter() - start) * 1e3, result.stdout

    repeat = arguments.repeat
    one_ms = min(translate(lines[0])[0] for _ in range(3))
    all_ms, text = translate("".join(lines) * repeat)
    per_sentence = (all_ms - one_ms) / (len(lines) * repeat - 1)
    outputs = [[int(i) for i in line.split()] for line in text.splitlines()[: len(lines)]]
    length = max(map(len, sentences))
    bench = run_latimer_bench(arguments, model, length, max(map(len, outputs)))
    return {
        "ms_per_sentence": per_sentence, "ms_per_sentence_median": per_sentence,
        "outputs": outputs,
    } | {name: bench[name] for name in ("load_ms", "load_ms_median", "peak_rss_bytes")}


# --- models ------------------------------------------------------------------------------------


def newest_change(folder: Path) -> float:
    return max(f.stat().st_mtime for f in folder.iterdir() if f.is_file())


def is_fresh(made: Path, *sources: float) -> bool:
    return made.exists() and made.stat().st_mtime >= max(sources)


def shape_folder(arguments) -> Path:
    """The random-weight model, made on first use."""
    folder = arguments.cache / arguments.shape
    if not (folder / "model.safetensors").exists():
        script = ROOT / "tests/reference/make_shape.py"
        command = [sys.executable, script, arguments.shape, "--out", folder]
        subprocess.run([str(c) for c in command], check=True)
    return folder


def ct2_model(arguments, name: str, hf: Path, weights: str) -> Path:
    out = arguments.cache / f"ct2-{name}-{weights}"
    if not is_fresh(out / "model.bin", newest_change(hf)):
        print(f"converting {name} for CTranslate2 {weights}", file=sys.stderr)
        run_worker("convert", {"hf": str(hf), "out": str(out), "type": CT2_TYPES[weights]})
    return out


def latimer_model(arguments, name: str, hf: Path, weights: str) -> Path:
    tile = ["--tile", arguments.tile] if weights == "int8" and arguments.tile else []
    out = arguments.cache / f"{'-'.join([name, weights, *tile[1:]])}.ltm"
    converter = arguments.latimer / "latimer-convert"
    if not is_fresh(out, newest_change(hf), converter.stat().st_mtime):
        print(f"converting {name} for Latimer {weights}", file=sys.stderr)
        command = [converter, hf, "-o", out, "--weights", weights, "--no-tokenizer", *tile]
        subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)
    return out


# --- rounds and report -------------------------------------------------------------------------


def contestants(arguments) -> list[tuple[str, str]]:
    """(engine, weights), in turn order."""
    engines = {"both": ["latimer", "ct2"]}.get(arguments.only, [arguments.only])
    return [(engine, weights) for weights in arguments.weights for engine in engines]


def run_load(arguments, load: str) -> dict[str, list[dict]]:
    """All rounds of one load: contestant label -> one dictionary of figures per round."""
    if load == "shape":
        name, hf = arguments.shape, shape_folder(arguments)
        vocabulary = json.loads((hf / "config.json").read_text())["vocab_size"]
        rng = random.Random(1)
        ids = [rng.randrange(2, vocabulary - 1) for _ in range(arguments.source_tokens - 1)] + [0]
        sentences = [ids]
    else:
        name, hf = "en-de", ROOT / "examples/en-de"
        fixture = [json.loads(line) for line in open(hf / "fixture.jsonl", encoding="utf-8")]
        sentences = [row["source"] for row in fixture]
        expected = [row["target"] for row in fixture]

    players = contestants(arguments)
    build = {"latimer": latimer_model, "ct2": ct2_model}
    models = {(e, w): build[e](arguments, name, hf, w) for e, w in players}
    rounds: dict[str, list[dict]] = {f"{e} {w}": [] for e, w in players}
    for number in range(arguments.rounds):
        order = players if number % 2 == 0 else players[::-1]
        for engine, weights in order:
            model = models[engine, weights]
            if engine == "ct2":
                job = {
                    "model": str(model), "type": CT2_TYPES[weights], "load": load,
                    "sentences": [token_names(ids) for ids in sentences],
                    "target_tokens": arguments.target_tokens, "repeat": arguments.repeat,
                }
                figures = run_worker("ct2", job)
            elif load == "shape":
                figures = run_latimer_bench(
                    arguments, model, arguments.source_tokens, arguments.target_tokens
                )
            else:
                figures = run_latimer_demo(arguments, model, sentences)
            if outputs := figures.pop("outputs", None):
                if engine == "ct2":
                    outputs = [token_ids(names) for names in outputs]
                figures["target_tokens"] = sum(map(len, outputs))
                figures["same_as_fixture"] = sum(a == b for a, b in zip(outputs, expected))
                for suffix in ("", "_median"):
                    whole = figures[f"ms_per_sentence{suffix}"] * len(outputs)
                    figures[f"ms_per_token{suffix}"] = whole / figures["target_tokens"]
            figures["model_bytes"] = (
                (model / "model.bin") if engine == "ct2" else model
            ).stat().st_size
            rounds[f"{engine} {weights}"].append(figures)
            print(f"{load} round {number + 1}: {engine} {weights} done", file=sys.stderr)
    return rounds


def summarize(rounds: list[dict]) -> dict:
    """Best of all rounds for NAME, median of the rounds' medians for NAME_median."""
    merged = {}
    for name, value in rounds[0].items():
        values = [figures[name] for figures in rounds]
        if not isinstance(value, (int, float)):
            merged[name] = value
        elif name.endswith("_median"):
            merged[name] = statistics.median(values)
        elif name.endswith("_ms") or name.startswith("ms_"):
            merged[name] = min(values)
            merged.setdefault(f"{name}_median", statistics.median(values))
        else:
            merged[name] = statistics.median(values)
    return merged


COLUMNS = {
    "shape": ["ms_per_token", "encode_ms", "total_ms", "load_ms"],
    "demo": ["ms_per_sentence", "ms_per_token", "load_ms"],
}


def table(load: str, results: dict[str, dict]) -> str:
    """Markdown: minimum (median) per column, and CTranslate2's ratio to Latimer."""
    names = COLUMNS[load]
    header = ["", *(n.replace("_", " ") for n in names), "peak RSS MB", "own RSS MB", "model MB"]
    if load == "demo":
        header += ["target tokens", "same as fixture"]
    rows = [header, ["---"] * len(header)]

    def megabytes(figures, name):
        return f"{figures[name] / 1e6:.1f}" if name in figures else ""

    for label, figures in results.items():
        row = [label]
        for name in names:
            row.append(
                f"{figures[name]:.3f} ({figures[name + '_median']:.3f})" if name in figures else ""
            )
        row += [megabytes(figures, n) for n in ("peak_rss_bytes", "own_rss_bytes", "model_bytes")]
        if load == "demo":
            row += [f"{figures['target_tokens']:.0f}", f"{figures['same_as_fixture']:.0f} / 200"]
        rows.append(row)
    for weights in CT2_TYPES:
        ours, theirs = results.get(f"latimer {weights}"), results.get(f"ct2 {weights}")
        if ours and theirs:
            row = [f"ct2 / latimer, {weights}"]
            for name in names + ["peak_rss_bytes"]:
                both = name in ours and name in theirs
                row.append(f"{theirs[name] / ours[name]:.2f}" if both else "")
            rows.append(row + [""] * (len(header) - len(row)))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def machine(arguments) -> dict:
    environment = os.environ | {"LC_ALL": "C"}
    lscpu = subprocess.run(
        ["lscpu"], stdout=subprocess.PIPE, text=True, check=True, env=environment
    ).stdout
    fields = dict(line.split(":", 1) for line in lscpu.splitlines() if ":" in line)
    return {
        "cpu": fields["Model name"].strip(), "cpus": os.cpu_count(),
        "family_model": f"{fields['CPU family'].strip()}/{fields['Model'].strip()}"
        if "CPU family" in fields else "",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "date": datetime.date.today().isoformat(), "pinned_to_cpu": arguments.cpu, "threads": 1,
    }


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latimer", type=Path, default=ROOT / "build/host/bin",
                        help="folder of latimer and latimer-convert")
    parser.add_argument("--only", choices=("both", "latimer", "ct2"), default="both")
    parser.add_argument("--loads", nargs="+", choices=("shape", "demo"), default=["shape", "demo"])
    parser.add_argument("--weights", nargs="+", choices=tuple(CT2_TYPES), default=["int8"])
    parser.add_argument("--tile", help="of Latimer's int8 weights; default is the converter's")
    parser.add_argument("--shape", default="opus-mt", help="a shape of make_shape.py")
    parser.add_argument("--source-tokens", type=int, default=32)
    parser.add_argument("--target-tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=5, help="repetitions within a round")
    parser.add_argument("--cpu", type=int, default=os.cpu_count() - 1)
    parser.add_argument("--cache", type=Path, default=Path(
        os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "latimer-bench")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--worker", choices=("ct2", "convert"), help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    if arguments.worker:
        worker = {"ct2": worker_ct2, "convert": worker_convert}[arguments.worker]
        print(json.dumps(worker(json.load(sys.stdin))))
        return
    if arguments.only != "ct2" and not (arguments.latimer / "latimer").exists():
        sys.exit(f"no latimer in {arguments.latimer}: build it, or use --only ct2")
    arguments.cache.mkdir(parents=True, exist_ok=True)
    os.sched_setaffinity(0, {arguments.cpu})  # every process started from here inherits it

    report = {"machine": machine(arguments), "loads": {}}
    print(", ".join(f"{k} {v}" for k, v in report["machine"].items()))
    for load in arguments.loads:
        rounds = run_load(arguments, load)
        results = {label: summarize(values) for label, values in rounds.items()}
        report["loads"][load] = {"summary": results, "rounds": rounds}
        tokens = f", S={arguments.source_tokens}, T={arguments.target_tokens}"
        name = arguments.shape + tokens if load == "shape" else "en-de, 200 sentences by ids"
        print(f"\n{name}: minimum (median) of {arguments.rounds} rounds of {arguments.repeat}\n")
        print(table(load, results))
    report["settings"] = {
        "shape": arguments.shape, "source_tokens": arguments.source_tokens,
        "target_tokens": arguments.target_tokens, "rounds": arguments.rounds,
        "repeat": arguments.repeat,
    }
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
