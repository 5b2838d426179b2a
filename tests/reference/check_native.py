"""Compares the tiny native models with two other readers of Marian's files.

CTranslate2's MarianConverter reads the .npz and must give the fixture's ids; Hugging Face's
MarianMTModel, given the same weights, must give marian_numpy's logits within 1e-4. Both have a position formula
of their own (see marian_numpy.py) and get Marian's here. Neither knows SSRU.

    python tests/reference/check_native.py tests/data/tiny_native
"""

import json
import sys
import tempfile
from pathlib import Path

import ctranslate2
import numpy as np
import torch
import yaml
from ctranslate2.converters import MarianConverter, marian
from transformers import MarianConfig, MarianMTModel

from make_tiny_native import MAX_NEW_TOKENS, UNK, words
from marian_files import META
from marian_numpy import MarianModel, sinusoids

CTRANSLATE2 = ["tied_all", "separate", "tied_target", "prenorm"]
HUGGING_FACE = ["tied_all", "tied_target"]


def load(folder: Path) -> tuple[dict, dict]:
    arrays = np.load(folder / "model.npz")
    options = yaml.safe_load(arrays[META][:-1].tobytes())
    return {k: arrays[k] for k in arrays.files if k != META}, options


def check_ctranslate2(folder: Path) -> None:
    marian._make_sinusoidal_position_encodings = lambda dim, positions=2048: sinusoids(
        positions, dim).astype(np.float32)
    vocabularies = [str(folder / f"vocab.{side}.yml") for side in ("source", "target")]
    sizes = load(folder)[1]["dim-vocabs"]
    source, target = (words(side, size) for side, size in zip("st", sizes))
    with tempfile.TemporaryDirectory() as out:
        MarianConverter(str(folder / "model.npz"), vocabularies).convert(out, force=True)
        translator = ctranslate2.Translator(out, compute_type="float32", intra_threads=1)
        for row in json.loads((folder / "fixture.json").read_text())["sequences"]:
            result = translator.translate_batch(
                [[source[i] for i in row["src_ids"][:-1]]], beam_size=1, return_end_token=True,
                max_decoding_length=MAX_NEW_TOKENS, suppress_sequences=[[target[UNK]]])
            ids = [target.index(word) for word in result[0].hypotheses[0]]
            assert ids == row["output_ids"], (folder, row["src_ids"])
    print(f"{folder.name}: CTranslate2 gives the same ids")


def check_hugging_face(folder: Path) -> None:
    parameters, options = load(folder)
    source_size, target_size = options["dim-vocabs"]
    d, heads = options["dim-emb"], options["transformer-heads"]
    # The rows beyond a vocabulary are zero; decoding begins with one, as Marian's does.
    rows = max(source_size, target_size + 1)
    config = MarianConfig(
        vocab_size=rows, decoder_vocab_size=rows, d_model=d,
        share_encoder_decoder_embeddings=False, tie_word_embeddings=False,
        encoder_layers=options["enc-depth"], decoder_layers=options["dec-depth"],
        encoder_attention_heads=heads, decoder_attention_heads=heads,
        encoder_ffn_dim=options["transformer-dim-ffn"],
        decoder_ffn_dim=options["transformer-dim-ffn"],
        activation_function=options["transformer-ffn-activation"], scale_embedding=True,
        max_position_embeddings=64, pad_token_id=target_size, decoder_start_token_id=target_size)
    model = MarianMTModel(config).eval()
    state = {}

    def put(name, value):
        state[name] = torch.tensor(np.asarray(value, np.float32))

    def linear(name, prefix, suffix):
        put(f"{name}.weight", parameters[f"{prefix}_W{suffix}"].T)
        put(f"{name}.bias", parameters[f"{prefix}_b{suffix}"][0])

    def norm(name, prefix):
        put(f"{name}.weight", parameters[f"{prefix}_ln_scale"][0])
        put(f"{name}.bias", parameters[f"{prefix}_ln_bias"][0])

    for stack, depth in (("encoder", options["enc-depth"]), ("decoder", options["dec-depth"])):
        embedding = parameters.get(f"{stack}_Wemb", parameters.get("Wemb"))
        embedding = np.pad(embedding, ((0, rows - len(embedding)), (0, 0)))
        if stack == "decoder":
            put("lm_head.weight", embedding)
        put(f"model.{stack}.embed_tokens.weight", embedding)
        put(f"model.{stack}.embed_positions.weight", sinusoids(64, d))
        attentions = [("self_attn", "self")] + [("encoder_attn", "context")] * (stack == "decoder")
        for i in range(depth):
            layer, ours = f"model.{stack}.layers.{i}", f"{stack}_l{i + 1}"
            for theirs, name in attentions:
                for part, letter in (("q_proj", "q"), ("k_proj", "k"), ("v_proj", "v"),
                                     ("out_proj", "o")):
                    linear(f"{layer}.{theirs}.{part}", f"{ours}_{name}", letter)
                norm(f"{layer}.{theirs}_layer_norm", f"{ours}_{name}_Wo")
            linear(f"{layer}.fc1", f"{ours}_ffn", "1")
            linear(f"{layer}.fc2", f"{ours}_ffn", "2")
            norm(f"{layer}.final_layer_norm", f"{ours}_ffn_ffn")
    bias = parameters["decoder_ff_logit_out_b"]
    put("final_logits_bias", np.pad(bias, ((0, 0), (0, rows - target_size))))
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected and all("shared" in name for name in missing), (missing, unexpected)
    for module in model.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.eps = 1e-6
    reference = MarianModel(parameters, options)
    worst = 0.0
    for row in json.loads((folder / "fixture.json").read_text())["sequences"]:
        start = [target_size] + row["output_ids"][:-1]
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([row["src_ids"]]),
                           decoder_input_ids=torch.tensor([start])).logits[0, :, :target_size].numpy()
        expected = reference.logits(row["src_ids"], row["output_ids"][:-1])
        worst = max(worst, np.abs(logits - expected).max() / np.abs(expected).max())
    assert worst < 1e-4, worst
    print(f"{folder.name}: Hugging Face's logits differ by {worst:.1e} of the largest")


def main() -> None:
    root = Path(sys.argv[1])
    torch.set_num_threads(1)
    for name in CTRANSLATE2:
        check_ctranslate2(root / name)
    for name in HUGGING_FACE:
        check_hugging_face(root / name)


if __name__ == "__main__":
    main()
