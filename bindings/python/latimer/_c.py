"""The C API of Latimer, latimer/latimer.h, as ctypes sees it.

The structs have the members of the header in the same order; tests compare
their offsets with those of a C compiler.
"""

from __future__ import annotations

import ctypes
import pathlib
from ctypes import (
    POINTER,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

FOLDER = pathlib.Path(__file__).parent
MESSAGE_BYTES = 400
PIECE_BYTES = 1024

CODES = (
    "OK",
    "INVALID_ARGUMENT",
    "FAILED_PRECONDITION",
    "NOT_A_MODEL",
    "TRUNCATED",
    "CORRUPT",
    "UNSUPPORTED_VERSION",
    "EXCEEDS_PROFILE",
    "TILE_NOT_IN_BUILD",
    "UNSUPPORTED_CPU",
    "TEXT_TOO_LONG",
    "RESOURCE_UNAVAILABLE",
)
STOP_REASONS = ("eos", "length_limit", "loop", "budget", "cancelled")

class Struct(ctypes.Structure):
    """A struct that begins with its size."""

    def __init__(self, **members: Any) -> None:
        super().__init__(struct_bytes=ctypes.sizeof(type(self)), **members)


class LoadOptions(Struct):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("threads", c_uint32),
        ("lanes", c_uint32),
        ("beams", c_uint32),
        ("pin_threads", c_int),
        ("trust_file", c_int),
        ("room_for", c_char_p),
        ("cpu", c_char_p),
    ]


TokenCallback = ctypes.CFUNCTYPE(ctypes.c_bool, c_void_p, c_size_t, c_int32)


class Term(ctypes.Structure):
    _fields_ = [
        ("source", c_char_p),
        ("source_bytes", c_size_t),
        ("target", c_char_p),
        ("target_bytes", c_size_t),
    ]


class TextRange(ctypes.Structure):
    _fields_ = [("begin", c_uint32), ("end", c_uint32)]


class Options(Struct):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("named", c_uint64 * 64),
        ("suppressed", POINTER(c_int32)),
        ("suppressed_count", c_size_t),
        ("target_prefix_ids", POINTER(c_int32)),
        ("target_prefix_count", c_size_t),
        ("banned_tokens", POINTER(c_int32)),
        ("banned_ends", POINTER(c_uint32)),
        ("banned_count", c_size_t),
        ("terms", POINTER(Term)),
        ("term_count", c_size_t),
        ("protected_ranges", POINTER(TextRange)),
        ("protected_range_count", c_size_t),
        ("on_token", TokenCallback),
        ("token_context", c_void_p),
        ("stream", c_uint64),
    ]


class TokenScore(ctypes.Structure):
    _fields_ = [("log_probability", c_float), ("margin", c_float)]


class TokenLink(ctypes.Structure):
    _fields_ = [("target", TextRange), ("source", TextRange)]


class Translation(Struct):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("text", c_void_p),
        ("text_bytes", c_size_t),
        ("tokens", POINTER(c_int32)),
        ("token_count", c_size_t),
        ("source_bytes", c_size_t),
        ("space", c_void_p),
        ("space_bytes", c_size_t),
        ("stop_reason", c_int),
        ("generated_tokens", c_size_t),
        ("source", POINTER(c_int32)),
        ("source_count", c_size_t),
        ("scores", POINTER(TokenScore)),
        ("links", POINTER(TokenLink)),
        ("link_count", c_size_t),
        ("attention_layers", c_uint32),
        ("attention_heads", c_uint32),
        ("attention_rows", c_size_t),
        ("hypothesis_count", c_size_t),
        ("parts", c_size_t),
        ("mean_score", c_double),
    ]


class WordScore(ctypes.Structure):
    _fields_ = [
        ("begin", c_size_t),
        ("end", c_size_t),
        ("log_probability", c_float),
    ]


class StreamedText(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("text", c_void_p),
        ("text_bytes", c_size_t),
        ("source", c_void_p),
        ("source_bytes", c_size_t),
        ("line", c_uint64),
        ("cut", c_int),
        ("stop_reason", c_int),
    ]


class SpeechOptions(Struct):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("language", c_char_p),
        ("prompt", c_char_p),
        ("max_tokens", c_size_t),
        ("pcm_rate", c_uint32),
        ("translate", c_int),
        ("short_window", c_int),
        ("no_timestamps", c_int),
        ("no_previous_text", c_int),
        ("no_fallback", c_int),
        ("word_timestamps", c_size_t),
    ]


class Word(ctypes.Structure):
    _fields_ = [
        ("text", c_void_p),
        ("text_bytes", c_size_t),
        ("start", c_double),
        ("end", c_double),
        ("probability", c_float),
    ]


class Segment(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("text", c_void_p),
        ("text_bytes", c_size_t),
        ("language", c_char_p),
        ("start", c_double),
        ("end", c_double),
        ("tokens", POINTER(c_int32)),
        ("token_count", c_size_t),
        ("temperature", c_float),
        ("avg_logprob", c_float),
        ("compression_ratio", c_float),
        ("no_speech_prob", c_float),
        ("language_probability", c_float),
        ("stop_reason", c_int),
        ("words", POINTER(Word)),
        ("word_count", c_size_t),
    ]


HtmlReceiver = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)
Receiver = ctypes.CFUNCTYPE(None, c_void_p, POINTER(StreamedText))
SegmentReceiver = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Segment))


class ModelInfo(Struct):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("format_version", c_uint32),
        ("threads", c_uint32),
        ("checksum", c_uint64),
        ("file_bytes", c_uint64),
        ("weights", c_char_p),
        ("tile", c_char_p),
        ("model_version", c_void_p),
        ("model_version_bytes", c_size_t),
        ("source", c_void_p),
        ("source_bytes", c_size_t),
        ("license", c_void_p),
        ("license_bytes", c_size_t),
        ("source_vocabulary", c_uint32),
        ("target_vocabulary", c_uint32),
        ("max_source_tokens", c_uint32),
        ("max_target_tokens", c_uint32),
        ("eos", c_int32),
        ("has_tokenizer", c_int),
        ("language_count", c_size_t),
        ("task_count", c_size_t),
        ("certified_share", c_double),
    ]


def text_at(address: int | None, count: int) -> str:
    """The UTF-8 text of `count` bytes at an address."""
    return ctypes.string_at(address, count).decode() if address else ""


# Name: result, then arguments. A translator is a void pointer.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "version": (c_char_p,),
    "map_file": (
        c_int, c_char_p, POINTER(c_void_p), POINTER(c_size_t), c_char_p,
        c_size_t,
    ),
    "unmap_file": (None, c_void_p, c_size_t),
    "scratch_bytes": (c_size_t,),
    "plan_workspace": (
        c_int, c_void_p, c_size_t, POINTER(LoadOptions), c_void_p, c_size_t,
        POINTER(c_size_t), POINTER(c_uint64), c_char_p, c_size_t,
    ),
    "load": (
        c_int, c_void_p, c_size_t, c_void_p, c_size_t, POINTER(LoadOptions),
        POINTER(c_void_p), c_char_p, c_size_t,
    ),
    "unload": (None, c_void_p),
    "message": (c_char_p, c_void_p),
    "attention_row": (
        c_void_p, c_void_p, c_uint32, c_uint32, c_size_t, POINTER(c_size_t),
    ),
    "hypothesis": (
        c_int, c_void_p, c_size_t, POINTER(POINTER(c_int32)),
        POINTER(c_size_t), POINTER(c_float),
    ),
    "hypothesis_text": (
        c_int, c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t),
    ),
    "score_words": (
        c_int, c_void_p, POINTER(WordScore), c_size_t, POINTER(c_size_t),
    ),
    "set_cancelled": (None, c_void_p, c_int),
    "set_option": (
        c_int, POINTER(Options), c_char_p, c_char_p, c_char_p, c_size_t,
    ),
    "option_name": (c_char_p, c_size_t),
    "check_numbers": (
        c_size_t, c_char_p, c_size_t, c_char_p, c_size_t, POINTER(TextRange),
        c_size_t, POINTER(c_size_t),
    ),
    "check_options": (c_int, c_void_p, POINTER(Options)),
    "cursor_bytes": (c_size_t,),
    "cursor_begin": (
        c_void_p, c_void_p, c_char_p, c_size_t, POINTER(Options), c_void_p,
        c_size_t,
    ),
    "begin_next": (c_int, c_void_p, c_void_p, c_uint64, POINTER(Translation)),
    "cursor_finish": (None, c_void_p, POINTER(Translation)),
    "cursor_can_begin": (c_int, c_void_p),
    "cursor_done": (c_int, c_void_p),
    "cursor_stop_reason": (c_int, c_void_p),
    "begin_ids": (
        c_int, c_void_p, POINTER(c_int32), c_size_t, POINTER(Options),
        c_uint64,
    ),
    "can_begin": (c_int, c_void_p),
    "under_way": (c_size_t, c_void_p),
    "advance": (
        c_int, c_void_p, POINTER(c_int), POINTER(c_uint64),
        POINTER(Translation),
    ),
    "text_bytes": (c_size_t,),
    "text_begin": (
        c_void_p, c_void_p, POINTER(Options), Receiver, c_void_p, c_void_p,
        c_size_t,
    ),
    "text_push": (c_int, c_void_p, c_char_p, c_size_t),
    "text_finish": (c_int, c_void_p),
    "html_bytes": (c_size_t,),
    "html_begin": (
        c_void_p, c_void_p, POINTER(Options), HtmlReceiver, c_void_p, c_void_p,
        c_size_t,
    ),
    "html_push": (c_int, c_void_p, c_char_p, c_size_t),
    "html_finish": (c_int, c_void_p),
    "speech_bytes": (c_size_t,),
    "speech_begin": (
        c_void_p, c_void_p, POINTER(SpeechOptions), SegmentReceiver, c_void_p,
        c_void_p, c_size_t,
    ),
    "speech_push": (c_int, c_void_p, c_char_p, c_size_t),
    "speech_finish": (c_int, c_void_p),
    "tokenize": (
        c_int, c_void_p, c_char_p, c_size_t, POINTER(c_int32), c_size_t,
        POINTER(c_size_t),
    ),
    "tokenize_target": (
        c_int, c_void_p, c_char_p, c_size_t, POINTER(c_int32), c_size_t,
        POINTER(c_size_t),
    ),
    "count_tokens": (
        c_int, c_void_p, c_char_p, c_size_t, POINTER(c_size_t),
    ),
    "detokenize": (
        c_int, c_void_p, POINTER(c_int32), c_size_t, POINTER(c_void_p),
        POINTER(c_size_t),
    ),
    "source_piece": (c_size_t, c_void_p, c_int32, c_char_p),
    "target_piece": (c_size_t, c_void_p, c_int32, c_char_p),
    "get_model_info": (c_int, c_void_p, POINTER(ModelInfo)),
    "language": (c_char_p, c_void_p, c_size_t, POINTER(c_int32)),
    "task": (c_char_p, c_void_p, c_size_t, POINTER(c_char_p)),
}


class _Library:
    """The functions of liblatimer.so, without their prefix `latimer_`.

    ctypes gives up the GIL while one of them runs.
    """

    def __init__(self) -> None:
        library = ctypes.CDLL(str(FOLDER / "liblatimer.so"))
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = library["latimer_" + name]
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


library = _Library()
