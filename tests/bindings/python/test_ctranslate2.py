"""latimer.ctranslate2 returns what CTranslate2 returns, and refuses the rest."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT

import latimer.ctranslate2 as ctranslate2

DATA = ROOT / "tests" / "data"
FOLDERS = DATA / "ctranslate2"
# Of tests/reference/make_ctranslate2_calls.py.
CALLS = json.loads((DATA / "ctranslate2_calls.json").read_text("utf-8"))
MARIAN = FOLDERS / "marian"
SOURCE = [["t10", "t11", "t12", "t0"], ["t20", "t21", "t0"]]


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    os.environ["LATIMER_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    return os.environ["LATIMER_CACHE"]


@pytest.fixture(scope="session")
def translators(cache):
    names = {call["folder"] for call in CALLS}
    return {
        name: ctranslate2.Translator(str(FOLDERS / name), compute_type="float32")
        for name in names
    }


@pytest.fixture(scope="session")
def translator(translators):
    return translators["marian"]


def name_of(call):
    options = [f"{name}={value}" for name, value in call["options"].items()]
    return " ".join([call["folder"], *options[2:]])


@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_calls_return_what_ctranslate2_returns(translators, call):
    translator = translators[call["folder"]]
    results = translator.translate_batch(call["sources"], call["prefix"], **call["options"])
    assert [result.hypotheses for result in results] == call["hypotheses"]
    for result, scores, attention in zip(results, call["scores"], call["attention"]):
        assert result.scores == pytest.approx(scores, abs=2e-4)
        assert len(result.attention) == len(attention)
        for rows, expected in zip(result.attention, attention):
            assert len(rows) == len(expected)
            for row, expected_row in zip(rows, expected):
                assert row == pytest.approx(expected_row, abs=1e-4)
    if call["log_probs"]:
        ends = ("</s>", "t0")
        targets = [[token for token in result.hypotheses[0] if token not in ends] for result in results]
        sources = call["sources"]
        scored = translator.score_batch([*sources, sources[0]], [*targets, []])
        assert len(scored) == len(call["log_probs"]) == len(sources) + 1
        for result, log_probs in zip(scored, call["log_probs"]):
            assert result.log_probs == pytest.approx(log_probs, abs=2e-3)


def test_a_folder_is_converted_once(cache, monkeypatch):
    first = ctranslate2.Translator(str(MARIAN), compute_type="int8")
    monkeypatch.setattr("latimer._pretrained.convert", None)
    again = ctranslate2.Translator(str(MARIAN), "auto", compute_type={"auto": "int8"})
    assert first.compute_type == again.compute_type == "int8_float32"
    assert first.translate_batch(SOURCE) == again.translate_batch(SOURCE)


def test_weights_are_those_of_the_folder(cache):
    quantized = ctranslate2.Translator(str(FOLDERS / "marian_int8"))
    assert quantized.compute_type == "int8_float32"
    half = ctranslate2.Translator(str(FOLDERS / "marian_float16"))
    assert half.compute_type == "float32"


def test_folders_of_all_versions_are_read(cache):
    for name in "marian_old", "opennmt_tf_version_1", "opennmt_tf_version_2":
        assert (FOLDERS / name).is_dir()
        translator = ctranslate2.Translator(str(FOLDERS / name))
        (result,) = translator.translate_batch([translator._folder.source.tokens[5:9]])
        assert result.hypotheses[0]


def test_iterables_and_batches_are_alike(translator):
    sources = [["t10"] * count + ["t0"] for count in range(1, 20)]
    alone = [translator.translate_batch([source])[0] for source in sources]
    assert translator.translate_batch(sources) == alone
    assert list(translator.translate_iterable(iter(sources), max_batch_size=2)) == alone
    two = ctranslate2.Translator(str(MARIAN), compute_type="float32", inter_threads=2)
    results = two.translate_batch(sources, max_batch_size=4, asynchronous=True)
    assert [result.result() for result in results] == alone
    assert two.translate_batch(sources, max_batch_size=8, batch_type="tokens") == alone


def test_unknown_tokens_are_replaced_by_what_they_attend_to(translator):
    options = {"target_prefix": [["t3", "t40"]], "max_decoding_length": 4}
    (plain,) = translator.translate_batch(SOURCE[:1], return_attention=True, **options)
    (replaced,) = translator.translate_batch(SOURCE[:1], replace_unknowns=True, **options)
    row = plain.attention[0][0]
    assert plain.hypotheses[0][0] == "t3"
    assert replaced.hypotheses[0][0] == SOURCE[0][row.index(max(row))]
    assert replaced.hypotheses[0][1:] == plain.hypotheses[0][1:]


def test_a_callback_ends_a_translation(translator):
    steps = []

    def callback(step):
        steps.append(step)
        return step.step == 1

    for scores in False, True:
        steps.clear()
        (result,) = translator.translate_batch(
            SOURCE[:1], beam_size=1, callback=callback, return_scores=scores, min_decoding_length=5
        )
        assert [step.token for step in steps] == result.hypotheses[0]
        assert len(steps) == 2
        assert (steps[0].log_prob is None) == (not scores)

    def fails(step):
        raise KeyError(step.token)

    with pytest.raises(KeyError):
        translator.translate_batch(SOURCE, beam_size=1, callback=fails)


def test_sampling_draws_as_often_as_asked(translator):
    options = {"beam_size": 1, "sampling_topk": 0, "num_hypotheses": 6, "return_scores": True}
    ctranslate2.set_random_seed(3)
    first = translator.translate_batch(SOURCE, **options)
    other = translator.translate_batch(SOURCE, **options)
    ctranslate2.set_random_seed(3)
    assert translator.translate_batch(SOURCE, **options) == first != other
    assert len({tuple(tokens) for tokens in first[0].hypotheses}) > 1
    assert first[0].scores == sorted(first[0].scores, reverse=True)


REFUSED = [
    ({"patience": 2}, "patience"),
    ({"coverage_penalty": 0.5}, "coverage_penalty"),
    ({"prefix_bias_beta": 0.5}, "prefix_bias_beta"),
    ({"return_logits_vocab": True}, "return_logits_vocab"),
    ({"sampling_topk": 5}, "add beam_size=1"),
    ({"beam_size": 1, "sampling_topk": 5, "return_alternatives": True}, "return_alternatives"),
    ({"end_token": "t7"}, "end_token"),
    ({"suppress_sequences": [["none"]]}, "not in the vocabulary"),
    ({"num_hypotheses": 3}, "beam_size"),
    ({"beam_size": 0}, "beam size"),
    ({"beam_size": 17}, "16"),
    ({"batch_type": "lines"}, "lines"),
    ({"target_prefix": [["t5"]]}, "same length"),
]


@pytest.mark.parametrize("options, words", REFUSED, ids=lambda value: str(value)[:40])
def test_what_is_not_taken_is_refused(translator, options, words):
    with pytest.raises(ValueError, match=words):
        translator.translate_batch(SOURCE, **options)
    assert translator.translate_batch(SOURCE)  # It goes on.


def test_arguments_are_refused(cache, tmp_path):
    for arguments, error, words in [
        ({"device": "cuda"}, ValueError, "CPU"),
        ({"compute_type": "float16"}, ValueError, "float16"),
        ({"flash_attention": True}, ValueError, "GPU"),
        ({"inter_threads": 0}, ValueError, "inter_threads"),
        ({"files": ["model.bin"]}, TypeError, "dictionary"),
    ]:
        with pytest.raises(error, match=words):
            ctranslate2.Translator(str(MARIAN), **arguments)
    (tmp_path / "model.bin").write_bytes(b"\6\0\0\0\7\0Trans")
    with pytest.raises(RuntimeError, match="truncated"):
        ctranslate2.Translator(str(tmp_path))
    with pytest.raises(AttributeError, match="StorageView"):
        ctranslate2.StorageView  # noqa: B018


def test_tokens_are_lists(translator):
    with pytest.raises(TypeError, match="list of tokens"):
        translator.translate_batch(["t10 t11"])
    for tokens in [4, 5], ["t10", None]:
        with pytest.raises(TypeError, match="Tokens are strings"):
            translator.translate_batch([tokens])


def test_a_file_is_not_its_own_translation(translator, tmp_path):
    path = tmp_path / "source.txt"
    path.write_text("t10 t11\n")
    with pytest.raises(ValueError, match="another output_path"):
        translator.translate_file(str(path), str(path))
    with pytest.raises(ValueError, match="another output_path"):
        translator.score_file(str(path), str(path), str(path))
    assert path.read_text() == "t10 t11\n"


def test_long_sources_are_cut_or_refused(translator):
    source = ["t10"] * 2000 + ["t0"]
    cut = translator.translate_batch([source], max_input_length=20)
    assert cut == translator.translate_batch([["t10"] * 19 + ["t0"]])
    with pytest.raises(ValueError, match="2001 tokens, but the model takes 64"):
        translator.translate_batch([source], max_input_length=0)
    with pytest.raises(ValueError, match="Target 0 has 41 tokens, but the model scores 31"):
        translator.score_batch([["t10"]], [["t10"] * 40])
    endless = ctranslate2.Translator(str(FOLDERS / "opennmt_tf"))  # Sinusoids.
    assert endless.translate_batch([endless._folder.source.tokens[4:8] * 400])[0].hypotheses


def test_programs_use_it_by_one_variable():
    folder = subprocess.run(
        [sys.executable, "-m", "latimer.ctranslate2"], stdout=subprocess.PIPE, check=True, text=True
    ).stdout.strip()
    path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
    said = subprocess.run(
        [sys.executable, "-c", "import ctranslate2; print(ctranslate2.Translator.__module__)"],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout
    assert said.strip() == "latimer.ctranslate2._translator"
