"""The interface of transformers' translation pipeline."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from ._translator import Translator

_NAMES = {
    "src_lang": "source_lang",
    "tgt_lang": "target_lang",
    "num_beams": "beams",
    "max_new_tokens": "max_target_tokens",
    "no_repeat_ngram_size": "no_repeat_ngram",
}


class Pipeline:
    """Called with a text or texts, gives a dictionary for each."""

    def __init__(self, translator: Translator, key: str) -> None:
        self.translator = translator
        self._key = key

    def __call__(
        self, texts: str | Iterable[str], **options: Any
    ) -> list[dict[str, str]]:
        """Options are those of Translator.translate, or transformers' names
        for the same: src_lang, tgt_lang, num_beams, max_new_tokens,
        no_repeat_ngram_size."""
        own = {_NAMES.get(name, name): o for name, o in options.items()}
        if isinstance(texts, str):
            texts = [texts]
        return [
            {self._key: translation.text}
            for translation in self.translator.translate(texts, **own)
        ]


def pipeline(task: str, model: str | os.PathLike[str], **options: Any) -> Pipeline:
    """Opens a model as transformers.pipeline does.

        translate = latimer.pipeline("translation", "en-de.ltm")
        translate("How are you?")  # [{"translation_text": "Wie geht es dir?"}]

    Args:
        task: "translation", "translation_XX_to_YY", "summarization" or
            "text2text-generation".
        model: a file that latimer-convert wrote.
        **options: those of Translator.
    """
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
    return Pipeline(Translator(model, **options), key)
