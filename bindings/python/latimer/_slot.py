"""A model with memory of its own, and the texts that it translates."""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import mmap
import os
import signal
import threading
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar, Union

from . import _c
from ._c import library
from ._errors import LatimerError, check
from ._options import CallOptions, encode, ids_array, token_id
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

if TYPE_CHECKING:
    import numpy


class KeptAttention:
    """The weights of a translation that was copied or pickled."""

    def __init__(self, weights: numpy.ndarray[Any, Any] | None) -> None:
        self._weights = weights

    def array(self) -> numpy.ndarray[Any, Any]:
        if self._weights is None:
            raise _stale()
        return self._weights


def _stale() -> ValueError:
    return ValueError(
        "The translator has translated something else since; read the "
        "attention before that, or copy it."
    )


class Attention:
    """Where the weights of the last translation lie until the slot's next
    call."""

    def __init__(self, slot: Slot, c: _c.Translation, kind: str) -> None:
        self._slot = slot
        self._calls = slot.calls
        self._kind = kind
        self._layers, self._heads = c.attention_layers, c.attention_heads
        self._rows, self._columns = c.attention_rows, c.source_count
        self._weights = library.attention_row(
            slot.handle, 0, 0, 0, ctypes.c_size_t()
        )

    def __reduce__(self) -> Any:
        is_there = self._calls == self._slot.calls
        return KeptAttention, (self.array().copy() if is_there else None,)

    def array(self) -> numpy.ndarray[Any, Any]:
        try:
            import numpy
        except ImportError:
            raise ImportError(
                "Attention weights are an array of NumPy: pip install numpy."
            ) from None
        if self._calls != self._slot.calls:
            raise _stale()
        layers, heads, rows = self._layers, self._heads, self._rows
        if self._kind == "decoder":
            flat = self._flat(layers * heads * rows * (rows + 1) // 2)
            full = numpy.zeros((layers, heads, rows, rows), numpy.float32)
            at = 0
            for row in range(rows):
                count = layers * heads * (row + 1)
                full[:, :, row, : row + 1] = flat[at : at + count].reshape(
                    layers, heads, row + 1
                )
                at += count
            return full
        view = self._flat(rows * layers * heads * self._columns)
        view.flags.writeable = False
        return view.reshape(rows, layers, heads, self._columns).transpose(
            1, 2, 0, 3
        )

    def _flat(self, count: int) -> numpy.ndarray[Any, Any]:
        import numpy

        return numpy.frombuffer(  # Keeps the memory alive.
            self._slot.workspace,
            numpy.float32,
            count,
            self._weights - self._slot.address,
        )


def free_when_unused(
    owner: object, function: Callable[..., Any], *arguments: Any
) -> weakref.finalize[..., Any]:
    """Frees what only `owner` and its iterators use, but not at exit: those
    that are left then still use it, and the system frees all."""
    finalizer = weakref.finalize(owner, function, *arguments)
    finalizer.atexit = False
    return finalizer


class Image:
    """A model file, mapped; all translators of a machine share its pages."""

    def __init__(self, path: str) -> None:
        if os.path.isdir(path):
            raise LatimerError(
                f"{path} is a folder, and not a file of latimer.convert; open "
                "a trained model with Translator.from_pretrained, or convert "
                f'it: latimer.convert({path!r}, "model.ltm").',
                "NOT_A_MODEL",
            )
        try:
            with open(path, "rb"):  # Python's own exceptions.
                pass
        except FileNotFoundError as error:
            if path.endswith(".ltm"):
                raise
            error.strerror = (
                f"{error.strerror}; models are opened by their names with "
                "Translator.from_pretrained"
            )
            raise
        image, count = ctypes.c_void_p(), ctypes.c_size_t()
        message = ctypes.create_string_buffer(_c.MESSAGE_BYTES)
        code = library.map_file(
            os.fsencode(path), image, count, message, _c.MESSAGE_BYTES
        )
        check(code, message.value)
        self.address, self.bytes = image.value, count.value
        free_when_unused(self, library.unmap_file, image, count)


@contextlib.contextmanager
def interrupts_later() -> Iterator[None]:
    """Around a call of C that calls back: what an interrupt raises would be lost
    there, so it waits for the end of the call."""
    handler = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not callable(handler):
        yield
        return
    caught: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda *about: caught.append(about))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if caught:
            handler(*caught[0])


Received = TypeVar("Received")

# Texts that are read before the first of them is translated: this many for each
# sentence side by side, so that other lanes go on while a long one is under way.
AHEAD = 2
# Those of a translator that was not told how many.
LANES = 32

# Short pushes, so that an interrupt need not wait for long.
PIECE = 256

# A text in UTF-8, or ids.
Source = Union[bytes, "ctypes.Array[ctypes.c_int32]"]


def _pieces(chunks: Iterable[str]) -> Iterator[bytes]:
    for chunk in chunks:
        data = encode(chunk)
        for at in range(0, len(data), PIECE):
            yield data[at : at + PIECE]


class SpeechCall:
    """What a transcription is asked for."""

    def __init__(self, struct: _c.SpeechOptions) -> None:
        self.struct = struct
        self.error: BaseException | None = None  # Of a callback.


def characters(text: bytes) -> list[int]:
    """For each position in UTF-8, how many characters begin before it."""
    counts = [0]
    for byte in text:
        counts.append(counts[-1] + (byte & 0xC0 != 0x80))
    return counts


# A text or ids, options, and perhaps its number from 1, which otherwise is the
# next; or a translation that is there.
Request = Union[
    Translation, tuple[Source, CallOptions], tuple[Source, CallOptions, int]
]


class Job:
    """A text, or ids, whose translation is under way, in parts."""

    def __init__(
        self, slot: Slot, source: Source, options: CallOptions, number: int
    ) -> None:
        self.text = source if isinstance(source, bytes) else None
        self.ids = source  # Unless it is a text.
        self.finished: dict[int, Translation] = {}
        self.positions = [0]  # Where parts begin, and the last one ends.
        self.spaces: dict[int, str] = {}  # After parts that have finished.
        self.stop_reason = 0
        self.attention: Attention | None = None
        self.options = options
        self._slot = slot
        self._cursor = None
        self._more = True  # Not all parts have begun.
        slot._prepare(options)
        options.struct.stream = number  # From 1.
        if self.text is not None:
            self._memory = ctypes.create_string_buffer(library.cursor_bytes())
            self._cursor = library.cursor_begin(
                slot.handle, self.text, len(self.text), options.struct,
                self._memory, len(self._memory),
            )
            if not self._cursor:
                check(1, library.message(slot.handle))

    @property
    def begun(self) -> int:
        return len(self.positions) - 1

    @property
    def can_begin(self) -> bool:
        if self._cursor is None:
            return self.begun == 0
        return self._more and bool(library.cursor_can_begin(self._cursor))

    @property
    def done(self) -> bool:
        if len(self.finished) < self.begun or self.begun == 0:
            return False
        return self._cursor is None or bool(library.cursor_done(self._cursor))

    def begin(self, ticket: int) -> None:
        """Begins a part."""
        slot, begun = self._slot, _c.Translation()
        slot.calls += 1
        if self._cursor is None:
            code = library.begin_ids(
                slot.handle, self.ids, len(self.ids), self.options.struct,
                ticket,
            )
        else:
            code = library.begin_next(slot.handle, self._cursor, ticket, begun)
        slot.check(code)
        self.positions.append(self.positions[-1] + begun.source_bytes)
        if self._cursor is not None:
            self._more = not library.cursor_done(self._cursor)

    def finish(self, number: int, c: _c.Translation) -> None:
        """Keeps the part `number`, from 0, which has finished."""
        if self._cursor is None:
            self.stop_reason = c.stop_reason
        else:
            library.cursor_finish(self._cursor, c)
            self.stop_reason = library.cursor_stop_reason(self._cursor)
        part = self._slot.part(c, self.options, self.text is not None)
        self.finished[number] = part
        space = ctypes.string_at(c.space, c.space_bytes) if c.space else b""
        self.spaces[number] = space.decode()
        if c.attention_rows:
            self.attention = Attention(self._slot, c, self.options.attention)

    def result(self) -> Translation:
        parts = [self.finished[number] for number in range(self.begun)]
        read = (self.text or b"")[: self.positions[-1]]

        def joined(name: str) -> tuple[Any, ...] | None:
            lists = [getattr(part, name) for part in parts]
            if all(found is None for found in lists):
                return None
            return tuple(chain(*(found or () for found in lists)))

        scores = joined("scores")
        translation = Translation(
            text=self._joined_text(part.text for part in parts),
            tokens=joined("tokens") or (),
            source_tokens=joined("source_tokens") or (),
            stop_reason=_c.STOP_REASONS[self.stop_reason],
            parts=len(parts),
            generated_tokens=sum(part.generated_tokens for part in parts),
            source_length=len(read.decode()),
            scores=scores,
            words=None if scores is None else self._words(parts),
            alignment=self._alignment(parts, read),
            hypotheses=self._hypotheses(parts),
        )
        if len(parts) == 1:
            vars(translation)["_attention"] = self.attention
        return translation

    def _joined_text(self, texts: Iterable[str]) -> str:
        """The texts of all parts, with the white space between them."""
        joined = space = ""
        for number, text in enumerate(texts):
            joined += space + text
            space = self.spaces[number]
        return joined

    def _words(
        self, parts: Sequence[Translation]
    ) -> tuple[WordScore, ...] | None:
        """None if there is no text; empty if the words of a part have none."""
        if self.text is None:
            return None
        if any(part.words is None and part.text for part in parts):
            return ()
        return tuple(chain(*(part.words or () for part in parts)))

    def _hypotheses(
        self, parts: Sequence[Translation]
    ) -> tuple[Hypothesis, ...]:
        """Each is made of the hypotheses of the same rank of all parts; a part
        that has fewer repeats its last one."""
        found = []
        for rank in range(max(len(part.hypotheses) for part in parts)):
            of_rank = [part.hypotheses[: rank + 1][-1] for part in parts]
            found.append(
                Hypothesis(
                    self._joined_text(one.text for one in of_rank),
                    tuple(chain(*(one.tokens for one in of_rank))),
                    sum(one.score for one in of_rank),
                )
            )
        return tuple(found)

    def _alignment(
        self, parts: Sequence[Translation], read: bytes
    ) -> tuple[TokenLink, ...] | None:
        """Links of parts, whose sources are bytes, as links of characters."""
        if self.text is None:
            return parts[0].alignment
        if all(part.alignment is None for part in parts):
            return None
        links = []
        counts = characters(read)
        at = 0
        for number, part in enumerate(parts):
            position = self.positions[number]
            for link in part.alignment or ():
                target = at + link.target[0], at + link.target[1]
                begin, end = (counts[position + i] for i in link.source)
                links.append(TokenLink(target, (begin, end)))
            at += len(part.text) + len(self.spaces[number])
        return tuple(links)


class KeptJob:
    """In the place of a job, a translation that is there already."""

    done = True

    def __init__(self, translation: Translation) -> None:
        self._translation = translation

    def result(self) -> Translation:
        return self._translation


class Slot:
    """A loaded model with memory of its own: does one call at a time."""

    _running: Generator[Translation, None, None] | None = None

    def __init__(self, image: Image, load: _c.LoadOptions) -> None:
        self.image = image  # Outlives the memory.
        self.beams = load.beams
        self.calls = 0
        self.handle = ctypes.c_void_p()
        message = ctypes.create_string_buffer(_c.MESSAGE_BYTES)
        scratch = ctypes.create_string_buffer(library.scratch_bytes())
        count, cached = ctypes.c_size_t(), ctypes.c_uint64()
        code = library.plan_workspace(
            image.address, image.bytes, load, scratch, len(scratch), count,
            cached, message, _c.MESSAGE_BYTES,
        )
        check(code, message.value)
        # Pages are taken when they are first written to.
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.workspace = mmap.mmap(-1, count.value, flags=flags)
        byte = ctypes.c_char.from_buffer(self.workspace)
        self.address = ctypes.addressof(byte)
        del byte
        code = library.load(
            image.address, image.bytes, self.address, count, load,
            self.handle, message, _c.MESSAGE_BYTES,
        )
        check(code, message.value)
        self.unload = free_when_unused(self, library.unload, self.handle)

    def check(self, code: int) -> None:
        if code != 0:
            check(code, library.message(self.handle))

    def part(
        self, c: _c.Translation, options: CallOptions, has_text: bool
    ) -> Translation:
        """Copies a finished part, all but its attention."""
        scores = None
        if c.scores:
            scores = tuple(
                TokenScore(s.log_probability, s.margin)
                for s in c.scores[: c.token_count]
            )
        links = None
        if c.links:
            # Of ids the links are between ids.
            counts = (
                characters(ctypes.string_at(c.text, c.text_bytes))
                if has_text
                else range(c.token_count + 1)
            )
            links = tuple(
                TokenLink(
                    (counts[link.target.begin], counts[link.target.end]),
                    (link.source.begin, link.source.end),
                )
                for link in c.links[: c.link_count]
            )
        return Translation(
            text=_c.text_at(c.text, c.text_bytes),
            tokens=tuple(c.tokens[: c.token_count]),
            source_tokens=tuple(c.source[: c.source_count]),
            stop_reason=_c.STOP_REASONS[c.stop_reason],
            generated_tokens=c.generated_tokens,
            scores=scores,
            words=self._words(c) if scores is not None and has_text else None,
            alignment=links,
            # The last: it overwrites the text.
            hypotheses=self._hypotheses(c, options.n_best, has_text),
        )

    def _words(self, c: _c.Translation) -> tuple[WordScore, ...] | None:
        """None if protected spans have changed the text."""
        words = (_c.WordScore * c.token_count)()
        count = ctypes.c_size_t()
        if library.score_words(self.handle, words, len(words), count) != 0:
            return None
        return tuple(
            WordScore(
                _c.text_at(c.text + word.begin, word.end - word.begin),
                word.log_probability,
            )
            for word in words[: count.value]
        )

    def _hypotheses(
        self, c: _c.Translation, most: int, has_text: bool
    ) -> tuple[Hypothesis, ...]:
        if most == 0:
            return ()
        found = []
        tokens = ctypes.POINTER(ctypes.c_int32)()
        count, score = ctypes.c_size_t(), ctypes.c_float()
        for index in range(min(most, c.hypothesis_count)):
            library.hypothesis(self.handle, index, tokens, count, score)
            found.append((tuple(tokens[: count.value]), score.value))
        if not found:
            found = [(tuple(c.tokens[: c.token_count]), 0.0)]
        return tuple(
            Hypothesis(self._hypothesis_text(index) if has_text else "", *rest)
            for index, rest in enumerate(found)
        )

    def _hypothesis_text(self, index: int) -> str:
        text, count = ctypes.c_void_p(), ctypes.c_size_t()
        self.check(library.hypothesis_text(self.handle, index, text, count))
        return _c.text_at(text.value, count.value)

    def _prepare(self, options: CallOptions) -> None:
        if options.prepared:
            return
        options.prepared = True
        options.tokenize(self.tokenize_target)
        self.check(library.check_options(self.handle, options.struct))

    def run(
        self,
        requests: Iterable[Request],
        most: int | None = None,
    ) -> Iterator[Translation]:
        """Translates in order, with as many sentences side by side as fit;
        until stop() or the next run. What is a translation already comes out
        in its place.

        What is before a text that fails, or that cannot be read, comes out
        before the error is raised. At most `most` texts are read ahead.
        """
        self.stop()
        self._running = self._run(requests, most)
        return self._running

    def stop(self) -> None:
        """Ends what runs, however many iterators of it are left: another call
        may follow, perhaps of another thread."""
        running, self._running = self._running, None
        if running is not None:
            running.close()

    def _run(
        self, requests: Iterable[Request], most: int | None
    ) -> Generator[Translation, None, None]:
        more = iter(requests)
        jobs: deque[Job | KeptJob] = deque()
        job_count = 0
        tickets: dict[int, tuple[Job, int]] = {}
        next_ticket = 0
        lanes = 0  # As many sentences as have been under way.
        has_more = True
        failure: Exception | None = None
        finished, ticket = ctypes.c_int(), ctypes.c_uint64()
        c = _c.Translation()

        def fail(job: Job | None, error: Exception) -> None:
            nonlocal failure, has_more
            if failure is None or job in jobs:
                failure = error
            has_more = False
            while job in jobs:  # Those after it go, too.
                jobs.pop()

        try:
            while has_more or jobs:
                while library.can_begin(self.handle):
                    job = next(
                        (j for j in jobs if isinstance(j, Job) and j.can_begin),
                        None,
                    )
                    try:
                        if job is None:
                            if not has_more or len(jobs) > AHEAD * lanes:
                                break
                            if most is not None and len(jobs) >= most:
                                break
                            request = next(more, None)
                            if request is None:
                                has_more = False
                                break
                            if isinstance(request, Translation):
                                jobs.append(KeptJob(request))
                                continue
                            job_count += 1
                            source, options, *given = request
                            job = Job(
                                self, source, options, *(given or [job_count])
                            )
                            jobs.append(job)
                        job.begin(next_ticket)
                    except Exception as error:
                        fail(job, error)
                        break
                    tickets[next_ticket] = (job, job.begun - 1)
                    lanes = max(lanes, len(tickets))
                    next_ticket += 1
                while jobs and jobs[0].done:  # Those that were kept.
                    yield jobs.popleft().result()
                while tickets:
                    if any(job.options.calls_back for job, _ in tickets.values()):
                        with interrupts_later():
                            code = library.advance(
                                self.handle, finished, ticket, c
                            )
                    else:
                        code = library.advance(self.handle, finished, ticket, c)
                    if finished.value:
                        break
                for job, _ in tickets.values():
                    if job.options.error is not None:
                        raise job.options.error
                if not tickets:
                    continue
                job, number = tickets.pop(ticket.value)
                try:
                    self.check(code)
                    job.finish(number, c)
                except Exception as error:
                    fail(job, error)
                while jobs and jobs[0].done:
                    yield jobs.popleft().result()
            if failure is not None:
                raise failure
        finally:
            self._end()

    def _end(self) -> None:
        """Ends the sentences that are still under way."""
        if library.under_way(self.handle) == 0:
            return
        finished, ticket = ctypes.c_int(), ctypes.c_uint64()
        c = _c.Translation()
        library.set_cancelled(self.handle, 1)
        while library.under_way(self.handle) > 0:
            library.advance(self.handle, finished, ticket, c)
        library.set_cancelled(self.handle, 0)

    def stream(
        self, chunks: Iterable[str], options: CallOptions
    ) -> Iterator[StreamedText]:
        def read(_: Any, pointer: Any) -> StreamedText:
            c = pointer.contents
            return StreamedText(
                text=_c.text_at(c.text, c.text_bytes),
                source=_c.text_at(c.source, c.source_bytes),
                line=c.line,
                cut=bool(c.cut),
                stop_reason=_c.STOP_REASONS[c.stop_reason],
            )

        self._prepare(options)
        pieces = _pieces(chunks)
        for received in self._pour("text", _c.Receiver, read, pieces, options):
            yield from received

    def html(
        self, chunks: Iterable[str], options: CallOptions
    ) -> Iterator[str]:
        def read(_: Any, html: int, count: int) -> bytes:
            return ctypes.string_at(html, count)

        # A character may come in two pieces.
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._prepare(options)
        pieces = _pieces(chunks)
        for received in self._pour("html", _c.HtmlReceiver, read, pieces, options):
            if text := decoder.decode(b"".join(received)):
                yield text

    def check_speech(self) -> None:
        """Raises LatimerError if the model reads text."""
        memory = mmap.mmap(-1, max(1, library.speech_bytes()))
        byte = ctypes.c_char.from_buffer(memory)
        begun = library.speech_begin(
            self.handle, None, _c.SegmentReceiver(), None,
            ctypes.addressof(byte), len(memory),
        )
        if not begun:
            check(2, library.message(self.handle))

    def speech(
        self, pieces: Iterable[bytes], options: SpeechCall
    ) -> Iterator[Segment]:
        def read(_: Any, pointer: Any) -> Segment:
            c = pointer.contents
            return Segment(
                start=c.start,
                end=c.end,
                text=_c.text_at(c.text, c.text_bytes),
                tokens=tuple(c.tokens[: c.token_count]),
                temperature=c.temperature,
                avg_logprob=c.avg_logprob,
                compression_ratio=c.compression_ratio,
                no_speech_prob=c.no_speech_prob,
                language=c.language.decode() or None,
                language_probability=c.language_probability,
                stop_reason=_c.STOP_REASONS[c.stop_reason],
                words=tuple(
                    Word(
                        start=word.start,
                        end=word.end,
                        word=_c.text_at(word.text, word.text_bytes),
                        probability=word.probability,
                    )
                    for word in c.words[: c.word_count]
                ),
            )

        receiver = _c.SegmentReceiver
        for received in self._pour("speech", receiver, read, pieces, options):
            yield from received

    def _pour(
        self,
        kind: str,
        receiver_type: Any,
        read: Callable[..., Received],
        pieces: Iterable[bytes],
        options: CallOptions | SpeechCall,
    ) -> Iterator[list[Received]]:
        """Pushes pieces into a stream of the C API, latimer_<kind>_...; gives
        what `read` makes of what its receiver gets, after each push."""
        received: list[Received] = []

        def receive(*arguments: Any) -> None:
            try:
                received.append(read(*arguments))
            except BaseException as error:  # An interrupt.  # noqa: BLE001
                options.error = error

        def after(code: int) -> list[Received]:
            if options.error is not None:
                raise options.error
            self.check(code)
            taken = received[:]
            received.clear()
            return taken

        begin, push, finish, size = (
            getattr(library, f"{kind}_{name}")
            for name in ("begin", "push", "finish", "bytes")
        )
        self.calls += 1
        receiver = receiver_type(receive)
        memory = ctypes.create_string_buffer(size())
        stream = begin(
            self.handle, options.struct, receiver, None, memory, len(memory)
        )
        if not stream:
            check(1, library.message(self.handle))
        try:
            for piece in pieces:
                with interrupts_later():
                    code = push(stream, piece, len(piece))
                yield after(code)
            with interrupts_later():
                code = finish(stream)
            yield after(code)
        finally:
            self._end()  # The memory goes.

    def tokenize(self, text: str) -> list[int]:
        data, count = encode(text), ctypes.c_size_t()
        self.check(library.count_tokens(self.handle, data, len(data), count))
        ids = (ctypes.c_int32 * count.value)()
        self.check(
            library.tokenize(
                self.handle, data, len(data), ids, len(ids), count
            )
        )
        return list(ids[: count.value])

    def tokenize_target(self, text: str) -> list[int]:
        data, count = encode(text), ctypes.c_size_t()
        ids = (ctypes.c_int32 * (len(data) + 1))()
        self.check(
            library.tokenize_target(
                self.handle, data, len(data), ids, len(ids), count
            )
        )
        return list(ids[: count.value])

    def detokenize(self, ids: Sequence[int]) -> str:
        self.calls += 1
        array = ids_array(ids)
        text, count = ctypes.c_void_p(), ctypes.c_size_t()
        self.check(
            library.detokenize(self.handle, array, len(array), text, count)
        )
        return _c.text_at(text.value, count.value)

    def piece(self, function: Any, token: int) -> str:
        number = token_id(token)
        buffer = ctypes.create_string_buffer(_c.PIECE_BYTES)
        count = function(self.handle, number, buffer)
        return buffer.raw[:count].decode(errors="replace")

    def info(self, path: str) -> ModelInfo:
        c = _c.ModelInfo()
        self.check(library.get_model_info(self.handle, c))
        languages, tasks, token = {}, {}, ctypes.c_int32()
        for index in range(c.language_count):
            code = library.language(self.handle, index, token)
            languages[code.decode()] = token.value
        prefix = ctypes.c_char_p()
        for index in range(c.task_count):
            name = library.task(self.handle, index, prefix)
            tasks[name.decode()] = (prefix.value or b"").decode()

        def text(name: str) -> str:
            return _c.text_at(getattr(c, name), getattr(c, name + "_bytes"))

        numbers = {
            name: getattr(c, name)
            for name in ModelInfo.__dataclass_fields__
            if hasattr(c, name) and isinstance(getattr(c, name), int)
        }
        numbers |= {
            "checksum": f"{c.checksum:016x}",
            "weights": c.weights.decode(),
            "tile": c.tile.decode(),
            "source": text("source"),
            "license": text("license"),
            "model_version": text("model_version") or None,
            "has_tokenizer": bool(c.has_tokenizer),
        }
        return ModelInfo(
            **numbers,
            path=path,
            languages=languages,
            tasks=tasks,
            certified_share=c.certified_share or None,
            workspace_bytes=len(self.workspace),
        )
