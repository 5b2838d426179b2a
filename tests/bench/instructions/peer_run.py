"""One run of a peer in the emulated Python: sentences in, generated ids out.

    peer_run.py COMPARE_FOLDER MODULE MODEL WEIGHTS TIMES LEAST MOST < sentences

Translates all sentences TIMES times, each by itself, with LEAST to MOST tokens, and prints the ids
of the last time.
"""

import importlib
import sys
from pathlib import Path


def main() -> None:
    folder, module, model, weights, times, least, most = sys.argv[1:]
    sys.path.insert(0, folder)
    sentences = [list(map(int, line.split())) for line in sys.stdin]
    engine = importlib.import_module(module).Engine(Path(model), weights, 1)
    batches = [engine.prepare([ids]) for ids in sentences]
    for _ in range(int(times)):
        results = [engine.translate(batch, int(least), int(most)) for batch in batches]
    for result in results:
        print(*engine.ids(result)[0])


if __name__ == "__main__":
    main()
