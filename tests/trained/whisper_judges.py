"""Whispers in f32, on recordings and on sentences that espeak-ng speaks: the ids of Latimer, transformers, CTranslate2.

    python tests/trained/whisper_judges.py FOLDER... [--build build/host] [--cache FOLDER]

FOLDER is a Whisper as CTranslate2 publishes it. The recordings are those of recordings.txt, 30 seconds at a time, and
the sentences are in spoken.txt. All three get the same samples and find the language themselves. Prints a table, and
the word errors of the sentences in int8, when Latimer and CTranslate2 are told the language. Exits with 1 if an
id or a language differs, and with 77, as a skipped test, if the recordings cannot be downloaded. Needs the target
latimer_python, the packages ctranslate2, torch and transformers, and Debian's espeak-ng.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import ctranslate2
import numpy as np
from recordings import FOLDER, NAMES, ROOT, SKIPPED, recordings
from resample import RATE, samples_of
from transformers import WhisperFeatureExtractor
from whisper import edits

sys.path.insert(0, str(ROOT / "tests" / "reference"))

import whisper_files  # noqa: E402

WINDOW = 30 * RATE
MOST = 224  # Tokens of a window.


@dataclass
class Sound:
    name: str
    samples: np.ndarray
    language: str = "en"
    said: str = ""  # Empty: not known.


@dataclass
class Count:
    windows: int = 0
    as_transformers: int = 0
    as_ctranslate2: int = 0
    languages: int = 0
    differences: list[str] = field(default_factory=list)


def spoken(language: str, text: str) -> np.ndarray:
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        subprocess.run(["espeak-ng", "-v", language, "-w", file.name, text], check=True)
        return samples_of(Path(file.name))


def sounds(folder: Path) -> list[Sound]:
    out = []
    for name in NAMES:
        whole = samples_of(folder / name)
        out += [Sound(f"{name} from {at / RATE:.0f} s", whole[at : at + WINDOW])
                for at in range(0, len(whole), WINDOW)]
    for line in (FOLDER / "spoken.txt").read_text(encoding="utf-8").splitlines():
        language, text = line.split(" ", 1)
        out.append(Sound(text, spoken(language, text), language, text))
    return out


def finished(ids: list[int], first_timestamp: int) -> list[int]:
    """Of a window, what the next one does not have again: all up to the end of the last segment. What comes after it,
    in a recording of several windows, is left out."""
    times: list[int] = []
    for i, token in enumerate(ids):
        if token < first_timestamp:
            continue
        if times and token < ids[times[-1]]:  # Another window.
            ids = ids[:i]
            break
        times.append(i)
    ends = [i for i in times if i + 1 in times]
    if not ends or times[-1] == len(ids) - 1 and times[-2] != times[-1] - 1:
        return ids
    return ids[: ends[-1] + 1]


class CTranslate2:
    def __init__(self, folder: Path, whisper: whisper_files.Whisper, weights: str):
        self.model = ctranslate2.models.Whisper(str(folder), compute_type=weights, intra_threads=1)
        self.tokens = whisper.tokens

    def write(self, features: np.ndarray, timestamps: bool, language: str | None = None) -> tuple[list[int], str]:
        encoded = self.model.encode(ctranslate2.StorageView.from_array(np.ascontiguousarray(features)))
        prompt = [self.tokens["<|startoftranscript|>"]]
        if self.model.is_multilingual:
            language = language or self.model.detect_language(encoded)[0][0][0].strip("<|>")
            prompt += [self.tokens[f"<|{language}|>"], self.tokens["<|transcribe|>"]]
        if not timestamps:
            prompt.append(self.tokens["<|notimestamps|>"])
        written = self.model.generate(encoded, [prompt], beam_size=1, max_length=2 * MOST,
                                      max_initial_timestamp_index=50)
        return written[0].sequences_ids[0], language or ""


class Latimer:
    def __init__(self, latimer, folder: Path, work: Path, weights: str):
        file = work / f"{weights}.ltm"
        latimer.convert(folder, file, weights=weights)
        self.model = latimer.Transcriber(file)

    def write(self, samples: np.ndarray, timestamps: bool, language: str | None = None) -> tuple[list[int], str, str]:
        segments = list(self.model.transcribe(samples, language=language, timestamps=timestamps, max_tokens=MOST,
                                              condition_on_previous_text=False, fallback=False))
        ids = [token for segment in segments for token in segment.tokens]
        heard = segments[0].language if segments else None
        return ids, heard or "", "".join(segment.text for segment in segments)


def words(text: str) -> list[str]:
    return re.sub(r"[^\w' ]", " ", text.lower()).split()


def judge(latimer, folder: Path, every: list[Sound]) -> tuple[list[str], bool]:
    """Rows of the table, and whether all is equal."""
    whisper = whisper_files.read(folder)
    other = whisper_files.transformers_model(whisper)
    if not whisper.several:
        every = [sound for sound in every if sound.language == "en"]
    extractor = WhisperFeatureExtractor(feature_size=whisper.tensors["encoder.conv1.weight"].shape[1])
    features = [extractor(sound.samples, sampling_rate=RATE, return_tensors="np").input_features for sound in every]
    rows, good = [], True
    with tempfile.TemporaryDirectory() as work:
        ours = Latimer(latimer, folder, Path(work), "f32")
        peer = CTranslate2(folder, whisper, "float32")
        for timestamps in (False, True):
            count = Count()
            for sound, heard in zip(every, features):
                mine, language, _ = ours.write(sound.samples, timestamps)
                first = whisper.tokens["<|notimestamps|>"] + 1
                theirs = whisper_files.generated(other, heard, timestamps, MOST)
                judged, peers_language = peer.write(heard, timestamps)
                count.windows += 1
                count.languages += language == peers_language
                for name, ids in ("transformers", theirs), ("CTranslate2", judged):
                    ids = finished(ids, first) if timestamps else ids
                    if mine[: len(ids)] == ids and (timestamps or len(mine) == len(ids)):
                        setattr(count, f"as_{name.lower()}", getattr(count, f"as_{name.lower()}") + 1)
                    else:
                        count.differences.append(f"{sound.name}: {name} writes\n  {ids}, Latimer\n  {mine}")
            rows.append(f"| {folder.name} | {'with' if timestamps else 'without'} | {count.windows} | "
                        f"{count.as_transformers} | {count.as_ctranslate2} | {count.languages} |")
            print("\n".join(count.differences), file=sys.stderr, end="\n" * bool(count.differences))
            good = good and not count.differences and count.languages == count.windows
        ours, peer = Latimer(latimer, folder, Path(work), "int8"), CTranslate2(folder, whisper, "int8")
        tokenizer = whisper_files.tokenizer(folder)
        errors, total = [0, 0], 0
        for sound, heard in zip(every, features):
            if not sound.said:
                continue
            total += len(words(sound.said))
            texts = (ours.write(sound.samples, False, sound.language)[2],
                     tokenizer.decode(peer.write(heard, False, sound.language)[0]))
            for i, text in enumerate(texts):
                errors[i] += edits(words(sound.said), words(text))
        print(f"{folder.name}, int8: of {total} words {errors[0]} are wrong, of CTranslate2's {errors[1]}.")
    return rows, good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "host")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "latimer-quality")
    arguments = parser.parse_args()
    folder = recordings(arguments.cache)
    if not folder:
        return SKIPPED
    sys.path.insert(0, str(arguments.build / "python"))
    import latimer

    every, good = sounds(folder), True
    rows = ["| model | timestamps | windows | as transformers | as CTranslate2 | language as CTranslate2 |",
            "| --- | --- | --- | --- | --- | --- |"]
    for each in arguments.folders:
        own, equal = judge(latimer, each, every)
        rows, good = rows + own, good and equal
    print("\n" + "\n".join(rows))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
