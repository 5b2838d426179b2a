"""Makes tests/data/insight: attention weights and token scores of tiny Marian models.

    python tests/reference/make_insight.py --out tests/data/insight

For some rows of fixtures in tests/data/tiny_marian, the ids are fed to transformers' MarianMTModel
with output_attentions, eagerly, in float32. Of each row:

  encoder, cross, decoder   [layer][head][row][column], as AttentionKind names them
  log_probabilities         log_softmax of the logits at the token that was given
  margins                   its logit less the best of the others
"""

import argparse
import json
from pathlib import Path

import torch
from transformers import MarianMTModel

MODELS = {"heads_2_6_gelu": [1, 4, 6], "head_dim_5_silu": [3, 8]}
DATA = Path(__file__).resolve().parent.parent / "data"


def rounded(tensor: torch.Tensor) -> list:
    return [rounded(t) for t in tensor] if tensor.dim() else round(tensor.item(), 7)


def insight(model: MarianMTModel, row: dict) -> dict:
    target = row["output_ids"]
    with torch.no_grad():
        out = model(
            input_ids=torch.tensor([row["src_ids"]]),
            decoder_input_ids=torch.tensor([[model.config.decoder_start_token_id] + target[:-1]]),
            output_attentions=True,
        )
    logits = out.logits[0]
    given = torch.tensor(target)[:, None]
    others = logits.scatter(1, given, float("-inf"))
    scores = torch.log_softmax(logits, -1).gather(1, given)[:, 0]
    margins = logits.gather(1, given)[:, 0] - others.max(-1).values
    return {
        "src_ids": row["src_ids"],
        "output_ids": target,
        "encoder": [rounded(a[0]) for a in out.encoder_attentions],
        "cross": [rounded(a[0]) for a in out.cross_attentions],
        "decoder": [rounded(a[0]) for a in out.decoder_attentions],
        "log_probabilities": rounded(scores),
        "margins": rounded(margins),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    for name, rows in MODELS.items():
        folder = DATA / "tiny_marian" / name
        model = MarianMTModel.from_pretrained(folder, attn_implementation="eager").eval()
        fixture = json.loads((folder / "fixture.json").read_text())
        result = {
            "model": name,
            "sequences": [insight(model, fixture["sequences"][row]) for row in rows],
        }
        (args.out / f"{name}.json").write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
