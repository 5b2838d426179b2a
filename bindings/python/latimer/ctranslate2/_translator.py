"""Translator, with the interface of ctranslate2.Translator."""

from __future__ import annotations

import itertools
import logging
import os
import queue
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

from .._convert import convert
from .._errors import LatimerError
from .._pretrained import model_file
from .._translator import Translator as LatimerTranslator
from ._folder import Folder
from ._log import log
from ._model import Example, Model
from ._options import EndToken, Tokens, TranslationOptions
from ._results import (
    AsyncScoringResult,
    AsyncTranslationResult,
    ExecutionStats,
    GenerationStepResult,
    ScoringResult,
    TranslationResult,
)

Result = TypeVar("Result")
Compute = Callable[[Model, "list[Example]"], Iterator[Result]]
Tokenize = Callable[[str], Tokens]
Detokenize = Callable[["list[str]"], str]

# What takes how many bits, for any spelling of CTranslate2's.
_INT8 = ("int8", "int8_float32", "int8_float16", "int8_bfloat16", "auto")
_FLOAT = ("float32", "float")
_NOT_ON_CPUS = ("int16", "float16", "bfloat16")
_MOST_THREADS = 4
# CTranslate2's max_input_length, and what this build holds.
_MOST_TOKENS = 1024
_DEVICES = ("cpu", "auto")


def check_device(device: str) -> None:
    if device not in _DEVICES:
        raise ValueError(
            f"device {device!r}: Latimer translates on the CPU; give 'cpu' or "
            "'auto'."
        )


def _weights(compute_type: object, device: str, folder: Folder) -> str:
    """Latimer's name of a compute type."""
    if isinstance(compute_type, Mapping):
        compute_type = compute_type.get(device, "default")
    if not isinstance(compute_type, str):
        raise TypeError(
            "incompatible constructor arguments: compute_type is a str, or a "
            "dict of them by device"
        )
    if compute_type == "default":
        return "int8" if folder.quantized else "f32"
    if compute_type in _INT8:
        return "int8"
    if compute_type in _FLOAT:
        return "f32"
    if compute_type in _NOT_ON_CPUS:
        raise ValueError(
            f"Requested {compute_type} compute type, but Latimer computes in "
            "int8 and float32; give one of these"
        )
    raise ValueError(f"Invalid compute type: {compute_type}")


class Translator:
    """A text translator with the interface of ctranslate2.Translator.

        translator = Translator("model/", device="cpu")
        translator.translate_batch([["▁Hello", "▁world", "!"]])
    """

    def __init__(
        self,
        model_path: str | os.PathLike[str],
        device: str = "cpu",
        *,
        device_index: int | Sequence[int] = 0,
        compute_type: str | Mapping[str, str] = "default",
        inter_threads: int = 1,
        intra_threads: int = 0,
        max_queued_batches: int = 0,
        flash_attention: bool = False,
        tensor_parallel: bool = False,
        files: Mapping[str, Any] | None = None,
    ) -> None:
        """Loads a CTranslate2 folder; the first time, converts it.

        Args:
            model_path: the folder.
            device: "cpu" or "auto".
            device_index: 0.
            compute_type: "default" (int8 if the folder is, otherwise float32),
                "auto" (int8), "int8", "int8_float32" or "float32"; or a
                dictionary of these by device.
            inter_threads: translations at a time.
            intra_threads: threads of each; 0: up to 4.
            max_queued_batches: how many asynchronous batches may wait; -1: any
                number; 0: 4 for each translation at a time.
            flash_attention, tensor_parallel: of GPUs; must be False.
            files: contents by name, bytes or files, in place of the folder.

        Raises:
            RuntimeError: there is no such model, or it is refused.
            ValueError: an argument is refused.
        """
        check_device(device)
        indices = (
            [device_index] if isinstance(device_index, int) else [*device_index]
        )
        if not indices:
            raise ValueError("At least one device index should be set")
        if indices != [0]:
            raise ValueError(
                f"Invalid device index {indices}: the CPU has one device, 0"
            )
        if flash_attention or tensor_parallel:
            raise ValueError(
                "flash_attention and tensor_parallel are for GPUs; leave them "
                "out."
            )
        if inter_threads < 1 or intra_threads < 0:
            raise ValueError("inter_threads begins at 1 and intra_threads at 0")
        self.device = "cpu"
        self.device_index = indices
        self.tensor_parallel = False
        self.num_translators = inter_threads
        share = max(1, len(os.sched_getaffinity(0)) // inter_threads)
        self._threads = intra_threads or min(_MOST_THREADS, share)
        self._workers = _Workers(inter_threads, max_queued_batches)
        self._memory: tempfile.TemporaryDirectory[str] | None = None
        folder = Path(model_path)
        if files is not None:
            self._memory = tempfile.TemporaryDirectory()
            folder = Path(self._memory.name) / "model"
            folder.mkdir()
            for name, content in _contents(files).items():
                (folder / name).write_bytes(content)
        self._folder = Folder(folder)
        weights = _weights(compute_type, device, self._folder)
        self.compute_type = "int8_float32" if weights == "int8" else "float32"
        with _errors():
            self._path = self._converted(folder, weights)
        self._model: Model | None = None
        self.load_model()

    def _converted(self, folder: Path, weights: str) -> str:
        """The model file; what came as `files` has one of its own."""
        options: dict[str, Any] = {"weights": weights, "no_tokenizer": True}
        if not self._folder.has_positions:
            options["max_source_tokens"] = _MOST_TOKENS
            options["max_target_tokens"] = _MOST_TOKENS
        if self._memory is None:
            return str(model_file(folder, **options))
        path = str(folder.with_suffix(".ltm"))
        convert(folder, path, **options)
        return path

    # ---- The model ----

    @property
    def model_is_loaded(self) -> bool:
        """Whether the model is loaded."""
        return self._model is not None

    @property
    def num_active_batches(self) -> int:
        """Batches that wait or are translated."""
        return self._workers.active

    @property
    def num_queued_batches(self) -> int:
        """Batches that wait."""
        return self._workers.queued

    def load_model(self, keep_cache: bool = False) -> None:
        """Loads the model again after unload_model."""
        if self._model is not None:
            return
        with _errors():
            translator = LatimerTranslator(self._path, threads=self._threads)
        self._model = Model(self._folder, translator)
        log(
            logging.INFO,
            f"Loaded {self._path}: {self.compute_type}, "
            f"{self.num_translators} at a time with {self._threads} threads "
            "each",
        )

    def unload_model(self, to_cpu: bool = False) -> None:
        """Frees the model, unless batches are active; with to_cpu, it is
        where it should be."""
        if not to_cpu and self._workers.active == 0:
            self._model = None

    def _ready(self) -> Model:
        model = self._model
        if model is None:
            raise RuntimeError("The model for this translator was unloaded")
        return model

    # ---- Batches ----

    def translate_batch(
        self,
        source: Sequence[Tokens],
        target_prefix: Sequence[Tokens | None] | None = None,
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        asynchronous: bool = False,
        **options: Any,
    ) -> list[TranslationResult] | list[AsyncTranslationResult]:
        """Translates a batch of tokens.

        Args:
            source: the tokens of each text.
            target_prefix: what each translation begins with; None: nothing.
            max_batch_size: with several inter_threads, how many examples, or
                tokens, go to the next one.
            batch_type: "examples" or "tokens".
            asynchronous: whether to return at once.
            **options: those of TranslationOptions.
        """
        chosen = TranslationOptions(**options)
        examples = _examples(source, target_prefix)

        def compute(
            model: Model, chunk: list[Example]
        ) -> Iterator[TranslationResult]:
            return model.translate(chunk, chosen)

        batch = (examples, compute, max_batch_size, batch_type)
        if asynchronous:
            return [AsyncTranslationResult(f) for f in self._post(*batch)]
        return self._run(*batch)

    def score_batch(
        self,
        source: Sequence[Tokens],
        target: Sequence[Tokens],
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        offset: int = 0,
        asynchronous: bool = False,
    ) -> list[ScoringResult] | list[AsyncScoringResult]:
        """The log-probabilities of the tokens of given targets, and of eos.

        Args:
            offset: tokens of each target to leave out.
            others: see translate_batch.
        """
        examples = _examples(source, target)

        def compute(
            model: Model, chunk: list[Example]
        ) -> Iterator[ScoringResult]:
            return model.score(chunk, max_input_length, offset)

        batch = (examples, compute, max_batch_size, batch_type)
        if asynchronous:
            return [AsyncScoringResult(f) for f in self._post(*batch)]
        return self._run(*batch)

    def _run(
        self,
        examples: list[Example],
        compute: Compute[Result],
        max_batch_size: int,
        batch_type: str,
    ) -> list[Result]:
        chunks = self._chunks(examples, max_batch_size, batch_type)
        if len(chunks) > 1:
            futures = self._post(examples, compute, max_batch_size, batch_type)
            return [future.result() for future in futures]
        model = self._ready()
        if not examples:
            return []
        # In this thread, so that an interrupt ends it.
        with self._workers.turn(), _errors():
            return list(compute(model, examples))

    def _post(
        self,
        examples: list[Example],
        compute: Compute[Result],
        max_batch_size: int,
        batch_type: str,
    ) -> list[Future[Result]]:
        model = self._ready()
        futures: list[Future[Result]] = [Future() for _ in examples]

        def work(chunk: list[Example]) -> None:
            waiting = [futures[example.number] for example in chunk]
            try:
                with _errors():
                    for result in compute(model, chunk):
                        waiting.pop(0).set_result(result)
            except BaseException as error:  # noqa: BLE001
                for future in waiting:
                    future.set_exception(error)

        for chunk in self._chunks(examples, max_batch_size, batch_type):
            self._workers.submit(work, chunk)
        return futures

    def _chunks(
        self, examples: list[Example], max_batch_size: int, batch_type: str
    ) -> list[list[Example]]:
        """Portions that are translated at a time. Latimer has lanes, which
        another sentence enters when one leaves, so no more than that."""
        if batch_type not in ("examples", "tokens"):
            raise ValueError(f"Invalid batch type: {batch_type}")
        size = len(examples)
        if batch_type == "tokens":
            size = sum(len(example.source) for example in examples)
        count = -(-size // max_batch_size) if max_batch_size > 0 else 1
        count = min(count, self.num_translators, len(examples))
        return [examples[first::count] for first in range(count)]

    # ---- Iterables ----

    def translate_iterable(
        self,
        source: Iterable[Tokens],
        target_prefix: Iterable[Tokens] | None = None,
        max_batch_size: int = 32,
        batch_type: str = "examples",
        **options: Any,
    ) -> Iterator[TranslationResult]:
        """Translates an iterable lazily and in order."""
        streams = [source] if target_prefix is None else [source, target_prefix]
        yield from _iterate(
            self.translate_batch, streams, max_batch_size, batch_type, options
        )

    def score_iterable(
        self,
        source: Iterable[Tokens],
        target: Iterable[Tokens],
        max_batch_size: int = 64,
        batch_type: str = "examples",
        **options: Any,
    ) -> Iterator[ScoringResult]:
        """Scores iterables lazily and in order."""
        yield from _iterate(
            self.score_batch, [source, target], max_batch_size, batch_type, options
        )

    def generate_tokens(
        self,
        source: Tokens,
        target_prefix: Tokens | None = None,
        *,
        max_decoding_length: int = 256,
        min_decoding_length: int = 1,
        sampling_topk: int = 1,
        sampling_topp: float = 1,
        sampling_temperature: float = 1,
        return_log_prob: bool = False,
        repetition_penalty: float = 1,
        no_repeat_ngram_size: int = 0,
        disable_unk: bool = False,
        suppress_sequences: Sequence[Tokens] | None = None,
        end_token: EndToken | None = None,
        max_input_length: int = 1024,
        use_vmap: bool = False,
    ) -> Iterator[GenerationStepResult]:
        """Gives tokens as they are generated; with return_log_prob, when all
        are."""
        steps: queue.SimpleQueue[GenerationStepResult | None] = (
            queue.SimpleQueue()
        )
        closed = threading.Event()

        def take(step: GenerationStepResult) -> bool:
            steps.put(step)
            return closed.is_set()

        (result,) = self.translate_batch(
            [source],
            None if target_prefix is None else [target_prefix],
            asynchronous=True,
            beam_size=1,
            max_decoding_length=max_decoding_length,
            min_decoding_length=min_decoding_length,
            sampling_topk=sampling_topk,
            sampling_topp=sampling_topp,
            sampling_temperature=sampling_temperature,
            return_scores=return_log_prob,
            repetition_penalty=repetition_penalty,
            no_repeat_ngram_size=no_repeat_ngram_size,
            disable_unk=disable_unk,
            suppress_sequences=suppress_sequences,
            end_token=end_token,
            max_input_length=max_input_length,
            use_vmap=use_vmap,
            callback=take,
        )
        assert isinstance(result, AsyncTranslationResult)
        result._future.add_done_callback(lambda _: steps.put(None))
        try:
            while (step := steps.get()) is not None:
                yield step
        finally:
            closed.set()
        result.result()

    # ---- Files ----

    def translate_file(
        self,
        source_path: str,
        output_path: str,
        target_path: str | None = None,
        *,
        max_batch_size: int = 32,
        read_batch_size: int = 0,
        batch_type: str = "examples",
        with_scores: bool = False,
        source_tokenize_fn: Tokenize | None = None,
        target_tokenize_fn: Tokenize | None = None,
        target_detokenize_fn: Detokenize | None = None,
        **options: Any,
    ) -> ExecutionStats:
        """Translates a file of tokens, or of lines if there are functions."""
        if (source_tokenize_fn is None) != (target_detokenize_fn is None):
            raise ValueError(
                "source_tokenize_fn and target_detokenize_fn should both be "
                "set or none at all"
            )
        if target_path and source_tokenize_fn and not target_tokenize_fn:
            raise ValueError(
                "target_tokenize_fn should be set when passing a target file"
            )
        join = target_detokenize_fn or " ".join

        def lines(result: TranslationResult) -> Iterator[str]:
            for place, tokens in enumerate(result.hypotheses):
                score = f"{result.scores[place]:g} ||| " if with_scores else ""
                yield score + join(tokens)

        return self._file(
            self.translate_iterable,
            [(source_path, source_tokenize_fn), (target_path, target_tokenize_fn)],
            output_path,
            lines,
            lambda result: len(result.hypotheses[0]),
            max_batch_size=max_batch_size,
            batch_type=batch_type,
            return_scores=with_scores,
            **options,
        )

    def score_file(
        self,
        source_path: str,
        target_path: str,
        output_path: str,
        *,
        max_batch_size: int = 32,
        read_batch_size: int = 0,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        offset: int = 0,
        with_tokens_score: bool = False,
        source_tokenize_fn: Tokenize | None = None,
        target_tokenize_fn: Tokenize | None = None,
        target_detokenize_fn: Detokenize | None = None,
    ) -> ExecutionStats:
        """Scores a file of targets; a line is the mean score, the target and,
        with_tokens_score, the score of each token."""
        functions = (source_tokenize_fn, target_tokenize_fn, target_detokenize_fn)
        if None in functions and any(functions):
            raise ValueError(
                "source_tokenize_fn, target_tokenize_fn, and "
                "target_detokenize_fn should all be set or none at all"
            )
        join = target_detokenize_fn or " ".join

        def lines(result: ScoringResult) -> Iterator[str]:
            mean = sum(result.log_probs) / max(1, len(result.log_probs))
            parts = [f"{mean:g}", join(result.tokens)]
            if with_tokens_score:
                parts.append(" ".join(f"{p:g}" for p in result.log_probs))
            yield " ||| ".join(parts)

        return self._file(
            self.score_iterable,
            [(source_path, source_tokenize_fn), (target_path, target_tokenize_fn)],
            output_path,
            lines,
            lambda result: len(result.log_probs),
            max_batch_size=max_batch_size,
            batch_type=batch_type,
            max_input_length=max_input_length,
            offset=offset,
        )

    def _file(
        self,
        method: Callable[..., Iterator[Result]],
        inputs: list[tuple[str | None, Tokenize | None]],
        output_path: str,
        lines: Callable[[Result], Iterator[str]],
        count: Callable[[Result], int],
        **options: Any,
    ) -> ExecutionStats:
        began = time.perf_counter()
        tokens = examples = 0
        for path, _ in inputs:
            if path is None or not os.path.exists(output_path):
                continue
            if os.path.samefile(path, output_path):
                raise ValueError(
                    f"{output_path} is read and would be overwritten; "
                    "give another output_path."
                )
        with ExitStack() as files:
            streams: list[Iterator[Tokens]] = []
            for path, tokenize in inputs:
                if path is not None:
                    file = files.enter_context(
                        open(path, encoding="utf-8", newline="\n")
                    )
                    read = map(_line, file)
                    streams.append(map(tokenize or _split, read))
            output = files.enter_context(open(output_path, "w", encoding="utf-8"))
            for result in method(*_same_length(streams), **options):
                output.writelines(line + "\n" for line in lines(result))
                tokens += count(result)
                examples += 1
        took = (time.perf_counter() - began) * 1000
        return ExecutionStats(tokens, examples, took)


class _Workers:
    """Does so many things at a time, and lets so many others wait."""

    def __init__(self, count: int, most_queued: int) -> None:
        if most_queued == 0:
            most_queued = 4 * count
        self.active = 0
        self.queued = 0
        self._turn = threading.Semaphore(count)
        self._room = threading.Semaphore(most_queued) if most_queued > 0 else None
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(count)
        self._threads.submit(int)  # Later, submit does not wait for a thread.

    def _count(self, active: int, queued: int) -> None:
        with self._lock:
            self.active += active
            self.queued += queued

    @contextmanager
    def turn(self) -> Iterator[None]:
        """One of the things, in this thread."""
        self._count(1, 1)
        try:
            with self._turn:
                self._count(0, -1)
                yield
        finally:
            self._count(-1, 0)

    def submit(self, work: Callable[[Any], None], argument: Any) -> None:
        """Does it later in another thread; waits if too many others wait."""
        if self._room is not None:
            self._room.acquire()
        self._count(1, 1)

        def run() -> None:
            with self._turn:
                self._count(0, -1)
                if self._room is not None:
                    self._room.release()
                try:
                    work(argument)
                finally:
                    self._count(-1, 0)

        self._threads.submit(run)


@contextmanager
def _errors() -> Iterator[None]:
    """Latimer's errors as CTranslate2's kinds."""
    try:
        yield
    except ValueError:
        raise
    except LatimerError as error:
        raise RuntimeError(str(error)) from error


def _contents(files: Mapping[str, Any]) -> dict[str, bytes]:
    if not isinstance(files, Mapping):
        raise TypeError(
            "files argument must be a dictionary mapping file names to the "
            "file contents"
        )
    contents = {}
    for name, content in files.items():
        if hasattr(content, "read"):
            content = content.read()
        if not isinstance(content, bytes):
            raise TypeError("File content must be a file-like or bytes object")
        contents[Path(name).name] = content
    return contents


def _examples(
    source: Sequence[Tokens], target: Sequence[Tokens | None] | None
) -> list[Example]:
    targets = [()] * len(source) if target is None else target
    if len(targets) != len(source):
        raise ValueError(
            f"The batch has {len(source)} sources and {len(targets)} targets; "
            "they should have the same length"
        )
    for tokens in itertools.chain(source, targets):
        if isinstance(tokens, str):
            raise TypeError(
                f"{tokens!r} is a str; each text is a list of tokens"
            )
    return [
        Example(number, tokens, prefix or ())
        for number, (tokens, prefix) in enumerate(zip(source, targets))
    ]


def _iterate(
    method: Callable[..., Any],
    streams: list[Iterable[Tokens]],
    max_batch_size: int,
    batch_type: str,
    options: dict[str, Any],
) -> Iterator[Any]:
    """Reads 16 batches ahead, as CTranslate2 does."""
    if max_batch_size < 1:
        raise ValueError("max_batch_size must be >= 1")
    size = max_batch_size * 16 if max_batch_size > 1 else 1
    waiting: deque[Any] = deque()
    for batch in _batches(itertools.zip_longest(*streams), size, batch_type):
        waiting.extend(
            method(
                *zip(*batch),
                max_batch_size=max_batch_size,
                batch_type=batch_type,
                asynchronous=True,
                **options,
            )
        )
        while waiting and waiting[0].done():
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _batches(
    examples: Iterable[tuple[Tokens, ...]], size: int, batch_type: str
) -> Iterator[list[tuple[Tokens, ...]]]:
    batch: list[tuple[Tokens, ...]] = []
    longest = 1
    for example in examples:
        if None in example:
            raise ValueError("Input iterables do not have the same length")
        if batch_type == "tokens":
            longest = max(longest, len(example[0]))
        if batch and (len(batch) + 1) * longest > size:
            yield batch
            batch = []
            longest = len(example[0]) if batch_type == "tokens" else 1
        batch.append(example)
    if batch:
        yield batch


def _line(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def _split(line: str) -> list[str]:
    return [token for token in line.split(" ") if token]


def _same_length(streams: list[Iterator[Tokens]]) -> list[Iterator[Tokens]]:
    """The streams; reading raises RuntimeError if one is shorter."""
    if len(streams) == 1:
        return streams

    def read() -> Iterator[tuple[Tokens, ...]]:
        for example in itertools.zip_longest(*streams):
            if None in example:
                raise RuntimeError(
                    "One input stream has less examples than the others"
                )
            yield example

    copies = itertools.tee(read(), len(streams))
    return [map(itemgetter(place), copy) for place, copy in enumerate(copies)]
