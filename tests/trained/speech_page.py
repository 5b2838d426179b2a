"""The page of speech in Chromium: what it writes when a recording is the microphone, and what it says when it cannot.

    python tests/trained/speech_page.py [--chromium chromium] [--bin build/host/bin] [--site build/wasm32/site]
        [--cache FOLDER] [--times]

Whisper tiny.en hears other people's recordings: both are downloaded by their digests, as in whisper.py. --times prints
how long a window takes, and the memory, instead. Exits with 77, as a skipped test, if nothing can be downloaded.
"""
# Tests bindings/wasm/speech_module.cc.

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "ui"), str(FOLDER.parent / "quality")]

from chromium import Chromium  # noqa: E402
from pages import at, site  # noqa: E402
from program import run  # noqa: E402
from recordings import ROOT, SKIPPED, recordings  # noqa: E402
from whisper import SAID, whisper, word_errors  # noqa: E402

FAKE = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
# A name that is not localhost, so that its origin is not secure.
INSECURE = "latimer.test"
TEXT = "[...document.querySelectorAll('#said .said')].map((p) => p.lastChild.textContent).join(' ')"
MESSAGE = at("message") + ".textContent"
LOADED = f"!{at('record')}.disabled && {MESSAGE} === ''"
ARGUMENTS = argparse.Namespace()


class SpeechPage(unittest.TestCase):
    def open(self, *flags: str, query: str = "", host: str = "127.0.0.1") -> Chromium:
        browser = self.enterContext(Chromium(ARGUMENTS.chromium, *flags))
        url = self.enterContext(site(str(ARGUMENTS.folder))).replace("127.0.0.1", host)
        browser.show(1100, 800)
        browser.open(f"{url}speech.html{query}")
        return browser

    def hear(self, recording: str, query: str = "") -> Chromium:
        sound = ARGUMENTS.sounds / f"{recording}.wav"
        browser = self.open(*FAKE, f"--use-file-for-fake-audio-capture={sound}%noloop", query=query)
        browser.until(LOADED)
        browser.click(at("record"))
        browser.until(f"{at('record')}.textContent === 'Stop'")
        return browser

    def give(self, browser: Chromium, name: str, path: Path) -> None:
        root = browser.send("DOM.getDocument")["root"]["nodeId"]
        node = browser.send("DOM.querySelector", nodeId=root, selector=f"#{name}")["nodeId"]
        browser.send("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def test_what_is_said_into_the_microphone_is_written_in_its_pauses(self):
        browser = self.hear("beckett", "?then=en-de.ltm")
        browser.until(f"/again[^]*again[^]*better/i.test({TEXT})", 40)  # The recording has 10 s.
        browser.click(at("record"))
        browser.until(f"{at('record')}.textContent === 'Record' && {MESSAGE} === ''")
        text = browser.run(TEXT)
        self.assertEqual(word_errors(SAID["beckett"], text), 0, text)
        self.assertGreater(browser.run("document.querySelectorAll('#said li').length"), 1)
        for translation in browser.run("[...document.querySelectorAll('#said li')].map((li) =>"
                                       " li.querySelector('[lang=de]').textContent)"):
            self.assertNotEqual(translation, "")
        self.assertEqual(browser.complaints, [])

    def test_stop_writes_what_no_pause_has_ended(self):
        browser = self.hear("two_cities")
        browser.run("new Promise((resolve) => setTimeout(resolve, 3000))")
        browser.click(at("record"))
        browser.until(f"{at('record')}.textContent === 'Record' && {MESSAGE} === ''")
        self.assertRegex(browser.run(TEXT), "(?i)^it was the best of times")
        self.assertEqual(browser.complaints, [])

    def test_a_recording_is_read_and_a_broken_one_refused(self):
        browser = self.open()
        browser.until(LOADED)
        self.give(browser, "recording", ARGUMENTS.sounds / "beckett.wav")
        browser.until(f"/better/i.test({TEXT}) && {MESSAGE} === ''", 60)
        self.assertEqual(word_errors(SAID["beckett"], browser.run(TEXT)), 0)
        self.assertEqual(browser.run("[...document.querySelectorAll('.time')].map((t) => t.textContent)"),
                         ["0:00", "0:03", "0:06", "0:08"])
        broken = ARGUMENTS.folder / "broken.wav"
        broken.write_bytes(b"hello" * 100)
        self.give(browser, "recording", broken)
        browser.until(f"{MESSAGE}.startsWith('broken.wav: The sound is no WAV file')")
        self.assertEqual(browser.complaints, [])

    def test_a_model_that_reads_text_is_refused_and_none_is_asked_for(self):
        browser = self.open(query="?model=en-de.ltm")
        browser.until(f"{MESSAGE}.startsWith('en-de.ltm: The model reads text instead of speech')")
        self.assertTrue(browser.run(f"{at('record')}.disabled"))
        self.give(browser, "then-file", ARGUMENTS.folder / "tiny.en.ltm")
        browser.until(f"{MESSAGE}.startsWith('tiny.en.ltm: The model reads speech instead of text')")
        browser = self.open(query="?model=nothing.ltm")
        browser.until(f"/nothing.ltm: the server answers 404/.test({MESSAGE})")

    def test_no_permission_no_microphone_and_an_insecure_origin_are_a_sentence_each(self):
        browser = self.open()
        browser.until(LOADED)
        browser.click(at("record"))
        browser.until(f"{MESSAGE} === 'There is no microphone.'")
        browser = self.open(FAKE[0])
        browser.until(LOADED)
        browser.send("Browser.setPermission", permission={"name": "microphone"}, setting="denied")
        browser.click(at("record"))
        browser.until(f"{MESSAGE}.startsWith('The microphone is not allowed')")
        self.assertEqual(browser.run(f"[{at('record')}.disabled, {at('record')}.textContent]"), [False, "Record"])
        browser = self.open(f"--host-resolver-rules=MAP {INSECURE} 127.0.0.1", host=INSECURE)
        browser.until(LOADED)
        browser.click(at("record"))
        browser.until(f"/only over https, or from localhost/.test({MESSAGE})")


# Best of five passes over a window, in a worker: seconds with 30 seconds encoded and with what was said, and bytes.
TIMES = """(async () => {
  const { Transcriber } = await import("./latimer/latimer.mjs");
  const begin = performance.now();
  const transcriber = await Transcriber.load(new URL("tiny.en.ltm", location));
  const found = { load: performance.now() - begin, memoryBytes: transcriber.info.memoryBytes };
  const sound = await (await fetch("beckett.wav")).arrayBuffer();
  for (const shortWindow of [false, true]) {
    const times = [];
    for (let i = 0; i < 5; ++i) {
      const begin = performance.now();
      await transcriber.transcribe(sound, { shortWindow });
      times.push(performance.now() - begin);
    }
    found[shortWindow ? "short" : "whole"] = Math.min(...times);
  }
  return { ...found, agent: navigator.userAgent };
})()"""


def measure() -> int:
    shutil.copy(ARGUMENTS.sounds / "beckett.wav", ARGUMENTS.folder)
    with Chromium(ARGUMENTS.chromium) as browser, site(str(ARGUMENTS.folder)) as url:
        browser.open(f"{url}speech.html?model=beckett.wav")
        print(browser.run(TIMES))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "host" / "bin")
    parser.add_argument("--site", type=Path, default=ROOT / "build" / "wasm32" / "site")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "latimer-quality")
    parser.add_argument("--times", action="store_true")
    parser.parse_args(namespace=ARGUMENTS)
    model, ARGUMENTS.sounds = whisper(ARGUMENTS.cache), recordings(ARGUMENTS.cache)
    if not model or not ARGUMENTS.sounds:
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        ARGUMENTS.folder = Path(work) / "site"
        shutil.copytree(ARGUMENTS.site, ARGUMENTS.folder)
        run([ARGUMENTS.bin / "latimer-convert", model, "-o", ARGUMENTS.folder / "tiny.en.ltm", "--quiet",
             "--board", "wasm32"])
        if ARGUMENTS.times:
            return measure()
        return 0 if unittest.main(argv=sys.argv[:1], verbosity=2, exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
