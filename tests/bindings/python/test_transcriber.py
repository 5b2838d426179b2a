"""Recordings, in whatever form Python has them, give the same segments."""

import concurrent.futures
import io
import pickle
import re
import subprocess
import sys
import wave

import numpy
import pytest
from conftest import ROOT

import latimer

RATE = 16_000


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whisper")
    for name in "english", "languages":
        latimer.convert(
            ROOT / "tests" / "data" / "tiny_whisper" / name, folder / f"{name}.ltm",
            weights="f32",
        )
    return folder


class Noisy(latimer.Transcriber):
    """Keeps what a random model says, which is unlikely and so counts as noise."""

    def transcribe(self, sound, **options):
        return super().transcribe(sound, **{"fallback": False, **options})


@pytest.fixture(scope="module")
def transcriber(models):
    return Noisy(models / "languages.ltm")


@pytest.fixture(scope="module")
def sound():
    """Noise of half a second with pauses between; the model hears 2 s at once."""
    at = numpy.arange(5 * RATE)
    noise = at * 137 % 20_000 - 10_000
    return numpy.where(at // (RATE // 2) % 2 == 0, noise, 0).astype("<i2")


def wav(samples, channels=1, rate=RATE):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    return out.getvalue()


@pytest.fixture(scope="module")
def expected(transcriber, sound):
    segments = list(transcriber.transcribe(wav(sound)))
    assert segments[-1].start > 2 and segments[-1].end <= 5
    assert all(one.start <= one.end for one in segments)
    assert any(one.text for one in segments)
    assert {one.language for one in segments} <= set(transcriber.info.languages)
    return segments


def test_each_form_of_a_recording_gives_the_same(
    transcriber, sound, expected, tmp_path
):
    path = tmp_path / "talk.wav"
    path.write_bytes(wav(sound))
    assert list(transcriber.transcribe(path)) == expected
    assert list(transcriber.transcribe(str(path))) == expected
    with open(path, "rb") as file:
        assert list(transcriber.transcribe(file)) == expected
        assert not file.closed
    data = wav(sound)
    assert list(transcriber.transcribe(bytearray(data))) == expected
    assert list(transcriber.transcribe(memoryview(data))) == expected
    pcm = sound.tobytes()
    assert list(transcriber.transcribe(pcm, sample_rate=RATE)) == expected
    cat = [sys.executable, "-c", "import sys; sys.stdout.buffer.write("
           "sys.stdin.buffer.read())"]
    with open(path, "rb") as file, subprocess.Popen(
        cat, stdin=file, stdout=subprocess.PIPE
    ) as process:
        assert list(transcriber.transcribe(process.stdout)) == expected


def test_arrays_are_recordings(transcriber, sound, expected):
    floats = (sound / 32768).astype("float32")
    both = numpy.stack([floats, floats], axis=1)
    for array in (
        sound, floats, floats.astype("float64"), both, floats[::-1][::-1],
    ):
        assert list(transcriber.transcribe(array)) == expected
    half = floats[::2].copy()
    at_half_rate = list(transcriber.transcribe(half, sample_rate=8_000))
    assert at_half_rate == list(
        transcriber.transcribe(wav(sound[::2].copy(), rate=8_000))
    )
    for array in sound.astype("int32"), floats.reshape(2, 2, -1):
        with pytest.raises(ValueError, match="array of floats"):
            transcriber.transcribe(array)
    with pytest.raises(latimer.InvalidArgumentError, match="3 channels"):
        list(transcriber.transcribe(floats[:3000].reshape(-1, 3)))


def test_segments_come_while_a_recording_does(transcriber, sound, expected):
    data, given = wav(sound), []

    class Pipe(io.RawIOBase):
        def read(self, count):
            given.append(count)
            at = (len(given) - 1) * 20_000
            return data[at : at + 20_000]

    segments = transcriber.transcribe(Pipe())
    assert next(segments) == expected[0]
    before = len(given)
    assert list(segments) == expected[1:]
    assert len(given) > before


def test_options(transcriber, sound, models):
    german = list(transcriber.transcribe(wav(sound), language="de"))
    assert {one.language for one in german} == {"de"}
    assert {one.language_probability for one in german} == {1.0}
    english = transcriber.transcribe(wav(sound), language="de", task="translate")
    assert list(english) != german
    short = list(transcriber.transcribe(wav(sound), max_tokens=3))
    assert all(len(one.tokens) <= 3 for one in short)
    for option in {"short_window": True}, {"prompt": "Hello"}, {"condition_on_previous_text": False}:
        assert list(transcriber.transcribe(wav(sound), **option))
    assert not list(transcriber.transcribe(wav(sound), fallback=True))
    whole = list(transcriber.transcribe(wav(sound), timestamps=False))
    assert 3 <= len(whole) <= 5 and whole[0].start == 0
    for options, error in (
        ({"language": "fr"}, "fr"), ({"task": "sing"}, "sing"),
        ({"max_tokens": 0}, "at least 1"), ({"sample_rate": 100}, "100"),
    ):
        with pytest.raises(ValueError, match=error):
            list(transcriber.transcribe(wav(sound), **options))
    for options in {"language": 1}, {"prompt": 1}, {"sample_rate": "x"}, {"max_tokens": 1.5}:
        with pytest.raises(TypeError):
            transcriber.transcribe(wav(sound), **options)
    only_english = Noisy(models / "english.ltm")
    assert next(only_english.transcribe(wav(sound))).language is None
    with pytest.raises(ValueError, match="English alone"):
        list(only_english.transcribe(wav(sound), task="translate"))


def test_words_have_times(transcriber, sound, expected):
    segments = list(transcriber.transcribe(wav(sound), word_timestamps=True))
    assert [one.tokens for one in segments] == [one.tokens for one in expected]
    assert not expected[0].words
    for segment in segments:
        words = segment.words
        assert "".join(one.word for one in words) == segment.text
        assert all(one.start <= one.end for one in words)
        assert all(0 <= one.probability <= 1 for one in words)


def test_what_is_no_recording_is_refused(transcriber, tmp_path):
    with pytest.raises(latimer.InvalidArgumentError, match="ffmpeg"):
        list(transcriber.transcribe(b"ID3 and so on, as an MP3 begins"))
    with pytest.raises(latimer.InvalidArgumentError):
        list(transcriber.transcribe(b""))
    with pytest.raises(FileNotFoundError):
        transcriber.transcribe(tmp_path / "none.wav")
    with pytest.raises(TypeError, match="a path, bytes"):
        transcriber.transcribe(1.5)
    with pytest.raises(TypeError, match="opened for bytes"):
        list(transcriber.transcribe(io.StringIO("text")))


def test_a_model_that_reads_text_is_refused(model, models):
    with pytest.raises(latimer.LatimerError, match="reads text") as caught:
        latimer.Transcriber(model)
    assert caught.value.code == "FAILED_PRECONDITION"
    translator = latimer.Translator(models / "english.ltm")
    with pytest.raises(latimer.LatimerError, match="reads speech"):
        translator.translate("Hello.")


def test_folders_are_converted_once(transcriber, sound, expected, tmp_path, monkeypatch):
    monkeypatch.setenv("LATIMER_CACHE", str(tmp_path))
    folder = ROOT / "tests" / "data" / "tiny_whisper" / "languages"
    opened = Noisy.from_pretrained(folder, weights="f32", threads=2)
    assert opened.info.threads == 2
    assert list(opened.transcribe(wav(sound))) == expected


def test_threads_and_pickles_give_the_same(transcriber, sound, expected, models):
    data = wav(sound)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(lambda: list(transcriber.transcribe(data)))
                for _ in range(6)]
        assert all(run.result() == expected for run in runs)
    again = pickle.loads(pickle.dumps(transcriber))
    assert list(again.transcribe(data)) == expected
    first = again.transcribe(data)
    next(first)  # Half of it.
    assert list(again.transcribe(data)) == expected
    first.close()
    assert list(again.transcribe(data)) == expected
    with latimer.Transcriber(models / "languages.ltm") as other:
        assert re.search("languages.ltm", repr(other))
    with pytest.raises(latimer.LatimerError, match="closed"):
        list(other.transcribe(data))
