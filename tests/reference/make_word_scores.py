"""Makes tests/data/word_scores.jsonl: mean log-probabilities of words and sentences, from transformers' scores.

A word's score is the mean of its tokens' log-probabilities, as in Bergamot's UnsupervisedQualityEstimator; EOS belongs
to no word. A sentence's is the mean over all tokens, EOS included.
"""

import argparse
import json
from pathlib import Path

import torch
import transformers
from transformers import MarianMTModel, MarianTokenizer

LINES = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path, help="examples/en-de")
    parser.add_argument("out", type=Path, help="tests/data/word_scores.jsonl")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    model = MarianMTModel.from_pretrained(arguments.model, dtype=torch.float32).eval()
    tokenizer = MarianTokenizer.from_pretrained(arguments.model)
    lines = (arguments.model / "data" / "test.en").read_text().splitlines()
    with open(arguments.out, "w") as out:
        for line in lines[100 : 100 + LINES]:
            result = model.generate(**tokenizer(line, return_tensors="pt"), num_beams=1, do_sample=False,
                                    return_dict_in_generate=True, output_scores=True)
            scores = model.compute_transition_scores(result.sequences, result.scores, normalize_logits=True)[0].tolist()
            ids = result.sequences[0].tolist()[1:]
            words: list[list[float]] = []
            for piece, score in zip(tokenizer.convert_ids_to_tokens(ids), scores):
                if piece == tokenizer.eos_token:
                    continue
                if piece.startswith("\u2581") or not words:
                    words.append([])
                words[-1].append(score)
            text = tokenizer.decode(ids, skip_special_tokens=True)
            texts = text.split()
            if len(texts) != len(words):
                continue  # A piece that is a space alone.
            begin, row_words = 0, []
            data = text.encode()
            for word, parts in zip(texts, words):
                begin = data.index(word.encode(), begin)
                end = begin + len(word.encode())
                row_words.append([begin, end, round(sum(parts) / len(parts), 5)])
                begin = end
            row = {"source_text": line, "text": text, "mean": round(sum(scores) / len(scores), 5), "words": row_words}
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
