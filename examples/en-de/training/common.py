"""What the scripts of this folder share: text, tokenizer, model, export and search."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

import sentencepiece
import torch
from safetensors.torch import save_file
from transformers import GenerationConfig, MarianConfig, MarianMTModel

DATA = Path(__file__).resolve().parents[1] / "data"
EOS, UNK = 0, 1  # And <pad> is the last id.
SHAPES = {  # d_model, heads, d_ffn, encoder layers, decoder layers
    "tiny": (64, 4, 128, 2, 1),
    "micro": (128, 4, 512, 5, 1),
    "small": (256, 4, 1024, 4, 2),
    "student": (256, 4, 1536, 6, 2),
    "teacher": (512, 8, 2048, 6, 6),
}


def read_lines(path: Path) -> list[str]:
    return Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def read_pairs(path: Path) -> list[tuple[str, str]]:
    """English and German of a file's lines, with a tab between."""
    return [tuple(line.split("\t")) for line in read_lines(path) if line]


def lines_of(pairs: Iterable[tuple[str, str]]) -> str:
    """What read_pairs reads."""
    return "".join(f"{english}\t{german}\n" for english, german in pairs)


class Tokenizer:
    """Marian's source.spm and target.spm, which may be the same file, and the ids that vocab.json gives their pieces."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.vocab = json.loads((self.folder / "vocab.json").read_text(encoding="utf-8"))
        self.pieces = list(self.vocab)
        self.pad = self.vocab["<pad>"]
        self.spm = [sentencepiece.SentencePieceProcessor(model_file=str(self.folder / f"{side}.spm"))
                    for side in ("source", "target")]  # fmt: skip
        self.ids = [[self.vocab.get(spm.id_to_piece(i), UNK) for i in range(spm.get_piece_size())] for spm in self.spm]

    def encode(self, lines: list[str], side: int = 0) -> list[list[int]]:
        """Ids of each line of a side, 0 source and 1 target, </s> included."""
        return [[self.ids[side][i] for i in line] + [EOS] for line in self.spm[side].encode(lines, num_threads=-1)]

    def decode(self, ids: list[int]) -> str:
        return self.spm[1].decode_pieces([self.pieces[i] for i in ids if i not in (EOS, self.pad)])


def make_model(shape: str, tokenizer: Tokenizer, dropout: float) -> MarianMTModel:
    d_model, heads, d_ffn, encoder_layers, decoder_layers = SHAPES[shape]
    size = len(tokenizer.vocab)
    config = MarianConfig(
        vocab_size=size, decoder_vocab_size=size, d_model=d_model, encoder_ffn_dim=d_ffn, decoder_ffn_dim=d_ffn,
        encoder_layers=encoder_layers, decoder_layers=decoder_layers, encoder_attention_heads=heads,
        decoder_attention_heads=heads, activation_function="swish", dropout=dropout, scale_embedding=True,
        max_position_embeddings=512, pad_token_id=tokenizer.pad, eos_token_id=EOS, bos_token_id=EOS,
        decoder_start_token_id=tokenizer.pad, forced_eos_token_id=EOS)  # fmt: skip
    if device_and_type()[0] == "cpu":
        config._attn_implementation = "eager"  # For sentences this is faster on a CPU than the fused one.
    model = MarianMTModel(config)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.dim() == 2 and "embed_positions" not in name:
                if "shared" in name:
                    value.normal_(std=d_model**-0.5)
                    value[tokenizer.pad] = 0
                else:
                    torch.nn.init.xavier_uniform_(value)
    return model


def export(model: MarianMTModel, weights: dict, tokenizer: Tokenizer, folder: Path) -> None:
    """Writes weights as a float16 folder in Hugging Face's Marian format."""
    folder.mkdir(parents=True, exist_ok=True)
    config = json.loads(model.config.to_json_string(use_diff=False))
    config.update(architectures=["MarianMTModel"], dtype="float16")
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    weights = weights | {"final_logits_bias": model.final_logits_bias}
    save_file({k: v.half().cpu().contiguous() for k, v in weights.items()}, folder / "model.safetensors",
              metadata={"format": "pt"})  # fmt: skip
    GenerationConfig(
        bad_words_ids=[[tokenizer.pad]], bos_token_id=EOS, eos_token_id=EOS, num_beams=1,
        decoder_start_token_id=tokenizer.pad, forced_eos_token_id=EOS, pad_token_id=tokenizer.pad, max_length=512,
        renormalize_logits=True).save_pretrained(folder)  # fmt: skip
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de", "separate_vocabs": False,
        "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>", "model_max_length": 512,
    }, indent=2) + "\n")  # fmt: skip
    for name in ("source.spm", "target.spm", "vocab.json"):
        if folder.resolve() != tokenizer.folder.resolve():
            shutil.copy(tokenizer.folder / name, folder / name)


def device_and_type() -> tuple[str, torch.dtype | None]:
    """The device, and bfloat16 where it computes in it; None: float32."""
    if torch.cuda.is_available():
        return "cuda", torch.bfloat16
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return "cpu", torch.bfloat16 if "avx512_bf16" in flags or "amx_bf16" in flags else None


@torch.no_grad()
def translate(model, tokenizer: Tokenizer, lines: list[str], beams: int = 1, rows: int = 4096) -> list[str]:
    """Translates lines, sorted by length, as many at a time as fill rows with their beams and lengths."""
    device = device_and_type()[0]
    model = model.to(device).eval()
    sources = tokenizer.encode(lines)
    order = sorted(range(len(lines)), key=lambda i: -len(sources[i]))
    found = [""] * len(lines)
    start = 0
    while start < len(order):
        longest = len(sources[order[start]])
        part = order[start : start + max(1, rows * 16 // (beams * max(16, longest)))]
        start += len(part)
        ids = torch.full((len(part), longest), tokenizer.pad)
        for row, i in enumerate(part):
            ids[row, : len(sources[i])] = torch.tensor(sources[i])
        ids = ids.to(device)
        out = model.generate(input_ids=ids, attention_mask=(ids != tokenizer.pad).long(), num_beams=beams,
                             max_length=min(512, 2 * longest + 20), do_sample=False)  # fmt: skip
        for i, row in zip(part, out.tolist()):
            found[i] = tokenizer.decode(row)
    return found
