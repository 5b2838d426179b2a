"""Translator: a model that is loaded from a file, or by its name."""

from __future__ import annotations

import os
from typing import Any, Literal, overload

from ._auto import AutoTranslator
from ._documents import DocumentTranslator
from ._for_pair import open_auto, open_pair
from ._loaded import LoadedTranslator
from ._options import refuse
from ._pivot import PivotTranslator
from ._pretrained import open_model

# What Translator() takes, beside the path.
OWN = ("threads", "workers", "lanes", "check_file", "pin_threads", "cpu", "cache")


class Translator(LoadedTranslator, DocumentTranslator):
    """A model that translates.

        translator = latimer.Translator("en-de.ltm")
        print(translator.translate("How are you?").text)
        for translation in translator.translate(lines):  # lazily, in order
            print(translation.text)

    It frees its memory when nothing refers to it, after `close`, or at the end
    of `with latimer.Translator("en-de.ltm") as translator:`.

    Several threads may use it at a time: each call takes a copy of the
    translator's memory, not of the model, from a pool that grows as needed.
    The GIL is released while C++ runs. It is pickled by its path and options,
    so that each process maps the file itself.
    """

    @overload
    @classmethod
    def from_pretrained(
        cls,
        name: str | os.PathLike[str],
        *,
        weights: str = ...,
        revision: str | None = ...,
        **options: Any,
    ) -> Translator: ...

    @overload
    @classmethod
    def from_pretrained(
        cls,
        *,
        source: Literal["auto"],
        target: str,
        weights: str = ...,
        **options: Any,
    ) -> AutoTranslator: ...

    @overload
    @classmethod
    def from_pretrained(
        cls,
        *,
        source: str,
        target: str,
        weights: str = ...,
        **options: Any,
    ) -> Translator | PivotTranslator: ...

    @classmethod
    def from_pretrained(
        cls,
        name: str | os.PathLike[str] | None = None,
        *,
        source: str | None = None,
        target: str | None = None,
        weights: str = "int8",
        revision: str | None = None,
        **options: Any,
    ) -> Translator | PivotTranslator | AutoTranslator:
        """Opens a model by its name, its path, or a pair of languages.

            Translator.from_pretrained("Helsinki-NLP/opus-mt-en-de")
            Translator.from_pretrained("nllb-200-distilled-600M")  # a folder
            Translator.from_pretrained(source="de", target="fr")

        The model is fetched and converted once, and kept: see latimer.models.
        After that nothing is fetched, not even to look for a newer revision;
        latimer.models.remove(name) lets the next call do that.

        Args:
            name: OWNER/NAME of a Hub, which needs the package
                huggingface_hub; or a path: what latimer.convert takes, an
                Argos package as it is, or a file that is converted.
            source, target: in place of a name: languages as people type
                them, such as "pt", "pt-BR" or "Portuguese". A published
                student of Mozilla's comes first (size="tiny" asks for a small
                one), then two by way of English, in a PivotTranslator, then
                OPUS-MT's models, for which there is a table. source="auto"
                detects the language of each text, and opens its model when
                it is needed, in an AutoTranslator.
            weights: "int8", "int6", "int4", "f16", "f32" or "auto".
            revision: a branch, a tag or a commit of a name.
            **options: of Translator (threads, lanes, cache ...), and those of
                latimer.convert: source_lang="eng_Latn" ...

        Raises:
            DownloadError, ConversionError, LatimerError, ValueError: one
                sentence that says what is wrong and what to do.
        """
        own = {key: options.pop(key) for key in OWN if key in options}
        options["weights"] = weights

        def opened(path: str | os.PathLike[str]) -> Translator:
            return cls(path, **own)

        if name is not None and source is None and target is None:
            return open_model(opened, name, revision, options)
        for key, language in ("source", source), ("target", target):
            if language is not None and not isinstance(language, str):
                refuse(key, "a str", language)
        if name is None and source and target and revision is None:
            if source == "auto":
                return open_auto(opened, target, options)
            return open_pair(opened, source, target, options)
        raise ValueError(
            "Give the name of a model or its path, or source and target."
        )
