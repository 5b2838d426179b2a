"""The package beside transformers, where that is installed."""

import pytest
from conftest import DEMO

import latimer

transformers = pytest.importorskip("transformers")
torch = pytest.importorskip("torch")


def test_f32_gives_the_ids_and_texts_of_transformers(f32_model, lines):
    tokenizer = transformers.AutoTokenizer.from_pretrained(DEMO)
    original = transformers.AutoModelForSeq2SeqLM.from_pretrained(DEMO).float()
    translator = latimer.Translator(f32_model)
    for beams in 1, 4:
        translations = translator.translate(lines[:20], beams=beams)
        for line, translation in zip(lines, translations):
            encoded = tokenizer(line, return_tensors="pt")
            assert tuple(encoded.input_ids[0].tolist()) == (
                translation.source_tokens
            )
            with torch.no_grad():
                ids = original.generate(**encoded, num_beams=beams)[0, 1:]
            assert translation.tokens == tuple(ids.tolist())
            assert translation.text == tokenizer.decode(
                ids, skip_special_tokens=True
            )
