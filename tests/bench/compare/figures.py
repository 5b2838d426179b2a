"""From runs to figures: what each means, and how rounds are combined.

A figure is (minimum, median, spread) of its rounds: the best over all rounds (the least of times,
the most of tokens/s), the median of the rounds' medians, and how far the rounds' bests lie apart,
as a share of the best.
"""

import statistics
from dataclasses import dataclass


@dataclass
class Figure:
    best: float
    median: float
    spread: float

    def as_json(self) -> dict:
        return {"best": self.best, "median": self.median, "spread": self.spread}


def of_rounds(bests: list[float], medians: list[float], more_is_better: bool = False) -> Figure:
    best = max(bests) if more_is_better else min(bests)
    return Figure(best, statistics.median(medians), (max(bests) - min(bests)) / best)


def single_of(run: dict) -> dict[str, tuple[float, float]]:
    """ms_per_token, encode_ms, ms_per_sentence of one run: minimum and median.

    What a further token takes is (all - one) / (tokens - sentences): of the times with all tokens
    and with one token of each sentence. The rest of the time with one token is the encoder.
    """
    if "latimer" in run:
        bench = run["latimer"]
        return {name: (bench[name], bench[f"{name}_median"])
                for name in ("ms_per_token", "encode_ms", "ms_per_sentence")}
    single = run["single"]
    count = single["sentences"]
    further = max(single["tokens"] - count, 1)
    both = {}
    for pick in (min, statistics.median):
        everything, one = pick(single["all_ms"]), pick(single["one_ms"])
        per_token = (everything - one) / further
        values = {"ms_per_token": per_token, "encode_ms": one / count - per_token,
                  "ms_per_sentence": everything / count}
        for name, value in values.items():
            both.setdefault(name, []).append(value)
    return {name: tuple(pair) for name, pair in both.items()}


def summarize(runs: list[dict]) -> dict[str, Figure]:
    """All figures of one contestant's rounds."""
    summary = {}
    singles = [single_of(run) for run in runs]
    for name in ("ms_per_token", "encode_ms", "ms_per_sentence"):
        pairs = [single[name] for single in singles]
        summary[name] = of_rounds([p[0] for p in pairs], [p[1] for p in pairs])
    for name in ("load_ms", "peak_rss_bytes", "own_rss_bytes"):
        values = [run[name] for run in runs]
        summary[name] = of_rounds(values, values)
    for size in runs[0]["batches"]:
        rates = [run["batches"][size]["tokens_per_s"] for run in runs]
        summary[f"batch {size}"] = of_rounds(
            [max(r) for r in rates], [statistics.median(r) for r in rates], more_is_better=True)
    return summary


def lengths_of(runs: list[dict]) -> dict[int, float]:
    """ms per sentence by length, the best of all rounds."""
    best: dict[int, float] = {}
    for run in runs:
        for tokens, times in run["lengths"].items():
            best[int(tokens)] = min(best.get(int(tokens), float("inf")), *times)
    return best


def count_same(run: dict, expected: list[list[int]] | None) -> None:
    """Replaces outputs by the number of those that are as expected.

    Sentences one at a time may be the first ones of those in batches.
    """
    for part in [run["single"], *run["batches"].values()]:
        outputs = part.pop("outputs")
        part["sentences"], part["tokens"] = len(outputs), sum(map(len, outputs))
        if expected is not None:
            part["same"] = sum(a == b for a, b in zip(outputs, expected))
