"""Models by name: the real huggingface_hub, and a server of ours."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import DEMO, ROOT, TEXTS, command

import latimer
from hub_server import COMMIT, HubServer, Repo

pytest.importorskip(
    "huggingface_hub", reason="huggingface_hub is missing: pip install huggingface_hub."
)

DATA = ROOT / "tests" / "data"
TINY = DATA / "tiny_marian" / "prenorm"  # Converts at once, as it has no tokenizer.
SCRIPT = """
import json, os, sys
import latimer
name, options = sys.argv[1], json.loads(sys.argv[2])
try:
    translator = latimer.Translator.from_pretrained(name, **options)
except (latimer.LatimerError, ValueError) as error:
    print(json.dumps({"error": type(error).__name__, "said": str(error)}))
else:
    text = translator.info.has_tokenizer and translator.translate("Good morning.").text
    print(json.dumps({
        "text": text, "path": translator.info.path, "version": translator.info.model_version,
        "hub": "huggingface_hub" in sys.modules,
    }))
"""


@pytest.fixture(scope="module")
def server():
    with HubServer() as hub:
        yield hub
        hub.shutdown()


@pytest.fixture
def start(server, tmp_path):
    """Begins Translator.from_pretrained in a process of its own."""
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("HF_")},
        "HF_ENDPOINT": server.url,
        "HF_HOME": str(tmp_path / "hf"),
        "LATIMER_CACHE": str(tmp_path / "cache"),
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }

    def run(name, before="", env={}, **options):
        return subprocess.Popen(
            [sys.executable, "-c", before + SCRIPT, name, json.dumps(options)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**environment, **env},
        )

    return run


@pytest.fixture
def opened(start):
    """What a process prints that opens a model."""

    def run(name, *arguments, **options):
        process = start(name, *arguments, **options)
        answer, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        return {**json.loads(answer), "stderr": errors}

    return run


def failed(answer, kind="DownloadError"):
    """The one sentence of a failure."""
    assert answer["error"] == kind
    said = answer["said"]
    assert "\n" not in said and said.endswith(".") and len(said) < 400
    return said


def test_a_name_is_fetched_and_converted_once(server, opened, tmp_path):
    repo = server.repos["me/demo"] = Repo.of(DEMO)
    repo.files |= {"tf_model.h5": b"no", "onnx/config.json": b"no", "pytorch_model.bin": b"no"}
    first = opened("me/demo")
    assert first["text"] == TEXTS["Good morning."]
    assert first["version"] == f"me/demo@{COMMIT[:12]}"
    said = first["stderr"].splitlines()
    assert "me/demo: licence: " in said[-1]
    names = {name for name, _ in repo.fetched}
    assert names == {
        "config.json", "generation_config.json", "tokenizer_config.json", "vocab.json",
        "source.spm", "target.spm", "model.safetensors", "README.md", "LICENSE.md",
    }
    # Neither the network nor huggingface_hub is needed any more.
    shutil.rmtree(tmp_path / "hf")
    again = opened("me/demo", env={"HF_ENDPOINT": "http://127.0.0.1:9"})
    assert (again["path"], again["hub"], again["stderr"]) == (first["path"], False, "")
    # Nor for the commit, of which the branch is another name.
    assert opened("me/demo", revision=COMMIT)["path"] == first["path"]
    assert opened("me/demo", revision="main")["path"] == first["path"]


def test_what_is_fetched_makes_the_file_that_the_folder_makes(server, opened, tmp_path):
    """For each family: nothing that the converter reads is left behind."""
    folders = {
        "marian": DEMO,
        "bart_bin": DATA / "tiny_families" / "bart_bin",
        "ctranslate2": tmp_path / "ctranslate2",
        "native": DATA / "tiny_native" / "student_shortlist",
    }
    shutil.copytree(DATA / "marian_tokenizer" / "added_tokens", folders["ctranslate2"])
    shutil.copytree(
        DATA / "ctranslate2" / "text_marian", folders["ctranslate2"], dirs_exist_ok=True
    )
    for name, folder in folders.items():
        server.repos[f"all/{name}"] = Repo.of(folder)
        options = {"no_tokenizer": name in ("bart_bin", "native"), "model_version": "1"}
        answer = opened(f"all/{name}", **options)
        latimer.convert(folder, tmp_path / "whole.ltm", **options)
        whole, fetched = (
            json.loads(command("inspect", path, "--json"))
            for path in (tmp_path / "whole.ltm", answer["path"])
        )
        for same in "weight_bytes_per_token", "license", "architecture", "tokenizer", "generation":
            assert whole[same] == fetched[same], (name, same)
        assert whole["flash"].get("shortlist") == fetched["flash"].get("shortlist"), name


def test_shards_are_fetched(server, opened):
    import struct

    repo = server.repos["me/shards"] = Repo.of(TINY)
    data = repo.files.pop("model.safetensors")
    (length,) = struct.unpack("<Q", data[:8])
    tensors = json.loads(data[8 : 8 + length])
    tensors.pop("__metadata__", None)
    names = sorted(tensors)
    weight_map = {}
    for number, part in enumerate((names[::2], names[1::2])):
        header, body = {}, b""
        for name in part:
            begin, end = tensors[name]["data_offsets"]
            header[name] = {**tensors[name], "data_offsets": [len(body), len(body) + end - begin]}
            body += data[8 + length + begin : 8 + length + end]
            weight_map[name] = f"part-{number}.safetensors"
        text = json.dumps(header).encode()
        repo.files[f"part-{number}.safetensors"] = struct.pack("<Q", len(text)) + text + body
    repo.files["model.safetensors.index.json"] = json.dumps({"weight_map": weight_map}).encode()
    assert "path" in opened("me/shards", no_tokenizer=True)


def test_a_connection_that_is_cut_is_resumed(server, opened):
    repo = server.repos["me/cut"] = Repo.of(DEMO, cut=1)
    answer = opened("me/cut")
    if "error" in answer:  # Older releases leave it to the next call.
        assert "could not be fetched" in failed(answer)
        answer = opened("me/cut")
    assert answer["text"] == TEXTS["Good morning."]
    begins = [begin for name, begin in repo.fetched if name == "model.safetensors"]
    assert begins[0] == 0 and begins[-1] > 0


def test_a_download_that_is_killed_is_resumed(server, start, opened, tmp_path):
    repo = server.repos["me/kill"] = Repo.of(DEMO, stall=True)
    process = start("me/kill")
    server.stalled.acquire(timeout=300)
    process.kill()
    process.communicate()
    repo.stall = False
    assert opened("me/kill")["text"] == TEXTS["Good morning."]


def test_a_size_that_is_wrong_is_found(server, opened):
    repo = server.repos["me/size"] = Repo.of(TINY, announced=20_000_000)
    assert "another size" in failed(opened("me/size"))
    repo.announced = None
    assert opened("me/size", no_tokenizer=True)["path"]


def test_two_processes_fetch_once(server, start):
    repo = server.repos["me/two"] = Repo.of(TINY)
    both = [start("me/two", no_tokenizer=True) for _ in range(2)]
    answers = [json.loads(process.communicate(timeout=300)[0]) for process in both]
    assert answers[0]["path"] == answers[1]["path"]
    assert [name for name, _ in repo.fetched].count("model.safetensors") == 1


def test_without_room_there_is_one_sentence(server, opened):
    server.repos["me/room"] = Repo.of(TINY)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))\n"
    said = failed(opened("me/room", limit.format(40_000)))
    assert "cannot be kept" in said and "HF_HOME" in said
    assert opened("me/room", no_tokenizer=True)["path"]


def test_the_network_may_be_off(server, opened):
    server.repos["me/off"] = Repo.of(TINY)
    off = {"HF_HUB_OFFLINE": "1"}
    down = {"HF_ENDPOINT": "http://127.0.0.1:9"}
    assert "HF_HUB_OFFLINE" in failed(opened("me/off", env=off))
    assert "check the network" in failed(opened("me/off", env=down))
    assert opened("me/off", no_tokenizer=True)["path"]
    # What huggingface_hub has is converted with other options, too.
    assert opened("me/off", env=off, weights="f32", no_tokenizer=True)["path"]
    assert opened("me/off", env=down, weights="f16", no_tokenizer=True)["path"]


def test_what_is_no_encoder_decoder_is_refused_before_its_weights(server, opened):
    config = json.dumps({"model_type": "gpt2", "n_embd": 768, "n_layer": 12}).encode()
    repo = server.repos["me/gpt2"] = Repo({"config.json": config, "model.safetensors": bytes(99)})
    said = failed(opened("me/gpt2"), "ConversionError")
    assert said.startswith('me/gpt2: config.json: model_type is "gpt2"; it has no encoder')
    assert [name for name, _ in repo.fetched] == ["config.json"]


def test_names_and_rights_that_are_wrong_are_said(server, opened):
    server.repos["me/gated"] = gated = Repo.of(TINY, gated=True)
    assert "gated: accept its terms" in failed(opened("me/gated"))
    assert opened("me/gated", env={"HF_TOKEN": "hf_right"}, no_tokenizer=True)["path"]
    assert gated.fetched
    assert "no such model" in failed(opened("me/none"))
    assert "me/gated has no revision v9" in failed(opened("me/gated", revision="v9"))
    assert "OWNER/NAME" in failed(opened("no name!"))
    server.repos["me/down"] = Repo({}, status=503)
    assert "HTTP status 503" in failed(opened("me/down"))
    server.repos["me/empty"] = Repo({"README.md": b"Hello."})
    assert "config.json" in failed(opened("me/empty"), "ConversionError")
