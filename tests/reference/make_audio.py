"""Writes tests/data/audio/log_mel.json: features of made-up sounds from transformers' WhisperFeatureExtractor, in NumPy.

    python tests/reference/make_audio.py --out tests/data/audio

A sound is silence to which parts are added, which tests/audio/sounds.h makes in the same way. Its row has some
of the features, each as [frame, bin, value]: all of some neighbouring frames would be too many.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from transformers import WhisperFeatureExtractor

RATE = 16000
SOUNDS = {
    "silence": [],
    "an impulse": [["impulse", 5000, 1, 1.0]],
    "an impulse at the beginning": [["impulse", 0, 1, 1.0]],
    "a tone": [["tone", 0, 480000, 0.5, 440]],
    "a high tone that ends": [["tone", 0, 50000, 0.9, 7000]],
    "noise": [["noise", 0, 480000, 0.1]],
    "quiet noise that ends": [["noise", 0, 12345, 0.01]],
    "quiet, then loud": [["noise", 0, 30000, 0.0001], ["tone", 20000, 10000, 1.0, 3000]],
    "a chord": [["tone", 0, 30000, 0.3, 200], ["tone", 0, 30000, 0.2, 1250], ["tone", 0, 30000, 0.1, 5010]],
}


def make(parts, size):
    sound = np.zeros(size)
    for kind, begin, count, amplitude, *hz in parts:
        if kind == "tone":
            part = np.sin(2 * np.pi * (hz[0] * np.arange(count) % RATE) / RATE)
        elif kind == "noise":
            state, part = 1, np.zeros(count)
            for i in range(count):
                state = (state * 1664525 + 1013904223) % 2**32
                part[i] = (state >> 8) / 2**23 - 1
        else:
            part = np.ones(count)
        end = min(begin + count, size)
        sound[begin:end] += amplitude * part[:max(end - begin, 0)]
    return sound.astype(np.float32)


def log_mel():
    random = np.random.default_rng(1)
    for bins in [80, 128]:
        extractor = WhisperFeatureExtractor(feature_size=bins)
        for name, parts in SOUNDS.items():
            heard = max([begin + count for _, begin, count, *_ in parts], default=0) // 160
            for frames in [3000, 50]:
                sound = make(parts, frames * 160)
                features = extractor._np_extract_fbank_features(sound[None], "cpu")[0]
                assert features.shape == (bins, frames)
                at = [0, 1, frames - 2, frames - 1]
                at += list(random.integers(0, min(heard + 3, frames), 6))
                at = [(int(frame), int(random.integers(bins))) for frame in at]
                yield {"sound": name, "parts": parts, "bins": bins, "frames": frames,
                       "features": [[f, b, round(float(features[b, f]), 6)] for f, b in at]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    rows = [json.dumps(row) for row in log_mel()]
    (out / "log_mel.json").write_text("[\n" + ",\n".join(rows) + "\n]\n")


if __name__ == "__main__":
    main()
