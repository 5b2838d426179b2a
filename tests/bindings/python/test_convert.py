"""latimer.convert and python -m latimer."""

import re
import subprocess
import sys

import pytest
from conftest import DEMO, TEXTS, command

import latimer


def test_a_conversion_is_the_programs(tmp_path, model):
    steps = []
    result = latimer.convert(
        str(DEMO), tmp_path / "new.ltm",
        on_progress=lambda step, percent: steps.append((step, percent)),
    )
    assert result["weights"] == "int8"
    command("convert", DEMO, "-o", tmp_path / "program.ltm", "--quiet")
    written = (tmp_path / "new.ltm").read_bytes()
    assert written == (tmp_path / "program.ltm").read_bytes()
    percents = [percent for step, percent in steps if step == "packing weights"]
    assert percents == sorted(percents) and percents[-1] == 100


def test_a_conversion_leaves_nothing_open(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c",
         "import latimer, sys; latimer.convert(*sys.argv[1:])",
         DEMO, tmp_path / "new.ltm"],
        capture_output=True, text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_options_are_the_programs(tmp_path):
    result = latimer.convert(
        DEMO, tmp_path / "f32.ltm", weights="f32", no_tokenizer=True
    )
    assert result["weights"] == "f32"
    translator = latimer.Translator(tmp_path / "f32.ltm")
    assert not translator.info.has_tokenizer
    with pytest.raises(latimer.LatimerError, match="tokenizer"):
        translator.translate("Hello.")


def test_errors_are_one_sentence(tmp_path):
    with pytest.raises(latimer.ConversionError) as error:
        latimer.convert(tmp_path / "none", tmp_path / "x.ltm")
    message = str(error.value)
    assert message.endswith("there is no such file or folder.")
    for kind in latimer.ConversionError, ValueError:
        with pytest.raises(kind, match="weights"):
            latimer.convert(DEMO, tmp_path / "x.ltm", weights="int3")
    with pytest.raises(TypeError, match="'nonsense' is no option"):
        latimer.convert(DEMO, tmp_path / "x.ltm", nonsense=1)


def test_options_have_types():
    text = command("convert", "--help")
    names = {
        name.replace("-", "_")
        for name in re.findall(r"^ +(?:-\w,)?--([\w-]+)", text, re.MULTILINE)
    }
    names -= {"help", "version", "output", "print_map"}
    names -= {"json", "bill", "verbose", "quiet", "progress"}
    assert names == set(latimer.ConvertOptions.__annotations__)


def test_a_callback_that_raises_ends_the_conversion(tmp_path):
    def stop(step, percent):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        latimer.convert(DEMO, tmp_path / "x.ltm", on_progress=stop)
    assert not list(tmp_path.iterdir())
    link = tmp_path / "link.ltm"
    link.symlink_to(tmp_path / "linked.ltm")
    with pytest.raises(KeyError, match="mine"):
        latimer.convert(DEMO, link, on_progress=stop)
    assert list(tmp_path.iterdir()) == [link]


def test_the_module_is_the_program(model):
    assert command("--version").strip().endswith(latimer.__version__)
    assert command("--help").count("  get  ") == 1
    assert command("translate", model, text="Good morning.\n") == (
        TEXTS["Good morning."] + "\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "latimer", "translate", "/none.ltm"],
        stdin=subprocess.DEVNULL, capture_output=True,
    )
    assert result.returncode != 0 and b"/none.ltm" in result.stderr
