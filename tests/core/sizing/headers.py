"""Writes GGUF headers and reads the models whose memory was measured."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from satchel.sizing import Header, Run, TensorInfo, kind_of
from satchel.sizing.models.gguf import TYPES, row_bytes

DATA = Path(__file__).parents[2] / "data" / "sizing" / "engine.json"
NUMBERS = {kind.name: number for number, kind in TYPES.items()}


def text(value: str) -> bytes:
    """Return a string as GGUF stores it."""
    encoded = value.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def pair(key: str, value: object) -> bytes:
    """Return a key and its value."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        codes = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}
        kind, code = codes[type(value[0])]
        return (
            text(key) + struct.pack("<IIQ", 9, kind, len(value)) + struct.pack(f"<{len(value)}{code}", *value)
        )
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    kind, code = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}[type(value)]
    return text(key) + struct.pack(f"<I{code}", kind, value)


def tensor_bytes(kind: str, shape: Sequence[int]) -> int:
    """Return the bytes of a tensor's values."""
    rows = 1
    for length in shape[1:]:
        rows *= length
    return row_bytes(kind_of(kind), shape[0]) * rows


def written(
    values: Mapping[str, object], tensors: Sequence[tuple[str, str, Sequence[int]]] = (), *, version: int = 3
) -> bytes:
    """Return a whole header."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(values))
    head += b"".join(pair(key, value) for key, value in values.items())
    offset = 0
    for name, kind, shape in tensors:
        head += text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        head += struct.pack("<IQ", NUMBERS[kind], offset)
        offset += -(-tensor_bytes(kind, shape) // 32) * 32
    return head


def saved(path: Path, values: Mapping[str, object], tensors: Sequence[Any] = ()) -> Path:
    """Write a model file with a header and no values, of its real size."""
    head = written(values, tensors)
    path.write_bytes(head)
    sizes = (-(-tensor_bytes(kind, shape) // 32) * 32 for _, kind, shape in tensors)
    os.truncate(path, -(-len(head) // 32) * 32 + sum(sizes))
    return path


def measured() -> dict[str, dict[str, Any]]:
    """Return the models whose memory was measured, by name."""
    return {model["name"]: model for model in json.loads(DATA.read_text())}


def tensors_of(model: Mapping[str, Any]) -> Iterator[tuple[str, str, list[int]]]:
    """Yield the tensors of a measured model."""
    yield from ((name, kind, shape) for name, kind, shape in model["tensors"])
    for places, tensors in model["layers"]:
        for place in places:
            yield from ((f"blk.{place}.{name}", kind, shape) for name, kind, shape in tensors)


def values_of(model: Mapping[str, Any]) -> dict[str, object]:
    """Return the keys of a measured model."""
    name = model["architecture"]
    return {
        "general.architecture": name,
        **{f"{name}.{key}": value for key, value in model["values"].items()},
    }


def header_of(model: Mapping[str, Any]) -> Header:
    """Return the header of a measured model as reading its file would."""
    values = {
        key: tuple(value) if isinstance(value, list) else value for key, value in values_of(model).items()
    }
    tensors = tuple(
        TensorInfo(name, tuple(shape), kind, tensor_bytes(kind, shape))
        for name, kind, shape in tensors_of(model)
    )
    return Header(model["name"], values, tensors)


def run_of(words: Sequence[Any]) -> Run:
    """Return a measured run."""
    context, key, value, batch, slots, unified, full, outputs, flash, layers, cards = words
    return Run(
        context,
        kind_of(key),
        kind_of(value),
        batch,
        slots,
        bool(unified),
        bool(full),
        outputs or batch,
        bool(flash),
        layers,
        (1.0,) * cards,
    )
