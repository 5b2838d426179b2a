"""Writes tests/data/audio: log_mel.json, features of made-up sounds from transformers' WhisperFeatureExtractor in
NumPy, and resample.json, sounds of other rates at 16 kHz from scipy.signal.resample_poly.

    python tests/reference/make_audio.py --out tests/data/audio [--recordings FOLDER]

With the folder of recordings that tests/trained/recordings.py downloads, also recordings.json, their features.
A sound is silence to which parts are added, which tests/audio/sounds.h makes in the same way. A row has some of the
features, each as [frame, bin, value], or of the samples, each as [index, value, value]: by the filter that
runtime/audio/resampler.h describes, in double, and by SciPy's own.
"""

import argparse
import json
import wave
from pathlib import Path

import numpy as np
from scipy.signal import resample_poly
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


RATES = [8000, 8001, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 44101, 47999, 48000]


def make(parts, size, rate=RATE):
    sound = np.zeros(size)
    for kind, begin, count, amplitude, *hz in parts:
        if kind == "tone":
            part = np.sin(2 * np.pi * (hz[0] * np.arange(count) % rate) / rate)
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


def filtered(sound, rate):
    """By the filter that runtime/audio/resampler.h describes, in double."""
    if rate == RATE:
        return sound
    up, down = RATE // np.gcd(rate, RATE), rate // np.gcd(rate, RATE)
    x = np.arange(-16 * max(up, down) + 1, 16 * max(up, down)) / max(up, down)
    taps = np.sinc(0.95 * x) * np.i0(7.857 * np.sqrt(1 - (x / 16) ** 2))
    for place in range(up):  # So that each place lets a constant pass.
        taps[place::up] /= taps[place::up].sum() * up
    return resample_poly(sound, up, down, window=taps)


def resample():
    random = np.random.default_rng(2)
    for rate in RATES:
        size = rate // 10 + 1
        low = min(rate, RATE)
        for name, parts in {
                "noise": [["noise", 0, size, 0.9]],
                "tones": [["tone", 0, size, 0.5, 300], ["tone", 0, size, 0.4, low * 3 // 10]]}.items():
            sound = make(parts, size, rate).astype(np.float64)
            ours, scipys = filtered(sound, rate), resample_poly(sound, RATE, rate)
            at = [0, 1, len(ours) - 2, len(ours) - 1] + sorted(map(int, random.integers(2, len(ours) - 2, 12)))
            yield {"sound": name, "parts": parts, "rate": rate, "size": size, "resampled": len(ours),
                   "samples": [[i, round(float(ours[i]), 7), round(float(scipys[i]), 7)] for i in at]}


def recordings(folder):
    random = np.random.default_rng(3)
    for path in sorted(folder.glob("*.wav")):
        with wave.open(str(path)) as file:
            channels, rate, size = file.getnchannels(), file.getframerate(), file.getnframes()
            sound = np.frombuffer(file.readframes(size), "<i2").reshape(-1, channels).mean(1) / 32768
        window = filtered(sound, rate)[:480000].astype(np.float32)
        heard = len(window) // 160
        for bins in [80, 128]:
            extractor = WhisperFeatureExtractor(feature_size=bins)
            features = extractor(window, sampling_rate=RATE, return_tensors="np").input_features[0]
            at = [(int(random.integers(heard)), int(random.integers(bins))) for _ in range(100)]
            yield {"file": path.name, "rate": rate, "samples": -(-size * RATE // rate), "bins": bins,
                   "features": [[f, b, round(float(features[b, f]), 6)] for f, b in at]}


def write(path, rows):
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--recordings", type=Path)
    arguments = parser.parse_args()
    out = arguments.out
    write(out / "log_mel.json", log_mel())
    write(out / "resample.json", resample())
    if arguments.recordings:
        write(out / "recordings.json", recordings(arguments.recordings))


if __name__ == "__main__":
    main()
