"""Samples of a WAV as Whisper hears them."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

RATE = 16000


def samples_of(path: Path) -> np.ndarray:
    """One channel at 16 kHz, resampled by its spectrum, of PCM of 16 bits."""
    with wave.open(str(path)) as file:
        rate = file.getframerate()
        pcm = np.frombuffer(file.readframes(file.getnframes()), np.int16).reshape(-1, file.getnchannels())
    size = len(pcm) * RATE // rate
    spectrum = np.fft.rfft(pcm.mean(1) / 32768)[: size // 2 + 1]
    return (np.fft.irfft(spectrum, size) * size / len(pcm)).astype(np.float32)
