"""latimer-serve transcribes for the clients of PyPI: openai and wyoming.

speech_test.py BIN MODEL: BIN has latimer-serve, latimer-convert and latimer, MODEL is the English-German demo model.
"""
# Tests server/speech.cc, server/transcript.cc, server/wyoming.cc, server/sockets.cc.
import array
import asyncio
import contextlib
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import wave

from server_test import BIN, MODEL, Server, curl, wait_until

CLIENTS = ["openai==3.57.0", "wyoming==1.10.2"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RATE = 16_000


def install_clients():
    """The clients, in a folder of their own. Returns why they are not there; None: they are."""
    folder = os.path.join(tempfile.gettempdir(), "latimer-" + "-".join(CLIENTS))
    sys.path.insert(0, folder)
    if not os.path.isdir(folder):
        made = f"{folder}.{os.getpid()}"
        done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", made, *CLIENTS],
                              capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr[-200:]
        with contextlib.suppress(OSError):
            os.rename(made, folder)
        shutil.rmtree(made, ignore_errors=True)
    return None


def pcm(seconds):
    """Noise of half a second with pauses between, as 16 bits; the models hear 2 seconds at once."""
    samples = (i * 137 % 20_000 - 10_000 if i // (RATE // 2) % 2 == 0 else 0 for i in range(int(seconds * RATE)))
    return b"".join(struct.pack("<h", sample) for sample in samples)


def wav(data, rate=RATE, channels=1):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(data)
    return out.getvalue()


def sure_model(folder):
    """A copy of a random Whisper that is sure of each token: an unlikely text counts as noise, and is left out."""
    shutil.copytree(f"{ROOT}/tests/data/tiny_whisper/languages", folder)
    with open(f"{folder}/model.safetensors", "r+b") as file:
        begin = struct.unpack("<Q", file.read(8))[0]
        tensors = json.loads(file.read(begin))
        for name in "weight", "bias":
            at, end = tensors[f"model.decoder.layer_norm.{name}"]["data_offsets"]
            file.seek(8 + begin + at)
            values = array.array("f", file.read(end - at))
            file.seek(8 + begin + at)
            file.write(array.array("f", (40 * value for value in values)).tobytes())


PCM = pcm(5)
WAV = wav(PCM)
MISSING = install_clients()
if MISSING and os.environ.get("CI"):
    sys.exit(MISSING)


class SpeechServer(Server):
    """A server with two models that hear, and the demo model."""

    def __init__(self, folder, *options):
        self.folder = folder
        super().__init__("--wyoming", "127.0.0.1:0", *options,
                         models=(MODEL, f"{folder}/languages.ltm", f"small={folder}/english.ltm"))
        wait_until(lambda: any("wyoming" in line for line in self.log))
        self.wyoming = int(re.search(r"tcp://127\.0\.0\.1:(\d+)", "".join(self.log))[1])

    def openai(self):
        import openai
        return openai.OpenAI(base_url=self.url + "/v1", api_key="none", max_retries=0)


class Speech(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        sure_model(f"{cls.folder.name}/languages")
        for name, folder in (("languages", f"{cls.folder.name}/languages"),
                             ("english", f"{ROOT}/tests/data/tiny_whisper/english")):
            subprocess.run([os.path.join(BIN, "latimer-convert"), folder, "-o", f"{cls.folder.name}/{name}.ltm",
                            "--weights", "f32"], check=True, capture_output=True)
        cls.server = SpeechServer(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None, None, None)
        cls.folder.cleanup()

    def post(self, *fields, path="transcriptions", data=WAV, server=None):
        """Status and answer of curl."""
        with tempfile.NamedTemporaryFile(suffix=".wav") as file:
            file.write(data)
            file.flush()
            parts = [part for field in fields for part in ("-F", field)]
            out = curl("-w", "\n%{http_code}", "-F", f"file=@{file.name}", *parts,
                       f"{(server or self.server).url}/v1/audio/{path}")
        answer, status = out.rsplit("\n", 1)
        return int(status), answer


@unittest.skipIf(MISSING, MISSING)
class OpenAi(Speech):
    def setUp(self):
        self.client = self.server.openai()

    def transcribe(self, **options):
        return self.client.audio.transcriptions.create(file=("talk.wav", WAV), **{"model": "whisper-1", **options})

    def test_a_recording_is_transcribed_in_each_format(self):
        verbose = self.transcribe(response_format="verbose_json")
        joined = "".join(segment.text for segment in verbose.segments)
        self.assertTrue(joined.strip())
        self.assertAlmostEqual(float(verbose.duration), 5, places=3)
        self.assertGreater(verbose.segments[-1].start, 2)
        self.assertEqual([segment.id for segment in verbose.segments], list(range(len(verbose.segments))))
        self.assertIn(verbose.language, ("english", "german"))
        text = self.transcribe().text
        self.assertEqual(text, joined.removeprefix(" "))
        self.assertEqual(verbose.text, text)
        self.assertEqual(self.transcribe(response_format="text"), text + "\n")
        times = r"\d\d:\d\d:\d\d%s\d{3} --> \d\d:\d\d:\d\d%s\d{3}\n"
        srt = self.transcribe(response_format="srt")
        self.assertEqual(len(re.findall(r"^\d+\n" + times % (",", ","), srt, re.M)), len(verbose.segments))
        vtt = self.transcribe(response_format="vtt")
        self.assertTrue(vtt.startswith("WEBVTT\n\n"))
        self.assertEqual(len(re.findall("^" + times % (r"\.", r"\."), vtt, re.M)), len(verbose.segments))

    def test_words_have_times(self):
        said = self.transcribe(response_format="verbose_json", timestamp_granularities=["segment", "word"])
        self.assertGreater(len(said.words), len(said.segments))
        self.assertEqual("".join(word.word for word in said.words).replace(" ", ""), said.text.replace(" ", ""))
        self.assertTrue(all(0 <= word.start <= word.end <= 5.1 for word in said.words))
        plain = self.transcribe(response_format="verbose_json", timestamp_granularities=["segment"])
        self.assertIsNone(plain.words)

    def test_it_is_what_the_program_writes(self):
        path = os.path.join(self.folder.name, "talk.wav")
        with open(path, "wb") as file:
            file.write(WAV)
        lines = subprocess.run([os.path.join(BIN, "latimer"), "transcribe", f"{self.folder.name}/languages.ltm",
                                "--json", path], check=True, capture_output=True, text=True).stdout.splitlines()
        texts = [json.loads(line)["text"].strip() for line in lines]
        self.assertEqual(self.transcribe().text.replace(" ", ""), "".join(texts).replace(" ", ""))

    def test_models_have_names(self):
        self.assertEqual([model.id for model in self.client.models.list()], ["languages", "small"])
        self.assertNotEqual(self.transcribe(model="small").text, self.transcribe().text)
        self.assertEqual(self.transcribe(model="languages").text, self.transcribe().text)

    def test_languages_and_translations(self):
        german = self.transcribe(language="de", response_format="verbose_json")
        self.assertEqual(german.language, "german")
        self.assertTrue(self.transcribe(prompt="Hello").text)
        english = self.client.audio.translations.create(file=("talk.wav", WAV), model="whisper-1",
                                                        response_format="verbose_json")
        self.assertEqual((english.language, english.task), ("english", "translate"))

    def test_what_is_wrong_is_said_as_openai_says_it(self):
        import openai
        for options, kind, why in (
                ({"model": "large"}, openai.NotFoundError, "languages, small"),
                ({"language": "fr"}, openai.BadRequestError, "fr"),
                ({"response_format": "ass"}, openai.BadRequestError, "response_format"),
                ({"timestamp_granularities": ["word"]}, openai.BadRequestError, "verbose_json"),
                ({"timestamp_granularities": ["letter"]}, openai.BadRequestError, "word or segment"),
                ({"file": ("a.mp3", b"ID3 and so on, as an MP3 begins")}, openai.BadRequestError, "ffmpeg"),
                ({"file": ("a.wav", b"")}, openai.BadRequestError, "empty")):
            with self.assertRaises(kind) as caught:
                self.client.audio.transcriptions.create(
                    **{"file": ("talk.wav", WAV), "model": "whisper-1", **options})
            self.assertIn(why, caught.exception.body["message"])
            self.assertEqual(caught.exception.body["type"], "invalid_request_error")
        with self.assertRaises(openai.BadRequestError) as caught:
            self.client.audio.translations.create(file=("talk.wav", WAV), model="small")
        self.assertIn("English alone", caught.exception.body["message"])

    def test_many_at_once_get_the_same(self):
        expected, got = self.transcribe().text, []
        threads = [threading.Thread(target=lambda: got.append(self.transcribe().text)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [expected] * 8)


class Hostile(Speech):
    def test_recordings_beyond_the_limit_are_not_read(self):
        with SpeechServer(self.folder.name, "--sound-limit", "200000") as server:
            self.assertEqual(self.post(server=server)[0], 200)
            status, answer = self.post(data=wav(pcm(7)), server=server)
            self.assertEqual(status, 413)
            self.assertIn("200000 bytes", json.loads(answer)["error"]["message"])
            self.assertEqual(server.post("/translate", {"q": "a" * 300_000, "source": "en", "target": "en"})[0], 200)

    def test_refusals_before_a_handler_are_as_openais_clients_read_them(self):
        for path, status, why in (("models", 405, "use GET"), ("audio/speech", 404, "Not Found")):
            answer, code = curl("-w", "\n%{http_code}", "-d", "a", f"{self.server.url}/v1/{path}").rsplit("\n", 1)
            self.assertEqual(int(code), status)
            self.assertIn(why, json.loads(answer)["error"]["message"])

    def test_a_client_that_goes_takes_nothing_with_it(self):
        body = WAV * 20  # What follows the data is skipped.
        head = ("POST /v1/audio/transcriptions HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b"
                f"\r\nContent-Length: {len(body) + 400}\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; "
                "filename=\"a.wav\"\r\n\r\n")
        for _ in range(5):
            with self.server.socket() as client:
                client.sendall(head.encode() + body[:100_000])
        self.assertEqual(self.post()[0], 200)

    def test_keys_are_asked_for(self):
        keys = os.path.join(self.folder.name, "keys")
        with open(keys, "w") as file:
            file.write("secret\n")
        with SpeechServer(self.folder.name, "--api-keys", keys, "--require-api-key") as server:
            self.assertEqual(self.post(server=server)[0], 400)
            self.assertEqual(self.post("api_key=secret", server=server)[0], 200)
            if not MISSING:
                import openai
                client = openai.OpenAI(base_url=server.url + "/v1", api_key="secret", max_retries=0)
                self.assertTrue(client.audio.transcriptions.create(file=("a.wav", WAV), model="whisper-1").text)

    def wyoming_socket(self):
        return contextlib.closing(socket.create_connection(("127.0.0.1", self.server.wyoming), timeout=60))

    def answer(self, data):
        """What comes back before the server closes the connection, or the client goes."""
        with self.wyoming_socket() as client:
            with contextlib.suppress(OSError):
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
            got = b""
            with contextlib.suppress(OSError):
                while some := client.recv(65536):
                    got += some
        return got.decode()

    def test_events_that_are_none_end_the_connection_with_a_sentence(self):
        start = '{"type": "audio-start", "data": {"rate": 16000, "width": 2, "channels": 1}}\n'
        for sent, why in (
                ("x" * 70_000, "65536 bytes"), ("[]\n", "no object"), ("{\n", "no object"), ("{}\n", "no type"),
                ('{"type": "describe", "data_length": 70000}\n', "data_length"),
                ('{"type": "audio-chunk", "payload_length": 99999999999999}\n', "payload_length"),
                ('{"type": "describe", "data_length": -1}\n', "data_length"),
                ('{"type": "audio-start"}\n', "rate"),
                ('{"type": "audio-stop"}\n', "without audio"),
                ('{"type": "a", "data": ' + "[" * 100 + "]" * 100 + "}\n", "no object"),
                (start.replace("16000", "-1"), "rate"), (start.replace("1}", "300}"), "channels"),
                ('{"type": "transcribe", "data": {"name": "none"}}\n' + start, "none"),
                (start + start.replace("start", "chunk").replace("16000", "8000"), "changed"),
                (start.replace("16000", "96000") + '{"type": "audio-stop"}\n', "96000")):
            self.assertIn(why, self.answer(sent.encode()), sent[:90])

    def test_random_bytes_leave_it_as_it_was(self):
        events = [
            b'{"type": "describe"}\n', b'{"type": "transcribe", "data": {"language": "de"}}\n', b'{"type": "ping"}\n',
            b'{"type": "audio-start", "data": {"rate": 16000, "width": 2, "channels": 1}}\n',
            b'{"type": "audio-chunk", "data": {"rate": 16000, "width": 2, "channels": 1}, "payload_length": 4000}\n'
            + PCM[:4000], b'{"type": "audio-stop"}\n', b'{"type": "other", "data_length": 2}\n{}']
        dice = random.Random(5)
        for _ in range(200):
            data = bytearray(b"".join(dice.choices(events, k=dice.randrange(1, 6))))
            for _ in range(dice.randrange(4)):
                data[dice.randrange(len(data))] = dice.randrange(256)
            self.answer(bytes(data[:dice.randrange(1, len(data) + 1)]))
        self.assertIsNone(self.server.process.poll())
        self.assertIn('"asr"', self.answer(events[0]))

    def test_more_connections_than_it_has_are_closed(self):
        with contextlib.ExitStack() as stack:
            for _ in range(16):
                stack.enter_context(self.wyoming_socket())
            wait_until(lambda: self.answer(b'{"type": "ping"}\n') == "")
        wait_until(lambda: "pong" in self.answer(b'{"type": "ping"}\n'))

    @unittest.skipIf(os.environ.get("LATIMER_SANITIZE"), "sanitizers cost memory")
    def test_a_recording_without_an_end_takes_no_more_memory(self):
        chunk = (b'{"type": "audio-chunk", "data": {"rate": 16000, "width": 2, "channels": 1}, "payload_length": %d}\n'
                 % len(PCM)) + PCM
        with self.wyoming_socket() as client:
            client.sendall(chunk * 5)
            before = self.server.resident()
            client.sendall(chunk * 40)  # Of 6 MB, and it is read no faster than it is transcribed.
            self.assertLess(self.server.resident() - before, 4 << 20)

    def test_without_a_model_that_hears_there_is_no_wyoming(self):
        for models, address, why in (((MODEL,), "127.0.0.1:0", "reads speech"),
                                     ((f"{self.folder.name}/english.ltm",), "10300", "127.0.0.1:10300"),
                                     ((f"{self.folder.name}/english.ltm",), "127.0.0.1:x", "127.0.0.1:10300"),
                                     ((f"{self.folder.name}/english.ltm",), "127.0.0.1:70000", "127.0.0.1:10300")):
            done = subprocess.run([os.path.join(BIN, "latimer-serve"), *models, "--port", "0", "--wyoming", address],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)
        with Server() as server:
            status, answer = self.post(server=server)
            self.assertEqual(status, 404)
            self.assertIn("reads speech", answer)

    def test_a_server_of_speech_alone_has_no_languages(self):
        with Server(models=(f"{self.folder.name}/english.ltm",)) as server:
            self.assertEqual(json.loads(curl(server.url + "/languages")), [])
            json.loads(curl(server.url + "/frontend/settings"))
            self.assertEqual(self.post(server=server)[0], 200)


@unittest.skipIf(MISSING, MISSING)
class Wyoming(Speech):
    async def listen(self, data, rate=RATE, width=2, channels=1, events=1, **asked):
        from wyoming.asr import Transcribe, Transcript
        from wyoming.audio import AudioChunk, AudioStart, AudioStop
        from wyoming.client import AsyncTcpClient
        found = []
        async with AsyncTcpClient("127.0.0.1", self.server.wyoming) as client:
            for _ in range(events):
                await client.write_event(Transcribe(**asked).event())
                await client.write_event(AudioStart(rate, width, channels).event())
                for at in range(0, len(data), 2048):
                    await client.write_event(AudioChunk(rate, width, channels, data[at:at + 2048]).event())
                await client.write_event(AudioStop().event())
                event = await client.read_event()
                self.assertEqual(event.type, "transcript", event.data)
                found.append(Transcript.from_event(event))
        return found

    def transcribe(self, *arguments, **options):
        return asyncio.run(self.listen(*arguments, **options))

    def http(self, *fields):
        return json.loads(self.post("response_format=verbose_json", *fields)[1])

    def test_it_says_what_it_is(self):
        from wyoming.client import AsyncTcpClient
        from wyoming.info import Describe, Info

        async def describe():
            async with AsyncTcpClient("127.0.0.1", self.server.wyoming) as client:
                await client.write_event(Describe().event())
                return Info.from_event(await client.read_event())
        program, = asyncio.run(describe()).asr
        self.assertTrue(program.installed and program.name == "latimer")
        self.assertEqual([(model.name, model.languages) for model in program.models],
                         [("languages", ["de", "en"]), ("small", ["en"])])

    def test_recordings_come_in_chunks(self):
        text = self.http()["text"]
        self.assertEqual([one.text for one in self.transcribe(PCM, events=3)], [text] * 3)
        stereo = b"".join(PCM[i:i + 2] * 2 for i in range(0, len(PCM), 2))
        self.assertEqual(self.transcribe(stereo, channels=2)[0].text, text)
        german, = self.transcribe(PCM, language="de-DE")
        self.assertEqual((german.text, german.language), (self.http("language=de")["text"], "de"))
        self.assertEqual(self.transcribe(PCM, name="small")[0].text, self.http("model=small")["text"])

    def test_many_at_once_get_the_same(self):
        async def all_of_them():
            return await asyncio.gather(*(self.listen(PCM) for _ in range(8)))
        self.assertEqual({one[0].text for one in asyncio.run(all_of_them())}, {self.http()["text"]})

    def test_errors_are_events(self):
        from wyoming.client import AsyncTcpClient
        from wyoming.event import Event

        async def ask():
            async with AsyncTcpClient("127.0.0.1", self.server.wyoming) as client:
                await client.write_event(Event("audio-stop"))
                return await client.read_event()
        self.assertEqual(asyncio.run(ask()).type, "error")

    def test_what_was_said_is_answered_though_the_server_ends(self):
        with SpeechServer(self.folder.name) as server:
            expected = self.http()["text"]
            with contextlib.closing(socket.create_connection(("127.0.0.1", server.wyoming), timeout=60)) as client:
                head = b'"data": {"rate": 16000, "width": 2, "channels": 1}'
                client.sendall(b'{"type": "audio-chunk", %s, "payload_length": %d}\n' % (head, len(PCM)) + PCM
                               + b'{"type": "audio-stop"}\n')
                time.sleep(0.1)
                server.process.send_signal(signal.SIGTERM)
                with client.makefile("rb") as file:
                    head = json.loads(file.readline())
                    self.assertEqual(json.loads(file.read(head["data_length"]))["text"], expected)
            self.assertEqual(server.process.wait(timeout=30), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
