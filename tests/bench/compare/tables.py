"""Markdown of a report, ready to paste."""

import contestants
import figures

# name, title, digits
TIMES = (
    ("ms_per_token", "ms per token"), ("encode_ms", "encode ms"),
    ("ms_per_sentence", "ms per sentence"), ("load_ms", "load ms"),
)


def number(value: float) -> str:
    """Three digits that count."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 0.1 else f"{value:.2g}"


def cell(figure: figures.Figure) -> str:
    return (f"{number(figure.best)} ({number(figure.median)}, "
            f"{100 * figure.spread:.0f} %)")


def megabytes(figure: figures.Figure) -> str:
    return number(figure.best / 1e6)


def markdown(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def batch_names(summary: dict) -> list[str]:
    return [name for name in summary if name.startswith("batch ")]


def speed_table(summaries: dict[str, dict], same: dict[str, str]) -> str:
    """One row for each contestant; `same` is empty where nothing is expected."""
    batches = batch_names(next(iter(summaries.values())))
    header = ["", *(title for _, title in TIMES), "peak RSS, MB (own)",
              *(f"tokens/s, {name}" for name in batches)]
    rows = [header + (["same ids as f32"] if same else [])]
    for name, summary in summaries.items():
        row = [contestants.TITLES[name], *(cell(summary[time]) for time, _ in TIMES),
               f"{megabytes(summary['peak_rss_bytes'])} ({megabytes(summary['own_rss_bytes'])})",
               *(cell(summary[batch]) for batch in batches)]
        rows.append(row + ([same[name]] if same else []))
    return markdown(rows)


def ratio_table(summaries: dict[str, dict]) -> str:
    """How many times better Latimer's best is; int8 peers beside int8 and int6, f32 beside f32."""
    batches = batch_names(next(iter(summaries.values())))
    rows = [["Latimer is better by", *(title for _, title in TIMES), "peak RSS",
             *(f"tokens/s, {name}" for name in batches)]]
    for name, peer in summaries.items():
        weights = name.rpartition("-")[2]
        for mine in (weights, "int6") if weights == "int8" else (weights,):
            ours = summaries.get(f"latimer-{mine}")
            if name.startswith("latimer") or ours is None:
                continue
            values = [peer[n].best / ours[n].best
                      for n in (*(time for time, _ in TIMES), "peak_rss_bytes")]
            values += [ours[b].best / peer[b].best for b in batches]
            which = "" if mine == weights else f"{mine} "
            rows.append([f"{which}than {contestants.TITLES[name]}", *(f"{v:.2f}" for v in values)])
    return markdown(rows) if len(rows) > 1 else ""


def bound_table(profile: dict) -> str:
    """Latimer's time by operation, and the time that reading the weights alone takes."""
    rows = [["decoder, a token", "ms", "share", "weights, MB", "GB/s", "of the bandwidth"]]
    for row in [*profile["decoder"], profile["decoder_total"]]:
        weights = ["", "", ""]
        if "weight_bytes" in row:
            weights = [number(row["weight_bytes"] / 1e6), number(row["gb_per_s"]),
                       f"{100 * row['share_of_bandwidth']:.0f} %"]
        rows.append([row["operation"].replace("_", " "), number(row["ms"]),
                     f"{100 * row['share']:.0f} %", *weights])
    rows.append([""] * 6)
    for phase, title in (("encoder", "encoder"), ("cross_kv", "cross k/v")):
        for row in profile[phase]:
            rows.append([f"{title}, a sentence: {row['operation'].replace('_', ' ')}",
                         number(row["ms"]), f"{100 * row['share']:.0f} %", "", "", ""])
    rates = [f"{name} {number(rate)}" for name, rate in profile["read_gb_per_s"].items() if rate]
    text = markdown(rows) + f"\n\nReading, GB/s: {', '.join(rates)}.\n"
    if tokenizer := profile.get("tokenizer"):
        text += (f"Tokenizer, {tokenizer['text_bytes']} bytes of text: "
                 f"{number(1e3 * tokenizer['encode_ms'])} µs to ids, "
                 f"{number(1e3 * tokenizer['decode_ms'])} µs back.\n")
    return text


def same_counts(runs: dict[str, list[dict]]) -> dict[str, str]:
    """"198 / 200", of the last round, one sentence at a time if that was done with all."""
    counts = {}
    for name, rounds in runs.items():
        part = max([rounds[-1]["single"], *rounds[-1]["batches"].values()],
                   key=lambda part: part["sentences"])
        if "same" in part:
            counts[name] = f"{part['same']} / {part['sentences']}"
    return counts


def threads_text(threads: int) -> str:
    return "one thread" if threads == 1 else f"{threads} threads"


def report_text(report: dict) -> str:
    machine = report["machine"]
    parts = [f"{machine['date']}, {machine['cpu']}, {machine['cpus']} processors, L2 "
             f"{machine['l2']}, L3 {machine['l3']}, {machine['system']}. "
             + ", ".join(report["versions"].values()) + "."]
    if report.get("isa"):
        parts.append(f"Limited to {report['isa']}, except for ONNX Runtime, slimt and fxtranslate, "
                     "which use what they choose.")
    if report.get("beams", 1) > 1:
        parts.append(f"Searched with {report['beams']} beams.")
    if report.get("workers", 1) > 1:
        parts.append(f"Batches by {report['workers']} workers.")
    for name, load in report["loads"].items():
        for threads, runs in load["runs"].items():
            rounds = max(map(len, runs.values()))
            summaries = {who: figures.summarize(r) for who, r in runs.items()}
            parts += [f"### {load['about'][0].upper()}{load['about'][1:]}, "
                      f"{threads_text(int(threads))}",
                      f"Best of {rounds} rounds (median, spread of the rounds' bests).",
                      speed_table(summaries, same_counts(runs)), ratio_table(summaries)]
        for threads, profile in load.get("profiles", {}).items():
            parts += [f"### Latimer int8 beside the machine: {name}, "
                      f"{threads_text(int(threads))}", bound_table(profile)]
    return "\n\n".join(part for part in parts if part)
