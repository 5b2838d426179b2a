"""The structs of ctypes lie in memory as those of the C compiler do."""

import ctypes
import re
import shutil
import subprocess

import pytest
from conftest import ROOT

from latimer import _c, _options

STRUCTS = {
    "latimer_load_options": _c.LoadOptions,
    "latimer_term": _c.Term,
    "latimer_text_range": _c.TextRange,
    "latimer_options": _c.Options,
    "latimer_token_score": _c.TokenScore,
    "latimer_translation": _c.Translation,
    "latimer_token_link": _c.TokenLink,
    "latimer_word_score": _c.WordScore,
    "latimer_streamed_text": _c.StreamedText,
    "latimer_model_info": _c.ModelInfo,
    "latimer_speech_options": _c.SpeechOptions,
    "latimer_word": _c.Word,
    "latimer_segment": _c.Segment,
}
INCLUDE = ROOT / "runtime" / "include"


def members(struct):
    return [name for name, *_ in struct._fields_]


def test_options_have_types_for_all_names():
    assert _options._NAMED <= _options.TranslateOptions.__annotations__.keys()


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_structs_have_the_members_of_the_header(tmp_path):
    lines = []
    for name, struct in STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for member in members(struct):
            lines.append(
                f'printf("{name}.{member} %zu %zu\\n", offsetof({name}, '
                f"{member}), sizeof((({name}*)0)->{member}));"
            )
    source = tmp_path / "offsets.c"
    source.write_text(
        "#include <stdio.h>\n#include <latimer/latimer.h>\n"
        "int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n"
    )
    program = tmp_path / "offsets"
    subprocess.run(
        ["cc", f"-I{INCLUDE}", str(source), "-o", str(program)], check=True
    )
    out = subprocess.run([str(program)], stdout=subprocess.PIPE, check=True)
    expected = []
    for name, struct in STRUCTS.items():
        expected.append(f"{name} {ctypes.sizeof(struct)}")
        for member in members(struct):
            at = getattr(struct, member)
            expected.append(f"{name}.{member} {at.offset} {at.size}")
    assert out.stdout.decode().splitlines() == expected


def header():
    return (INCLUDE / "latimer" / "latimer.h").read_text()


def enum(name):
    body = re.search(r"typedef enum %s \{(.*?)\}" % name, header(), re.S)
    text = re.sub(r"/\*.*?\*/", "", body[1], flags=re.S)
    return re.findall(r"LATIMER_(\w+)", text)


def test_enums_have_the_values_of_the_header():
    assert tuple(enum("latimer_code")) == _c.CODES
    reasons = tuple(name.lower() for name in enum("latimer_stop_reason"))
    assert reasons == _c.STOP_REASONS
    assert f"define LATIMER_MESSAGE_BYTES {_c.MESSAGE_BYTES}" in header()
    assert f"define LATIMER_PIECE_BYTES {_c.PIECE_BYTES}" in header()


def test_functions_have_the_arguments_of_the_header():
    text = re.sub(r"/\*.*?\*/", "", header(), flags=re.S)
    for name, (_, *arguments) in _c._FUNCTIONS.items():
        if name == "version":  # Of version.h.
            continue
        found = re.search(r"\blatimer_%s\(([^;]*)\);" % name, text)
        assert found is not None, name
        parameters = [p for p in found[1].split(",") if p.strip() != "void"]
        assert len(parameters) == len(arguments), name
