"""What the scripts that make tiny models share: source sequences, fixture files, the command line."""

import argparse
import json
import random
from pathlib import Path
from typing import Callable, Iterator

import torch


def toy_and_any_sources(
    task: dict[int, int], eos: int, rng: random.Random, any_ids: Callable[[], list[int]],
) -> Iterator[list[int]]:
    """Endless source sequences: first toy ones of growing length, then ids of the whole range."""
    symbols = list(task)
    for length in (1, 2, 3, 5, 7, 9, 11, 12):
        yield rng.choices(symbols, k=length) + [eos]
    while True:
        if rng.random() < 0.3:
            yield rng.choices(symbols, k=rng.randint(2, 16)) + [eos]
        else:
            yield any_ids() + [eos]


def write_fixture_file(folder: Path, head: dict, rows: list[dict], lines: list[str],
                       blocks: str = "", note: str = "") -> str:
    """Writes fixture.json, a row on a line; returns a summary of it. `blocks` come before the rows."""
    text = json.dumps(head, indent=1)[:-2] + blocks
    text += ',\n "sequences": [\n' + ",\n".join(lines) + "\n]}\n"
    (folder / "fixture.json").write_text(text)
    size = sum(f.stat().st_size for f in folder.iterdir())
    return (f"{folder.name:22} {note}  ids {len({i for r in rows for i in r['output_ids']}):3}  "
            f"margin {min(r['min_margin'] for r in rows):.3f}  {size / 1000:.0f} kB")


def run(doc: str, specs: dict, out: str, steps: int, make: Callable[[str, Path, int], str],
        before: Callable[[Path], None] | None = None) -> None:
    """The command line: makes all models of `specs`, or those that are named."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"from: {', '.join(specs)}")
    parser.add_argument("--out", type=Path, default=Path(out))
    parser.add_argument("--steps", type=int, default=steps)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    if before is not None:
        before(arguments.out)
    for name in arguments.names or specs:
        print(make(name, arguments.out, arguments.steps), flush=True)


def write_cases(path: Path, about: str, head: dict, cases: list[tuple[dict, list[dict]]]) -> None:
    """Writes a file of cases: each has options and rows, a row on a line."""
    texts = []
    for options, rows in cases:
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        texts.append(json.dumps(options)[:-1] + ', "rows": [\n' + lines + "\n]}")
    path.write_text(json.dumps({"about": about})[:-1] + ",\n" + json.dumps(head)[1:-1] + ',\n"cases": [\n'
                    + ",\n".join(texts) + "\n]}\n")


def run_beside_fixtures(doc: str, make: Callable[[Path], str]) -> None:
    """The command line of what makes a file beside each fixture.json of Hugging Face models."""
    import transformers

    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, help="model folders with a fixture.json")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    for folder in arguments.folders:
        if (folder / "fixture.json").exists():
            print(make(folder), flush=True)
