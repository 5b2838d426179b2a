"""What goes wrong, as exceptions."""

from __future__ import annotations

from . import _c


class LatimerError(Exception):
    """A model file that cannot be used, or a request that a model refuses.

    Attributes:
        code: the name of the C API's code, such as "CORRUPT".
    """

    def __init__(self, message: str, code: str = "INVALID_ARGUMENT") -> None:
        super().__init__(message)
        self.code = code


class InvalidArgumentError(LatimerError, ValueError):
    """An option or a text that the model cannot take."""


class ConversionError(LatimerError, ValueError):
    """latimer-convert refused a model or an option; the message is its
    sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "CONVERSION")


class DownloadError(LatimerError):
    """A model could not be fetched by its name; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "DOWNLOAD")


def check(code: int, message: bytes | None) -> None:
    """Raises the exception for a code of the C API, unless it is OK."""
    if code == 0:
        return
    name = _c.CODES[code]
    kind = InvalidArgumentError if name == "INVALID_ARGUMENT" else LatimerError
    raise kind((message or b"").decode(errors="replace"), name)
