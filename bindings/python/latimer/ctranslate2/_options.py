"""The options of CTranslate2's calls, checked, and as Latimer's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from ._folder import Folder
from ._results import GenerationStepResult

Tokens = Sequence[str]
EndToken = Union[str, Sequence[str], Sequence[int]]
Callback = Callable[[GenerationStepResult], Optional[bool]]


@dataclass
class TranslationOptions:
    """The keyword arguments of translate_batch that concern one text."""

    beam_size: int = 2
    patience: float = 1
    num_hypotheses: int = 1
    length_penalty: float = 1
    coverage_penalty: float = 0
    repetition_penalty: float = 1
    no_repeat_ngram_size: int = 0
    disable_unk: bool = False
    suppress_sequences: Sequence[Tokens] | None = None
    end_token: EndToken | None = None
    return_end_token: bool = False
    prefix_bias_beta: float = 0
    max_input_length: int = 1024
    max_decoding_length: int = 256
    min_decoding_length: int = 1
    use_vmap: bool = False
    return_scores: bool = False
    return_logits_vocab: bool = False
    return_attention: bool = False
    return_alternatives: bool = False
    min_alternative_expansion_prob: float = 0
    sampling_topk: int = 1
    sampling_topp: float = 1
    sampling_temperature: float = 1
    replace_unknowns: bool = False
    callback: Callback | None = None

    @property
    def draws(self) -> bool:
        return self.sampling_topk != 1 and self.sampling_temperature != 0

    @property
    def samples(self) -> int:
        """How many times each text is searched."""
        once = self.return_alternatives or self.beam_size > 1
        return 1 if once else self.num_hypotheses

    def check(self, folder: Folder) -> None:
        """Raises ValueError for what CTranslate2 refuses, and for what is not
        taken here."""
        _refuse(self._contradiction())
        _refuse(self._not_taken(folder))
        for tokens in self.suppress_sequences or ():
            for token in tokens:
                if token not in folder.target:
                    _refuse(f"Token {token} is not in the vocabulary")

    def _contradiction(self) -> str | None:
        """As validate_decoding_options of src/decoding.cc."""
        if self.beam_size < 1:
            return "The beam size must be > 0"
        if self.patience <= 0:
            return "The patience factor must be > 0"
        if self.num_hypotheses < 1:
            return "The number of hypotheses must be > 0"
        if (
            self.num_hypotheses > round(self.beam_size * self.patience)
            and not self.return_alternatives
            and not (self.beam_size == 1 and self.sampling_topk != 1)
        ):
            return (
                "The number of hypotheses cannot be greater than "
                "beam_size * patience"
            )
        if self.min_decoding_length > self.max_decoding_length:
            return (
                "The minimum decoding length is greater than the maximum "
                "decoding length"
            )
        if self.max_decoding_length < 1:
            return "The maximum decoding length must be > 0"
        if self.repetition_penalty <= 0:
            return "The repetition penalty must be > 0"
        if not 0 <= self.min_alternative_expansion_prob <= 1:
            return (
                "The minimum alternative expansion probability must be between "
                "0 and 1"
            )
        if self.callback is not None and self.beam_size != 1:
            return "The callback function is not compatible with beam_size > 1"
        if not 0 < self.sampling_topp <= 1:
            return "The sampling_topp parameter must be between 0 and 1"
        return None

    def _not_taken(self, folder: Folder) -> str | None:
        if self.patience != 1:
            return "patience: Latimer takes only 1; leave it out."
        if self.coverage_penalty != 0:
            return "coverage_penalty: Latimer takes only 0; leave it out."
        if self.prefix_bias_beta != 0:
            return (
                "prefix_bias_beta: Latimer forces a target prefix or has none; "
                "leave it out."
            )
        if self.return_logits_vocab:
            return "return_logits_vocab: Latimer keeps no logits; leave it out."
        if self.draws and self.beam_size > 1:
            return "sampling_topk: Latimer draws without beams; add beam_size=1."
        if self.draws and self.return_alternatives:
            return (
                "return_alternatives: Latimer does not draw alternatives; add "
                "sampling_topk=1."
            )
        if self.callback is not None and self.return_alternatives:
            return "callback: Latimer calls it without return_alternatives only."
        ends = self.end_token
        if ends is not None:
            if isinstance(ends, str):
                ends = [ends]
            eos = folder.target.id(folder.eos)
            if any(token not in (folder.eos, eos) for token in ends):
                return (
                    "end_token: Latimer ends a translation with the model's "
                    f"own, {folder.eos}; leave it out."
                )
        return None

    def search(self, folder: Folder, room: int) -> dict[str, Any]:
        """The options of latimer.Translator.translate_ids for the search.
        Those that have no effect are not set, which Latimer refuses."""
        options: dict[str, Any] = {
            "beams": self.beam_size,
            "max_target_tokens": min(self.max_decoding_length, room),
            "min_target_tokens": self.min_decoding_length,
        }
        if self.beam_size > 1:
            options["n_best"] = self.beam_size
            options["length_penalty"] = self.length_penalty
            # Without a penalty CTranslate2 ends when the best one has ended.
            options["early_stopping"] = (
                "never" if self.length_penalty == 0 else True
            )
        elif self.return_scores or self.num_hypotheses > 1:
            options["scores"] = True
        if self.repetition_penalty != 1:
            options["repetition_penalty"] = self.repetition_penalty
        if self.no_repeat_ngram_size > 0:
            options["no_repeat_ngram"] = self.no_repeat_ngram_size
        if self.suppress_sequences:
            options["banned"] = [
                folder.target.ids(tokens) for tokens in self.suppress_sequences
            ]
        if self.disable_unk:
            options["suppressed"] = [folder.target.unknown]
        if self.draws:
            options |= {
                "sample": True,
                "temperature": self.sampling_temperature,
                "top_k": self.sampling_topk,
                "top_p": self.sampling_topp,
            }
        return options


def _refuse(why: str | None) -> None:
    if why is not None:
        raise ValueError(why)
