"""What the tests of the Python package share."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import latimer

ROOT = pathlib.Path(__file__).parents[3]
DEMO = ROOT / "examples" / "en-de"
# The demo model's translations, by their sources: of examples/en-de/training/renew.sh.
TEXTS = dict(
    line.split("\t")
    for line in (ROOT / "tests" / "data" / "demo_texts.tsv").read_text("utf-8").splitlines()
    if line.count("\t") == 1
)


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """The demo model in int8: LATIMER_MODEL, or converted here."""
    path = os.environ.get("LATIMER_MODEL")
    if path is None:
        path = str(tmp_path_factory.mktemp("model") / "en-de.ltm")
        latimer.convert(DEMO, path)
    return path


@pytest.fixture(scope="session")
def short_model(tmp_path_factory):
    """A small model, for which a text of more than 48 tokens has parts."""
    path = str(tmp_path_factory.mktemp("model") / "short.ltm")
    latimer.convert(
        ROOT / "examples" / "en-de-tiny", path, max_source_tokens=48,
        max_target_tokens=48,
    )
    return path


@pytest.fixture(scope="session")
def f32_model(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("model") / "f32.ltm")
    latimer.convert(DEMO, path, weights="f32")
    return path


@pytest.fixture(scope="session")
def translator(model):
    return latimer.Translator(model)


@pytest.fixture(scope="session")
def source_model(tmp_path_factory):
    """The demo model, which lacks the tokenizer of its target."""
    path = str(tmp_path_factory.mktemp("model") / "source.ltm")
    latimer.convert(DEMO, path, no_target_tokenizer=True)
    return path


@pytest.fixture(scope="session")
def lines():
    text = (DEMO / "data" / "test.en").read_text(encoding="utf-8")
    return text.splitlines()[:200]


@pytest.fixture(scope="session")
def fixture():
    text = (DEMO / "fixture.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def command(*arguments, text=""):
    """What the program writes to standard output."""
    result = subprocess.run(
        [sys.executable, "-m", "latimer", *map(str, arguments)],
        input=text.encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return result.stdout.decode()
