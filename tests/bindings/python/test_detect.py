"""Languages of texts, and the model for each."""

import subprocess
import sys

import pytest
from conftest import DEMO, TEXTS

import latimer
from latimer import _pairs, _pretrained

from_pretrained = latimer.Translator.from_pretrained


def test_without_py3langid_it_says_what_to_install(model):
    program = (
        "import sys; sys.modules['py3langid'] = None\n"
        "import latimer\n"
        "latimer.detect_language('Hello.')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert "ImportError: Languages are detected by py3langid" in done.stderr
    assert "pip install py3langid" in done.stderr


def test_the_table_knows_what_leads_to_a_language():
    for target in "de", "en", "tr":
        sources = _pairs.sources(target)
        assert len(sources) > 50 and target not in sources
        for source in sources:
            assert _pairs.choose(source, target)
    assert _pairs.sources("xx") == []


def test_languages_of_texts():
    pytest.importorskip("py3langid")
    for language in "en", "de":
        text = (DEMO / "data" / f"test.{language}").read_text(encoding="utf-8")
        lines = text.splitlines()[:300]
        found = [latimer.detect_language(line) for line in lines]
        assert found.count(language) > 295
        found = [latimer.detect_language(line, ["de", "en"]) for line in lines]
        assert found.count(language) > 297
    assert latimer.detect_language("Jeg har ikke lest boken ennå.") == "no"
    for text in "", " ", "12 + 3 = 15!", "😀":
        assert latimer.detect_language(text) is None
    with pytest.raises(TypeError, match="A text is a str, not bytes"):
        latimer.detect_language(b"Hello.")
    with pytest.raises(ValueError, match="xx: no such language is detected"):
        latimer.detect_language("Hello.", ["xx"])
    with pytest.raises(ValueError, match="DE deu_Latn: no such language"):
        latimer.detect_language("Hello.", ["deu_Latn", "DE", "en"])
    with pytest.raises(ValueError, match="give at least one"):
        latimer.detect_language("Hello.", [])
    assert latimer.detect_language("Hello world, how are you?") == "en"
    assert latimer.detect_language("你好") == "zh"
    # All sources of the table are known to py3langid.
    for source in _pairs.KNOWN:
        assert latimer.detect_language("Hello.", [source]) == source


def test_each_text_goes_to_the_model_of_its_language(translator):
    pytest.importorskip("py3langid")
    auto = latimer.AutoTranslator({"en": translator, "de": None})
    texts = ["Good morning.", "How are you?", "Ich lese ein Buch.", "12 + 3", "I see a house."]
    found = auto.translate_batch(texts)
    assert [t.text for t in found] == [
        *(translator.translate(text).text for text in texts[:2]),
        *texts[2:4],
        translator.translate(texts[4]).text,
    ]
    assert found[2].source_length == len(texts[2])
    assert [t.source_lang for t in found] == ["en", "en", "de", None, "en"]
    assert found[1].confidence > 0.9 and found[3].confidence == 0
    assert auto.translate("Good morning.", scores=True).scores is not None
    assert next(auto.translate(iter(texts))).text == TEXTS["Good morning."]
    for wrong in b"Hello.", None:
        with pytest.raises(TypeError, match="A text is a str"):
            auto.translate(wrong)


def test_a_language_that_no_model_has_is_refused(translator):
    pytest.importorskip("py3langid")
    french = "Où est la gare ?"
    auto = latimer.AutoTranslator({"en": translator, "de": None})
    with pytest.raises(ValueError, match=r"texts\[1\] is in 'fr', for which"):
        auto.translate_batch(["Good morning.", french])
    auto = latimer.AutoTranslator({"en": translator}, unknown="keep")
    found = auto.translate(french)
    assert (found.text, found.source_lang) == (french, "fr")
    # A word of many languages is in that of a model.
    assert auto.translate("Hi").source_lang == "en"
    with pytest.raises(ValueError, match="unknown 'x'"):
        latimer.AutoTranslator({}, unknown="x")


def test_models_of_another_type_are_refused(translator):
    for wrong in None, [translator], {"en": "en-de.ltm"}, {"en": 5}:
        with pytest.raises(TypeError, match="models"):
            latimer.AutoTranslator(wrong)


def test_auto_opens_what_the_table_has_when_it_is_needed(monkeypatch, model):
    pytest.importorskip("py3langid")
    asked = []

    def file(name, **options):
        asked.append(name.removeprefix("Helsinki-NLP/opus-mt-"))
        return model

    monkeypatch.setattr(_pretrained, "model_file", file)
    auto = from_pretrained(source="auto", target="de", lanes=2)
    assert isinstance(auto, latimer.AutoTranslator) and asked == []
    assert auto.translate("Good morning.").text == TEXTS["Good morning."]
    assert auto.translate("Ich habe das Buch noch nicht gelesen.").parts == 1
    assert auto.translate("The meeting starts in twenty minutes.").text
    assert asked == ["en-de"]
    with auto:
        pass
    with pytest.raises(latimer.LatimerError, match="closed"):
        auto.translate("Good morning.")
    with pytest.raises(ValueError, match="en to xx: no model is known"):
        from_pretrained(source="auto", target="xx")
