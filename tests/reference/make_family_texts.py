"""Makes tests/data/family_texts: text in, text out, for each Hugging Face family.

A tiny model with random weights for each tokenizer of tests/data/huggingface_tokenizer, and what
transformers' tokenizer, generate() and decode() give for texts in many scripts, with the family's
languages, its task and no_repeat_ngram_size, without which such a model repeats one token.

    python tests/reference/make_family_texts.py --out tests/data/family_texts [NAME ...]
"""

import argparse
import base64
import json
import random
from pathlib import Path

import torch
import transformers
from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer, GenerationConfig

TOKENIZERS = Path("tests/data/huggingface_tokenizer")
ROWS = 12
MAX_NEW_TOKENS = 20
MIN_MARGIN = 2e-3
PREFIX = "translate English to German: "

# Source and target language, if there are any.
LANGUAGES = {
    "m2m100": ("__fr__", "__de__"), "mbart": ("en_XX", "ro_RO"),
    "mbart50_json": ("ja_XX", "de_DE"), "nllb_json": ("deu_Latn", "eng_Latn"),
    "bart": None, "byt5": None, "mt5": None, "pegasus": None, "t5": None,
}


def make_config(name: str, tokenizer, rows: int):
    config = json.loads((TOKENIZERS / name / "config.json").read_text())
    model_type = config["model_type"]
    if model_type in ("t5", "mt5"):
        return AutoConfig.for_model(
            model_type, vocab_size=rows, d_model=16, d_kv=8, d_ff=24, num_layers=1,
            num_decoder_layers=1, num_heads=2, dropout_rate=0.0, decoder_start_token_id=0,
            feed_forward_proj="relu" if name == "t5" else "gated-gelu", tie_word_embeddings=True,
            task_specific_params={"translation_en_to_de": {
                "max_length": MAX_NEW_TOKENS + 1, "prefix": PREFIX}})
    return AutoConfig.for_model(
        model_type, vocab_size=rows, d_model=16, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=24,
        decoder_ffn_dim=24, max_position_embeddings=160, dropout=0.0, encoder_layerdrop=0.0,
        decoder_layerdrop=0.0, pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=0 if model_type == "pegasus" else 2)


def roughen(model) -> None:
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.normal_(1.0 if name.endswith("weight") else 0.0, 0.2)
            elif "embed_positions" in name and model.config.model_type == "pegasus":
                continue
            else:
                parameter.normal_(0.0, 0.6)


def texts(name: str) -> list[str]:
    """Distinct texts of the tokenizer's fixture that are one line of valid UTF-8."""
    found = {}
    for line in (TOKENIZERS / name / "fixture.jsonl").read_text(encoding="utf-8").split("\n"):
        row = json.loads(line or "{}")
        if "text" not in row or "times" in row:
            continue
        try:
            text = base64.b64decode(row["text"]).decode("utf-8")
        except UnicodeDecodeError:
            continue
        # Without special tokens: one after a prefix cannot take its space, because a prefix is tokenized by
        # itself, and in M2M100 <pad> has no position.
        if 3 <= len(text) <= 60 and text.strip() == text and text.isprintable() and "<" not in text:
            found[text] = None
    return list(found)


def run(name: str, model, tokenizer, text: str) -> dict | None:
    """One row, or None if it is not clear which token is best."""
    options, row = {}, {"text": text}
    if LANGUAGES[name]:
        source, target = LANGUAGES[name]
        tokenizer.src_lang = source.strip("_") if name == "m2m100" else source
        token = tokenizer.convert_tokens_to_ids(target)
        options["decoder_start_token_id" if name == "mbart" else "forced_bos_token_id"] = token
        row |= {"source_language": source.strip("_"), "target_language": target.strip("_")}
    task = model.config.model_type in ("t5", "mt5")
    if task:
        row["task"] = "translation_en_to_de"
    inputs = tokenizer((PREFIX if task else "") + text, return_tensors="pt")
    result = model.generate(
        **inputs, **options, num_beams=1, do_sample=False, max_new_tokens=MAX_NEW_TOKENS,
        return_dict_in_generate=True, output_scores=True)
    for scores in result.scores:
        best = scores[0].topk(2).values
        if best[0] - best[1] < MIN_MARGIN:
            return None
    output = result.sequences[0].tolist()[1:]
    return row | {
        "source": inputs.input_ids[0].tolist(), "target": output,
        "output": tokenizer.decode(output, skip_special_tokens=True),
    }


def make(name: str, out: Path) -> str:
    seed = 500 + list(LANGUAGES).index(name)
    torch.manual_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(TOKENIZERS / name)
    rows = json.loads((TOKENIZERS / name / "config.json").read_text())["vocab_size"]
    config = make_config(name, tokenizer, rows)
    model = AutoModelForSeq2SeqLM.from_config(config)
    roughen(model)
    model.generation_config = GenerationConfig(
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        bos_token_id=tokenizer.bos_token_id, decoder_start_token_id=config.decoder_start_token_id,
        no_repeat_ngram_size=2, max_length=MAX_NEW_TOKENS + 1)
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    model = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
    rng = random.Random(seed)
    candidates = texts(name)
    rng.shuffle(candidates)
    lines = []
    for text in candidates:
        row = run(name, model, tokenizer, text)
        if row:
            lines.append(json.dumps(row, ensure_ascii=False))
        if len(lines) == ROWS:
            break
    (folder / "fixture.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    size = sum(f.stat().st_size for f in folder.iterdir())
    return f"{name:14} {len(lines)} rows of {len(candidates)} texts  {size / 1000:.0f} kB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"from: {', '.join(LANGUAGES)}")
    parser.add_argument("--out", type=Path, default=Path("tests/data/family_texts"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    for name in arguments.names or LANGUAGES:
        print(make(name, arguments.out), flush=True)


if __name__ == "__main__":
    main()
