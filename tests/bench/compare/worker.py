"""One run of one peer, in a process of its own: a job in, figures out, as JSON.

    worker.py < job.json
    worker.py --convert MODULE HUGGING_FACE_FOLDER OUT WEIGHTS

An engine is a class with
    version: str
    __init__(model: Path, weights: str, threads: int)      loads; its time is load_ms
    prepare(sources: list[list[int]]) -> batch             not timed
    translate(batch, least: int, most: int) -> result      one batch
    ids(result) -> list[list[int]]                         not timed; </s> included
    beams: int                                             set after loading, if it has them
and, if it has workers, a fourth argument for their number, and
    translate_all(batches, least: int, most: int)          all batches, side by side
"""

import importlib
import json
import sys
import time
from pathlib import Path


def peak_rss(process: int | str = "self") -> int:
    """Peak resident bytes; 0 if it has ended. Not ru_maxrss: a child inherits its parent's."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def timed(function) -> tuple[float, object]:
    """Milliseconds of one call, and its result."""
    start = time.perf_counter()
    result = function()
    return (time.perf_counter() - start) * 1e3, result


def repeated(function, repeat: int, budget_s: float) -> list[float]:
    """Times of up to `repeat` calls; no further one once the budget is spent."""
    times = []
    while not times or (len(times) < repeat and sum(times) < budget_s * 1e3):
        times.append(timed(function)[0])
    return times


def run_single(engine, job: dict) -> dict:
    """Each sentence by itself: with one token, and with all."""
    batches = [engine.prepare([ids]) for ids in job["sentences"]]
    least, most = job["bounds"]
    engine.translate(batches[0], least, most)  # what is only done once is not in the times
    results = [engine.translate(batch, least, most) for batch in batches]
    outputs = [engine.ids(result)[0] for result in results]
    if least:
        assert all(len(output) == most for output in outputs), "a translation has another length"

    def all_tokens():
        for batch in batches:
            engine.translate(batch, least, most)

    def one_token():
        for batch in batches:
            engine.translate(batch, 1, 1)

    repeat, budget = job["repeat"], job["budget_s"]
    return {"all_ms": repeated(all_tokens, repeat, budget), "one_ms":
            repeated(one_token, repeat, budget), "outputs": outputs}


def run_batches(engine, job: dict, size: int) -> dict:
    """All sentences, sorted by length, `size` at a time."""
    order = sorted(range(len(job["batch_sentences"])),
                   key=lambda i: len(job["batch_sentences"][i]))
    chunks = [order[i : i + size] for i in range(0, len(order), size)]
    batches = [engine.prepare([job["batch_sentences"][i] for i in chunk]) for chunk in chunks]
    least, most = job["batch_bounds"]
    outputs = [[]] * len(order)
    for chunk, batch in zip(chunks, batches):
        for i, ids in zip(chunk, engine.ids(engine.translate(batch, least, most))):
            outputs[i] = ids

    def all_batches():
        if job["workers"] > 1:
            engine.translate_all(batches, least, most)
            return
        for batch in batches:
            engine.translate(batch, least, most)

    tokens = sum(map(len, outputs))
    times = repeated(all_batches, job["repeat"], job["budget_s"])
    return {"tokens_per_s": [tokens / t * 1e3 for t in times], "outputs": outputs}


def run(job: dict) -> dict:
    module = importlib.import_module(job["module"])
    module.import_all()
    imported = peak_rss()
    load_ms, engine = timed(
        lambda: module.Engine(Path(job["model"]), job["weights"], job["threads"],
                              *([job["workers"]] if job["workers"] > 1 else [])))
    engine.beams = job["beams"]
    figures = {"version": engine.version, "load_ms": load_ms}
    if job["sentences"]:
        figures["single"] = run_single(engine, job)
    figures |= {"peak_rss_bytes": peak_rss(), "own_rss_bytes": peak_rss() - imported}
    figures["batches"] = {size: run_batches(engine, job, size) for size in job["batches"]}
    figures["lengths"] = {}
    for tokens, sentences in job["lengths"].items():
        batch, count = engine.prepare(sentences), int(tokens)
        figures["lengths"][tokens] = repeated(
            lambda: engine.translate(batch, count, count), job["repeat"], job["budget_s"])
    return figures


def main() -> None:
    if sys.argv[1:2] == ["--convert"]:
        module, hf, out, weights = sys.argv[2:]
        importlib.import_module(module).convert(Path(hf), Path(out), weights)
    else:
        print(json.dumps(run(json.load(sys.stdin))))


if __name__ == "__main__":
    main()
