"""Makes choices.json beside each fixture.json of Hugging Face models: generate() with a prefix and banned words.

Each row has a source, the first ids of the translation (after the start token and what the model forces after it),
banned sequences, and what generate(decoder_input_ids, bad_words_ids) finds. Rows that float64 would decide otherwise
are left out.
"""

import copy
import json
from pathlib import Path

import torch
import transformers
from transformers import AutoModelForSeq2SeqLM

import tiny_fixture

ROWS = 4
BEAMS = [1, 4]
LENGTH_PENALTY = 0.7


def translate(model, row: dict, beams: int, max_tokens: int) -> list[int]:
    """The ids after the start token, the prefix included."""
    config = model.generation_config
    given = [config.decoder_start_token_id]
    if row["prefix"]:
        if config.forced_bos_token_id is not None:
            given.append(config.forced_bos_token_id)
        given += row["prefix"]
    banned = row["banned"] + (config.bad_words_ids or [])
    ids = model.generate(
        torch.tensor([row["src_ids"]]), decoder_input_ids=torch.tensor([given]), do_sample=False, num_beams=beams,
        length_penalty=LENGTH_PENALTY, max_new_tokens=max_tokens + 1 - len(given), bad_words_ids=banned or None,
        use_cache=False)[0].tolist()[1:]  # As in make_beams.py.
    eos = config.eos_token_id
    return ids[: ids.index(eos) + 1] if eos in ids else ids


def rows_of(fixture: dict, special: set[int]) -> list[dict]:
    """Each row's own translation without some of its tokens, and one that begins like that of another row."""
    rows = []
    sequences = fixture["sequences"]
    for row, other in zip(sequences, sequences[1:] + sequences[:1]):
        words = [id for id in row["output_ids"] if id not in special]
        start = [id for id in other["output_ids"] if id not in special][:3]
        if len(words) < 4 or len(start) < 2:
            continue
        banned = [[words[1]], words[2:4]]
        rows.append({"src_ids": row["src_ids"], "prefix": start, "banned": []})
        rows.append({"src_ids": row["src_ids"], "prefix": [], "banned": banned})
        rows.append({"src_ids": row["src_ids"], "prefix": start[:1], "banned": banned})
    return rows


def make(folder: Path) -> str:
    fixture = json.loads((folder / "fixture.json").read_text())
    model = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
    exact = copy.deepcopy(model).double()
    most = fixture["max_new_tokens"]
    config = model.generation_config
    special = {id for id in (config.eos_token_id, config.pad_token_id, config.decoder_start_token_id,
                             config.forced_bos_token_id) if id is not None}
    cases, left = [], 0
    for beams in BEAMS:
        rows = []
        for row in rows_of(fixture, special):
            if len(rows) == ROWS * 3:
                break
            ids = translate(model, row, beams, most)
            if translate(exact, row, beams, most) != ids:
                left += 1
                continue
            rows.append({**row, "output_ids": ids})
        cases.append(({"num_beams": beams, "length_penalty": LENGTH_PENALTY}, rows))
    about = f"generate() of transformers {transformers.__version__} with decoder_input_ids and bad_words_ids"
    tiny_fixture.write_cases(folder / "choices.json", about, {"max_tokens": most}, cases)
    return f"{folder}: {sum(len(rows) for _, rows in cases)} rows, {left} too close to call"


if __name__ == "__main__":
    tiny_fixture.run_beside_fixtures(__doc__, make)
