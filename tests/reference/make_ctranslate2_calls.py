"""Calls of CTranslate2's Translator, and what they return: tests/data/ctranslate2_calls.json.

    python tests/reference/make_ctranslate2_calls.py

Needs ctranslate2 4.8.5. The models are the folders of tests/data/ctranslate2, of make_ctranslate2.py.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import ctranslate2

FOLDERS = Path(__file__).parents[1] / "data" / "ctranslate2"
TEXTS = 4
ENDS = ("</s>", "t0")
CALLS = {
    "marian": [
        {},
        {"beam_size": 4, "num_hypotheses": 4, "length_penalty": 0.2},
        {"beam_size": 3, "length_penalty": 0},
        {"beam_size": 1, "min_decoding_length": 5},
        {"beam_size": 1, "repetition_penalty": 1.5, "no_repeat_ngram_size": 2},
        {"beam_size": 3, "no_repeat_ngram_size": 2, "disable_unk": True, "return_end_token": True},
        {"max_input_length": 3, "max_decoding_length": 4},
        {"beam_size": 1, "return_attention": True, "max_batch_size": 1},
    ],
    "opennmt_py": [
        {"beam_size": 1, "length_penalty": 0.5},
        # In a batch of several lengths CTranslate2 gives attention to the padding.
        {"beam_size": 2, "return_attention": True, "max_batch_size": 1},
        {"return_alternatives": True, "num_hypotheses": 3, "prefix": 2, "beam_size": 1},
        {"return_alternatives": True, "num_hypotheses": 2, "beam_size": 2},
    ],
    "m2m100": [{"beam_size": 4, "prefix": 1, "num_hypotheses": 3}],
    "mbart50": [{"beam_size": 1, "prefix": 1}, {"beam_size": 2, "prefix": 2}],
    "t5": [{"beam_size": 2, "prefix": 2}],
}


def words(folder: str, generator: random.Random) -> tuple[list[list[str]], list[str]]:
    """Sources of ordinary tokens, and what targets begin with."""
    path = next((FOLDERS / folder).glob("*_vocabulary.json"))
    tokens = json.loads(path.read_text("utf-8"))
    ordinary = [token for token in tokens if not token.startswith("<")]
    sources = [generator.choices(ordinary, k=2 + 3 * text) for text in range(TEXTS)]
    languages = [token for token in ("__de__", "de_DE") if token in tokens]
    return sources, languages + generator.choices(ordinary, k=2)


def main() -> None:
    generator = random.Random(7)
    calls = []
    for folder, all_options in CALLS.items():
        translator = ctranslate2.Translator(str(FOLDERS / folder), compute_type="float32")
        for options in all_options:
            sources, start = words(folder, generator)
            count = options.pop("prefix", 0)
            options = {"return_scores": True, "max_decoding_length": 12, **options}
            prefix = [start[:count]] * len(sources) if count else None
            results = translator.translate_batch(sources, prefix, **options)
            targets = [[token for token in result.hypotheses[0] if token not in ENDS] for result in results]
            # Corpora have empty lines.
            pairs = ([*sources, sources[0]], [*targets, []])
            scored = translator.score_batch(*pairs) if folder != "mbart50" else []
            calls.append({
                "folder": folder,
                "sources": sources,
                "prefix": prefix,
                "options": options,
                "hypotheses": [result.hypotheses for result in results],
                "scores": [result.scores for result in results],
                "attention": [result.attention for result in results],
                "log_probs": [result.log_probs for result in scored],
            })
    text = json.dumps(calls, ensure_ascii=False, indent=0)
    # Five digits are enough.
    text = json.dumps(json.loads(text, parse_float=lambda number: round(float(number), 5)), ensure_ascii=False)
    FOLDERS.with_name("ctranslate2_calls.json").write_text(text.replace('{"folder"', '\n{"folder"') + "\n", "utf-8")


if __name__ == "__main__":
    main()
