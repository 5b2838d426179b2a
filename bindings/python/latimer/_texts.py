"""What all translators have in common: one text, or several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any, Literal, TypeVar, overload

from ._options import TranslateOptions, Unpack, check_text, refuse
from ._progress import shown
from ._results import Translation

Self = TypeVar("Self", bound="TextTranslator")
Item = TypeVar("Item")


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

        A text may be of any length. Each sentence and each line is translated
        by itself, unless `sentences` is False, and the white space between
        them is kept; a sentence that exceeds the longest source is cut. An
        iterable gives an iterator, which reads up to
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

    @overload
    def translate_batch(
        self,
        texts: Iterable[str],
        *,
        progress: bool = ...,
        **options: Unpack[TranslateOptions],
    ) -> list[Translation]: ...

    @overload
    def translate_batch(
        self,
        texts: Iterable[tuple[str, Item]],
        *,
        as_tuples: Literal[True],
        progress: bool = ...,
        **options: Unpack[TranslateOptions],
    ) -> list[tuple[Translation, Item]]: ...

    @overload
    def translate_batch(
        self,
        texts: Iterable[Any],
        *,
        missing: Literal["keep"],
        progress: bool = ...,
        **options: Unpack[TranslateOptions],
    ) -> list[Translation | None]: ...

    @overload
    def translate_batch(
        self,
        texts: Iterable[str],
        *,
        html: Literal[True],
        progress: bool = ...,
        **options: Unpack[TranslateOptions],
    ) -> list[str]: ...

    @overload
    def translate_batch(
        self,
        texts: Iterable[Any],
        *,
        as_tuples: bool = ...,
        missing: Literal["raise", "keep"] = ...,
        html: bool = ...,
        progress: bool = ...,
        **options: Unpack[TranslateOptions],
    ) -> list[Any]: ...

    def translate_batch(
        self,
        texts: Iterable[Any],
        *,
        as_tuples: bool = False,
        missing: str = "raise",
        html: bool = False,
        progress: bool = False,
        **options: Unpack[TranslateOptions],
    ) -> list[Any]:
        """Translates all texts, side by side, as translate(texts) does.

        Args:
            texts: such as a column of a data frame.
            as_tuples: `texts` are pairs, of a text and anything; so are the
                results, of a Translation and that.
            missing: "keep": the result of None and of what pandas takes for
                missing (NaN, NA) is None. "raise": they are refused.
            html: each text is a page of HTML, and its result a str.
            progress: show how many are done, by tqdm if that is installed.
            **options: see TranslateOptions.
        """
        if isinstance(texts, str):
            refuse("texts", "a list of str", texts)
        if missing not in ("raise", "keep"):
            raise ValueError(f"missing {missing!r}: give 'raise' or 'keep'.")
        check_text(texts)
        total = len(texts) if isinstance(texts, Sized) else None
        others: list[Any] = []  # Of pairs, what comes with each text.
        gaps: list[int] = []  # Where nothing is translated.

        def read() -> Iterator[str]:
            for index, text in enumerate(texts):
                if as_tuples:
                    try:
                        text, other = text
                    except (TypeError, ValueError):
                        refuse(f"texts[{index}]", "a pair", text)
                    others.append(other)
                if missing == "keep" and _is_missing(text):
                    gaps.append(index)
                    continue
                if not isinstance(text, str):
                    refuse(f"texts[{index}]", "a str", text)
                yield text

        found: Iterator[Any]
        if html:
            found = ("".join(self.translate_html(t, **options)) for t in read())
        else:
            # As a list if it is one, which tells how many there are.
            known = total is not None and missing == "raise" and not as_tuples
            found = self._translate_texts(texts if known else read(), options)
        results: list[Any] = list(shown(found, total) if progress else found)
        for index in gaps:
            results.insert(index, None)
        return list(zip(results, others)) if as_tuples else results

    def close(self) -> None:
        """Closes what it has opened; so does the end of a `with`."""
        raise NotImplementedError

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def translate_html(
        self, html: str | Iterable[str], **options: Unpack[TranslateOptions]
    ) -> Iterator[str]:
        raise ValueError("html: a Translator of one model translates pages.")

    def _translate_text(
        self, text: str, options: TranslateOptions
    ) -> Translation:
        raise NotImplementedError

    def _translate_texts(
        self, texts: Iterable[str], options: TranslateOptions
    ) -> Iterator[Translation]:
        raise NotImplementedError


def _is_missing(text: object) -> bool:
    """What pandas.isna says of a value, without pandas."""
    return (
        text is None
        or (isinstance(text, float) and text != text)
        or type(text).__name__ in ("NAType", "NaTType")
    )
