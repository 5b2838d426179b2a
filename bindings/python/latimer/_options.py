"""The options of a translation, as keyword arguments and as the C API's struct."""

from __future__ import annotations

import ctypes
import numbers
import operator
import reprlib
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NoReturn, TypedDict

from . import _c
from ._errors import check

if sys.version_info >= (3, 11):
    from typing import Unpack as Unpack
else:
    from typing_extensions import Unpack as Unpack

AttentionKind = Literal["cross", "encoder", "decoder"]
TokenCallback = Callable[[int, int], "bool | None"]


class TranslateOptions(TypedDict, total=False):
    """What Translator.translate takes; what is left out is the model's own.

    Keys:
        source_lang, target_lang: codes of Translator.info.languages, such as
            "eng_Latn"; a multilingual model needs both, or the target's.
        language_code: put before the text, such as ">>deu<<".
        task: one of Translator.info.tasks, such as "summarization".
        prefix: put before the text in place of the task's.
        max_target_tokens, min_target_tokens: of a translation, or of each
            sentence of a text that has several, EOS included.
        sentences: False: a text that fits the longest source is translated at
            once, as the original library does it, not by sentences and lines.
        paragraphs: True: lines are wrapped. A line break ends a sentence only
            at a blank line and in a list, and becomes a space elsewhere.
        beams: 1 for greedy search, which is the fastest.
        alternatives: instead of beams: that many hypotheses, which begin with
            the best tokens after target_prefix, each completed greedily.
        length_penalty: above 0 prefers long translations, with beams.
        early_stopping: True, False or "never", with beams.
        n_best: how many hypotheses to keep; needs as many beams.
        no_repeat_ngram: no n-gram of this many tokens comes twice; 0: off.
        repetition_penalty: 1: off.
        forced_first_token: the id that a translation begins with.
        suppressed: ids that may not be produced.
        target_prefix: what the translation begins with: a text of the target,
            or ids.
        banned: words, phrases or sequences of ids that may not be produced.
        terms: words and phrases of the source, and what stands for them.
        protect: whether placeholders, URLs, e-mail addresses and numbers with
            units come out as they are, once each.
        protected_ranges: characters (begin, end) of a single text, in
            ascending order, that come out as they are.
        fold: False: do not read characters that the model lacks as what it has
            (a dash as -).
        keep_unknown: False: the model reads its unknown token for characters
            that it lacks, and they are lost.
        sample: True: draw tokens by their probabilities; so does each of the
            next four. Without beams.
        temperature: logits are divided by it: above 1 makes tokens more alike.
        top_k: how many of the most likely tokens may be drawn; 0: all.
        top_p: only the most likely tokens are drawn, as many as sum up to it.
        min_p: only tokens are drawn whose probability is at least this share
            of the most likely one's.
        seed: other tokens with another seed. Each text of an iterable has
            random numbers of its own.
        guards: False: do not stop loops and translations that are far too
            long.
        budget_tokens, budget_ms: what a text may use, with all its parts.
        attention: the attention whose weights to keep.
        scores: whether to keep the log-probabilities of tokens and words.
        alignment: whether to keep where in the source each token comes from.
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
    sentences: bool
    paragraphs: bool
    beams: int
    alternatives: int
    length_penalty: float
    early_stopping: bool | Literal["never"]
    n_best: int
    no_repeat_ngram: int
    repetition_penalty: float
    forced_first_token: int
    suppressed: Sequence[int]
    target_prefix: str | Sequence[int]
    banned: Iterable[str | Sequence[int]]
    terms: Mapping[str, str]
    protect: bool
    protected_ranges: Iterable[tuple[int, int]]
    fold: bool
    keep_unknown: bool
    sample: bool
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    seed: int
    guards: bool
    budget_tokens: int
    budget_ms: int
    attention: AttentionKind
    scores: bool
    alignment: bool
    on_token: TokenCallback


def _named() -> Iterator[str]:
    place = 0
    while name := _c.library.option_name(place):
        yield name.decode()
        place += 1


# What latimer_set_option knows.
_NAMED = frozenset(_named())


_TYPES = typing.get_type_hints(TranslateOptions)

# What an option takes, by its type or its name; others take lists.
_TAKEN: dict[Any, tuple[str, Any]] = {
    bool: ("True or False", numbers.Integral),
    int: ("a number", numbers.Real),
    float: ("a number", numbers.Real),
    str: ("a str", str),
    "attention": ("a str", str),
    "early_stopping": ("True, False or 'never'", (bool, str)),
    "on_token": ("a function", Callable),
    "target_prefix": ("a str or a list of ids", (str, Iterable)),
    "terms": ("a dict", Mapping),
}


def refuse(name: str, wanted: str, value: object) -> NoReturn:
    raise TypeError(f"{name}: give {wanted}, not {reprlib.repr(value)}.")


def _check_type(name: str, value: object) -> None:
    """Raises TypeError for what is no option, and for a value of another type;
    ranges are checked by C."""
    kind = _TYPES.get(name)
    if kind is None:
        raise TypeError(f"{name!r} is no option of a translation.")
    wanted, taken = _TAKEN.get(name) or _TAKEN.get(kind, ("a list", Iterable))
    if (
        not isinstance(value, taken)
        or isinstance(value, bytes)
        or (taken is Iterable and isinstance(value, str))
        or (taken is numbers.Real and isinstance(value, bool))
    ):
        refuse(name, wanted, value)


def ids_array(
    ids: Iterable[int], name: str = "ids"
) -> ctypes.Array[ctypes.c_int32]:
    """Token ids as C has them. Raises ValueError if one exceeds 32 bits."""
    try:
        tokens = [operator.index(token) for token in ids]
    except TypeError:
        refuse(name, "a list of int", ids)
    for token in tokens:
        _check_id(token)
    return (ctypes.c_int32 * len(tokens))(*tokens)


def token_id(token: int) -> int:
    """The same for one id. ctypes would cut it to 32 bits."""
    try:
        number = operator.index(token)
    except TypeError:
        refuse("token", "an int", token)
    _check_id(number)
    return number


def _check_id(token: int) -> None:
    if not -(2**31) <= token < 2**31:
        raise ValueError(f"{token} is no token id.")


def _spell(value: object) -> bytes:
    """A value as latimer_set_option takes it: True is true, and 4.0 is 4."""
    if isinstance(value, str):
        return encode(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).lower().encode()


class CallOptions:
    """Options as the C API's struct, which it keeps alive, and our own.

    Attributes:
        struct: a _c.Options.
        beams: of the search, or alternatives; 0: the model's number.
        n_best: hypotheses to keep.
        attention: whose weights to keep, or "none".
        error: what on_token raised, or None.
        prepared: whether the slot that is to use it has prepared it.
    """

    def __init__(
        self, options: TranslateOptions, text: str | None = None
    ) -> None:
        """`text`: the only one that is translated, if there is only one."""
        self.struct = _c.Options()
        self.beams = 0
        self.n_best = 0
        self.attention = "none"
        self.error: BaseException | None = None
        self.prepared = False
        self._on_token: TokenCallback | None = None
        self._text = text
        self._banned: list[str | Sequence[int]] = []
        self._kept: list[bytes] = []  # Texts that the struct points to.
        for name, value in options.items():
            if value is not None:
                self._set(name, value)

    @property
    def calls_back(self) -> bool:
        return self._on_token is not None

    def tokenize(self, tokenize_target: Callable[[str], list[int]]) -> None:
        """Makes ids of banned words."""
        tokens: list[int] = []
        ends: list[int] = []
        for words in self._banned:
            ids = (
                tokenize_target(words)
                if isinstance(words, str)
                else list(words)
            )
            if ids:
                tokens += ids
                ends.append(len(tokens))
        self.struct.banned_tokens = ids_array(tokens)
        self.struct.banned_ends = (ctypes.c_uint32 * len(ends))(*ends)
        self.struct.banned_count = len(ends)

    def _protect(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Ranges of characters of the text, as ranges of its bytes."""
        text = self._text
        if text is None:
            raise ValueError("protected_ranges: give them with one text.")
        found = []
        at = count = 0
        for begin, end in ranges:
            if not at <= begin <= end <= len(text):
                raise ValueError(
                    f"protected_ranges: ({begin}, {end}) overlaps the one "
                    "before it, or is not in the text."
                )
            first = count + len(encode(text[at:begin]))
            at, count = end, first + len(encode(text[begin:end]))
            found.append(_c.TextRange(first, count))
        self.struct.protected_ranges = (_c.TextRange * len(found))(*found)
        self.struct.protected_range_count = len(found)

    def _set(self, name: str, value: Any) -> None:
        _check_type(name, value)
        struct = self.struct
        if name == "target_prefix" and not isinstance(value, str):
            ids = ids_array(value, name)
            struct.target_prefix_ids = ids
            struct.target_prefix_count = len(ids)
        elif name in _NAMED:
            self._kept.append(_spell(value))
            message = ctypes.create_string_buffer(_c.MESSAGE_BYTES)
            code = _c.library.set_option(
                struct, name.encode(), self._kept[-1], message, len(message)
            )
            check(code, message.value)
            if name == "attention":
                self.attention = value
            if name in ("beams", "alternatives"):
                self.beams = self.beams or int(value)
            if name == "alternatives":
                self.n_best = self.n_best or int(value)
        elif name == "n_best":
            if not 0 <= value < 2**32 or value != int(value):
                raise ValueError(f"n_best {value}: give a whole number from 0.")
            self.n_best = int(value)
        elif name == "suppressed":
            ids = ids_array(value, name)
            struct.suppressed = ids
            struct.suppressed_count = len(ids)
        elif name == "protected_ranges":
            self._protect(value)
        elif name == "banned":
            self._banned = list(value)
            for words in self._banned:
                if not isinstance(words, Iterable):
                    raise TypeError(
                        f"banned: {words!r} is neither a text nor a list of ids"
                    )
        elif name == "terms":
            pairs = [(encode(a), encode(b)) for a, b in value.items()]
            struct.terms = (_c.Term * len(pairs))(
                *(_c.Term(a, len(a), b, len(b)) for a, b in pairs)
            )
            struct.term_count = len(pairs)
        elif name == "on_token":
            self._on_token = value
            struct.on_token = _c.TokenCallback(self._call)

    def _call(self, _: Any, index: int, token: int) -> bool:
        # What a callback raises would be lost in C.
        try:
            assert self._on_token is not None
            return self._on_token(index, token) is not False
        except BaseException as error:  # noqa: BLE001
            self.error = error
            return False


def check_text(text: object, taken: Any = Iterable) -> None:
    """Raises TypeError unless it is a text, or may be an iterable of texts."""
    if not isinstance(text, taken) or isinstance(text, (bytes, bytearray)):
        raise TypeError(f"A text is a str, not {type(text).__name__}.")
    # An iterator over these gives their keys, or the names of columns.
    if isinstance(text, Mapping) or hasattr(text, "columns"):
        raise TypeError(
            f"texts: give a list of str, not {type(text).__name__}, such as "
            "its values() or one of its columns."
        )


def encode_all(texts: Iterable[str]) -> Iterator[bytes]:
    """The UTF-8 of each text; says which one is none."""
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            refuse(f"texts[{index}]", "a str", text)
        yield encode(text)


def encode(text: str) -> bytes:
    """UTF-8. Half a surrogate pair is U+FFFD."""
    check_text(text, str)
    try:
        return text.encode()
    except UnicodeEncodeError:
        pairs = text.encode("utf-16", "surrogatepass")
        return pairs.decode("utf-16", "replace").encode()
