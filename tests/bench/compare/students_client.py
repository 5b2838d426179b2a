"""One run of a peer on text, in a process of its own, as students.py times it: a job in, figures out, as JSON."""

import importlib
import json
import sys
import time
from pathlib import Path

from worker import peak_rss, timed


def main() -> None:
    job = json.load(sys.stdin)
    module = importlib.import_module(f"peer_{job['engine']}")
    module.import_all()
    lines = job["lines"]
    load_ms, engine = timed(lambda: module.Engine(Path(job["folder"]), "int8", job["workers"]))
    first_ms, _ = timed(lambda: engine.translate_text(lines[0]))

    def translate():
        return engine.translate_texts(lines) if job["together"] else list(map(engine.translate_text, lines))

    before = time.process_time()
    wall, texts = timed(translate)
    cpu = (time.process_time() - before) * 1e3
    print(json.dumps({"cpu_ms": cpu / len(lines), "wall_ms": wall / len(lines), "load_ms": load_ms,
                      "first_ms": load_ms + first_ms, "peak_rss_bytes": peak_rss(), "texts": texts}))


if __name__ == "__main__":
    main()
