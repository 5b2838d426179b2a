"""A tokenizer for random weights: each of the words t2, t3, ... is one token, with that id.

</s> is 0 and <unk> is 1, as in Marian's models.
"""

import json
import math
from pathlib import Path

from sentencepiece import sentencepiece_model_pb2

EOS, UNK = 0, 1


def pieces_of(size: int) -> list[str]:
    return ["</s>", "<unk>", *(f"\u2581t{i}" for i in range(2, size))]


def text_of(ids: list[int]) -> str:
    """The text whose tokens are `ids`, without </s>."""
    return " ".join(f"t{i}" for i in ids)


def write_pieces(path: Path, size: int) -> None:
    model = sentencepiece_model_pb2.ModelProto()
    kinds = model.SentencePiece.Type
    trainer = model.trainer_spec
    trainer.model_type, trainer.vocab_size = trainer.ModelType.UNIGRAM, size
    trainer.eos_id, trainer.unk_id, trainer.bos_id, trainer.pad_id = EOS, UNK, -1, -1
    model.normalizer_spec.name = "identity"
    special = {EOS: kinds.CONTROL, UNK: kinds.UNKNOWN}
    for i, piece in enumerate(pieces_of(size)):
        model.pieces.add(piece=piece, score=-math.log(i + 1), type=special.get(i, kinds.NORMAL))
    path.write_bytes(model.SerializeToString())


def write_marian(folder: Path, size: int) -> None:
    """source.spm, target.spm and vocab.json of a Hugging Face folder, whose last id is <pad>."""
    for side in ("source", "target"):
        write_pieces(folder / f"{side}.spm", size - 1)
    ids = {piece: i for i, piece in enumerate([*pieces_of(size - 1), "<pad>"])}
    (folder / "vocab.json").write_text(json.dumps(ids))
