"""Translator.from_pretrained with paths, its cache, and latimer.models."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile

import pytest
from conftest import DEMO, ROOT, TEXTS

import latimer
from latimer import _hub, _pairs, _pretrained

DATA = ROOT / "tests" / "data"
from_pretrained = latimer.Translator.from_pretrained


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LATIMER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def tiny(tmp_path):
    """A folder that converts at once; it has no tokenizer."""
    return pathlib.Path(shutil.copytree(DATA / "tiny_marian" / "prenorm", tmp_path / "tiny"))


@pytest.fixture
def conversions(monkeypatch):
    """What is converted from here on."""
    made = []
    convert = _pretrained.convert

    def count(folder, output, **options):
        made.append(options)
        return convert(folder, output, **options)

    monkeypatch.setattr(_pretrained, "convert", count)
    return made


@pytest.fixture
def argos(tmp_path):
    """A package of Argos Translate's layout, with random weights."""
    path = tmp_path / "translate-en_de-1_0.argosmodel"
    with zipfile.ZipFile(path, "w") as archive:
        for file in (DATA / "ctranslate2" / "text_argos").iterdir():
            archive.write(file, f"en_de/model/{file.name}")
        spm = DATA / "marian_tokenizer" / "separate" / "source.spm"
        archive.write(spm, "en_de/sentencepiece.model")
        archive.writestr("en_de/metadata.json", '{"from_code": "en"}')
    return path


def python(code, *arguments, **popen):
    return subprocess.Popen(
        [sys.executable, "-c", "import latimer, sys\n" + code, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **popen,
    )


OPEN = "latimer.Translator.from_pretrained(sys.argv[1], no_tokenizer=True)"


def test_a_folder_is_converted_once(cache, conversions, capsys):
    first = from_pretrained(DEMO)
    said = capsys.readouterr().err
    assert f"{DEMO}: licence: " in said and str(cache) in said
    second = from_pretrained(str(DEMO), threads=2)
    assert capsys.readouterr().err == ""
    assert len(conversions) == 1 and second.info.path == first.info.path
    assert second._arguments["threads"] == 2
    assert second.translate("Good morning.").text == TEXTS["Good morning."]


def test_options_have_files_of_their_own(cache, conversions, tiny):
    int8 = from_pretrained(tiny, no_tokenizer=True)
    f32 = from_pretrained(tiny, no_tokenizer=True, weights="f32")
    assert (int8.info.weights, f32.info.weights) == ("int8", "f32")
    from_pretrained(tiny, no_tokenizer=True, weights="f32", keep_vocab=None, beams=False)
    assert len(conversions) == 2


def test_files_that_have_changed_are_converted_again(cache, conversions, tiny):
    before = from_pretrained(tiny, no_tokenizer=True).info.checksum
    os.utime(tiny / "config.json", ns=(1, 1))
    assert from_pretrained(tiny, no_tokenizer=True).info.checksum == before
    assert len(conversions) == 2
    assert len(latimer.models.list()) == 1  # The older one is gone.


def test_an_option_that_is_a_file_changes_with_it(tmp_path):
    text = tmp_path / "keep.txt"
    text.write_text("Hello.")
    before = _pretrained._state([text, 1, "int8"])
    assert before == _pretrained._state([str(text), 1, "int8"])
    assert _pretrained._value(before) == [str(text), 1, "int8"]
    text.write_text("Hello. Good morning.")
    assert before != _pretrained._state([text, 1, "int8"])


def test_an_argos_package_is_taken_as_it_is(cache, argos, tmp_path):
    translator = from_pretrained(argos)
    with zipfile.ZipFile(argos) as archive:
        archive.extractall(tmp_path)
    latimer.convert(tmp_path / "en_de", tmp_path / "en_de.ltm")
    unpacked = latimer.Translator(tmp_path / "en_de.ltm")
    assert translator.info.checksum == unpacked.info.checksum
    assert not list(cache.glob("*/unpacked"))


def test_files_of_ctranslate2_and_marian_are_taken(cache, tmp_path):
    from_pretrained(DATA / "ctranslate2" / "marian", no_tokenizer=True)
    from_pretrained(DATA / "tiny_native" / "tied_all", no_tokenizer=True)
    latimer.convert(DATA / "tiny_marian" / "prenorm", tmp_path / "a.ltm", no_tokenizer=True)
    assert from_pretrained(tmp_path / "a.ltm").info.path == str(tmp_path / "a.ltm")


def test_what_is_no_model_is_refused_in_one_sentence(cache, argos, tmp_path):
    with pytest.raises(FileNotFoundError, match="none"):
        from_pretrained("./none")
    with pytest.raises(FileNotFoundError, match="none.argosmodel"):
        from_pretrained("none.argosmodel")
    argos.write_bytes(argos.read_bytes()[:-100])
    with pytest.raises(latimer.LatimerError, match="damaged one; fetch it again"):
        from_pretrained(argos)
    (tmp_path / "gpt2").mkdir()
    (tmp_path / "gpt2" / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(latimer.ConversionError) as error:
        from_pretrained(tmp_path / "gpt2")
    message = str(error.value)
    assert message.startswith(f"{tmp_path / 'gpt2'}: config.json: model_type is")
    assert message.count("\n") == 0 and latimer.models.list() == []
    with pytest.raises(ValueError, match="profile"):
        from_pretrained(DEMO, profile="x.h")
    with pytest.raises(ValueError, match="source and target"):
        from_pretrained(DEMO, source="en", target="de")
    with pytest.raises(ValueError, match="revision v1"):
        from_pretrained(DEMO, revision="v1")


def test_a_file_that_is_damaged_is_made_again(cache, conversions, tiny):
    path = pathlib.Path(from_pretrained(tiny, no_tokenizer=True).info.path)
    good = path.read_bytes()
    for bad in good[:1000], b"", good[:-1000] + bytes(1000):
        path.unlink()
        path.write_bytes(bad)
        from_pretrained(tiny, no_tokenizer=True)
        assert path.read_bytes() == good
    assert len(conversions) == 4


def test_models_are_listed_and_removed(cache, tiny):
    assert latimer.models.list() == []
    translator = from_pretrained(DEMO)
    from_pretrained(tiny, no_tokenizer=True)
    from_pretrained(tiny, no_tokenizer=True, weights="f32")
    demo, *tinies = sorted(latimer.models.list(), key=lambda model: model.name != str(DEMO))
    assert demo.name == str(DEMO) and demo.options == {"weights": "int8"}
    assert demo.license == translator.info.license
    assert demo.bytes == demo.path.stat().st_size == translator.info.file_bytes
    assert latimer.models.remove(tiny) == sum(model.bytes for model in tinies)
    assert latimer.models.list() == [demo]
    latimer.models.remove(str(DEMO))
    assert list(cache.iterdir()) == []
    assert translator.translate("Good morning.").text == TEXTS["Good morning."]
    with pytest.raises(ValueError, match="no such model"):
        latimer.models.remove("me/none")


def test_the_folder_is_the_platforms(monkeypatch, tmp_path):
    monkeypatch.delenv("LATIMER_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert latimer.models.folder() == tmp_path / "x/latimer/models"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert latimer.models.folder() == tmp_path / ".cache/latimer/models"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert latimer.models.folder() == tmp_path / "Library/Caches/latimer/models"
    monkeypatch.setenv("LATIMER_CACHE", "~/y")
    assert latimer.models.folder() == tmp_path / "y"


def test_two_processes_convert_once(cache):
    code = "print(latimer.Translator.from_pretrained(sys.argv[1]).info.path)"
    both = [python(code, DEMO) for _ in range(2)]
    outputs = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert outputs[0][0] == outputs[1][0]
    said = outputs[0][1] + outputs[1][1]
    assert said.count("converted to") == 1
    assert said.count("waiting for another process") <= 1


def test_a_process_that_was_killed_leaves_no_lock(cache, tiny):
    code = """
from latimer._cache import Entry
import os, time
with Entry.of(os.path.realpath(sys.argv[1])).lock(lambda: None):
    print("locked", flush=True)
    time.sleep(600)
"""
    holder = python(code, tiny)
    assert holder.stdout.readline() == "locked\n"
    waiter = python(OPEN, tiny)
    assert "waiting for another process" in waiter.stderr.readline()
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    _, said = waiter.communicate(timeout=300)
    assert waiter.returncode == 0 and "converted to" in said


def test_removing_does_not_disturb_who_waits(cache, tiny):
    code = """
from latimer._cache import Entry
import os
with Entry.of(os.path.realpath(sys.argv[1])).lock(lambda: None):
    print("locked", flush=True)
    sys.stdin.readline()
    import shutil
    shutil.rmtree(os.path.join(os.environ["LATIMER_CACHE"], os.listdir(os.environ["LATIMER_CACHE"])[0]))
"""
    holder = python(code, tiny, stdin=subprocess.PIPE)
    assert holder.stdout.readline() == "locked\n"
    waiter = python(OPEN, tiny)
    assert "waiting for another process" in waiter.stderr.readline()
    holder.communicate("\n")
    waiter.communicate(timeout=300)
    assert holder.returncode == waiter.returncode == 0
    assert len(latimer.models.list()) == 1


def test_without_room_there_is_one_sentence_and_nothing_left(cache, tmp_path):
    code = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
try:
    latimer.Translator.from_pretrained(sys.argv[1])
except latimer.LatimerError as error:
    print(error)
"""
    said, errors = python(code, DEMO).communicate()
    assert errors == "" and said.count("\n") == 1
    assert "cannot write the file" in said and "LATIMER_CACHE" in said
    assert [path.name for path in cache.rglob("*") if path.is_file()] == ["lock"]


def test_a_cache_that_cannot_be_written_says_so(monkeypatch, tmp_path, tiny):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LATIMER_CACHE", str(tmp_path / "file"))
    with pytest.raises(latimer.LatimerError, match="file.*LATIMER_CACHE"):
        from_pretrained(tiny, no_tokenizer=True)


def test_the_table_has_direct_models_and_pivots():
    (only,) = _pairs.choose("en", "de")
    assert (only.name, only.target_lang) == ("Helsinki-NLP/opus-mt-en-de", None)
    assert _pairs.choose("en", "zh")[0].target_lang == "cmn_Hans"
    first, second = _pairs.choose("pt", "pl")
    assert first.name.endswith("-ROMANCE-en") and second.target_lang == "pol"
    for source, target in ("en", "en"), ("en", "xx"), ("eng", "deu"):
        with pytest.raises(ValueError, match="languages? as ISO|same language"):
            _pairs.choose(source, target)
    for source, targets in _pairs._DIRECT.items():
        for target in targets.split():
            assert re.fullmatch("[a-z]{2}", source + target[2:]) and source != target
            assert (source, target) not in _pairs._GROUPS


def test_a_pair_takes_what_the_table_says(cache, monkeypatch, capsys, model, tmp_path):
    monkeypatch.setenv("LATIMER_MODELS", str(tmp_path))  # No student is there.
    asked = []

    def file(name, **options):
        asked.append((name, options))
        return model

    monkeypatch.setattr(_pretrained, "model_file", file)
    assert isinstance(from_pretrained(source="en", target="de"), latimer.Translator)
    pivot = from_pretrained(source="pt", target="pl", weights="int6", lanes=2)
    assert isinstance(pivot, latimer.PivotTranslator)
    names = [name.removeprefix("Helsinki-NLP/opus-mt-") for name, _ in asked]
    assert names == ["en-de", "ROMANCE-en", "en-zlw"]
    assert asked[2][1] == {"target_lang": "pol", "weights": "int6"}
    assert capsys.readouterr().err.splitlines()[1:] == [
        "latimer: pt to en: Helsinki-NLP/opus-mt-ROMANCE-en, about 80 MB as int8.",
        "latimer: en to pl: Helsinki-NLP/opus-mt-en-zlw, about 80 MB as int8.",
    ]


TEXT = "Good morning.  How are you?\n\n- I have a book.\n"


def test_a_pivot_does_what_the_program_does_with_two_models(model, lines):
    def program(*options, text):
        command = [sys.executable, "-m", "latimer", "translate", model, model, "--quiet", *options]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout

    translator = latimer.Translator(model)
    pivot = latimer.PivotTranslator(translator, translator)
    texts = [t.text for t in pivot.translate(iter(lines[:20]))]
    assert texts == program(text="\n".join(lines[:20])).splitlines()
    assert pivot.translate(lines[0]).text == texts[0]
    paragraphs = "".join(p.text for p in pivot.translate_paragraphs(TEXT))
    assert paragraphs == program("--paragraphs", text=TEXT)
    page = "<p>Good <b>morning</b>. I have a book.</p>"
    assert "".join(pivot.translate_html(page)) == program("--html", text=page)
    beams = pivot.translate(lines[0], beams=3, n_best=2)
    assert len(beams.hypotheses) == 2
    with pytest.raises(ValueError, match="terms: it belongs to one model"):
        pivot.translate("Tom.", terms={"Tom": "Thomas"})


def test_get_prints_the_file(cache, tiny):
    def get(*arguments):
        command = [sys.executable, "-m", "latimer", "get", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True)

    first = get(tiny, "--no-tokenizer", "--weights", "f32")
    path = first.stdout.removesuffix("\n")
    assert latimer.Translator(path).info.weights == "f32"
    assert "licence" in first.stderr
    again = get(tiny, "--weights=f32", "--no-tokenizer")
    assert (again.stdout, again.stderr) == (first.stdout, "")
    assert from_pretrained(tiny, weights="f32", no_tokenizer=True).info.path == path
    wrong = get("./none")
    assert wrong.returncode == 1 and wrong.stderr.count("\n") == 1
    assert get().returncode == 2 and "Usage" in get("--help").stdout


def test_without_huggingface_hub_a_name_says_what_to_install(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(latimer.DownloadError, match=r"pip install huggingface_hub"):
        from_pretrained("me/model")


def test_all_files_that_the_converter_reads_are_fetched():
    """A name that is new in the readers belongs into _hub, or is one of those
    that are read only to refuse a model."""
    refused = {
        "adapter_config.json", "adapter_model.bin", "adapter_model.safetensors",
        "serialized_exported_program.json",
    }
    named = set()
    for path in (ROOT / "converter" / "readers").glob("*.cc"):
        named |= set(re.findall(
            r'"(\w[\w.]*\.(?:json|spm|model|txt|py|safetensors|bin|yml|SRC|TGT)|LICENSE[.\w]*)"',
            path.read_text(),
        ))
    assert len(named) > 20
    patterns = _hub.FILES + _hub.WEIGHTS
    assert [n for n in named - refused if not any(_hub._matches([n], p) for p in patterns)] == []
