"""What a CTranslate2 folder says: vocabularies, config, and a few numbers."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

# The types of model.bin that are read here.
_INT8 = 1
_INTEGERS = {_INT8: "<b", 2: "<h", 3: "<i"}


class ModelFile:
    """The header of each variable of model.bin, and the small ones' values.

    The format is that of python/ctranslate2/specs/model_spec.py.

    Attributes:
        version: of the file.
        values: numbers, and texts, by name.
        quantized: whether matrices are int8.
        has_positions: whether a table of positions limits the length.
    """

    def __init__(self, path: Path) -> None:
        self.values: dict[str, Any] = {}
        self.quantized = self.has_positions = False
        with path.open("rb") as file:
            (self.version,) = self._take(file, "<I")
            if self.version > 1:
                self._text(file)  # The name of the spec.
                self._take(file, "<I")
            (count,) = self._take(file, "<I")
            for _ in range(count):
                self._read(file)

    def _take(self, file: BinaryIO, code: str) -> tuple[Any, ...]:
        size = struct.calcsize(code)
        data = file.read(size)
        if len(data) < size:
            raise RuntimeError(
                f"{file.name}: the file is truncated or damaged; copy it again."
            )
        return struct.unpack(code, data)

    def _text(self, file: BinaryIO) -> str:
        (size,) = self._take(file, "<H")
        return file.read(size)[:-1].decode(errors="replace")

    def _read(self, file: BinaryIO) -> None:
        name = self._text(file)
        self.has_positions |= name.endswith("position_encodings/encodings")
        (rank,) = self._take(file, "<B")
        shape = self._take(file, f"<{rank}I")
        kind, count = self._take(file, "<BI")
        # Before version 4 the type is the bytes of an item, and the integers
        # have the same numbers.
        size = count if self.version >= 4 else count * kind
        if rank == 0 and kind in _INTEGERS:
            (self.values[name],) = self._take(file, _INTEGERS[kind])
        elif rank == 1 and kind == _INT8:
            self.values[name] = file.read(size).decode(errors="replace")
        else:
            self.quantized |= len(shape) == 2 and kind == _INT8
            file.seek(size, 1)


class Vocabulary:
    """Tokens by id, and ids by token; of one that occurs twice, the first."""

    def __init__(self, tokens: list[str], unknown: str) -> None:
        if unknown not in tokens:
            tokens = [*tokens, unknown]  # OpenNMT-tf's files do not list it.
        self.tokens = tokens
        self._ids: dict[str, int] = {}
        for place, token in enumerate(tokens):
            self._ids.setdefault(token, place)
        self.unknown = self._ids[unknown]

    def id(self, token: str) -> int:
        found = self._ids.get(token)
        if found is not None:
            return found
        if not isinstance(token, str):
            raise TypeError(f"Tokens are strings, but one is {token!r}")
        return self.unknown

    def ids(self, tokens: Iterable[str]) -> list[int]:
        return list(map(self.id, tokens))

    def __contains__(self, token: str) -> bool:
        return token in self._ids


class Folder:
    """A CTranslate2 model, except for its weights.

    Attributes:
        source, target: vocabularies.
        unknown, bos, eos: tokens.
        start: the token that the decoder starts with; None: the caller's.
        adds_bos, adds_eos: whether the source gets them.
        quantized: whether the weights are int8.
        has_positions: whether a table of positions limits the length.
        alignment: the layer, from the end if below 0, and how many of its
            heads, 0 for all, are the attention.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not (path / "model.bin").is_file():
            raise RuntimeError(
                f"Unable to open file 'model.bin' in model '{path}'"
            )
        file = ModelFile(path / "model.bin")
        config = self._config(file)
        self.unknown = str(config.get("unk_token", "<unk>"))
        self.bos = str(config.get("bos_token", "<s>"))
        self.eos = str(config.get("eos_token", "</s>"))
        self.start: str | None = config.get("decoder_start_token", self.bos)
        self.adds_bos = bool(config.get("add_source_bos", False))
        self.adds_eos = bool(config.get("add_source_eos", False))
        self.quantized = file.quantized
        self.has_positions = file.has_positions
        self.alignment = (
            int(file.values.get("decoder/alignment_layer", -1)),
            int(file.values.get("decoder/alignment_heads", 1)),
        )
        shared = self._vocabulary("shared")
        source = shared or self._vocabulary("source")
        target = shared or self._vocabulary("target")
        if source is None or target is None:
            raise RuntimeError(
                "Cannot load the "
                + ("source" if source is None else "target")
                + " vocabulary from the model directory"
            )
        self.source, self.target = source, target
        vmap = path / "vmap.txt"
        self.vmap = VocabularyMap(vmap, self) if vmap.is_file() else None

    def _config(self, file: ModelFile) -> dict[str, Any]:
        if file.version >= 6:
            path = self.path / "config.json"
            config: dict[str, Any] = json.loads(path.read_text("utf-8"))
            return config
        config = {
            name: file.values[name]
            for name in ("unk_token", "bos_token", "eos_token")
            if name in file.values
        }
        config["add_source_bos"] = file.values.get("with_source_bos", 0)
        config["add_source_eos"] = file.values.get("with_source_eos", 0)
        if file.values.get("user_decoder_start_tokens", 0):
            config["decoder_start_token"] = None
        elif not file.values.get("with_target_bos", 1):
            config["decoder_start_token"] = config.get("eos_token", "</s>")
        return config

    def _vocabulary(self, side: str) -> Vocabulary | None:
        for ending in (".json", ".txt"):
            path = self.path / f"{side}_vocabulary{ending}"
            if not path.is_file():
                continue
            with path.open(encoding="utf-8", newline="") as file:
                text = file.read()
            if ending == ".json":
                return Vocabulary(json.loads(text), self.unknown)
            lines = text.removesuffix("\n").split("\n")
            # A token may end with a carriage return.
            if all(line.endswith("\r") for line in lines):
                lines = [line[:-1] for line in lines]
            return Vocabulary(lines, self.unknown)
        return None

    def source_ids(self, tokens: Sequence[str], most: int) -> list[int]:
        """What the encoder reads; 0: of any length. One that is cut keeps its
        eos, and the language after it."""
        ids = self.source.ids(tokens)
        if self.adds_bos:
            ids.insert(0, self.source.id(self.bos))
        if self.adds_eos:
            ids.append(self.source.id(self.eos))
        return cut(ids, most, self.source.id(self.eos))

    def is_empty(self, tokens: Sequence[str]) -> bool:
        """Whether a source has nothing but special tokens."""
        if len(tokens) == 0:
            return True
        if len(tokens) == 1:
            return tokens[0] in (self.bos, self.eos)
        count = len(tokens) - (tokens[0] == self.bos)
        if tokens[-1] == self.eos:
            count -= 1
        elif tokens[-2] == self.eos:
            count -= 2  # A language is the last.
        return count <= 0


def cut(ids: list[int], most: int, eos: int) -> list[int]:
    """The first ids, with the eos, and the one after it, that they end with."""
    if most == 0 or len(ids) <= most:
        return ids
    kept = ids[:most]
    if ids[-1] == eos:
        kept[-1] = eos
    elif ids[-2] == eos and most >= 2:
        kept[-2:] = ids[-2:]
    return kept


class VocabularyMap:
    """vmap.txt: what target tokens an n-gram of the source may become."""

    def __init__(self, path: Path, folder: Folder) -> None:
        self._rules: dict[str, list[int]] = {}
        self._longest = 1
        self._size = len(folder.target.tokens)
        for line in path.read_text("utf-8").split("\n"):
            source, tab, targets = line.partition("\t")
            if tab:
                self._rules[source] = folder.target.ids(targets.split())
                self._longest = max(self._longest, source.count(" ") + 1)
        special = [folder.unknown, folder.bos, folder.eos]
        self._always = {*folder.target.ids(special), *self._rules.get("", [])}

    def excluded(self, source: Sequence[str]) -> list[int]:
        """The target ids that a source may not become."""
        allowed = set(self._always)
        for begin in range(len(source)):
            for count in range(1, self._longest + 1):
                key = " ".join(source[begin : begin + count])
                allowed.update(self._rules.get(key, ()))
        return [token for token in range(self._size) if token not in allowed]
