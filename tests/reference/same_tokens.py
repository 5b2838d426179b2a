"""Prints the SHA-256 of transformers' token ids for the demo model: the f32 lines of
tests/data/same_tokens.sha256. Also makes the demo's fixture of its first 200 lines.

    python tests/reference/same_tokens.py [--model examples/en-de] [--lines 1000]
        [--ids FILE] [--fixture examples/en-de/fixture.jsonl]

The ids are those of the first lines of examples/en-de/data/test.en by greedy search in
float32, one line per sentence, separated by spaces, without the start token, with </s>.
"""

import argparse
import hashlib
import json
from pathlib import Path

import torch
import transformers
from transformers import MarianMTModel, MarianTokenizer

DEMO = Path(__file__).resolve().parents[2] / "examples" / "en-de"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, default=DEMO)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--ids", type=Path, help="also write the ids to this file")
    parser.add_argument("--fixture", type=Path, help="also write texts and ids of the first 200 lines to this file")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    tokenizer = MarianTokenizer.from_pretrained(arguments.model)
    model = MarianMTModel.from_pretrained(arguments.model, dtype=torch.float32).eval()
    sentences = (DEMO / "data" / "test.en").read_text(encoding="utf-8").splitlines()[: arguments.lines]
    references = (DEMO / "data" / "test.de").read_text(encoding="utf-8").splitlines()
    text, rows = "", []
    closest = float("inf")
    with torch.no_grad():
        for sentence, reference in zip(sentences, references):
            inputs = tokenizer([sentence], return_tensors="pt")
            outputs = model.generate(
                **inputs, num_beams=1, do_sample=False, output_logits=True,
                return_dict_in_generate=True,
            )
            ids = outputs.sequences[0, 1:].tolist()
            text += " ".join(map(str, ids)) + "\n"
            rows.append({"source_text": sentence, "source": inputs.input_ids[0].tolist(), "target": ids,
                         "target_text": tokenizer.decode(ids, skip_special_tokens=True), "reference": reference})
            for logits in outputs.logits:
                best = torch.topk(logits[0, :-1], 2).values  # <pad>, the last, is banned.
                closest = min(closest, (best[0] - best[1]).item())
    if arguments.ids:
        arguments.ids.write_text(text)
    if arguments.fixture:
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows[:200]]
        arguments.fixture.write_text("".join(lines), encoding="utf-8")
    for count in sorted({arguments.lines, 200, 20}, reverse=True):
        first = "".join(text.splitlines(keepends=True)[:count])
        print(f"{hashlib.sha256(first.encode()).hexdigest()}  f32 {count}")
    print(f"transformers {transformers.__version__}; smallest gap between the two best logits "
          f"{closest:.1e}")


if __name__ == "__main__":
    main()
