"""A loaded model: the calls of a user, and the memory that they take turns in."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from typing import Any, TypeVar, overload

from . import _c
from ._c import library
from ._errors import LatimerError
from ._kept import Kept, Key, options_key, source_key
from ._options import (
    CallOptions,
    TranslateOptions,
    Unpack,
    check_text,
    encode,
    encode_all,
    ids_array,
    refuse,
)
from ._results import ModelInfo, StreamedText, Translation
from ._slot import AHEAD, LANES, Image, Request, Slot, Source
from ._texts import TextTranslator
from ._workers import Shared
from ._workers import run as run_workers

Piece = TypeVar("Piece")


class LoadedTranslator(TextTranslator):
    """Translator, but for from_pretrained."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        threads: int = 1,
        workers: int = 1,
        lanes: int | None = None,
        check_file: bool = True,
        pin_threads: bool = False,
        cpu: str | None = None,
        cache: int = 0,
    ) -> None:
        """Maps and verifies the model file.

        Args:
            path: a file that latimer-convert wrote. It must not be written to
                while it is used; to install a new one, rename it.
            threads: that share the work of a sentence: for one text at a time.
            workers: threads that translate texts of their own: for many texts.
                Each has memory of its own. Not with on_token.
            lanes: sentences that are translated side by side; None: 32, or
                what the library was built for. Memory grows with it.
            check_file: False: skip the pass over the file that finds damage.
            pin_threads: bind each thread to a processor.
            cpu: the newest instruction set to use, such as "avx2"; for tests.
            cache: up to so many MiB of translations are kept, so that a text
                that was translated with the same options is not translated
                again; what comes out is the same. Not of samples, of what a
                budget ended, nor with attention or on_token.

        Raises:
            OSError: the file cannot be opened.
            LatimerError: the file cannot be used; says why.
        """
        self._path = os.fsdecode(path)
        self._absolute = os.path.abspath(self._path)  # Also after a chdir.
        self._arguments = {
            "threads": threads,
            "workers": workers,
            "lanes": lanes,
            "check_file": check_file,
            "pin_threads": pin_threads,
            "cpu": cpu,
            "cache": cache,
        }
        for name, number, least in (
            ("threads", threads, 1), ("workers", workers, 1),
            ("lanes", lanes, 1), ("cache", cache, 0),
        ):
            if name == "lanes" and number is None:
                continue
            if not isinstance(number, int) or isinstance(number, bool):
                refuse(name, "an int", number)
            if not least <= number < 2**32:
                raise ValueError(f"{name} {number}: give at least {least}.")
        if cpu is not None and not isinstance(cpu, str):
            refuse("cpu", "a str", cpu)
        self._load = _c.LoadOptions(
            threads=threads,
            lanes=lanes or 0,
            trust_file=not check_file,
            pin_threads=pin_threads,
            cpu=cpu.encode() if cpu else None,
        )
        self._workers = workers
        self._image: Image | None = Image(self._path)
        self._kept = Kept(cache << 20) if cache else None
        self._lock = threading.Lock()
        first = Slot(self._image, self._load)
        self._load.trust_file = 1  # Once is enough.
        self._free = [first]
        self._info = first.info(self._path)
        _translators.add(self)

    @contextmanager
    def _slot(self, beams: int = 0) -> Iterator[Slot]:
        """A slot with room for so many beams; 0: for the model's number."""
        with self._lock:
            image = self._image
            if image is None:
                raise LatimerError(
                    "The translator is closed; open another one.",
                    "FAILED_PRECONDITION",
                )
            slot = next(
                (s for s in reversed(self._free) if s.beams >= beams), None
            )
            if slot is not None:
                self._free.remove(slot)
        if slot is None:
            load = _c.LoadOptions.from_buffer_copy(self._load)
            load.beams = beams
            slot = Slot(image, load)
        try:
            yield slot
        finally:
            slot.stop()
            with self._lock:
                if self._image is not None:
                    self._free.append(slot)

    def close(self) -> None:
        """Frees model and memory; calls that have begun go on to their end.
        Later ones raise a LatimerError. To close again does nothing."""
        with self._lock:
            self._image = None
            self._free.clear()

    def __reduce__(self) -> Any:
        return _open, (type(self), self._absolute, self._arguments)

    def __repr__(self) -> str:
        return f"latimer.Translator({self._path!r})"

    @property
    def info(self) -> ModelInfo:
        """What the model is."""
        return self._info

    def _translate_text(
        self, text: str, options: TranslateOptions
    ) -> Translation:
        return self._one(encode(text), options, text)

    def _translate_texts(
        self, texts: Iterable[str], options: TranslateOptions
    ) -> Iterator[Translation]:
        count = len(texts) if isinstance(texts, Sized) else None
        return self._run(encode_all(texts), options, count=count)

    @overload
    def translate_ids(
        self, ids: Sequence[int], **options: Unpack[TranslateOptions]
    ) -> Translation: ...

    @overload
    def translate_ids(
        self,
        ids: Iterable[Sequence[int]],
        **options: Unpack[TranslateOptions],
    ) -> Iterator[Translation]: ...

    def translate_ids(
        self, ids: Any, **options: Unpack[TranslateOptions]
    ) -> Translation | Iterator[Translation]:
        """Translates source ids as they are, or each of an iterable of ids.

        No EOS is added. `text` of the result is empty: see detokenize.
        """
        if not isinstance(ids, Iterable) or isinstance(ids, (str, bytes)):
            refuse("ids", "a list of int", ids)
        if isinstance(ids, Sequence) and all(isinstance(i, int) for i in ids):
            return self._one(ids_array(ids), options)
        return self._run(map(ids_array, ids), options)

    def _one(
        self, source: Source, options: TranslateOptions, text: str | None = None
    ) -> Translation:
        # The slot is free again when this returns.
        (translation,) = self._run([source], options, text, count=1)
        return translation

    def _run(
        self,
        sources: Iterable[Source],
        options: TranslateOptions,
        text: str | None = None,
        count: int | None = None,
    ) -> Iterator[Translation]:
        call = CallOptions(options, text)  # Complains now, not when it is read.
        if call.n_best > max(1, call.beams):
            raise ValueError(
                f"n_best {call.n_best} needs as many beams: give beams too."
            )

        key = None if self._kept is None else options_key(options)
        is_one = text is not None or count == 1
        workers = 1 if call.calls_back or is_one else self._workers
        if workers > 1:
            return self._run_workers(workers, sources, options, key, count)

        def run() -> Iterator[Translation]:
            with self._slot(call.beams) as slot:
                numbered = enumerate(sources)
                for _, translation in self._run_in(slot, numbered, call, key):
                    yield translation

        return run()

    def _run_in(
        self,
        slot: Slot,
        numbered: Iterable[tuple[int, Source]],
        call: CallOptions,
        key: str | None,
        most: int | None = None,
        numbers: deque[int] | None = None,
    ) -> Iterator[tuple[int, Translation]]:
        """Numbered translations. `key`: of the options, if translations are
        kept. `numbers`: receives those that were taken and did not come out."""
        kept = self._kept
        under_way = deque() if numbers is None else numbers
        keys: deque[Key] = deque()

        def requests() -> Iterator[Request]:
            for number, source in numbered:
                under_way.append(number)
                found = None
                if kept is not None and key is not None:
                    keys.append(source_key(source, key))
                    found = kept.find(keys[-1])
                yield found or (source, call, number + 1)

        for translation in slot.run(requests(), most):
            if kept is not None and key is not None:
                kept.add(keys.popleft(), translation)
            yield under_way.popleft(), translation

    def _run_workers(
        self,
        workers: int,
        sources: Iterable[Source],
        options: TranslateOptions,
        key: str | None,
        count: int | None,
    ) -> Iterator[Translation]:
        slots: list[Slot] = []
        lock = threading.Lock()  # Of `slots` and their cancelling.
        lanes = self._load.lanes or LANES
        most = AHEAD * lanes
        if count is not None:  # Each gets its share of a few.
            most = min(most, -(-count // workers) or 1)

        def work(shared: Shared[Source, Translation]) -> None:
            call = CallOptions(options)  # One for each: it is written to.
            with self._slot(call.beams) as slot:
                with lock:
                    slots.append(slot)
                try:
                    while shared.wait():
                        numbers: deque[int] = deque()
                        try:
                            for number, translation in self._run_in(
                                slot, shared.take(), call, key, most, numbers
                            ):
                                shared.give(number, translation)
                        except Exception as error:
                            if not numbers:
                                raise
                            shared.give(numbers[0], error)
                finally:
                    with lock:
                        slots.remove(slot)
                        library.set_cancelled(slot.handle, 0)

        def stop() -> None:
            with lock:
                for slot in slots:
                    library.set_cancelled(slot.handle, 1)

        ahead = 2 * AHEAD * lanes * workers
        return run_workers(workers, sources, ahead, work, stop)

    def translate_paragraphs(
        self,
        text: str | Iterable[str],
        **options: Unpack[TranslateOptions],
    ) -> Iterator[StreamedText]:
        """Translates running text sentence by sentence, in constant memory.

        Args:
            text: a text, or its pieces, cut anywhere: an open file will do.
            **options: see TranslateOptions; without what a Translation has
                beyond its text.

        Returns:
            Portions, whose texts joined are the translation; each comes as
            soon as its sentence is known to end.
        """
        return self._pour(Slot.stream, text, options)

    def translate_html(
        self,
        html: str | Iterable[str],
        **options: Unpack[TranslateOptions],
    ) -> Iterator[str]:
        """Translates HTML of any length; each tag comes back once, around the
        words that it stood around.

        Args:
            html: a page, or its pieces, cut anywhere.
            **options: see TranslateOptions; without what a Translation has
                beyond its text.

        Returns:
            Pieces, which joined are the page.
        """
        return self._pour(Slot.html, html, options)

    def _pour(
        self,
        method: Callable[[Slot, Iterable[str], CallOptions], Iterator[Piece]],
        text: str | Iterable[str],
        options: TranslateOptions,
    ) -> Iterator[Piece]:
        check_text(text)
        for name in "attention", "scores", "alignment", "n_best", "alternatives":
            if options.get(name):
                raise ValueError(f"{name}: only translate() gives that.")
        call = CallOptions(options)  # Complains now, not when it is read.

        def run() -> Iterator[Piece]:
            with self._slot(call.beams) as slot:
                chunks = [text] if isinstance(text, str) else text
                yield from method(slot, chunks, call)

        return run()

    def tokenize(self, text: str) -> list[int]:
        """The source ids of a text, EOS included, as the original tokenizer
        gives them."""
        with self._slot() as slot:
            return slot.tokenize(text)

    def tokenize_target(self, text: str) -> list[int]:
        """The ids of a text of the target, without EOS.

        Raises:
            InvalidArgumentError: the model has no tokenizer for that; it was
                converted with no_target_tokenizer=True.
        """
        with self._slot() as slot:
            return slot.tokenize_target(text)

    def detokenize(self, ids: Sequence[int]) -> str:
        """The text of target ids, without special tokens."""
        with self._slot() as slot:
            return slot.detokenize(ids)

    def source_piece(self, token: int) -> str:
        """The piece of a source id, with U+2581 for a space; slow."""
        with self._slot() as slot:
            return slot.piece(library.source_piece, token)

    def target_piece(self, token: int) -> str:
        """The piece of a target id, with U+2581 for a space."""
        with self._slot() as slot:
            return slot.piece(library.target_piece, token)


_translators: weakref.WeakSet[LoadedTranslator] = weakref.WeakSet()


def _forget_slots() -> None:
    """In a forked process: the threads of the slots are not there."""
    for translator in _translators:
        translator._lock = threading.Lock()
        if translator._kept is not None:
            translator._kept.after_fork()
        for slot in translator._free:
            slot.unload.detach()
        translator._free = []


os.register_at_fork(after_in_child=_forget_slots)


def _open(
    kind: type[LoadedTranslator], path: str, arguments: dict[str, Any]
) -> LoadedTranslator:
    return kind(path, **arguments)
