"""What users of Python expect of any package: of lists, iterators, `with`,
pickles, types and messages."""

import copy
import dataclasses
import importlib.metadata
import inspect
import json
import pathlib
import pickle
import re
import subprocess
import sys
import typing
from itertools import islice

import numpy
import pytest
from conftest import DEMO, ROOT, TEXTS

import latimer
import latimer.ctranslate2

LONG = "The weather is nice today, and we are going to the market. "


def test_a_list_gives_a_list(translator, lines):
    found = translator.translate_batch(lines[:10], scores=True)
    assert isinstance(found, list) and len(found) == 10
    assert found == list(translator.translate(lines[:10], scores=True))
    twice = latimer.PivotTranslator(translator, translator)
    assert [t.text for t in twice.translate_batch(lines[:3])] == [
        twice.translate(line).text for line in lines[:3]
    ]
    for both in translator, twice:
        with pytest.raises(TypeError, match="texts: give a list of str, not"):
            both.translate_batch("Hello.")


@pytest.mark.parametrize("of", [latimer.Translator, latimer.PivotTranslator])
def test_with_frees_a_translator(model, of, lines):
    opened = [latimer.Translator(model) for _ in range(2)]
    made = opened[0] if of is latimer.Translator else of(*opened)
    with made as translator:
        assert translator is made
        results = translator.translate(lines[:100])
        first = next(results).text
    used = opened[0]
    # What has begun goes on to its end; then the memory is free.
    assert len(list(results)) == 99
    assert used._free == [] and first
    translator.close()
    for call in (
        lambda: translator.translate("Hello."),
        lambda: next(translator.translate(["Hello."])),
        lambda: next(translator.translate_html("Hello.")),
    ):
        with pytest.raises(latimer.LatimerError, match="is closed") as error:
            call()
        assert error.value.code == "FAILED_PRECONDITION"
    assert used.info.has_tokenizer
    assert pickle.loads(pickle.dumps(used)).translate("Good morning.").text == (
        TEXTS["Good morning."]
    )


def test_close_frees_the_memory(model):
    def mapped():
        return sum(
            1 for line in open("/proc/self/maps") if model in line
        )

    before = mapped()
    translator = latimer.Translator(model)
    assert mapped() > before
    unload = translator._free[0].unload
    translator.close()
    assert mapped() == before and not unload.alive


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beams": "4"}, "beams: give a number, not '4'."),
        ({"beams": True}, "beams: give a number, not True."),
        ({"top_p": "0.5"}, "top_p: give a number, not '0.5'."),
        ({"n_best": [2]}, r"n_best: give a number, not \[2\]."),
        ({"scores": "no"}, "scores: give True or False, not 'no'."),
        ({"prefix": 5}, "prefix: give a str, not 5."),
        ({"attention": 1}, "attention: give a str, not 1."),
        ({"early_stopping": 3}, "early_stopping: give True, False or 'never'"),
        ({"terms": ["a", "b"]}, r"terms: give a dict, not \['a', 'b'\]."),
        ({"suppressed": 5}, "suppressed: give a list, not 5."),
        ({"suppressed": ["a"]}, "suppressed: give a list of int, not"),
        ({"target_prefix": b"Wie"}, "target_prefix: give a str or a list of"),
        ({"on_token": 5}, "on_token: give a function, not 5."),
        ({"terms": {"a": 5}}, "A text is a str, not int."),
    ],
)
def test_a_wrong_type_is_a_type_error(translator, options, message):
    with pytest.raises(TypeError, match=message):
        translator.translate("Hello.", **options)


def test_numbers_of_numpy_are_numbers(translator):
    plain = translator.translate("Hello.", sample=True, top_p=0.5, seed=3)
    assert plain == translator.translate(
        "Hello.",
        sample=True,
        top_p=numpy.float32(0.5),
        seed=numpy.int64(3),
        suppressed=numpy.array([5000]),
    )


def test_messages_name_the_options_of_python(translator, model):
    for call, message in [
        (lambda: translator.translate("Hi.", beams=40), "beams 40: .* up to 16"),
        (lambda: translator.translate("Hi.", top_p=2), "top_p 2: give a number "),
        (lambda: latimer.Translator(model, lanes=10**6), "lanes 1000000: .* 32"),
        (lambda: latimer.Translator(model, threads=999), "threads 999: .* 1 to 16"),
    ]:
        with pytest.raises(ValueError, match=message) as error:
            call()
        for word in "LoadOptions", "profile", "--", "::":
            assert word not in str(error.value)
    for options in {"threads": "2"}, {"lanes": 2.5}, {"cpu": 5}, {"cache": None}:
        with pytest.raises(TypeError, match=f"{list(options)[0]}: give a"):
            latimer.Translator(model, **options)


WRONG = [
    None, 1, -1, True, 1.5, 2**70, 1j, float("nan"), float("inf"), b"x", "\0",
    "\ud800", object(), int, len, [], [1], [None], [b"x"], [[1]], [["x"]],
    [2**70], [(1, 2, 3)], [(0.5, 1.5)], {"a": 1}, {1: 2}, {1, 2}, range(3),
]


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_no_value_raises_anything_but_errors_of_values(
    translator, model, tmp_path, value
):
    """Each function and option; ctypes, attributes and overflows raise other
    exceptions."""
    absent = tmp_path / "absent"
    pivot = latimer.PivotTranslator(translator, translator)
    one, by_name = latimer.Translator, latimer.Translator.from_pretrained
    pipeline = latimer.pipeline("translation", model)
    methods = [
        getattr(kind, name)
        for kind in (translator, pivot)
        for name in vars(latimer.Translator.__base__) | vars(type(pivot).__base__)
        if hasattr(kind, name) and not name.startswith("_")
        and name not in ("info", "close")
    ]
    assert len(methods) == 14
    calls = [(method, [value], {}) for method in methods]
    for option in latimer.TranslateOptions.__annotations__:
        calls += [
            (translator.translate, ["The house."], {option: value}),
            (translator.translate_html, ["The house."], {option: value}),
            (translator.translate_ids, [[2, 3]], {option: value}),
        ]
    for option in "threads", "lanes", "check_file", "pin_threads", "cpu", "cache":
        calls.append((one, [model], {option: value}))
    calls += [
        (one, [value], {}),
        (latimer.PivotTranslator, [value, translator], {}),
        (latimer.AutoTranslator, [value], {}),
        (by_name, [absent], {"weights": value}),
        (by_name, [absent], {"revision": value}),
        (latimer.convert, [value, absent], {}),
        (latimer.convert, [absent, value], {}),
        (latimer.models.remove, [value], {}),
        (latimer.pipeline, [value, model], {}),
        (latimer.pipeline, ["translation", model], {"device": value}),
        (pipeline, [value], {}),
        (pipeline, ["Hi."], {"max_length": value}),
    ]
    if not isinstance(value, str):  # Which may name a model to fetch.
        calls += [
            (by_name, [value], {}),
            (by_name, [], {"source": value, "target": "de"}),
            (by_name, [], {"source": "en", "target": value}),
        ]
    for function, arguments, options in calls:
        try:
            result = function(*arguments, **options)
            if hasattr(result, "__next__"):
                list(islice(result, 3))
        except (TypeError, ValueError, latimer.LatimerError, OSError):
            pass


def test_a_token_is_a_whole_number_of_32_bits(translator):
    for piece in translator.source_piece, translator.target_piece:
        with pytest.raises(TypeError, match="token: give an int, not 'x'."):
            piece("x")
        with pytest.raises(ValueError, match="4294967301 is no token id."):
            piece(2**32 + 5)
        assert piece(numpy.int32(5)) == piece(5) != ""


@pytest.mark.parametrize(
    "text", [b"Hi.", bytearray(b"Hi."), None, 5, pathlib.Path("a.txt")]
)
def test_what_is_no_text_is_refused_before_it_is_read(translator, text):
    for method in (
        translator.translate,
        translator.translate_batch,
        translator.translate_paragraphs,
        translator.translate_html,
        translator.tokenize,
        latimer.PivotTranslator(translator, translator).translate,
    ):
        with pytest.raises(TypeError, match="A text is a str, not "):
            method(text)
    for ids in None, 5, "abc", b"abc", [[1, "a"]]:
        with pytest.raises(TypeError, match="ids: give a list of int, not"):
            list(translator.translate_ids(ids))


def test_running_text_refuses_what_it_cannot_give(translator):
    for method in translator.translate_paragraphs, translator.translate_html:
        for options in (
            {"attention": "cross"}, {"scores": True}, {"alignment": True},
            {"beams": 2, "n_best": 2}, {"alternatives": 2},
        ):
            name = list(options)[-1]
            with pytest.raises(ValueError, match=f"{name}: only translate"):
                method("Hello.", **options)


def test_an_iterator_reads_a_bounded_number_of_texts_ahead(translator):
    read = 0

    def texts():
        nonlocal read
        for text in [LONG * 200, *["How are you?"] * 400]:
            read += 1
            yield text

    # With a budget, the parts of a text go one after another.
    results = translator.translate(texts(), budget_tokens=10**6)
    assert next(results).parts > 4
    assert 32 < read < 70  # Lanes are 32.
    assert len([*results]) == 400


def test_what_precedes_an_error_comes_out(translator, lines):
    expected = [t.text for t in translator.translate(lines[:50])]

    def interrupted():
        yield from lines[:50]
        raise KeyError("mine")

    ids = [translator.tokenize(line) for line in lines[:50]]
    for results, error, count in [
        (translator.translate(interrupted()), KeyError, 50),
        (translator.translate([*lines[:7], None, *lines]), TypeError, 7),
        (translator.translate_ids([*ids, [10**6], *ids]), ValueError, 50),
        (translator.translate_ids([[10**6], *ids]), ValueError, 0),
    ]:
        found = []
        with pytest.raises(error):
            for translation in results:
                found.append(translator.detokenize(translation.tokens))
        assert found == expected[:count]
    assert translator.translate("Good morning.").text == TEXTS["Good morning."]


def test_a_text_that_is_none_is_named_by_its_place(translator):
    with pytest.raises(TypeError, match=r"texts\[17\]: give a str, not nan\."):
        translator.translate_batch(["Hello."] * 17 + [float("nan")])


def test_what_holds_texts_under_names_is_no_list_of_texts(translator):
    class Frame(list):
        columns = ["text"]

    for texts in {"a": "Hello."}, Frame(["text"]):
        with pytest.raises(TypeError, match="texts: give a list of str, not"):
            translator.translate_batch(texts)
    names = {"a": "Hello.", "b": "Good morning."}
    found = translator.translate_batch(names.values())
    assert found[1].text == TEXTS["Good morning."]


def test_results_are_short_to_look_at_and_go_into_json(translator):
    assert len(repr(translator.info)) < 800
    found = translator.translate("Hello.", scores=True, alignment=True)
    assert json.loads(json.dumps(found.to_dict()))["text"] == found.text


def test_a_reader_that_has_enough_ends_the_program_quietly():
    command = f"{sys.executable} -m latimer --help | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("latimer translates") and done.stderr == ""


def test_a_translation_is_pickled_with_its_attention(translator):
    for kind in "cross", "decoder":
        found = translator.translate("How are you?", attention=kind, scores=True)
        weights = found.attention.copy()
        copies = [pickle.loads(pickle.dumps(found)), copy.deepcopy(found)]
        as_dict = dataclasses.asdict(found)
        changed = dataclasses.replace(found, text="Na?")
        translator.translate("Something else.")
        for one in copies:
            assert one == found
            numpy.testing.assert_array_equal(one.attention, weights)
        assert json.loads(json.dumps(as_dict))["text"] == found.text
        assert (changed.text, changed.tokens) == ("Na?", found.tokens)
        stale = pickle.loads(pickle.dumps(found))
        with pytest.raises(ValueError, match="something else since"):
            stale.attention
    plain = pickle.loads(pickle.dumps(translator.translate("Hello.")))
    with pytest.raises(ValueError, match="No attention was kept"):
        plain.attention


def test_a_folder_or_a_name_leads_to_from_pretrained(tmp_path):
    with pytest.raises(latimer.LatimerError) as error:
        latimer.Translator(DEMO)
    assert "latimer.convert(" in str(error.value)
    assert "Translator.from_pretrained" in str(error.value)
    with pytest.raises(FileNotFoundError, match="Translator.from_pretrained"):
        latimer.Translator("Helsinki-NLP/opus-mt-en-de")


def public():
    for module in latimer, latimer.models, latimer.ctranslate2:
        for name in getattr(module, "__all__", ["list", "remove", "folder"]):
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield thing
            elif inspect.isclass(thing):
                yield thing
                for member, value in vars(thing).items():
                    function = getattr(value, "__func__", value)
                    if inspect.isfunction(function) and (
                        member == "__init__" or member[0] != "_"
                    ):
                        yield function


@pytest.mark.parametrize(
    "thing", list(public()), ids=lambda thing: thing.__qualname__
)
def test_type_hints_can_be_read(thing):
    typing.get_type_hints(thing)


def test_pipeline_is_that_of_transformers_4(model):
    translate = latimer.pipeline("translation_en_to_de", model, device="cpu")
    expected = {"translation_text": TEXTS["Good morning."]}
    assert translate("Good morning.") == [expected]
    texts = ["Good morning."] * 3
    assert translate(texts, num_beams=1, batch_size=8) == [expected] * 3
    # max_length counts the token that the decoder starts with.
    short = latimer.pipeline("translation", model, max_length=3)
    assert short("Good morning.") == translate("Good morning.", max_new_tokens=2)
    assert short("Good morning.", max_length=100) == [expected]
    with pytest.raises(ValueError, match="'fill-mask'"):
        latimer.pipeline("fill-mask", model)
    with pytest.raises(ValueError, match="device 0: Latimer translates on the CPU"):
        latimer.pipeline("translation", model, device=0)


def test_the_wheel_has_the_licences_of_others():
    try:
        files = importlib.metadata.files("latimer") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("latimer is not installed from a wheel")
    licences = {file.parent.name for file in files if "licenses" in file.parts}
    assert {"xnnpack", "flatbuffers", "cli11", "zlib"} <= licences


@pytest.mark.parametrize("method", ["paragraphs", "html", "on_token"])
def test_an_interrupt_comes_out_of_what_calls_back(model, method):
    program = f"""
import itertools, os, signal, sys, threading, time
import latimer
translator = latimer.Translator({model!r})
texts = itertools.repeat("The house is old. ")
if {method!r} == "on_token":
    found = translator.translate(texts, on_token=lambda index, token: True)
else:
    found = getattr(translator, "translate_" + {method!r})(texts)
next(found)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    for _ in found:
        assert time.monotonic() - begin < 20
except KeyboardInterrupt:
    print("interrupted")
print(translator.translate("Good morning.").text)
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.stderr == ""
        assert done.stdout.split("\n")[0] == "interrupted"


def test_modules_import_downward_only():
    """Also what they import in functions or for types alone."""
    package = ROOT / "bindings" / "python" / "latimer"
    imports = {
        path.stem: {
            module
            for line in re.findall(
                r"^ *from \.(\w*) import (.*)", path.read_text(), re.M
            )
            for module in ([line[0]] if line[0] else line[1].split(", "))
        }
        for path in package.glob("*.py")
        if path.stem not in ("__init__", "__main__")
    }
    assert {"_slot", "_results"} <= imports["_loaded"]
    while imports:
        lowest = [
            name
            for name, imported in imports.items()
            if not imported & imports.keys()
        ]
        assert lowest, f"a circle: {imports}"
        for name in lowest:
            del imports[name]
