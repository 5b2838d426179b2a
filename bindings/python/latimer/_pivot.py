"""Two models, by way of a language for which there are both."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ._documents import DocumentTranslator
from ._loaded import LoadedTranslator
from ._options import TranslateOptions, Unpack, refuse
from ._results import StreamedText, Translation
from ._texts import TextTranslator

# They belong to one model, or to one source.
_REFUSED = (
    "language_code", "task", "prefix", "target_prefix", "banned", "terms",
    "suppressed", "forced_first_token", "protected_ranges", "attention",
    "alignment", "scores", "on_token",
)


class PivotTranslator(TextTranslator, DocumentTranslator):
    """Translates with the first model, and what that gives with the second.

    What comes out is what `latimer translate FIRST SECOND` writes. Options are
    for both, each by itself, but source_lang is for the first, target_lang,
    n_best and alternatives for the second; those that belong to one model or
    to one source are refused. Each Translation is the second model's.
    """

    def __init__(
        self, first: LoadedTranslator, second: LoadedTranslator
    ) -> None:
        for name, model in ("first", first), ("second", second):
            if not isinstance(model, LoadedTranslator):
                refuse(name, "a Translator", model)
        self.first = first
        self.second = second

    def close(self) -> None:
        """Closes both translators; so does the end of a `with`."""
        self.first.close()
        self.second.close()

    def __repr__(self) -> str:
        return f"latimer.PivotTranslator({self.first!r}, {self.second!r})"

    def _translate_text(
        self, text: str, options: TranslateOptions
    ) -> Translation:
        first, second = _share(options)
        translation = self.first.translate(text, **first)
        return self.second.translate(translation.text, **second)

    def _translate_texts(
        self, texts: Iterable[str], options: TranslateOptions
    ) -> Iterator[Translation]:
        first, second = _share(options)
        between = self.first.translate(texts, **first)
        return self.second.translate((t.text for t in between), **second)

    def translate_html(
        self, html: str | Iterable[str], **options: Unpack[TranslateOptions]
    ) -> Iterator[str]:
        """As Translator.translate_html."""
        first, second = _share(options)
        between = self.first.translate_html(html, **first)
        return self.second.translate_html(between, **second)

    def translate_paragraphs(
        self, text: str | Iterable[str], **options: Unpack[TranslateOptions]
    ) -> Iterator[StreamedText]:
        """As Translator.translate_paragraphs; what the first model makes of a
        sentence is one sentence for the second."""
        first, second = _share(options)
        waiting: deque[StreamedText] = deque()

        def sentences() -> Iterator[str]:
            for portion in self.first.translate_paragraphs(text, **first):
                waiting.append(portion)
                if portion.source:
                    yield portion.text

        second["sentences"] = False
        translations = self.second.translate(sentences(), **second)

        def run() -> Iterator[StreamedText]:
            for translation in translations:
                while not waiting[0].source:
                    yield waiting.popleft()
                yield replace(waiting.popleft(), text=translation.text)
            yield from waiting

        return run()


def _share(
    options: TranslateOptions,
) -> tuple[TranslateOptions, TranslateOptions]:
    """The options of the first model, and of the second."""
    for name in _REFUSED:
        if options.get(name) is not None:
            raise ValueError(
                f"{name}: it belongs to one model, and these are two; call "
                "`first` and `second` one after the other."
            )
    first, second = options.copy(), options.copy()
    first.pop("target_lang", None)
    first.pop("n_best", None)
    first.pop("alternatives", None)
    second.pop("source_lang", None)
    return first, second
