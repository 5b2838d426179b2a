"""Translation models on small machines.

    import latimer
    latimer.convert("opus-mt-en-de", "en-de.ltm")
    translator = latimer.Translator("en-de.ltm")
    print(translator.translate("How are you?").text)
"""

from ._c import library as _library
from ._convert import convert
from ._errors import ConversionError, InvalidArgumentError, LatimerError
from ._options import TranslateOptions
from ._pipeline import Pipeline, pipeline
from ._results import (
    Hypothesis,
    ModelInfo,
    StreamedText,
    TokenLink,
    TokenScore,
    Translation,
    WordScore,
)
from ._translator import Translator

__version__: str = _library.version().decode()
__all__ = [
    "ConversionError",
    "Hypothesis",
    "InvalidArgumentError",
    "LatimerError",
    "ModelInfo",
    "Pipeline",
    "StreamedText",
    "TokenLink",
    "TokenScore",
    "TranslateOptions",
    "Translation",
    "Translator",
    "WordScore",
    "convert",
    "pipeline",
]
