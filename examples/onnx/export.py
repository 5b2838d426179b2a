"""Writes the weights of an encoder-decoder's ONNX files as .npz for `latimer-convert --map`: docs/onnx.md.

    python export.py weights.npz model.onnx            # or encoder.onnx decoder.onnx
"""

import re
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

# In PyTorch's order: of ONNX's gates z r h, and of i o f c.
GATES = {"GRU": (1, 0, 2), "LSTM": (0, 2, 3, 1)}
ACTIVATIONS = {"GRU": ["sigmoid", "tanh"], "LSTM": ["sigmoid", "tanh", "tanh"]}


class Graph:
    def __init__(self, path):
        graph = onnx.load(path).graph
        self.nodes, self.found = graph.node, {}
        self.made = {output: node for node in graph.node for output in node.output}
        self.arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def value(self, name):
        """A constant, multiplied out if it is quantized; None for what the graph computes from its inputs."""
        if name in self.arrays:
            base = name.removesuffix("_quantized")
            if base != name:  # As onnxruntime's quantize_dynamic names them.
                return self.scaled(name, base + "_scale", base + "_zero_point")
            return self.arrays[name]
        node = self.made.get(name)
        if node is None or node.op_type not in ("Constant", "Identity", "Transpose", "DequantizeLinear"):
            return None
        if node.op_type == "Constant":
            return numpy_helper.to_array(node.attribute[0].t) if node.attribute[0].name == "value" else None
        if node.op_type == "DequantizeLinear":
            return self.scaled(*node.input) if node.input[0] in self.arrays else None
        array = self.value(node.input[0])
        return array if array is None or node.op_type == "Identity" else array.transpose(attributes(node).get("perm"))

    def scaled(self, name, scale, zero_point=None, axis=-1):
        array, scale = self.arrays[name].astype("float32"), self.arrays[scale]
        zero = self.arrays[zero_point].astype("float32") if zero_point else np.float32(0)
        if scale.size > 1:  # One for each output: of a matrix [inputs, outputs] the last axis.
            axis = array.ndim - 1 if array.shape[-1] == scale.size else 0
            scale, zero = (np.reshape(x, [-1 if i == axis else 1 for i in range(array.ndim)]) for x in (scale, zero))
        return (array - zero) * scale

    def keep(self, name, array):
        array = np.asarray(array, "float32")
        if name in self.found and not np.array_equal(self.found[name], array):
            raise ValueError(f"two tensors would be called {name}")
        self.found[name] = array


def attributes(node):
    return {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}


def module(node):
    """PyTorch's name of the module that a node belongs to: /decoder/out/MatMul is of decoder.out."""
    return ".".join(node.name.strip("/").split("/")[:-1]) or node.name


def own_name(name, node, parameter):
    """That of the tensor if the exporter kept it, or else one after the node's module."""
    base = name.removesuffix("_quantized")
    return base if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)+", base) else f"{module(node)}.{parameter}"


def keep_cells(graph, node, layer):
    own = attributes(node)
    kind, both = node.op_type, own.get("direction", b"forward") == b"bidirectional"
    names = [name.decode().lower() for name in own.get("activations", [])] or ACTIVATIONS[kind] * (1 + both)
    if own.get("direction") == b"reverse" or names != ACTIVATIONS[kind] * (1 + both) or "clip" in own:
        raise ValueError(f"{node.name} reads backward, clips or has other activations than PyTorch's {kind}")
    if kind == "GRU" and not own.get("linear_before_reset", 0):
        raise ValueError(f"{node.name} has linear_before_reset=0, a GRU that neither PyTorch nor Latimer computes")
    weight, hidden = graph.value(node.input[1]), graph.value(node.input[2])
    bias = graph.value(node.input[3]) if len(node.input) > 3 and node.input[3] else None
    if weight is None or hidden is None:
        raise ValueError(f"{node.name} has weights that the graph computes")

    def ordered(array):
        parts = np.split(array, len(GATES[kind]))
        return np.concatenate([parts[gate] for gate in GATES[kind]])

    for direction in range(len(weight)):
        end = f"_l{layer}" + "_reverse" * direction
        graph.keep(f"{module(node)}.weight_ih{end}", ordered(weight[direction]))
        graph.keep(f"{module(node)}.weight_hh{end}", ordered(hidden[direction]))
        if bias is not None:
            for which, half in zip(("ih", "hh"), np.split(bias[direction], 2)):
                graph.keep(f"{module(node)}.bias_{which}{end}", ordered(half))


def tensors(path):
    graph, layers = Graph(path), {}
    for node in graph.nodes:
        kind, constants = node.op_type, [graph.value(name) if name else None for name in node.input]
        if kind in GATES:
            layers[module(node)] = layers.get(module(node), -1) + 1
            keep_cells(graph, node, layers[module(node)])
        elif kind in ("MatMul", "MatMulInteger") and constants[1] is not None:  # x @ w: the weights' transpose.
            graph.keep(own_name(node.input[1], node, "weight"), constants[1].T)
        elif kind == "Gemm" and constants[1] is not None:
            turned = attributes(node).get("transB", 0)
            graph.keep(own_name(node.input[1], node, "weight"), constants[1] if turned else constants[1].T)
            if len(constants) > 2 and constants[2] is not None:
                graph.keep(own_name(node.input[2], node, "bias"), constants[2])
        elif kind == "Gather" and constants[0] is not None and constants[0].ndim == 2:
            graph.keep(own_name(node.input[0], node, "weight"), constants[0])
        elif kind == "Add":
            for name, array in zip(node.input, constants):
                if array is not None and array.ndim == 1 and array.size > 1:
                    graph.keep(own_name(name, node, "bias"), array)
        elif kind in ("LayerNormalization", "Mul"):
            for name, array in zip(node.input, constants):
                if array is not None and array.ndim == 1 and name.endswith((".weight", ".bias")):
                    graph.keep(name, array)
        elif node.domain and kind not in ("Cast",):
            raise ValueError(f"{node.name} is {node.domain}'s {kind}; export without fused operators")
    return graph.found


def save(files, path):
    """Names of several files begin with theirs."""
    arrays = {f"{file.stem}.{name}" if len(files) > 1 else name: array
              for file in files for name, array in tensors(file).items()}
    np.savez(path, **arrays)
    return arrays


if __name__ == "__main__":
    for name, array in save([Path(name) for name in sys.argv[2:]], sys.argv[1]).items():
        print(name, list(array.shape))
