"""What all translators have in common: one text, or several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar, overload

from ._options import TranslateOptions, Unpack, check_text, refuse
from ._results import Translation

Self = TypeVar("Self", bound="TextTranslator")


class TextTranslator:
    """Translates a text, or each text of an iterable; see its subclasses."""

    @overload
    def translate(  # type: ignore[overload-overlap]
        self, text: str, **options: Unpack[TranslateOptions]
    ) -> Translation: ...

    @overload
    def translate(
        self, text: Iterable[str], **options: Unpack[TranslateOptions]
    ) -> Iterator[Translation]: ...

    def translate(
        self, text: str | Iterable[str], **options: Unpack[TranslateOptions]
    ) -> Translation | Iterator[Translation]:
        """Translates a text, or each text of an iterable.

        A text may be of any length: one that exceeds the longest source is
        cut at sentence ends, otherwise at spaces, translated in parts and
        joined with spaces. An iterable gives an iterator, which reads up to
        twice as many texts ahead as there are lanes. If it raises, or has what
        is no text, the translations of the texts before come out first.

        Args:
            text: a text, or texts.
            **options: see TranslateOptions.

        Raises:
            InvalidArgumentError: what the options name is not in the model.
            LatimerError: the model has no tokenizer.
        """
        if isinstance(text, str):
            return self._translate_text(text, options)
        check_text(text)
        return self._translate_texts(text, options)

    def translate_batch(
        self, texts: Iterable[str], **options: Unpack[TranslateOptions]
    ) -> list[Translation]:
        """Translates all texts, side by side, as translate(texts) does."""
        if isinstance(texts, str):
            refuse("texts", "a list of str", texts)
        return list(self.translate(texts, **options))

    def close(self) -> None:
        """Closes what it has opened; so does the end of a `with`."""
        raise NotImplementedError

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _translate_text(
        self, text: str, options: TranslateOptions
    ) -> Translation:
        raise NotImplementedError

    def _translate_texts(
        self, texts: Iterable[str], options: TranslateOptions
    ) -> Iterator[Translation]:
        raise NotImplementedError
