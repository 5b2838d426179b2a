"""BLEU and chrF of a model on test texts, and its translations of everyday sentences, to be read.

    python evaluate.py FOLDER [--text data/test] [--text ../shared/text/flores-devtest] [--lines 200] [--beams 4]
                              [--read data/everyday.en] [--read more.en]

FOLDER is in Hugging Face's Marian format. --text names a pair of files, NAME.en and NAME.de; --read a file of lines.
"""

import argparse
from pathlib import Path

import sacrebleu
import torch
from transformers import MarianMTModel

from common import DATA, Tokenizer, read_lines, translate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--text", action="append", help="default: data/test")
    parser.add_argument("--read", type=Path, action="append", help="default: data/everyday.en")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--lines", type=int, default=None, help="only the first lines")
    parser.add_argument("--beams", type=int, default=1)
    parser.add_argument("--rows", type=int, default=512, help="hypotheses of 16 tokens at a time")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    tokenizer = Tokenizer(arguments.folder)
    model = MarianMTModel.from_pretrained(arguments.folder).float()
    for name in arguments.text or [str(DATA / "test")]:
        source, reference = (read_lines(Path(f"{name}.{side}"))[: arguments.lines] for side in ("en", "de"))
        found = translate(model, tokenizer, source, arguments.beams, arguments.rows)
        bleu, chrf = sacrebleu.corpus_bleu(found, [reference]), sacrebleu.corpus_chrf(found, [reference])
        print(f"{name}: {len(source)} lines, BLEU {bleu.score:.1f}, chrF {chrf.score:.1f}", flush=True)
    for path in arguments.read or [DATA / "everyday.en"]:
        source = read_lines(path)[: arguments.lines]
        for line, german in zip(source, translate(model, tokenizer, source, arguments.beams, arguments.rows)):
            print(f"{line}\t{german}")


if __name__ == "__main__":
    main()
