"""Transcriber: a model that reads speech."""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, Literal, Protocol, Union

from . import _c
from ._loaded import LoadedTranslator
from ._options import encode, refuse
from ._pretrained import open_model
from ._results import ModelInfo, Segment
from ._slot import SpeechCall


class Array(Protocol):
    """An array, such as NumPy's."""

    def __array__(self) -> Any: ...


Sound = Union[
    str, "os.PathLike[str]", bytes, bytearray, memoryview, BinaryIO, Array
]

# Short pushes, so that an interrupt need not wait for more than a window.
_PIECE = 1 << 16
_RATE = 16_000
# What Transcriber() takes besides the path.
_OWN = ("threads", "check_file", "pin_threads", "cpu")


class Transcriber:
    """A model that reads speech, such as Whisper.

        transcriber = latimer.Transcriber("whisper.ltm")
        for segment in transcriber.transcribe("talk.wav"):
            print(f"{segment.start:.1f}-{segment.end:.1f}:{segment.text}")

    It frees its memory when nothing refers to it, after `close`, or at the end
    of a `with` statement. Threads and processes may share it as they share a
    Translator.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        threads: int = 1,
        check_file: bool = True,
        pin_threads: bool = False,
        cpu: str | None = None,
    ) -> None:
        """Maps and verifies the model file.

        Args:
            path, check_file, pin_threads, cpu: as of a Translator.
            threads: that share the work of a recording.

        Raises:
            OSError: the file cannot be opened.
            LatimerError: the file cannot be used, or its model reads text;
                says why.
        """
        self._model = LoadedTranslator(
            path, threads=threads, lanes=1, check_file=check_file,
            pin_threads=pin_threads, cpu=cpu,
        )
        with self._model._slot() as slot:
            slot.check_speech()

    @classmethod
    def from_pretrained(
        cls,
        name: str | os.PathLike[str],
        *,
        weights: str = "int8",
        revision: str | None = None,
        **options: Any,
    ) -> Transcriber:
        """Opens a model by its name or its path.

            Transcriber.from_pretrained("whisper-tiny.en")

        The model is fetched and converted once, and kept, as by
        Translator.from_pretrained.

        Args:
            name: whisper-tiny.en; OWNER/NAME of a Hub; or a path.
            weights, revision: as there.
            **options: of Transcriber and of latimer.convert.
        """
        own = {key: options.pop(key) for key in _OWN if key in options}
        options["weights"] = weights
        return open_model(
            lambda path: cls(path, **own), name, revision, options
        )

    def transcribe(
        self,
        sound: Sound,
        *,
        language: str | None = None,
        task: Literal["transcribe", "translate"] = "transcribe",
        sample_rate: int | None = None,
        prompt: str | None = None,
        timestamps: bool = True,
        condition_on_previous_text: bool = True,
        fallback: bool = True,
        short_window: bool = False,
        max_tokens: int | None = None,
        word_timestamps: bool = False,
    ) -> Iterator[Segment]:
        """Writes what is said in a recording of any length.

        Args:
            sound: the path of a WAV; its bytes; a file or pipe that is open
                for reading bytes; or an array of NumPy: floats from -1 to 1 or
                int16, of one channel, or [samples, 2] of two. ffmpeg makes a
                WAV of anything else.
            language: what is spoken, such as "de", one of `info.languages`;
                None: the model tells.
            task: "translate": write English, whatever is spoken.
            sample_rate: samples per second of an array, by default 16,000.
                For bytes and files it says that they are raw PCM: 16 bits,
                little-endian, mono.
            prompt: words of the subject, as they are to be spelled.
            timestamps: False: each window of 30 seconds is a segment.
            condition_on_previous_text: False: read each window without the
                text before it.
            fallback: False: never try again at a higher temperature, if a
                text repeats itself or is unlikely.
            short_window: encode what was spoken and 3 seconds of silence,
                instead of silence up to 30 seconds: less work, but the text
                may differ.
            max_tokens: of each window of 30 seconds.
            word_timestamps: whether segments have words; their ends then move
                to those of the words.

        Returns:
            Segments, each as soon as its window has been transcribed. Nothing
            is transcribed until the iterator is read.

        Raises:
            OSError: the file cannot be opened.
            LatimerError: it is no such WAV, or the model refuses an option.
        """
        if task not in ("transcribe", "translate"):
            raise ValueError(f"task {task!r}: it is 'transcribe' or 'translate'.")
        for name, text in ("language", language), ("prompt", prompt):
            if text is not None and not isinstance(text, str):
                refuse(name, "a str", text)
        for name, number in ("sample_rate", sample_rate), ("max_tokens", max_tokens):
            if number is None:
                continue
            if not isinstance(number, int) or isinstance(number, bool):
                refuse(name, "an int", number)
            if not 1 <= number < 2**32:
                raise ValueError(f"{name} {number}: give at least 1.")
        if hasattr(sound, "__array_interface__"):
            sound, sample_rate = _wav(sound, sample_rate or _RATE), None
        call = SpeechCall(
            _c.SpeechOptions(
                language=encode(language) if language else None,
                prompt=encode(prompt) if prompt else None,
                max_tokens=max_tokens or 0,
                pcm_rate=sample_rate or 0,
                translate=task == "translate",
                short_window=bool(short_window),
                no_timestamps=not timestamps,
                no_previous_text=not condition_on_previous_text,
                no_fallback=not fallback,
                word_timestamps=bool(word_timestamps),
            )
        )
        pieces = _pieces(sound)

        def run() -> Iterator[Segment]:
            with self._model._slot() as slot, contextlib.closing(pieces):
                yield from slot.speech(pieces, call)

        return run()

    @property
    def info(self) -> ModelInfo:
        """What the model is."""
        return self._model.info

    def close(self) -> None:
        """Frees model and memory; calls that have begun go on to their end."""
        self._model.close()

    def __enter__(self) -> Transcriber:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"latimer.Transcriber({self.info.path!r})"


def _pieces(sound: Any) -> Any:
    """The bytes of a sound, in a generator that has opened it."""
    if isinstance(sound, (bytes, bytearray, memoryview)):
        data = memoryview(sound).cast("B")
        return (
            bytes(data[at : at + _PIECE]) for at in range(0, len(data), _PIECE)
        )
    if isinstance(sound, (str, os.PathLike)):
        return _read(open(sound, "rb"), closes=True)
    if not hasattr(sound, "read"):
        refuse("sound", "a path, bytes, an open file or an array", sound)
    return _read(sound, closes=False)


def _read(file: Any, closes: bool) -> Iterator[bytes]:
    read = getattr(file, "read1", file.read)  # As soon as there is something.
    try:
        while data := read(_PIECE):
            if not isinstance(data, bytes):
                refuse("sound", "a file that was opened for bytes", file)
            yield data
    finally:
        if closes:
            file.close()


def _wav(array: Any, rate: int) -> bytes:
    """An array as a WAV that ends with its bytes."""
    kind = array.dtype.kind + str(array.dtype.itemsize)
    if array.ndim not in (1, 2) or kind not in ("f2", "f4", "f8", "i2"):
        raise ValueError(
            "sound: give an array of floats or int16, of one channel or "
            f"[samples, 2], not of {array.dtype} and shape {array.shape}."
        )
    coding, bits = (1, 16) if kind == "i2" else (3, 32)
    channels = 1 if array.ndim == 1 else array.shape[1]
    header = struct.pack(
        "<4sI8sIHHIIHH4sI", b"RIFF", 0, b"WAVEfmt ", 16, coding, channels, rate,
        rate * channels * bits // 8 & 0xFFFFFFFF, channels * bits // 8, bits,
        b"data", 0,
    )
    samples = array.astype("<i2" if kind == "i2" else "<f4", order="C", copy=False)
    return header + bytes(samples.tobytes())
