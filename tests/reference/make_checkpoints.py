"""Writes the checkpoints of tests/data/checkpoints with torch.save and save_pretrained.

    python tests/reference/make_checkpoints.py --out tests/data/checkpoints

expected.json has what torch.load gives for every file: name, shape and values of each tensor that the
converter should read, as float32, or the type of those that it should not.
"""

import argparse
import collections
import json
import pathlib
import shutil
import zipfile
from pathlib import Path

import numpy
import torch
from transformers import MarianMTModel


def kinds() -> dict:
    """One tensor of each kind that a state_dict may hold."""
    torch.manual_seed(1)
    base = torch.randn(4, 3)
    return collections.OrderedDict(
        f32=torch.randn(2, 3),
        f16=torch.randn(3).half(),
        bf16=torch.randn(2, 2).bfloat16(),
        f64=torch.randn(2, dtype=torch.float64),
        parameter=torch.nn.Parameter(torch.randn(2)),
        scalar=torch.tensor(1.5),
        empty=torch.zeros(0, 4),
        tied_a=base,
        tied_b=base,
        rows=base[1:3],
        ones=base[:, :1][2:3].expand(1, 1),
        transposed=base.t(),
        expanded=base[:1].expand(5, 3),
        columns=base[:, 1:],
        steps=torch.tensor(7),
        mask=torch.tensor([True, False]),
    )


def training_state() -> dict:
    """What a training script saves: the model and much that is no model."""
    torch.manual_seed(2)
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.randn(4, 3)).sum().backward()
    optimizer.step()
    return {
        "epoch": 3, "loss": 0.25, "done": True, "none": None, "big": 1 << 80, "negative": -5,
        "model_state_dict": {f"module.{k}": v for k, v in model.state_dict().items()},
        "optimizer_state_dict": optimizer.state_dict(),
        "args": argparse.Namespace(lr=1e-3, layers=[1, 2]),
        "history": collections.defaultdict(list, train=[0.5, 0.25]),
        "set": {1, 2}, "frozen": frozenset("a"), "bytes": b"\x00\xff", "complex": 1j,
        "size": torch.Size([2, 3]), "device": torch.device("cpu"), "dtype": torch.float16,
        "path": pathlib.PosixPath("runs/1"),
        "scalar": numpy.float64(0.5), "array": numpy.arange(3), "counter": collections.Counter("aab"),
        "rng": torch.get_rng_state()[:8].clone(),
    }


def small_kinds() -> dict:
    """State_dicts of models that were made smaller."""
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(4, 2))
    quantized = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    weight = model[0].weight.detach()
    return {
        "float8": {"weight": weight.to(torch.float8_e4m3fn), "bias": torch.ones(2)},
        "quantized_layer": quantized.state_dict(),
        "quantized_tensor": {"weight": torch.quantize_per_tensor(weight, 0.1, 0, torch.qint8)},
        "sparse": {"weight": weight.to_sparse()},
    }


def toolkits() -> dict:
    """What fairseq and OpenNMT-py save, by the keys of their trainers."""
    model = {"decoder.weight": torch.ones(2)}
    return {
        "fairseq": {"args": None, "cfg": {"model": {"arch": "transformer"}}, "model": model,
                    "criterion": None, "optimizer_history": [{"num_updates": 4}],
                    "task_state": {}, "extra_state": {"epoch": 1}, "last_optimizer_state": {}},
        "opennmt_py": {"model": model, "generator": {"weight": torch.ones(2)},
                       "vocab": {"src": ["a"]}, "opt": argparse.Namespace(layers=6), "optim": {}},
    }


def flat(state: dict, prefix: str = ""):
    for name, value in state.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        elif isinstance(value, torch.Tensor):
            yield prefix + name, value


def described(state: dict) -> dict:
    tensors = {}
    for name, tensor in flat(state):
        if not tensor.is_floating_point():
            tensors[name] = {"unreadable": f"has type {str(tensor.dtype).removeprefix('torch.')}"}
        elif not tensor.is_contiguous():
            tensors[name] = {"unreadable": ".contiguous()"}
        else:
            values = tensor.detach().float().flatten().tolist()
            tensors[name] = {"shape": list(tensor.shape), "values": values}
    return tensors


def repack(source: Path, target: Path, compression: int, changes: dict[str, bytes]) -> None:
    """Writes the same archive another way."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", compression) as new:
        for name in old.namelist():
            new.writestr(name, changes.get(name.split("/", 1)[1], old.read(name)))


def write_files(out: Path) -> None:
    expected = {}

    def save(name: str, value, state: dict | None, **options) -> None:
        torch.save(value, out / name, **options)
        if state is not None:
            torch.load(out / name, weights_only=False)
            expected[name] = described(state)

    save("kinds.pt", kinds(), kinds())
    save("protocol_4.pt", kinds(), kinds(), pickle_protocol=4)
    save("protocol_5.pt", kinds(), kinds(), pickle_protocol=5)
    training = training_state()
    for name, protocol in (("training.pt", 2), ("training_4.pt", 4)):
        save(name, training, training["model_state_dict"], pickle_protocol=protocol)
    parts = {"encoder": {"weight": torch.ones(2)}, "decoder": {"weight": torch.zeros(1)}, "step": 4}
    save("parts.pt", parts, parts)
    one = {"weight": torch.tensor([1.0, -2.0])}
    for key in ("model", "state_dict"):
        save(f"{key}.pt", {key: one, "optimizer": {"state": {}}}, one)
    torch.serialization.set_crc32_options(False)
    save("no_checksums.pt", one, one)
    torch.serialization.set_crc32_options(True)
    repack(out / "model.pt", out / "deflated.pt", zipfile.ZIP_DEFLATED, {})
    expected["deflated.pt"] = expected["model.pt"]
    repack(out / "model.pt", out / "big_endian.pt", zipfile.ZIP_STORED, {"byteorder": b"big"})
    with zipfile.ZipFile(out / "deflated.pt") as archive:
        assert archive.infolist()[0].compress_type == zipfile.ZIP_DEFLATED
    save("old.pt", one, None, _use_new_zipfile_serialization=False)
    save("module.pt", torch.nn.Linear(1, 1), None)
    for name, state in (small_kinds() | toolkits()).items():
        save(f"{name}.pt", state, None)
    lstm = torch.nn.LSTM(2, 3)
    rnn = {f"encoder.rnn.{k}": v for k, v in lstm.state_dict().items()}
    save("lstm.pt", rnn, None)
    save("opennmt_py_rnn.pt", toolkits()["opennmt_py"] | {"model": rnn}, None)
    program = torch.export.export(torch.nn.Linear(3, 2), (torch.zeros(1, 3),))
    torch.export.save(program, out / "program.pt2")
    (out / "expected.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n")


def write_models(out: Path, tiny: Path) -> None:
    """The same model whole and in shards, in both formats."""
    source = tiny / "float16"
    for name in ("bin", "shards", "bin_shards"):
        shutil.rmtree(out / name, ignore_errors=True)
        (out / name).mkdir()
        for config in ("config.json", "generation_config.json"):
            shutil.copy(source / config, out / name)
    model = MarianMTModel.from_pretrained(source, dtype="auto")
    scratch = out / "scratch"
    model.save_pretrained(scratch, max_shard_size="14KB")
    for file in scratch.glob("model*"):
        (out / "shards" / file.name).write_bytes(file.read_bytes())
    shutil.rmtree(scratch)
    # As transformers 4 did, with tied copies that share a storage; but without the position tables,
    # which float16 would round.
    state = {k: v for k, v in model.state_dict().items() if "embed_positions" not in k}
    torch.save(state, out / "bin" / "pytorch_model.bin")
    names = list(state)
    weight_map = {}
    for index, part in enumerate((names[: len(names) // 2], names[len(names) // 2 :]), 1):
        shard = f"pytorch_model-{index:05}-of-00002.bin"
        torch.save({name: state[name] for name in part}, out / "bin_shards" / shard)
        weight_map |= dict.fromkeys(part, shard)
    index = {"metadata": {}, "weight_map": weight_map}
    (out / "bin_shards" / "pytorch_model.bin.index.json").write_text(json.dumps(index) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("tests/data/checkpoints"))
    parser.add_argument("--tiny", type=Path, default=Path("tests/data/tiny_marian"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_files(arguments.out)
    write_models(arguments.out, arguments.tiny)


if __name__ == "__main__":
    main()
