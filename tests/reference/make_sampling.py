"""Makes tests/data/sampling.json: probabilities after the logits warpers of transformers."""

import argparse
import json
from pathlib import Path

import torch
import transformers
from transformers import MinPLogitsWarper, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

CASES = [(1.0, 0, 1.0, 0.0), (0.7, 0, 1.0, 0.0), (1.6, 5, 1.0, 0.0), (1.0, 0, 0.9, 0.0), (1.3, 0, 0.5, 0.0),
         (0.8, 12, 0.8, 0.0), (1.0, 1, 1.0, 0.0), (1.0, 0, 1e-4, 0.0), (2.5, 40, 0.95, 0.0), (1.0, 0, 1.0, 0.1),
         (2.0, 0, 1.0, 0.3), (1.5, 30, 0.9, 0.05), (1.0, 0, 1.0, 1.0)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="tests/data/sampling.json")
    arguments = parser.parse_args()
    torch.manual_seed(3)
    cases = []
    for number, (temperature, top_k, top_p, min_p) in enumerate(CASES):
        logits = torch.randn(40 + 23 * number) * 3
        scores = logits.double()[None]
        if temperature != 1.0:
            scores = TemperatureLogitsWarper(temperature)(None, scores)
        if top_k:
            scores = TopKLogitsWarper(top_k)(None, scores)
        if top_p < 1.0:
            scores = TopPLogitsWarper(top_p)(None, scores)
        if min_p > 0:
            scores = MinPLogitsWarper(min_p)(None, scores)
        probabilities = scores.softmax(-1)[0]
        cases.append({"temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p,
                      "logits": [round(x, 6) for x in logits.tolist()],
                      "probabilities": [round(x, 7) for x in probabilities.tolist()]})
    about = f"The logits warpers for temperature, top_k, top_p and min_p of transformers {transformers.__version__}"
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    arguments.out.write_text(f'{{"about": "{about}",\n"cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
