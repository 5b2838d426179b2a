"""The options of a translation, as keyword arguments and as the C API's struct."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from . import _c

if TYPE_CHECKING:
    from ctypes import _Pointer

AttentionKind = Literal["cross", "encoder", "decoder"]
TokenCallback = Callable[[int, int], "bool | None"]


class TranslateOptions(TypedDict, total=False):
    """What Translator.translate takes; what is left out is the model's own.

    Keys:
        source_lang, target_lang: codes of Translator.info.languages, such as
            "eng_Latn"; a multilingual model needs both.
        language_code: put before the text, such as ">>deu<<".
        task: one of Translator.info.tasks, such as "summarization".
        prefix: put before the text in place of the task's.
        max_target_tokens, min_target_tokens: of a translation, or of each
            part of a text that exceeds the longest source, EOS included.
        beams: 1 for greedy search, which is the fastest.
        length_penalty: above 0 prefers long translations, with beams.
        early_stopping: True, False or "never", with beams.
        n_best: how many hypotheses to keep; needs as many beams.
        no_repeat_ngram: no n-gram of this many tokens comes twice; 0: off.
        repetition_penalty: 1: off.
        forced_first_token: the id that a translation begins with.
        suppressed: ids that may not be produced.
        guards: False: do not stop loops and translations that are far too
            long.
        budget_tokens, budget_ms: what a text may use, with all its parts.
        attention: the attention whose weights to keep.
        scores: whether to keep the log-probability of each token.
        on_token: called with index and id of each token; False ends the
            sentence.
    """

    source_lang: str
    target_lang: str
    language_code: str
    task: str
    prefix: str
    max_target_tokens: int
    min_target_tokens: int
    beams: int
    length_penalty: float
    early_stopping: bool | Literal["never"]
    n_best: int
    no_repeat_ngram: int
    repetition_penalty: float
    forced_first_token: int
    suppressed: Sequence[int]
    guards: bool
    budget_tokens: int
    budget_ms: int
    attention: AttentionKind
    scores: bool
    on_token: TokenCallback


_NAMES = {"source_lang": "source_language", "target_lang": "target_language"}
_TEXTS = {"source_lang", "target_lang", "language_code", "task", "prefix"}
_NUMBERS = {
    "max_target_tokens": 2**32,
    "min_target_tokens": 2**32,
    "beams": 2**32,
    "budget_tokens": 2**32,
    "budget_ms": 2**32,
}


def ids_array(ids: Sequence[int]) -> ctypes.Array[ctypes.c_int32]:
    """Token ids as C has them. Raises ValueError if one exceeds 32 bits."""
    numbers = [int(token) for token in ids]
    for token in numbers:
        if not -(2**31) <= token < 2**31:
            raise ValueError(f"{token} is no token id.")
    return (ctypes.c_int32 * len(numbers))(*numbers)


def _pointer(kind: Any, value: Any) -> _Pointer[Any]:
    return ctypes.pointer(kind(value))


class CallOptions:
    """Options as the C API's struct, which it keeps alive, and our own.

    Attributes:
        struct: a _c.Options.
        n_best: hypotheses to keep.
        error: what on_token raised, or None.
    """

    def __init__(self, options: TranslateOptions) -> None:
        self.struct = _c.Options()
        self.n_best = 0
        self.error: BaseException | None = None
        self._on_token: TokenCallback | None = None
        for name, value in options.items():
            if value is not None:
                self._set(name, value)

    @property
    def has_budget(self) -> bool:
        return bool(self.struct.budget_tokens or self.struct.budget_ms)

    def _set(self, name: str, value: Any) -> None:
        struct = self.struct
        if name in _TEXTS:
            setattr(struct, _NAMES.get(name, name), encode(value))
        elif name in _NUMBERS:
            number = int(value)
            if not 0 <= number < _NUMBERS[name]:
                raise ValueError(f"{name} {value}: give a number from 0.")
            setattr(struct, name, number)
        elif name == "n_best":
            self.n_best = int(value)
            if self.n_best < 0:
                raise ValueError(f"n_best {value}: give a number from 0.")
        elif name == "length_penalty":
            struct.length_penalty = _pointer(ctypes.c_float, value)
        elif name == "early_stopping":
            if value not in _c.EARLY_STOPPING:
                raise ValueError(
                    f"early_stopping {value!r}: give True, False or 'never'."
                )
            struct.early_stopping = _c.EARLY_STOPPING[value]
        elif name == "no_repeat_ngram":
            struct.no_repeat_ngram = _pointer(ctypes.c_uint32, value)
        elif name == "repetition_penalty":
            struct.repetition_penalty = float(value)
        elif name == "forced_first_token":
            struct.forced_first = _pointer(ctypes.c_int32, value)
        elif name == "suppressed":
            ids = ids_array(value)
            struct.suppressed = ids
            struct.suppressed_count = len(ids)
        elif name == "guards":
            struct.no_guards = not value
        elif name == "attention":
            if value not in _c.ATTENTION_KINDS:
                raise ValueError(
                    f"attention {value!r}: give 'cross', 'encoder' or "
                    "'decoder'."
                )
            struct.attention = _c.ATTENTION_KINDS.index(value)
        elif name == "scores":
            struct.scores = bool(value)
        elif name == "on_token":
            self._on_token = value
            struct.on_token = _c.TokenCallback(self._call)
        else:
            raise TypeError(f"{name!r} is no option of a translation.")

    def _call(self, _: Any, index: int, token: int) -> bool:
        # What a callback raises would be lost in C.
        try:
            assert self._on_token is not None
            return self._on_token(index, token) is not False
        except BaseException as error:  # noqa: BLE001
            self.error = error
            return False


def encode(text: str) -> bytes:
    """UTF-8. Half a surrogate pair is U+FFFD."""
    if not isinstance(text, str):
        raise TypeError(f"A text is a str, not {type(text).__name__}.")
    try:
        return text.encode()
    except UnicodeEncodeError:
        pairs = text.encode("utf-16", "surrogatepass")
        return pairs.decode("utf-16", "replace").encode()
