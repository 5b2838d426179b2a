"""Whether a converted model does what the code of the original does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from ._translator import Translator

Answer = Union[str, Sequence[int], Mapping[str, Any]]

# Log-probabilities of f32 models are closer; those of another model are not.
_TOLERANCE = 1e-3

# Without what the original's code does not do; see docs/translate.md.
_PLAIN: Any = {
    "sentences": False, "guards": False, "fold": False, "keep_unknown": False,
}


@dataclass(frozen=True)
class Check:
    """How many lines are equal, and where the first difference is."""

    lines: int
    equal: int
    first_difference: str | None
    """None if all lines are equal."""

    @property
    def ok(self) -> bool:
        return self.first_difference is None

    def __str__(self) -> str:
        equal = f"{self.equal} of {self.lines} lines equal"
        if self.ok:
            return f"{equal}."
        return f"{equal}; the first that differs:\n{self.first_difference}"


def check(
    model: Translator | str | os.PathLike[str],
    original: Callable[[str], Answer],
    lines: Iterable[str],
) -> Check:
    """Runs the original's own code beside a model, line by line.

    `original` is your function. It returns the text that the original model
    makes of a line; or its target ids; or a dict with any of these:

        "source"  the ids that the encoder reads, with those around the text
        "target"  the ids that the decoder chooses, greedily
        "scores"  the log-probability of each of them
        "text"    the translation

    Each is compared with Latimer's, in this order, so that the first
    difference tells what to look at: the tokenizer, the network, or how ids
    become text. With "source", Latimer's network reads the original's ids.
    Convert with weights="f32", since rounding changes lines, too.
    """
    translator = model if isinstance(model, Translator) else Translator(model)
    total = equal = 0
    first = None
    for line in lines:
        total += 1
        difference = _difference(translator, line, original(line))
        if difference is None:
            equal += 1
        elif first is None:
            first = f"line {total}: {line}\n{difference}"
    return Check(total, equal, first)


def _difference(
    translator: Translator, line: str, answer: Answer
) -> str | None:
    if isinstance(answer, str):
        answer = {"text": answer}
    elif not isinstance(answer, Mapping):
        answer = {"target": answer}
    unknown = set(answer) - {"source", "target", "scores", "text"}
    if unknown or not answer:
        raise ValueError(
            "the function must return a text, ids, or a dict with source, "
            f"target, scores or text, not {sorted(unknown) or 'nothing'}"
        )
    as_text = None
    if translator.info.has_tokenizer:
        as_text = translator.translate(line, **_PLAIN)
    if "source" in answer:
        source = _ids(answer["source"])
        if as_text is not None and list(as_text.source_tokens) != source:
            return _both("source", source, list(as_text.source_tokens))
    elif as_text is None:
        raise ValueError('the model has no tokenizer, so "source" is needed')
    else:
        source = list(as_text.source_tokens)
    translation = translator.translate_ids(
        source, scores="scores" in answer, **_PLAIN
    )
    if "target" in answer:
        target, tokens = _ids(answer["target"]), list(translation.tokens)
        eos = translator.info.eos
        if _before(eos, target) != _before(eos, tokens):
            return _both("target", target, tokens)
    if "scores" in answer:
        scores = [score.log_probability for score in translation.scores or ()]
        for i, (theirs, ours) in enumerate(zip(answer["scores"], scores)):
            if abs(float(theirs) - ours) > _TOLERANCE:
                return (
                    f"  scores: that of target id {i + 1} differs\n"
                    f"    original {float(theirs):.5f}\n"
                    f"    Latimer  {ours:.5f}"
                )
    if "text" in answer and as_text is not None:
        if answer["text"].strip() != as_text.text.strip():
            return _both("text", answer["text"], as_text.text)
    return None


def _ids(values: Iterable[Any]) -> list[int]:
    return [int(value) for value in values]


def _before(eos: int, ids: list[int]) -> list[int]:
    """Functions may return the end, or leave it out."""
    return ids[: ids.index(eos)] if eos in ids else ids


def _both(what: str, theirs: Any, ours: Any) -> str:
    place = next(
        (i for i, pair in enumerate(zip(theirs, ours)) if pair[0] != pair[1]),
        min(len(theirs), len(ours)),
    )
    unit = "character" if what == "text" else "id"
    return (
        f"  {what}: {unit} {place + 1} differs\n"
        f"    original {theirs}\n    Latimer  {ours}"
    )
