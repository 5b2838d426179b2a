"""Several models into one language, and the right one for each text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Union

from ._detect import detect_language
from ._loaded import LoadedTranslator
from ._options import TranslateOptions, refuse
from ._pivot import PivotTranslator
from ._results import Translation
from ._texts import TextTranslator

AnyTranslator = Union[LoadedTranslator, PivotTranslator]


class AutoTranslator(TextTranslator):
    """Detects the language of each text, and translates it with the model of
    that language.

        translator = latimer.AutoTranslator({"en": english, "fr": french, "de": None})

    None leaves texts as they are: those that are in the target language. So
    stay texts without letters. Of an iterable, neighbours in the same language
    are translated side by side. Detection needs the extra `detect`.
    """

    def __init__(self, models: Mapping[str, AnyTranslator | None]) -> None:
        """`models`: by codes of ISO 639-1. They remain the caller's."""
        if not isinstance(models, Mapping):
            refuse("models", "a dict of translators", models)
        if isinstance(models, dict):
            for language, model in models.items():
                if not isinstance(
                    model, (LoadedTranslator, PivotTranslator, type(None))
                ):
                    refuse(f"models[{language!r}]", "a translator or None", model)
        self.models = models

    def close(self) -> None:
        """Closes the models that it has opened itself, for from_pretrained."""
        if isinstance(self.models, OpenedWhenNeeded):
            self.models.close()

    def __repr__(self) -> str:
        return f"latimer.AutoTranslator({self.models!r})"

    def _translate_text(
        self, text: str, options: TranslateOptions
    ) -> Translation:
        (translation,) = self._translate_texts([text], options)
        return translation

    def _translate_texts(
        self, texts: Iterable[str], options: TranslateOptions
    ) -> Iterator[Translation]:
        for language, group in groupby(texts, self._language):
            model = None if language is None else self.models[language]
            if model is not None:
                yield from model.translate(group, **options)
                continue
            for text in group:
                yield Translation(text, (), (), "eos", source_length=len(text))

    def _language(self, text: str) -> str | None:
        return detect_language(text, self.models.keys())


class OpenedWhenNeeded(Mapping[str, Union[AnyTranslator, None]]):
    """The models of AutoTranslator, which are opened when they are used."""

    def __init__(
        self,
        languages: Iterable[str],
        target: str,
        opened: Callable[[str], AnyTranslator],
    ) -> None:
        self._models: dict[str, AnyTranslator | None] = {target: None}
        self._languages = {*languages, target}
        self._open = opened

    def __getitem__(self, language: str) -> AnyTranslator | None:
        if language not in self._models and language in self._languages:
            self._models[language] = self._open(language)
        return self._models[language]

    def close(self) -> None:
        for model in self._models.values():
            if model is not None:
                model.close()

    def __iter__(self) -> Iterator[str]:
        return iter(self._languages)

    def __len__(self) -> int:
        return len(self._languages)

    def __repr__(self) -> str:
        return f"<{', '.join(sorted(self._languages))}>"
