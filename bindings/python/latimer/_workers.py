"""The texts of one call, for several threads that translate them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, Generic, TypeVar, Union

Source = TypeVar("Source")
Result = TypeVar("Result")


class Shared(Generic[Source, Result]):
    """Hands out sources in turn, and keeps results until it is their turn."""

    def __init__(self, sources: Iterable[Source], ahead: int) -> None:
        """`ahead`: how many sources may be taken before the first of their
        results is read."""
        self._sources = iter(sources)
        self._ahead = ahead
        self._changed = threading.Condition()
        self._results: dict[int, Union[Result, BaseException]] = {}
        self._taken = 0
        self._given = 0
        self._ended = False
        self.closed = False

    def wait(self) -> bool:
        """Waits until there may be a source; False: there is none."""
        with self._changed:
            while not self._ended and self._is_far():
                self._changed.wait()
            return not self._ended

    def take(self) -> Iterator[tuple[int, Source]]:
        """Sources with their numbers, while they are not too far ahead."""
        while True:
            with self._changed:
                if self._ended or self._is_far():
                    return
                try:
                    source = next(self._sources)
                except StopIteration:
                    return self._end()
                except Exception as error:
                    self._results[self._taken] = error
                    self._taken += 1
                    return self._end()
                number = self._taken
                self._taken += 1
            yield number, source

    def give(self, number: int, result: Result | BaseException) -> None:
        with self._changed:
            self._results[number] = result
            if isinstance(result, BaseException):
                self._end()
            self._changed.notify_all()

    def results(self, threads: list[threading.Thread]) -> Iterator[Result]:
        """In the order of their sources; raises what a source has raised."""
        for thread in threads:
            thread.start()
        while True:
            with self._changed:
                while self._given not in self._results:
                    if self.closed or (
                        self._ended and self._given == self._taken
                    ):
                        return
                    self._changed.wait()
                result = self._results.pop(self._given)
                self._given += 1
                self._changed.notify_all()
            if isinstance(result, BaseException):
                raise result
            yield result

    def close(self) -> None:
        """No source is taken any more."""
        with self._changed:
            self.closed = True
            self._end()

    def _is_far(self) -> bool:
        return self._taken - self._given >= self._ahead

    def _end(self) -> None:
        self._ended = True
        self._changed.notify_all()


def run(
    workers: int,
    sources: Iterable[Source],
    ahead: int,
    work: Callable[[Shared[Source, Result]], None],
    stop: Callable[[], None],
) -> Generator[Result, None, None]:
    """The results of `work`, which `workers` threads run; `stop` hastens it if
    nobody reads on."""
    shared: Shared[Source, Result] = Shared(sources, ahead)
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            work(shared)
        except BaseException as error:  # No memory for another worker.  # noqa: BLE001
            failures.append(error)
            shared.close()

    threads = [threading.Thread(target=guarded) for _ in range(workers)]
    try:
        yield from shared.results(threads)
        if failures:
            raise failures[0]
    finally:
        shared.close()
        stop()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
