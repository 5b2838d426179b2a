"""A loaded model: texts of tokens in, translations and scores out."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from .._options import CallOptions, TranslateOptions, ids_array
from .._results import Translation
from .._slot import Slot, Source
from .._translator import Translator
from ._folder import Folder, cut
from ._options import Tokens, TranslationOptions
from ._results import GenerationStepResult, ScoringResult, TranslationResult

_seeds = random.Random()


def set_random_seed(seed: int) -> None:
    """Sets the seed of sampling; other tokens than CTranslate2's are drawn."""
    _seeds.seed(seed)


@dataclass(frozen=True)
class Example:
    """A source, and what its translation begins with, or a target to score."""

    number: int
    """In the batch, from 0."""
    source: Tokens
    target: Tokens = ()


@dataclass
class _Found:
    """A hypothesis: its ids, with the eos if it has one, and its score."""

    ids: list[int]
    score: float = 0.0


Job = tuple[Source, CallOptions]


def _call_options(options: dict[str, Any]) -> CallOptions:
    return CallOptions(cast(TranslateOptions, options))


class Model:
    """A folder, and the model file that was made of it."""

    def __init__(self, folder: Folder, translator: Translator) -> None:
        self.folder = folder
        self.translator = translator
        self.eos = folder.target.id(folder.eos)

    def translate(
        self, examples: list[Example], options: TranslationOptions
    ) -> Iterator[TranslationResult]:
        """Translates in order."""
        options.check(self.folder)
        call = _Call(self, options)
        searched = [e for e in examples if call.is_searched(e)]
        with self.translator._slot(call.beams) as slot:
            found = call.search(slot, searched)
            if options.return_attention or options.replace_unknowns:
                found = iter(list(found))  # It is computed with the slot.
            for example in examples:
                if call.is_searched(example):
                    yield call.result(slot, example, next(found))
                else:
                    yield call.given(example)

    def score(
        self, examples: list[Example], max_input_length: int, offset: int
    ) -> Iterator[ScoringResult]:
        """The log-probabilities of given targets, in order."""
        targets = [self._scored_ids(e, max_input_length) for e in examples]
        sources = [
            self.folder.source_ids(e.source, max_input_length) for e in examples
        ]
        # Tokens have a score where a search with beams has found them.
        with self.translator._slot(beams=2) as slot:
            found = slot.run(
                (
                    ids_array(ids),
                    _call_options({
                        "beams": 2,
                        "scores": True,
                        "target_prefix": target,
                        "max_target_tokens": len(target) + 1,
                        **self.language(example),
                    }),
                )
                for example, ids, target in zip(examples, sources, targets)
                if ids
            )
            for ids, target in zip(sources, targets):
                scores = [0.0] * len(target)
                if ids:
                    kept = next(found).scores or ()
                    scores = [token.log_probability for token in kept]
                tokens = self.tokens(target)
                yield ScoringResult(tokens[offset:], scores[offset:])

    def tokens(self, ids: Iterable[int]) -> list[str]:
        tokens = self.folder.target.tokens
        return [tokens[token] for token in ids]

    def source_ids(self, example: Example, most: int) -> list[int]:
        ids = self.folder.source_ids(example.source, most)
        room = self.translator.info.max_source_tokens
        if len(ids) > room:
            raise ValueError(
                f"Source {example.number} has {len(ids)} tokens, but the model "
                f"takes {room}; split it, or give max_input_length={room}."
            )
        return ids

    def target_ids(self, example: Example) -> list[int]:
        """Without the token that the decoder starts with."""
        tokens = example.target[self._starts :]
        return self.folder.target.ids(tokens)

    def language(self, example: Example) -> dict[str, Any]:
        """The option for the token that the decoder starts with, if it is
        the caller's."""
        if not self._starts:
            return {}
        if not example.target:
            raise ValueError("One input has no decoder start token")
        start = example.target[0]
        languages = self.translator.info.languages
        token = self.folder.target.id(start)
        for code, of_language in languages.items():
            if token == of_language:
                return {"target_lang": code}
        raise ValueError(
            f"The target begins with {start}, and Latimer's decoder starts "
            f"with a language only: {', '.join(languages)}."
        )

    @property
    def _starts(self) -> int:
        """How many tokens of a target are the decoder's start."""
        return 1 if self.folder.start is None else 0

    def _scored_ids(self, example: Example, most: int) -> list[int]:
        ids = cut([*self.target_ids(example), self.eos], most, self.eos)
        room = self.translator.info.max_source_tokens // 2 - 1
        if len(ids) > room:  # Half is the source's.
            raise ValueError(
                f"Target {example.number} has {len(ids)} tokens, but the model "
                f"scores {room}; split it, or give max_input_length={room}."
            )
        return ids


class _Call:
    """A call of translate_batch: what its options make of examples."""

    def __init__(self, model: Model, options: TranslationOptions) -> None:
        self._model = model
        self._options = options
        room = model.translator.info.max_target_tokens
        self._search = options.search(model.folder, room)
        self._most = self._search["max_target_tokens"]
        if options.draws:
            self._search["seed"] = _seeds.getrandbits(64)
        self._shared = _call_options(self._search)
        # That the search needs memory for; 0: none.
        self.beams = options.beam_size if options.beam_size > 1 else 0
        if options.return_alternatives:
            self.beams = max(2, self.beams, options.num_hypotheses)

    # ---- The search ----

    def is_searched(self, example: Example) -> bool:
        """Whether there is a source, and room after the prefix."""
        if len(self._prefix(example)) == self._most:
            return False
        return not self._model.folder.is_empty(example.source)

    def search(
        self, slot: Slot, examples: list[Example]
    ) -> Iterator[list[_Found]]:
        """The hypotheses of each example, the best first."""
        if self._options.return_alternatives:
            return self._alternatives(slot, examples)
        return self._hypotheses(slot, examples)

    def _hypotheses(
        self, slot: Slot, examples: list[Example]
    ) -> Iterator[list[_Found]]:
        samples = self._options.samples
        found = slot.run(
            self._job(example, sample)
            for example in examples
            for sample in range(samples)
        )
        for example in examples:
            if self._options.beam_size > 1:
                yield self._beams(next(found), len(self._prefix(example)))
                continue
            all_samples = [
                self._greedy(next(found), example.number, sample)
                for sample in range(samples)
            ]
            yield sorted(all_samples, key=lambda one: -one.score)

    def _prefix(self, example: Example) -> list[int]:
        return self._model.target_ids(example)[: self._most]

    def _source(self, example: Example) -> Source:
        most = self._options.max_input_length
        return ids_array(self._model.source_ids(example, most))

    def _own(self, example: Example, prefix: list[int]) -> dict[str, Any]:
        """Options that are not those of every example."""
        own = self._model.language(example)
        if prefix:
            own["target_prefix"] = prefix
        vmap = self._model.folder.vmap
        if self._options.use_vmap and vmap is not None:
            allowed = set(prefix)
            own["suppressed"] = self._search.get("suppressed", []) + [
                i for i in vmap.excluded(example.source) if i not in allowed
            ]
        return own

    def _job(self, example: Example, sample: int) -> Job:
        prefix = self._prefix(example)
        own = self._own(example, prefix)
        if self._options.beam_size > 1 and len(prefix) == 1:
            # As such it counts for the length: a language.
            own["forced_first_token"] = own.pop("target_prefix")[0]
        if self._options.callback and not self._options.return_scores:
            own["on_token"] = lambda index, token: not self._call_back(
                example.number, sample, index, token
            )
        call = _call_options({**self._search, **own}) if own else self._shared
        return self._source(example), call

    def _call_back(
        self,
        number: int,
        sample: int,
        step: int,
        token: int,
        score: float | None = None,
    ) -> bool:
        assert self._options.callback is not None
        return bool(
            self._options.callback(
                GenerationStepResult(
                    step=step,
                    batch_id=number,
                    token_id=token,
                    hypothesis_id=sample,
                    token=self._model.folder.target.tokens[token],
                    log_prob=score,
                    is_last=token == self._model.eos or step + 1 == self._most,
                )
            )
        )

    def _greedy(self, best: Translation, number: int, sample: int) -> _Found:
        ids = list(best.tokens)
        if best.scores is None:
            return _Found(ids)
        scores = [token.log_probability for token in best.scores]
        if self._options.callback is not None and self._options.return_scores:
            # Scores are known only now.
            for step, (token, score) in enumerate(zip(ids, scores)):
                if self._call_back(number, sample, step, token, score):
                    del ids[step + 1 :], scores[step + 1 :]
                    break
        return _Found(ids, self._normalized(math.fsum(scores), len(ids)))

    def _beams(self, best: Translation, prefix: int) -> list[_Found]:
        """Scores of Latimer leave a target prefix out of the length."""
        found = []
        for hypothesis in best.hypotheses:
            count = len(hypothesis.tokens)
            score = hypothesis.score
            if prefix > 1:
                own = max(1, count - prefix) ** self._options.length_penalty
                score = self._normalized(score * own, count)
            found.append(_Found(list(hypothesis.tokens), score))
        found.sort(key=lambda one: -one.score)
        return found[: self._options.num_hypotheses]

    def _normalized(self, score: float, count: int) -> float:
        return score / float(max(1, count) ** self._options.length_penalty)

    # ---- Alternatives: decode_alternatives of src/decoding.cc ----

    def _alternatives(
        self, slot: Slot, examples: list[Example]
    ) -> Iterator[list[_Found]]:
        """The most likely tokens after each prefix, each completed."""
        expanded = list(self._expand(slot, examples))
        found = slot.run(
            (
                self._source(example),
                _call_options({**self._search, **self._own(example, one.ids)}),
            )
            for example, all_first in zip(examples, expanded)
            for one in all_first
            if len(one.ids) < self._most
        )
        for all_first in expanded:
            completed = []
            for first in all_first:
                if len(first.ids) == self._most:
                    completed.append(first)
                    continue
                rest = self._complete(next(found), len(first.ids))
                completed.append(_Found(rest.ids, first.score + rest.score))
            yield completed

    def _expand(
        self, slot: Slot, examples: list[Example]
    ) -> Iterator[list[_Found]]:
        """The prefix with each of the most likely next tokens, and the
        log-probability of that."""
        least = self._options.min_alternative_expansion_prob
        for found in slot.run(map(self._expansion, examples)):
            yield [
                _Found(list(one.tokens), one.score)
                for one in found.hypotheses
                if math.exp(one.score) >= least
            ]

    def _expansion(self, example: Example) -> Job:
        prefix = self._prefix(example)
        most = len(prefix) + 1
        step: dict[str, Any] = {
            **self._search,
            "beams": max(2, self._options.num_hypotheses),
            "n_best": self._options.num_hypotheses,
            "length_penalty": 0.0,
            "early_stopping": True,
            "max_target_tokens": most,
            "min_target_tokens": most,
            **self._own(example, prefix),
        }
        step.pop("scores", None)
        return self._source(example), _call_options(step)

    def _complete(self, best: Translation, prefix: int) -> _Found:
        if best.hypotheses:  # Its score leaves the prefix out.
            one = best.hypotheses[0]
            return _Found(list(one.tokens), one.score)
        ids = list(best.tokens)
        if best.scores is None:
            return _Found(ids)
        total = math.fsum(token.log_probability for token in best.scores)
        return _Found(ids, self._normalized(total, len(ids) - prefix))

    # ---- Results ----

    def result(
        self, slot: Slot, example: Example, found: list[_Found]
    ) -> TranslationResult:
        options, model = self._options, self._model
        result = TranslationResult([])
        for one in found:
            ids = one.ids
            if not options.return_end_token and ids[-1:] == [model.eos]:
                ids = ids[:-1]
            tokens = model.tokens(ids)
            unknown = model.folder.unknown
            replaces = options.replace_unknowns and unknown in tokens
            if options.return_attention or replaces:
                attention = self._attention(slot, example, ids)
                if options.return_attention:
                    result.attention.append(attention)
                if replaces:
                    tokens = [
                        example.source[_argmax(row)] if token == unknown else token
                        for token, row in zip(tokens, attention)
                    ]
            result.hypotheses.append(tokens)
            if options.return_scores:
                result.scores.append(one.score)
        return result

    def given(self, example: Example) -> TranslationResult:
        """Of an example that is not searched: its prefix."""
        options, count = self._options, self._options.num_hypotheses
        ids = self._prefix(example)
        result = TranslationResult([self._model.tokens(ids)] * count)
        if options.return_scores:
            result.scores = [0.0] * count
        if options.return_attention:
            rows = [[0.0] * len(example.source)] * len(ids)
            result.attention = [rows] * count
        return result

    def _attention(
        self, slot: Slot, example: Example, ids: list[int]
    ) -> list[list[float]]:
        """What each token attends to, by the tokens of the source."""
        if not ids:
            return []
        folder = self._model.folder
        again = _call_options({
            "beams": 1,
            "attention": "cross",
            "max_target_tokens": len(ids),
            **self._own(example, ids[:-1]),
        })
        layer, heads = folder.alignment
        (translation,) = slot.run([(self._source(example), again)])
        weights = translation.attention[layer][: heads or None].mean(axis=0)
        first = 1 if folder.adds_bos else 0
        last = weights.shape[1] - (1 if folder.adds_eos else 0)
        rows: list[list[float]] = weights[:, first:last].tolist()
        # A source that was cut gets zeros.
        missing = len(example.source) - (last - first)
        return [row + [0.0] * missing for row in rows]


def _argmax(row: list[float]) -> int:
    return max(range(len(row)), key=row.__getitem__)
