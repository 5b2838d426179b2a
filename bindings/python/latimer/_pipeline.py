"""The interface of the translation pipeline of transformers 4.

Version 5 of transformers has no such pipeline.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from ._options import refuse
from ._translator import OWN, Translator

_NAMES = {
    "src_lang": "source_lang",
    "tgt_lang": "target_lang",
    "num_beams": "beams",
    "max_new_tokens": "max_target_tokens",
    "no_repeat_ngram_size": "no_repeat_ngram",
}


class Pipeline:
    """Called with a text or texts, gives a dictionary for each."""

    def __init__(
        self, translator: Translator, key: str, **options: Any
    ) -> None:
        self.translator = translator
        self._key = key
        self._options = _own(options)

    def __call__(
        self, texts: str | Iterable[str], **options: Any
    ) -> list[dict[str, str]]:
        """Options are those of Translator.translate, or transformers' names
        for the same: src_lang, tgt_lang, num_beams, max_new_tokens,
        max_length, no_repeat_ngram_size. batch_size has no effect: texts are
        translated side by side, in the translator's lanes."""
        if isinstance(texts, str):
            texts = [texts]
        own = {**self._options, **_own(options)}
        return [
            {self._key: translation.text}
            for translation in self.translator.translate(texts, **own)
        ]


def _own(options: dict[str, Any]) -> dict[str, Any]:
    """The options of Translator.translate for those of transformers."""
    own = {_NAMES.get(name, name): o for name, o in options.items()}
    own.pop("batch_size", None)
    length = own.pop("max_length", None)
    if length is not None:  # With the token that the decoder starts with.
        own.setdefault("max_target_tokens", max(1, length - 1))
    return own


def pipeline(
    task: str,
    model: str | os.PathLike[str],
    *,
    device: Any = None,
    **options: Any,
) -> Pipeline:
    """Opens a model as pipeline() of transformers 4 does.

        translate = latimer.pipeline("translation", "en-de.ltm")
        translate("How are you?")  # [{"translation_text": "Wie geht es dir?"}]

    Args:
        task: "translation", "translation_XX_to_YY", "summarization" or
            "text2text-generation".
        model: a file that latimer-convert wrote, or what
            Translator.from_pretrained takes.
        device: None, -1 or "cpu": Latimer uses no other.
        **options: those of Translator, and those of each call.
    """
    if not isinstance(task, str):
        refuse("task", "a str", task)
    if task.startswith("translation"):
        key = "translation_text"
    elif task == "summarization":
        key = "summary_text"
    elif task == "text2text-generation":
        key = "generated_text"
    else:
        raise ValueError(
            f"{task!r}: give 'translation', 'summarization' or "
            "'text2text-generation'."
        )
    if device not in (None, -1) and str(device) != "cpu":
        raise ValueError(
            f"device {device}: Latimer translates on the CPU; leave it out."
        )
    if key != "translation_text":  # What it makes is made of the whole text.
        options.setdefault("sentences", False)
    own = {name: options.pop(name) for name in OWN if name in options}
    return Pipeline(Translator.from_pretrained(model, **own), key, **options)
