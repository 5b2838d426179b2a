"""Writes Marian's model files: .npz and .bin, with float32 or intgemm8 matrices.

.bin (marian-dev: src/common/binary.cpp): uint64 version 1, uint64 number of items, for each four
uint64 (bytes of its name with the final zero, type, number of dimensions, bytes of its data), all
names, all shapes as int32, uint64 bytes of padding, padding to a multiple of 256, all data, each
item's padded to 256.

intgemm8 (browsermt/marian-dev: src/tensors/cpu/expression_graph_packable.h): int8 of the transposed
matrix, only Wemb as it is, then the float32 multiplier m = 127 / max |w|; w = q / m.
"""

import struct

import numpy as np
import yaml

INT8, FLOAT32 = 0x101, 0x404
INTGEMM8_BROWSERMT, INTGEMM8 = 0x4101, 0x10001
META = "special:model.yml"


def dump_options(options: dict) -> bytes:
    return yaml.safe_dump(options, default_flow_style=None, sort_keys=True).encode() + b"\0"


def write_npz(path, parameters: dict, options: dict, compressed=False, fortran=()) -> None:
    arrays = {k: np.asfortranarray(v) if k in fortran else v for k, v in parameters.items()}
    arrays[META] = np.frombuffer(dump_options(options), np.int8)
    (np.savez_compressed if compressed else np.savez)(path, **arrays)


def quantize(matrix: np.ndarray) -> tuple[np.ndarray, np.float32]:
    """(int8 of the same shape, multiplier), as intgemm rounds: to nearest even, in -127..127."""
    multiplier = np.float32(127.0) / np.float32(np.abs(matrix).max())
    scaled = np.rint(matrix.astype(np.float32) * multiplier)
    return np.clip(scaled, -127, 127).astype(np.int8), multiplier


def is_quantized(name: str) -> bool:
    """Which parameters Marian packs."""
    stem = name.removesuffix("_W")
    return stem != name or name[:-1].endswith("_W") or name.endswith("Wemb")


def dequantized(parameters: dict) -> dict:
    """What a model computes with after intgemm8 packing."""
    result = {}
    for name, value in parameters.items():
        if is_quantized(name):
            q, multiplier = quantize(value)
            value = q.astype(np.float32) * (np.float32(1) / multiplier)
        result[name] = value
    return result


def shortlist_checksum(words: list[int]) -> int:
    seed, mask = 0, 2**64 - 1
    for word in words:
        seed ^= (word + 0x9E3779B9 + ((seed << 6) & mask) + (seed >> 2)) & mask
    return seed


def write_shortlist(path, first: int, best: int, lists: list[list[int]]) -> None:
    """Binary shortlist of browsermt/marian-dev (src/data/shortlist.cpp).

    uint64 magic, checksum, first, best, number of offsets, number of ids; the offsets as uint64, the
    ids as uint32. The checksum is of all whole words of 8 bytes that follow it. There are lists up to
    the last word that has one, because LexicalShortlistGenerator::load grows with the words of its text.
    """
    while lists and not lists[-1]:
        lists = lists[:-1]
    offsets = np.cumsum([0] + [len(ids) for ids in lists])
    ids = [i for row in lists for i in sorted(row)]
    body = struct.pack("<4Q", first, best, len(offsets), len(ids))
    body += offsets.astype("<u8").tobytes() + np.array(ids, "<u4").tobytes()
    words = struct.unpack(f"<{len(body) // 8}Q", body[: len(body) // 8 * 8])
    with open(path, "wb") as file:
        file.write(struct.pack("<2Q", 0xF11A48D5013417F5, shortlist_checksum(words)) + body)


def write_bin(path, parameters: dict, options: dict, intgemm8: int | None = None) -> None:
    """`intgemm8`: the type number to pack matrices as; None for float32."""
    items = []
    for name, value in sorted(parameters.items()):
        value = np.ascontiguousarray(value, np.float32)
        if intgemm8 and is_quantized(name):
            q, multiplier = quantize(value)
            q = q if name.endswith("Wemb") else q.T
            data = np.ascontiguousarray(q).tobytes() + struct.pack("<f", multiplier)
            items.append((name, intgemm8, value.shape, data))
            alpha = name + "_QuantMultA"
            if "Wemb" in name:  # The packer takes it for an embedding.
                items.append((alpha, intgemm8, (1, 1), struct.pack("<bf", 127, 6.35)))
            else:
                items.append((alpha, FLOAT32, (1, 1), struct.pack("<f", 20.0)))
        else:
            items.append((name, FLOAT32, value.shape, value.tobytes()))
    if intgemm8:
        items.append(("none_QuantMultA", FLOAT32, (1, 1), struct.pack("<f", 20.0)))
    meta = dump_options(options)
    items.append((META, INT8, (len(meta),), meta))
    items = [(n, t, s, d + bytes(-len(d) % 256)) for n, t, s, d in items]

    out = struct.pack("<QQ", 1, len(items))
    for name, kind, shape, data in items:
        out += struct.pack("<QQQQ", len(name) + 1, kind, len(shape), len(data))
    for name, *_ in items:
        out += name.encode() + b"\0"
    for _, _, shape, _ in items:
        out += struct.pack(f"<{len(shape)}i", *shape)
    padding = 256 - (len(out) + 8) % 256
    out += struct.pack("<Q", padding) + bytes(padding)
    with open(path, "wb") as file:
        file.write(out + b"".join(data for *_, data in items))
