"""latimer.check: the original's own code beside a model."""

import pytest

import latimer

LINES = ["How are you today?", "See you tomorrow.", "The house is big."]


@pytest.fixture(scope="module")
def f32(f32_model):
    return latimer.Translator(f32_model)


@pytest.fixture(scope="module")
def original(f32):
    """What a user's own function returns; here the model itself is the original."""

    def answer(line):
        own = f32.translate(line, scores=True)
        return {
            "source": own.source_tokens,
            "target": own.tokens,
            "scores": [score.log_probability for score in own.scores],
            "text": own.text,
        }

    return answer


def test_a_model_that_does_the_same_has_no_difference(f32, f32_model, original):
    for model in (f32, f32_model):
        result = latimer.check(model, original, LINES)
        assert result == latimer.Check(3, 3, None)
        assert result.ok and str(result) == "3 of 3 lines equal."


def test_a_function_may_return_a_text_or_ids_without_their_end(f32):
    assert latimer.check(f32, lambda line: f32.translate(line).text, LINES).ok
    assert latimer.check(f32, lambda line: f32.translate(line).tokens[:-1], LINES).ok
    assert latimer.check(f32, lambda line: {"target": f32.translate(line).tokens}, LINES).ok


@pytest.mark.parametrize(
    "changed, where",
    [
        (lambda a: {"source": (5, *a["source"])}, "source: id 1 differs"),
        (lambda a: {"target": (*a["target"][:2], 5)}, "target: id 3 differs"),
        (lambda a: {"scores": [a["scores"][0], a["scores"][1] - 0.1]}, "scores: that of target id 2 differs"),
        (lambda a: {"text": a["text"][:-1]}, "text: character "),
    ],
)
def test_the_first_difference_is_shown(f32, original, changed, where):
    def answer(line):
        own = original(line)
        return own if line == LINES[0] else own | changed(own)

    result = latimer.check(f32, answer, LINES)
    assert (result.lines, result.equal) == (3, 1) and not result.ok
    assert f"line 2: {LINES[1]}" in str(result) and where in str(result)


def test_what_is_no_answer_is_refused(f32):
    for answer in ({}, {"logits": []}):
        with pytest.raises(ValueError, match="source, target, scores or text"):
            latimer.check(f32, lambda line: answer, LINES)
