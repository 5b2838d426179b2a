"""The part of CTranslate2's Python API that translation uses, on Latimer.

    import latimer.ctranslate2 as ctranslate2
    translator = ctranslate2.Translator("model/")
    translator.translate_batch([["▁Hello", "▁world", "!"]])

install() makes `import ctranslate2` find this module; README.md lists what is
taken.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from ._log import get_log_level, set_log_level
from ._model import set_random_seed
from ._results import (
    AsyncScoringResult,
    AsyncTranslationResult,
    ExecutionStats,
    GenerationStepResult,
    ScoringResult,
    TranslationResult,
)
from ._translator import Translator, check_device

__version__ = "4.8.0"  # Whose interface it is.
__all__ = [
    "AsyncScoringResult",
    "AsyncTranslationResult",
    "ExecutionStats",
    "GenerationStepResult",
    "Generator",
    "ScoringResult",
    "TranslationResult",
    "Translator",
    "contains_model",
    "get_cuda_device_count",
    "get_log_level",
    "get_supported_compute_types",
    "install",
    "set_log_level",
    "set_random_seed",
]


class Generator:
    """Refused: Latimer has encoder-decoders only."""

    def __init__(self, model_path: str, *_: Any, **__: Any) -> None:
        raise RuntimeError(
            f"{model_path}: this model cannot be used as a sequence generator, "
            "because Latimer runs encoder-decoders only; give it to a "
            "Translator, or use CTranslate2 itself"
        )


def contains_model(path: str | os.PathLike[str]) -> bool:
    """Whether a folder seems to contain a CTranslate2 model."""
    return (Path(path) / "model.bin").is_file()


def get_cuda_device_count() -> int:
    """0: Latimer does not use GPUs."""
    return 0


def get_supported_compute_types(device: str, device_index: int = 0) -> set[str]:
    """The compute types that Translator takes."""
    check_device(device)
    return {"float32", "int8", "int8_float32"}


def install() -> None:
    """Makes `import ctranslate2` find this module, in this process."""
    sys.modules["ctranslate2"] = sys.modules[__name__]


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"latimer.ctranslate2 has no {name}: it has the part of CTranslate2 "
        "that translation uses"
    )
