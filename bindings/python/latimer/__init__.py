"""Translation models on small machines.

    import latimer
    translator = latimer.Translator.from_pretrained("Helsinki-NLP/opus-mt-en-de")
    print(translator.translate("How are you?").text)

A Translator has one model; TranslateOptions are what its methods take by name.
A Transcriber writes what is said in a recording.
"""

from . import models
from ._auto import AutoTranslator
from ._c import library as _library
from ._check import Check, check
from ._convert import ConvertOptions, convert
from ._detect import detect_language
from ._errors import (
    ConversionError,
    DownloadError,
    InvalidArgumentError,
    LatimerError,
)
from ._numbers import NumberCheck, check_numbers
from ._options import TranslateOptions
from ._pipeline import Pipeline, pipeline
from ._pivot import PivotTranslator
from ._results import (
    Hypothesis,
    ModelInfo,
    Segment,
    StreamedText,
    TokenLink,
    TokenScore,
    Translation,
    Word,
    WordScore,
)
from ._transcriber import Transcriber
from ._translator import Translator

__version__: str = _library.version().decode()
__all__ = [
    "AutoTranslator",
    "Check",
    "ConversionError",
    "ConvertOptions",
    "DownloadError",
    "Hypothesis",
    "InvalidArgumentError",
    "LatimerError",
    "ModelInfo",
    "NumberCheck",
    "Pipeline",
    "PivotTranslator",
    "Segment",
    "StreamedText",
    "TokenLink",
    "TokenScore",
    "Transcriber",
    "TranslateOptions",
    "Translation",
    "Translator",
    "Word",
    "WordScore",
    "check",
    "check_numbers",
    "convert",
    "detect_language",
    "models",
    "pipeline",
]
