"""Several models into one language, and the right one for each text."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Literal, Union

from ._detect import rank_any
from ._errors import InvalidArgumentError
from ._loaded import LoadedTranslator
from ._options import TranslateOptions, refuse
from ._pivot import PivotTranslator
from ._results import Translation
from ._texts import TextTranslator

AnyTranslator = Union[LoadedTranslator, PivotTranslator]
# A text, its language and the probability of that.
Detected = tuple[str, Union[str, None], float]


class AutoTranslator(TextTranslator):
    """Detects the language of each text, and translates it with the model of
    that language.

        translator = latimer.AutoTranslator({"en": english, "fr": french, "de": None})

    None leaves texts as they are: those that are in the target language. So
    stay texts without letters. Each Translation has its `source_lang`, and the
    `confidence` that it is that one. Of an iterable, neighbours in the same
    language are translated side by side. Detection needs the extra `detect`.
    """

    def __init__(
        self,
        models: Mapping[str, AnyTranslator | None],
        *,
        unknown: Literal["raise", "keep"] = "raise",
    ) -> None:
        """
        Args:
            models: by codes of ISO 639-1. They remain the caller's.
            unknown: what becomes of a text in a language that is none of
                these: an InvalidArgumentError, or the text stays as it is.
        """
        if unknown not in ("raise", "keep"):
            raise ValueError(f"unknown {unknown!r}: give 'raise' or 'keep'.")
        self._keeps_unknown = unknown == "keep"
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
        languages = set(self.models)  # To ask the mapping would open them.
        detected = self._detected(texts, languages)
        for language, group in groupby(detected, itemgetter(1)):
            model = None
            if language is not None and language in languages:
                model = self.models[language]
            shares: deque[float] = deque()

            def read(
                group: Iterator[Detected] = group,
                shares: deque[float] = shares,
            ) -> Iterator[str]:
                for text, _, share in group:
                    shares.append(share)
                    yield text

            for translation in (
                map(_as_it_is, read())
                if model is None
                else model.translate(read(), **options)
            ):
                found = replace(
                    translation,
                    source_lang=language,
                    confidence=shares.popleft(),
                )
                vars(found).update(_attention=translation._attention)
                yield found

    def _detected(
        self, texts: Iterable[str], languages: set[str]
    ) -> Iterator[Detected]:
        for index, text in enumerate(texts):
            language, share = rank_any(text, languages)
            if not (
                language is None or language in languages or self._keeps_unknown
            ):
                raise InvalidArgumentError(
                    f"texts[{index}] is in {language!r}, for which there is no "
                    "model; give one, None to leave such texts as they are, or "
                    "unknown='keep' to leave all others."
                )
            yield text, language, share


def _as_it_is(text: str) -> Translation:
    return Translation(text, (), (), "eos", source_length=len(text))


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
