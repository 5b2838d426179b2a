"""Makes tests/data/target_prefix.jsonl: what transformers makes of the demo model and the first words of references.

Each line has a source, its reference with the target tokenizer's ids, the beginning of the reference with its ids, and
what generate(decoder_input_ids) finds after it, greedily and with four beams.
"""

import argparse
import copy
import json
from pathlib import Path

import torch
import transformers
from transformers import MarianMTModel, MarianTokenizer

LINES = 60
MOST = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path, help="examples/en-de")
    parser.add_argument("out", type=Path, help="tests/data/target_prefix.jsonl")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    model = MarianMTModel.from_pretrained(arguments.model, dtype=torch.float32).eval()
    exact = copy.deepcopy(model).double()
    tokenizer = MarianTokenizer.from_pretrained(arguments.model)
    start = model.generation_config.decoder_start_token_id

    def ids_of(text: str) -> list[int]:
        return tokenizer(text_target=text, add_special_tokens=False).input_ids

    def search(network, source: list[int], prefix: list[int], beams: int) -> list[int]:
        given = [start] + prefix
        return network.generate(torch.tensor([source]), decoder_input_ids=torch.tensor([given]), num_beams=beams,
                                do_sample=False, max_new_tokens=MOST - len(prefix))[0].tolist()[1:]

    data = arguments.model / "data"
    pairs = list(zip((data / "test.en").read_text().splitlines(), (data / "test.de").read_text().splitlines()))
    with open(arguments.out, "w") as out:
        for number, (source_text, reference) in enumerate(pairs[:LINES]):
            words = reference.split()
            prefix_text = " ".join(words[: 1 + number % 3])
            source = tokenizer(source_text).input_ids
            prefix = ids_of(prefix_text)
            greedy, beams = (search(model, source, prefix, n) for n in (1, 4))
            if [search(exact, source, prefix, n) for n in (1, 4)] != [greedy, beams]:
                continue
            row = {"source_text": source_text, "reference_text": reference, "reference": ids_of(reference),
                   "prefix_text": prefix_text, "prefix": prefix, "greedy": greedy, "beams_4": beams,
                   "greedy_text": tokenizer.decode(greedy, skip_special_tokens=True)}
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
