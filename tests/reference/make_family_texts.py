"""Makes tests/data/family_texts: text in, text out, for each Hugging Face family.

A tiny model with random weights for each family's tokenizer, most of them those of
tests/data/huggingface_tokenizer, and what transformers' tokenizer, generate() and decode() give for
texts in many scripts, with the family's languages, its task and no_repeat_ngram_size, without which
such a model repeats one token.

    python tests/reference/make_family_texts.py --out tests/data/family_texts [NAME ...]
"""

import argparse
import base64
import json
import random
import shutil
from pathlib import Path

import torch
import transformers
from sentencepiece import sentencepiece_model_pb2
from transformers import (
    AddedToken, AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer, GenerationConfig, M2M100Tokenizer,
    MarianTokenizer,
)

import huggingface_tokenizer_fixture as tokenizers

DATA = Path("tests/data")
TOKENIZERS = DATA / "huggingface_tokenizer"
ROWS = 12
MAX_NEW_TOKENS = 20
MIN_MARGIN = 2e-3
PREFIX = "translate English to German: "

# Source and target language, if there are any.
LANGUAGES = {
    "m2m100": ("__fr__", "__de__"), "mbart": ("en_XX", "ro_RO"),
    "mbart50_json": ("ja_XX", "de_DE"), "nllb_json": ("deu_Latn", "eng_Latn"),
    "bart": None, "byt5": None, "mt5": None, "pegasus": None, "t5": None,
    "madlad": None, "small100": None, "marian_codes": None, "finetuned_mt5": None,
    "deep_t5": None, "gemma": None,
}

# Tokens of target languages that stand before the text.
TARGETS = {
    "madlad": ["<2de>", "<2zh_Hant>"], "small100": ["__de__", "__zu__"],
    "marian_codes": [">>de<<", ">>fr<<"],
}

# The tokenizer's folder, if it has another name.
TOKENIZER_OF = {"small100": "huggingface_tokenizer/m2m100", "marian_codes": "marian_tokenizer/added_tokens",
                "deep_t5": "huggingface_tokenizer/t5"}  # fmt: skip

# What the user of finetuned_mt5 added.
ADDED = ["<term>", AddedToken("</term>", special=True)]


def base_of(name: str) -> Path:
    return DATA / TOKENIZER_OF.get(name, f"huggingface_tokenizer/{name.removeprefix('finetuned_')}")


def model_type_of(name: str) -> str:
    types = {"madlad": "t5", "marian_codes": "marian"}
    return types.get(name) or json.loads((base_of(name) / "config.json").read_text())["model_type"]


def make_tokenizer(name: str, folder: Path):
    """The tokenizer; what is not in base_of() is written to `folder`."""
    if name in TOKENIZER_OF:
        (folder / "tokenizer").write_text(TOKENIZER_OF[name] + "\n")
    if name == "madlad":
        # As published: languages are pieces like others, with the best score; <s> is the pad.
        path = tokenizers.train_spm(
            folder, "spiece.model", tokenizers.ARTICLE, vocab_size=640,
            normalization_rule_name="identity", user_defined_symbols=["\n", *TARGETS[name], "<2translate>"])
        proto = sentencepiece_model_pb2.ModelProto.FromString(path.read_bytes())
        for piece in proto.pieces:
            if piece.type == piece.USER_DEFINED:
                piece.type, piece.score = piece.NORMAL, 0
        path.write_bytes(proto.SerializeToString())
        tokenizers.config(folder, "t5", tokenizer_class="T5Tokenizer", extra_ids=0, pad_token="<s>",
                          additional_special_tokens=None)
        return AutoTokenizer.from_pretrained(folder)
    if name == "small100":
        # tokenization_small100.py, which transformers lacks: M2M100Tokenizer with the target's
        # language where that has the source's.
        fields = json.loads((base_of(name) / "tokenizer_config.json").read_text())
        tokenizers.write_json(folder / "tokenizer_config.json", fields | {"tokenizer_class": "SMALL100Tokenizer"})
        return M2M100Tokenizer.from_pretrained(base_of(name))
    tokenizer = (MarianTokenizer if name == "marian_codes" else AutoTokenizer).from_pretrained(base_of(name))
    if name == "finetuned_mt5":
        tokenizer.add_tokens(ADDED)
        tokenizer.save_pretrained(folder)
        fields = json.loads((folder / "tokenizer.json").read_text())
        (folder / "tokenizer.json").write_text(json.dumps(fields, ensure_ascii=False, separators=(",", ":")))
        write_trainer_files(folder)
    return tokenizer


def write_trainer_files(folder: Path) -> None:
    """Beside the model, what Trainer leaves there."""
    torch.save({"learning_rate": 5e-5, "weight": torch.zeros(3)}, folder / "training_args.bin")
    checkpoint = folder / "checkpoint-500"
    checkpoint.mkdir(exist_ok=True)
    torch.save({"state": {0: {"exp_avg": torch.zeros(2)}}}, checkpoint / "optimizer.pt")
    (checkpoint / "trainer_state.json").write_text('{"global_step": 500}\n')
    (checkpoint / "config.json").write_text('{"model_type": "mt5"}\n')


def make_config(name: str, tokenizer, rows: int):
    model_type = model_type_of(name)
    if model_type in ("t5", "mt5"):
        tasks = {} if name in ("madlad", "finetuned_mt5") else dict(task_specific_params={
            "translation_en_to_de": {"max_length": MAX_NEW_TOKENS + 1, "prefix": PREFIX}})
        sizes = dict(d_model=16, d_kv=8, d_ff=24, num_layers=1, num_decoder_layers=1)
        if name == "deep_t5":  # The layers of ByT5-large and of T5-large.
            sizes = dict(d_model=8, d_kv=4, d_ff=12, num_layers=36, num_decoder_layers=24)
        return AutoConfig.for_model(
            model_type, vocab_size=rows, **sizes, num_heads=2, dropout_rate=0.0, decoder_start_token_id=0,
            pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
            feed_forward_proj="relu" if name == "t5" else "gated-gelu", tie_word_embeddings=True,
            **tasks)
    if model_type == "marian":
        # The fields of opus-mt-tc-big besides the shape.
        return AutoConfig.for_model(
            model_type, vocab_size=rows, decoder_vocab_size=rows, d_model=16, encoder_layers=1, decoder_layers=1,
            encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=24,
            max_position_embeddings=160, dropout=0.0, activation_function="relu", scale_embedding=True,
            static_position_embeddings=True, share_encoder_decoder_embeddings=True, normalize_before=False,
            pad_token_id=tokenizer.pad_token_id, bos_token_id=0, eos_token_id=0, forced_eos_token_id=0,
            decoder_start_token_id=tokenizer.pad_token_id, bad_words_ids=[[tokenizer.pad_token_id]])
    if model_type == "t5gemma":
        side = dict(vocab_size=rows, hidden_size=16, intermediate_size=24, num_hidden_layers=1, head_dim=8,
                    num_attention_heads=2, num_key_value_heads=1, query_pre_attn_scalar=8, sliding_window=160,
                    max_position_embeddings=160, bos_token_id=2, eos_token_id=1, pad_token_id=0)
        return AutoConfig.for_model(
            model_type, encoder=side, decoder=side, vocab_size=rows, dropout_rate=0.0, decoder_start_token_id=2,
            attn_implementation="eager", bos_token_id=2, eos_token_id=1, pad_token_id=0)
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
            elif "embed_positions" in name and model.config.model_type in ("pegasus", "marian"):
                continue
            else:
                parameter.normal_(0.0, 0.6)


def texts(name: str) -> list[str]:
    """Distinct texts of the tokenizer's fixture that are one line of valid UTF-8."""
    found = {}
    fixture = base_of(name if name != "madlad" else "mt5") / "fixture.jsonl"
    for line in fixture.read_text(encoding="utf-8").split("\n"):
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


def run(name: str, model, tokenizer, text: str, number: int) -> dict | None:
    """One row, or None if it is not clear which token is best."""
    if name == "finetuned_mt5":
        text = f"<term> {text}</term>" if number % 2 else f"{text} <term>a</term>"
    options, row, prefix = {}, {"text": text}, ""
    if LANGUAGES[name]:
        source, target = LANGUAGES[name]
        tokenizer.src_lang = source.strip("_") if name == "m2m100" else source
        token = tokenizer.convert_tokens_to_ids(target)
        options["decoder_start_token_id" if name == "mbart" else "forced_bos_token_id"] = token
        row |= {"source_language": source.strip("_"), "target_language": target.strip("_")}
    if name in TARGETS:
        token = TARGETS[name][number % 2]
        row["target_language"] = token.strip("_<>").removeprefix("2")
        if name == "small100":
            tokenizer.src_lang = token.strip("_")
        elif number % 3 == 2:  # The user writes it.
            prefix = token + " "
            row = {"text": prefix + text}
        else:  # The pieces of marian_codes do not hide a second space.
            prefix = token if name == "marian_codes" else token + " "
    if getattr(model.config, "task_specific_params", None):
        row["task"], prefix = "translation_en_to_de", PREFIX
    inputs = tokenizer(prefix + text, return_tensors="pt")
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
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tokenizer = make_tokenizer(name, folder)
    rows = (len(tokenizer) if name in ("madlad", "marian_codes") else
            json.loads((base_of(name) / "config.json").read_text())["vocab_size"])
    config = make_config(name, tokenizer, rows)
    model = AutoModelForSeq2SeqLM.from_config(config)
    if name == "finetuned_mt5":
        model.resize_token_embeddings(len(tokenizer))
    roughen(model)
    model.generation_config = GenerationConfig(
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
        bos_token_id=tokenizer.bos_token_id, decoder_start_token_id=config.decoder_start_token_id,
        no_repeat_ngram_size=2, max_length=MAX_NEW_TOKENS + 1)
    if name == "gemma":  # Random bytes are not UTF-8, for which the library has other U+FFFD.
        model.generation_config.suppress_tokens = sorted(
            i for piece, i in tokenizer.get_vocab().items() if piece.startswith("<0x") and piece > "<0x8")
    model.save_pretrained(folder)
    model = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    rng = random.Random(seed)
    candidates = texts(name)
    rng.shuffle(candidates)
    lines = []
    for text in candidates:
        row = run(name, model, tokenizer, text, len(lines))
        if row:
            lines.append(json.dumps(row, ensure_ascii=False))
        if len(lines) == ROWS:
            break
    (folder / "fixture.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    size = sum(f.stat().st_size for f in folder.rglob("*"))
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
