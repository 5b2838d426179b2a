"""Makes beams.json beside each fixture.json of Hugging Face models: what generate() finds with beams.

Rows whose hypotheses float64 would order differently, or whose scores are closer than 1e-4, are left out.
"""

import copy
import json
from pathlib import Path

import torch
import transformers
from transformers import AutoModelForSeq2SeqLM

import tiny_fixture

ROWS = 5
MARGIN = 1e-4
CASES = [
    {"num_beams": 2},
    {"num_beams": 4, "length_penalty": 0.6},
    {"num_beams": 6, "length_penalty": 1.0, "early_stopping": "never"},
    {"num_beams": 3, "length_penalty": 2.0, "early_stopping": True, "no_repeat_ngram_size": 2},
]


def search(model, source: list[int], case: dict, max_new_tokens: int) -> list[tuple[list[int], float]]:
    """The hypotheses of one source, best first: ids after the start token, and the score."""
    result = model.generate(
        torch.tensor([source]), do_sample=False, max_new_tokens=max_new_tokens, num_return_sequences=case["num_beams"],
        return_dict_in_generate=True, output_scores=True,
        use_cache=False,  # Its cache does not take different numbers of layers in encoder and decoder.
        **case)
    eos = model.generation_config.eos_token_id
    found = []
    for ids, score in zip(result.sequences.tolist(), result.sequences_scores.tolist()):
        ids = ids[1:]
        found.append((ids[: ids.index(eos) + 1] if eos in ids else ids, score))
    return found


def is_clear(exact, found) -> bool:
    """Whether rounding cannot have changed the result."""
    if [ids for ids, _ in exact] != [ids for ids, _ in found]:
        return False
    scores = [score for _, score in found]
    return all(a - b > MARGIN for a, b in zip(scores, scores[1:]))


def make(folder: Path) -> str:
    fixture = json.loads((folder / "fixture.json").read_text())
    model = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
    exact = copy.deepcopy(model).double()
    most = fixture["max_new_tokens"]
    cases, left = [], 0
    for case in CASES:
        rows = []
        for row in fixture["sequences"]:
            found = search(model, row["src_ids"], case, most)
            if not is_clear(search(exact, row["src_ids"], case, most), found):
                left += 1
            elif len(rows) < ROWS:
                rows.append({"src_ids": row["src_ids"], "hypotheses": [ids for ids, _ in found],
                             "scores": [round(score, 6) for _, score in found]})
        cases.append((case, rows))
    about = f"generate() of transformers {transformers.__version__} with the options of each case and the folder"
    tiny_fixture.write_cases(folder / "beams.json", about, {"max_new_tokens": most}, cases)
    return f"{folder}: {sum(len(rows) for _, rows in cases)} rows, {left} too close to call"


if __name__ == "__main__":
    tiny_fixture.run_beside_fixtures(__doc__, make)
