"""One run of an engine on speech, in a process of its own, as speech.py times it: a job in, figures out, as JSON."""

import json
import sys

import numpy as np
from worker import peak_rss, timed

REPEAT = 2
LANGUAGE = "en"


class Latimer:
    def __init__(self, job: dict):
        sys.path.insert(0, job["python"])
        import latimer

        self.imported = peak_rss()
        self.load_ms, self.model = timed(lambda: latimer.Transcriber(job["model"], cpu=job["isa"]))
        self.samples = np.load(job["samples"])
        self.language = LANGUAGE if self.model.info.languages else None

    def write(self, most: int) -> tuple[int, str]:
        """Of so many tokens; returns how many came, and the text."""
        segments = list(self.model.transcribe(self.samples, language=self.language, timestamps=False, fallback=False,
                                              condition_on_previous_text=False, max_tokens=most))
        return sum(len(segment.tokens) for segment in segments), "".join(segment.text for segment in segments)


class CTranslate2:
    def __init__(self, job: dict):
        import ctranslate2

        self.imported = peak_rss()
        self.load_ms, self.model = timed(
            lambda: ctranslate2.models.Whisper(job["model"], compute_type="int8", intra_threads=1))
        self.features = ctranslate2.StorageView.from_array(np.load(job["features"]))
        self.prompt = ["<|startoftranscript|>", "<|notimestamps|>"]
        if self.model.is_multilingual:
            self.prompt[1:1] = [f"<|{LANGUAGE}|>", "<|transcribe|>"]

    def write(self, most: int) -> tuple[int, str]:
        encoded = self.model.encode(self.features)
        result = self.model.generate(encoded, [self.prompt], beam_size=1, max_length=2 * most)[0]
        return len(result.sequences_ids[0]), "".join(result.sequences[0]).replace("\u0120", " ")


class WhisperCpp:
    def __init__(self, job: dict):
        import _pywhispercpp as c
        from pywhispercpp.model import Model

        self.imported = peak_rss()
        self.c = c
        self.load_ms, self.model = timed(lambda: Model(
            job["model"], redirect_whispercpp_logs_to=None, n_threads=1, language=LANGUAGE, no_timestamps=True,
            single_segment=True, no_context=True, temperature_inc=0.0, print_progress=False))
        self.samples = np.load(job["samples"])

    def write(self, most: int) -> tuple[int, str]:
        segments = self.model.transcribe(self.samples, max_tokens=most)
        count = sum(self.c.whisper_full_n_tokens(self.model._ctx, i) for i in range(len(segments)))
        return count, "".join(segment.text for segment in segments)


ENGINES = {"latimer": Latimer, "ctranslate2": CTranslate2, "whispercpp": WhisperCpp}


def main() -> None:
    job = json.load(sys.stdin)
    engine = ENGINES[job["engine"]](job)
    few, many = job["tokens"]
    engine.write(many)  # What is only done once is not in the times.

    def best(most: int) -> tuple[float, int, str]:
        """Milliseconds, how many tokens came, and the text."""
        ms, (count, text) = min((timed(lambda: engine.write(most)) for _ in range(REPEAT)), key=lambda run: run[0])
        assert most <= count <= most + 1, f"{count} tokens instead of {most}"  # whisper.cpp writes one more.
        return ms, count, text

    few_ms, few, _ = best(few)
    many_ms, many, text = best(many)
    token_ms = (many_ms - few_ms) / (many - few)
    print(json.dumps({"window_ms": few_ms - (few - 1) * token_ms, "token_ms": token_ms, "load_ms": engine.load_ms,
                      "peak_rss_bytes": peak_rss(), "own_rss_bytes": peak_rss() - engine.imported, "text": text}))


if __name__ == "__main__":
    main()
