"""What Translator returns."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import numpy


@dataclass(frozen=True)
class ModelInfo:
    """What a model is. Sizes are in tokens or bytes."""

    path: str
    format_version: int
    checksum: str
    file_bytes: int
    weights: str
    tile: str
    source: str
    license: str = field(repr=False)  # Pages of text.
    model_version: str | None
    source_vocabulary: int
    target_vocabulary: int
    max_source_tokens: int
    max_target_tokens: int
    eos: int
    has_tokenizer: bool
    threads: int
    languages: dict[str, int]
    """Codes of languages, and their tokens."""
    tasks: dict[str, str]
    """Names of tasks, and their prefixes."""
    certified_share: float | None
    """Share of tokens that the f32 model chooses as well; None: not known."""
    workspace_bytes: int
    """Memory that one translation at a time, with all its lanes, takes."""


@dataclass(frozen=True)
class TokenScore:
    """A token's natural log-probability, and its margin to the second best."""

    log_probability: float
    margin: float


@dataclass(frozen=True)
class WordScore:
    """A word of a translation, with punctuation, and the mean log-probability
    of its tokens."""

    text: str
    score: float


@dataclass(frozen=True)
class TokenLink:
    """Where a target token comes from. Characters [begin, end)."""

    target: tuple[int, int]
    """In the translation's text; empty for tokens without text, such as EOS."""
    source: tuple[int, int]
    """In the text that was translated: the source token that the decoder
    attended to most; empty if there is none."""


@dataclass(frozen=True)
class Hypothesis:
    """One of the n best translations. `text` is empty if there are only ids."""

    text: str
    tokens: tuple[int, ...]
    score: float
    """Sum of log-probabilities, divided by the length to the power of the
    length penalty; 0 for greedy search."""


@dataclass(frozen=True)
class Translation:
    """A text's translation.

    A text is translated in parts, its sentences. Everything is of all of them,
    but for the attention, which is refused for several.
    """

    text: str
    tokens: tuple[int, ...]
    """Target ids, EOS included if it was produced."""
    source_tokens: tuple[int, ...]
    """Source ids, with those that the model puts around every text."""
    stop_reason: str
    """"eos", "length_limit", "loop", "budget" or "cancelled"; of parts, the
    most severe."""
    parts: int = 1
    generated_tokens: int = 0
    """With those of a loop that was cut off."""
    source_length: int = 0
    """Characters of the text that were translated, white space after them
    included; fewer than the text has only if a budget or on_token ended it."""
    scores: tuple[TokenScore, ...] | None = None
    """With scores=True: one for each of `tokens`."""
    words: tuple[WordScore, ...] | None = None
    """With scores=True, of a text; empty if it has protected spans."""
    alignment: tuple[TokenLink, ...] | None = None
    """With alignment=True, of a text: one for each of `tokens`."""
    hypotheses: tuple[Hypothesis, ...] = ()
    """With n_best: the best first. With several parts, each is made of the
    hypotheses of the same rank, and its score is the sum of theirs."""
    source_lang: str | None = None
    """By AutoTranslator: the language of the text; None without letters."""
    confidence: float | None = None
    """By AutoTranslator: the probability that it is that language."""
    _attention: ClassVar[Any] = None  # No field, but each may have its own.

    @property
    def score(self) -> float | None:
        """The sum of the tokens' log-probabilities; None without scores."""
        if self.scores is None:
            return None
        return sum(score.log_probability for score in self.scores)

    @property
    def mean_score(self) -> float | None:
        """The mean of the tokens' log-probabilities, an estimate of quality;
        None without scores."""
        if not self.scores:
            return None
        return sum(s.log_probability for s in self.scores) / len(self.scores)

    @property
    def attention(self) -> numpy.ndarray[Any, Any]:
        """The weights that attention= asked for: float32 [layers, heads, rows,
        columns], whose rows have the sum 1. A text of several parts has none:
        translate its sentences, which translate_paragraphs tells.

        Rows are target tokens and columns source tokens ("cross"), both are
        source tokens ("encoder"), or columns are the decoder's start and the
        earlier tokens ("decoder", a copy, 0 above the diagonal).

        "cross" and "encoder" are views of the translator's memory: use them
        before its next translation, or take a copy. A translation that is
        pickled or copied has a copy; dataclasses.asdict leaves them out.
        """
        if self.parts > 1:
            raise ValueError(
                f"Each of the {self.parts} parts of this text has attention "
                "of its own: translate sentence by sentence."
            )
        if self._attention is None:
            raise ValueError(
                "No attention was kept: translate with attention='cross'."
            )
        weights: numpy.ndarray[Any, Any] = self._attention.array()
        return weights

    def to_dict(self) -> dict[str, Any]:
        """The fields, as json.dumps takes them; without attention."""
        return asdict(self)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Word:
    """A word, as it is said, with the marks beside it."""

    start: float
    """Seconds from the beginning of the recording."""
    end: float
    word: str
    """With the space that it begins with: the words of a segment, joined, are
    its text."""
    probability: float


@dataclass(frozen=True)
class Segment:
    """What is said from one time to another. From `temperature` on, the members
    belong to the window of 30 seconds that the segment is in."""

    start: float
    """Seconds from the beginning of the recording."""
    end: float
    text: str
    """With the space that it begins with: the texts of all segments, joined,
    are the text."""
    tokens: tuple[int, ...] = field(repr=False)
    temperature: float
    """That the tokens were drawn at; 0: none was drawn."""
    avg_logprob: float
    """The mean log-probability of the tokens."""
    compression_ratio: float
    """The bytes of the text, divided by what they compress to; high if it
    repeats itself."""
    no_speech_prob: float
    """The probability that nothing is said, as the model sees it."""
    language: str | None
    """What is spoken; None: the model has one language."""
    language_probability: float
    """1 if the language was given."""
    stop_reason: str
    """"eos", "length_limit", "loop" or "cancelled"."""
    words: tuple[Word, ...] = ()
    """With `word_timestamps`."""


@dataclass(frozen=True)
class StreamedText:
    """A portion of the translation of running text."""

    text: str
    source: str
    """What it translates; empty for white space."""
    line: int
    """The line that the sentence begins on, from 1."""
    cut: bool
    """Whether the sentence exceeds the longest source."""
    stop_reason: str

    def __str__(self) -> str:
        return self.text
