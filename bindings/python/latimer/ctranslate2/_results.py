"""What calls return, as CTranslate2's classes have it."""

from __future__ import annotations

import warnings
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


@dataclass
class TranslationResult:
    """A translation result; lists are empty if they were not asked for."""

    hypotheses: list[list[str]]
    scores: list[float] = field(default_factory=list)
    attention: list[list[list[float]]] = field(default_factory=list)
    logits: list[Any] = field(default_factory=list)
    """Always empty."""

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __getitem__(self, index: int) -> dict[str, Any]:
        warnings.warn(
            "Reading the TranslationResult object as a list of dictionaries is "
            "deprecated; use its attributes.",
            DeprecationWarning,
            stacklevel=2,
        )
        hypothesis: dict[str, Any] = {"tokens": self.hypotheses[index]}
        if self.scores:
            hypothesis["score"] = self.scores[index]
        if self.attention:
            hypothesis["attention"] = self.attention[index]
        return hypothesis


@dataclass
class ScoringResult:
    """Tokens of a target, and their log-probabilities."""

    tokens: list[str]
    log_probs: list[float]


@dataclass
class GenerationStepResult:
    """A token of a translation that is under way."""

    step: int
    batch_id: int
    token_id: int
    hypothesis_id: int
    token: str
    log_prob: float | None = None
    logits: Any = None
    """Always None."""
    is_last: bool = False


@dataclass
class ExecutionStats:
    """What a file took; num_tokens are those that were written."""

    num_tokens: int
    num_examples: int
    total_time_in_ms: float


class _AsyncResult(Generic[Result]):
    """A result that is there later."""

    def __init__(self, future: Future[Result]) -> None:
        self._future = future

    def result(self) -> Result:
        """Waits for it; raises what its computation raised."""
        return self._future.result()

    def done(self) -> bool:
        """Whether result() returns at once."""
        return self._future.done()


class AsyncTranslationResult(_AsyncResult[TranslationResult]):
    """A translation result that is there later."""


class AsyncScoringResult(_AsyncResult[ScoringResult]):
    """A scoring result that is there later."""
