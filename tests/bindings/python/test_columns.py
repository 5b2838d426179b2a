"""Documents in a column: of several sentences, missing, with ids beside them."""

import builtins
import sys

import pytest
from conftest import DEMO, TEXTS

import latimer

MORNING = TEXTS["Good morning."]
STATION = "Where is the station?"


@pytest.fixture(scope="module")
def documents():
    lines = (DEMO / "data" / "test.en").read_text("utf-8").splitlines()
    return [" ".join(lines[i : i + 3]) for i in range(0, 60, 3)]


def test_each_sentence_is_translated_as_it_is_alone(translator):
    station = translator.translate(STATION).text
    text = f"Good morning.  {STATION}\n\nGood morning.\r\n- {STATION}\n"
    found = translator.translate(text, alignment=True, scores=True)
    dash = translator.translate(f"- {STATION}").text
    assert found.text == f"{MORNING}  {station}\n\n{MORNING}\r\n{dash}"
    assert found.parts == 4 and found.source_length == len(text)
    assert len(found.scores) == len(found.tokens)
    words = [word.text for word in found.words]
    assert words == found.text.split()
    links = {
        text[slice(*link.source)]: found.text[slice(*link.target)]
        for link in found.alignment
    }
    assert "morning" in links


def test_several_hypotheses_are_joined_with_the_same_white_space(translator):
    text = f"Good morning.\n{STATION}"
    found = translator.translate(text, beams=2, n_best=2)
    assert [h.text.count("\n") for h in found.hypotheses] == [1, 1]
    assert found.hypotheses[0].text == found.text


def test_an_option_translates_a_text_at_once(translator):
    text = f"Good morning. {STATION}"
    whole = translator.translate(text, sentences=False)
    ids = translator.translate_ids(translator.tokenize(text))
    assert whole.parts == 1 and whole.tokens == ids.tokens
    assert translator.translate(text, attention="cross").attention.size


def test_paragraphs_are_wrapped_lines(translator):
    text = "I have not read\nthe book yet. Good\nmorning.\n\n* Good morning.\n* Good morning."
    found = translator.translate(text, paragraphs=True).text
    portions = translator.translate_paragraphs(text)
    assert found == "".join(portion.text for portion in portions)
    assert found.count("\n") == 3
    (batch,) = translator.translate_batch([text], paragraphs=True)
    assert batch.text == found


def test_workers_give_the_same_in_the_same_order(model, translator, documents):
    expected = translator.translate_batch(documents)
    sampled = list(translator.translate(documents, sample=True, seed=3))
    with latimer.Translator(model, workers=3, lanes=2, cache=1) as workers:
        for _ in range(2):
            assert workers.translate_batch(documents) == expected
        assert list(workers.translate(iter(documents), sample=True, seed=3)) == sampled
        # What precedes a text that fails comes out; then it goes on.
        found = []
        with pytest.raises(TypeError, match=r"texts\[12\]: give a str"):
            for translation in workers.translate([*documents[:12], None, "Hello."]):
                found.append(translation)
        assert found == expected[:12]
        results = workers.translate(documents * 50)
        assert next(results) == expected[0]
        results.close()
        assert workers.translate("Good morning.").text == MORNING
        with pytest.raises(latimer.InvalidArgumentError):
            workers.translate_batch(documents, target_lang="xx")
    with pytest.raises(ValueError, match="workers 0"):
        latimer.Translator(model, workers=0)


def test_missing_texts_stay_where_they_are(translator):
    class NAType:
        """As that of pandas."""

    texts = [None, "Good morning.", float("nan"), NAType(), ""]
    found = translator.translate_batch(texts, missing="keep")
    assert [t if t is None else t.text for t in found] == [None, MORNING, None, None, ""]
    for wrong in None, 5, float("nan"):
        with pytest.raises(TypeError, match=r"texts\[1\]: give a str"):
            translator.translate_batch(["Hello.", wrong])
    with pytest.raises(TypeError, match=r"texts\[0\]: give a str, not 5"):
        translator.translate_batch([5], missing="keep")
    with pytest.raises(ValueError, match="missing 'drop'"):
        translator.translate_batch(texts, missing="drop")


def test_what_comes_with_a_text_is_passed_on(translator):
    pairs = [("Good morning.", 7), (None, 8), ("Good morning.", {"id": 9})]
    found = translator.translate_batch(pairs, as_tuples=True, missing="keep")
    assert [(t and t.text, other) for t, other in found] == [
        (MORNING, 7), (None, 8), (MORNING, {"id": 9}),
    ]
    with pytest.raises(TypeError, match=r"texts\[0\]: give a pair"):
        translator.translate_batch(["Good morning."], as_tuples=True)


def test_pages_in_a_column(translator):
    page = "<p>Good <b>morning</b>.</p>"
    found = translator.translate_batch([page, None], html=True, missing="keep")
    assert found == ["".join(translator.translate_html(page)), None]
    with pytest.raises(ValueError, match="html"):
        latimer.AutoTranslator({"en": translator}).translate_batch([page], html=True)


def test_progress_is_shown(translator, monkeypatch, capsys):
    texts = ["Good morning."] * 3
    expected = translator.translate_batch(texts)
    if "tqdm" in sys.modules or _has_tqdm():
        assert translator.translate_batch(texts, progress=True) == expected
        assert "3/3" in capsys.readouterr().err
    real = builtins.__import__

    def without(name, *arguments, **named):
        if name.startswith("tqdm"):
            raise ImportError(name)
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    assert translator.translate_batch(texts, progress=True) == expected
    assert capsys.readouterr().err == "3 of 3 texts\n"


def _has_tqdm():
    try:
        import tqdm.auto  # noqa: F401
    except ImportError:
        return False
    return True


def test_recipe_for_pandas(translator):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["Good morning.", None], "id": [1, 2]})
    found = translator.translate_batch(frame["text"], missing="keep")
    frame["german"] = [t and t.text for t in found]
    assert frame["german"][0] == MORNING and pandas.isna(frame["german"][1])


def test_recipe_for_polars(translator):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"text": ["Good morning.", None]})
    found = translator.translate_batch(frame["text"], missing="keep")
    frame = frame.with_columns(polars.Series("german", [t and t.text for t in found]))
    assert frame["german"].to_list() == [MORNING, None]


def test_recipe_for_datasets(translator):
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict({"text": ["Good morning.", "Hello."]})

    def german(batch):
        return {"german": [t.text for t in translator.translate(batch["text"])]}

    data = data.map(german, batched=True)
    assert data["german"][0] == MORNING
