"""ONNX Runtime, on the int8 graphs of export_onnx.py, with a greedy loop that copies no cache."""

import json
import shutil
from pathlib import Path

import export_names


def import_all() -> None:
    import onnxruntime  # noqa: F401


def convert(hf: Path, out: Path, weights: str) -> None:
    import export_onnx

    export_onnx.export(hf, out)
    shutil.copy(hf / "config.json", out)


class Engine:
    def __init__(self, model: Path, weights: str, threads: int):
        import numpy
        import onnxruntime

        self.numpy, self.ort = numpy, onnxruntime
        self.version = f"ONNX Runtime {onnxruntime.__version__}"
        config = json.loads((model / "config.json").read_text())
        self.eos, self.pad = config["eos_token_id"], config["pad_token_id"]
        self.start = config["decoder_start_token_id"]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        self.encoder, self.decoder = (
            onnxruntime.InferenceSession(model / f"{name}.onnx", options,
                                         providers=["CPUExecutionProvider"])
            for name in ("encoder", "decoder"))
        past = [i for i in self.decoder.get_inputs() if i.name.startswith("past_")]
        self.layers, self.heads, self.width = len(past) // 2, past[0].shape[1], past[0].shape[3]

    def value(self, array):
        return self.ort.OrtValue.ortvalue_from_numpy(array)

    def prepare(self, sources):
        numpy, longest = self.numpy, max(map(len, sources))
        ids = numpy.array([s + [self.pad] * (longest - len(s)) for s in sources], numpy.int64)
        mask = numpy.zeros(ids.shape, numpy.float32)
        for row, source in zip(mask, sources):
            row[len(source) :] = -1e9
        return ids, mask

    def translate(self, batch, least, most):
        numpy = self.numpy
        ids, mask = batch
        count, never = len(ids), numpy.float32(-numpy.inf)
        mask = self.value(mask)
        feeds = dict(zip(export_names.cache_names(self.layers), self.encoder.run_with_ort_values(
            None, {"ids": self.value(ids), "mask": mask})))
        feeds["mask"] = mask
        empty = numpy.zeros((count, self.heads, 0, self.width), numpy.float32)
        past_names = export_names.cache_names(self.layers, "past_")
        feeds |= {name: self.value(empty) for name in past_names}
        token = numpy.full((count, 1), self.start, numpy.int64)
        done = numpy.zeros(count, bool)
        tokens = []
        while len(tokens) < most and not done.all():
            feeds["token"] = self.value(token)
            logits, *present = self.decoder.run_with_ort_values(None, feeds)
            feeds |= zip(past_names, present)
            scores = logits.numpy()
            scores[:, self.pad] = never
            if len(tokens) < least:
                scores[:, self.eos] = never
            token = scores.argmax(1)[:, None]
            done |= token[:, 0] == self.eos
            tokens.append(token[:, 0])
        return numpy.stack(tokens, 1)

    def ids(self, result):
        outputs = []
        for row in result.tolist():
            outputs.append(row[: row.index(self.eos) + 1] if self.eos in row else row)
        return outputs
