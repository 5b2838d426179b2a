"""Makes tests/data/family_texts/indictrans*: text in, text out, for IndicTrans2.

transformers has no IndicTrans: its code is published with the models. Tiny models with random weights,
and what that code's tokenizer, generate() and decode() give for texts that IndicProcessor of
IndicTransToolkit has prepared. CODE is a folder with configuration_indictrans.py, modeling_indictrans.py
and tokenization_indictrans.py, which run with transformers 4.48:

    pip install transformers==4.48.3 torch sentencepiece IndicTransToolkit indic-nlp-library-itt sacremoses
    python tests/reference/make_indictrans.py CODE --out tests/data/family_texts
"""

import argparse
import importlib
import json
import random
import shutil
import sys
from pathlib import Path

import torch
import transformers
from IndicTransToolkit.processor import IndicProcessor
from sentencepiece import SentencePieceProcessor

from huggingface_tokenizer_fixture import ARTICLE, small_rules, train_spm, write_json
from make_family_texts import MAX_NEW_TOKENS, MIN_MARGIN, ROWS, roughen

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
INDIC = {"hin_Deva": 15, "ben_Beng": 16, "tam_Taml": 17, "tel_Telu": 18, "kan_Knda": 19, "mal_Mlym": 20}  # ARTICLE's.
ENGLISH = [
    ARTICLE[0], "Call 080-2345-6789 before 10:30, please.", "Write to me: someone@example.com (or not)!",
    "See https://example.org/a?b=c for 25% off.", "\"It's late,\" she said; \"isn't it?\"", "Keep <dnt> this </dnt> word.",
    "Mr. Rao lives in St. Thomas' Road.", "No.", "A naïve café – 100 % “real” …", "They don't know #latimer yet.",
    "All men are equal in rights.", "Are you free?", "Dignity and rights are equal.", "I was born on 26/01/1950.",
    "The price rose by 3.5 % - 4 %.", "Everyone should act in a spirit of brotherhood.",
]  # fmt: skip

# Name: source, target; the fields of the distilled and of the large models that change what is computed.
MODELS = {
    "indictrans_distilled": ("eng_Latn", "hin_Deva", dict(
        share_decoder_input_output_embed=True, activation_function="relu")),
    "indictrans_large": ("", "eng_Latn", dict(
        share_decoder_input_output_embed=False, activation_function="gelu")),
}  # fmt: skip


def prepared(language: str, lines: list[str]) -> list[str]:
    """What the tokenizer gets, without the tags of the languages."""
    return IndicProcessor(inference=True).preprocess_batch(lines, src_lang=language, is_target=True)


def sides() -> dict[str, dict[str, list[str]]]:
    """Prepared texts by side and language."""
    indic = {code: [ARTICLE[i], *(" ".join(ARTICLE[i].split()[first:]) for first in (1, 2))] for code, i in INDIC.items()}
    return {"indic": {code: prepared(code, lines) for code, lines in indic.items()},
            "english": {"eng_Latn": prepared("eng_Latn", ENGLISH)}}  # fmt: skip


def write_tokenizer(folder: Path, texts: dict, rng: random.Random) -> None:
    """A SentencePiece model for each side, and ids as fairseq gives them: tags among the pieces, some of which it lacks."""
    for side, language in (("SRC", "english"), ("TGT", "indic")):
        lines = [line for group in texts[language].values() for line in group]
        rules = small_rules(folder / "rules.tsv")
        path = train_spm(folder, f"model.{side}", lines, vocab_size=260, model_type="bpe",
                         user_defined_symbols=["▁<dnt>", "▁</dnt>"], normalization_rule_tsv=str(rules))  # fmt: skip
        rules.unlink()
        model = SentencePieceProcessor(model_file=str(path))
        pieces = [model.id_to_piece(i) for i in range(model.get_piece_size())]
        pieces = [piece for piece in pieces if piece not in SPECIAL and rng.random() < 0.97]
        pieces += ["eng_Latn", *INDIC, "madeupword0000"]
        rng.shuffle(pieces)
        write_json(folder / f"dict.{side}.json", {piece: i for i, piece in enumerate(SPECIAL + pieces)})
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "IndicTransTokenizer", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>",
        "pad_token": "<pad>", "do_lower_case": False, "clean_up_tokenization_spaces": True,
        "added_tokens_decoder": {str(i): {"content": token, "special": True} for i, token in enumerate(SPECIAL)}})  # fmt: skip


def make(name: str, code: dict, out: Path) -> str:
    source, target, fields = MODELS[name]
    seed = 700 + list(MODELS).index(name)
    rng = random.Random(seed)
    torch.manual_seed(seed)
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    texts = sides()
    if not source:
        texts["english"], texts["indic"] = texts["indic"], texts["english"]
    write_tokenizer(folder, texts, rng)
    tokenizer = code["tokenization"].IndicTransTokenizer.from_pretrained(folder)
    config = code["configuration"].IndicTransConfig(
        encoder_vocab_size=tokenizer.src_vocab_size, decoder_vocab_size=tokenizer.tgt_vocab_size,
        encoder_embed_dim=16, decoder_embed_dim=16, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=24,
        decoder_ffn_dim=24, encoder_attention_heads=2, decoder_attention_heads=2, dropout=0.0,
        encoder_normalize_before=True, decoder_normalize_before=True, layernorm_embedding=True,
        max_source_positions=256, max_target_positions=200, no_repeat_ngram_size=2,
        max_length=MAX_NEW_TOKENS + 1, **fields)  # fmt: skip
    model = code["modeling"].IndicTransForConditionalGeneration(config)
    roughen(model)
    # Tied matrices are in a file twice, since the code does not tell transformers of them.
    model.save_pretrained(folder, state_dict={key: value.clone() for key, value in model.state_dict().items()})
    model = code["modeling"].IndicTransForConditionalGeneration.from_pretrained(folder).eval()
    candidates = [(language, line) for language, lines in texts["english"].items() for line in dict.fromkeys(lines)]
    rng.shuffle(candidates)
    lines = []
    for language, text in candidates:
        to = target if source != "eng_Latn" else list(INDIC)[len(lines) % len(INDIC)]
        inputs = tokenizer(f"{language} {to} {text}", return_tensors="pt")
        result = model.generate(**inputs, num_beams=1, do_sample=False, return_dict_in_generate=True,
                                output_scores=True)  # fmt: skip
        best = torch.cat(result.scores).topk(2).values
        if bool((best[:, 0] - best[:, 1] < MIN_MARGIN).any()):
            continue
        ids = result.sequences[0].tolist()[1:]
        lines.append(json.dumps({
            "text": text, "source_language": language, "target_language": to, "source": inputs.input_ids[0].tolist(),
            "target": ids, "output": tokenizer.decode(ids, skip_special_tokens=True)}, ensure_ascii=False))  # fmt: skip
        if len(lines) == ROWS:
            break
    (folder / "fixture.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    size = sum(f.stat().st_size for f in folder.rglob("*"))
    return f"{name:20} {len(lines)} rows of {len(candidates)} texts  {size / 1000:.0f} kB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("code", type=Path)
    parser.add_argument("--out", type=Path, default=Path("tests/data/family_texts"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    package = arguments.code.resolve()
    sys.path.insert(0, str(package.parent))  # modeling_indictrans imports its configuration from the same package.
    code = {part: importlib.import_module(f"{package.name}.{part}_indictrans")
            for part in ("configuration", "modeling", "tokenization")}  # fmt: skip
    for name in MODELS:
        print(make(name, code, arguments.out), flush=True)


if __name__ == "__main__":
    main()
