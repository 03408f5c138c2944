"""How many bytes values take in each type of ggml."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from satchel.errors import UsageError
from satchel.spelling import nearest


class TensorType(NamedTuple):
    """A type of values: `block` values are stored together in `size` bytes."""

    name: str
    block: int
    size: int


_ROWS = Path(__file__).with_name("types.txt").read_text("ascii").splitlines()
TYPES: Mapping[int, TensorType] = {
    int(number): TensorType(name, int(block), int(size))
    for number, name, block, size in map(str.split, _ROWS)
}
"""Types by their number in a GGUF header (ggml.h of the engine version that is followed)."""

CACHE_KINDS = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")
"""Types that the engine takes for keys and values."""

_BY_NAME = {kind.name: kind for kind in TYPES.values()}


def kind_of(name: str) -> TensorType:
    """Return a type by its name."""
    return _BY_NAME[name]


def cache_kind(name: str) -> TensorType:
    """Return the type of a cache by the name that a person typed."""
    known = name.lower()
    if known not in CACHE_KINDS:
        near = nearest(known, CACHE_KINDS)
        hint = f", did you mean {near}?" if near else f"; known are {', '.join(CACHE_KINDS)}"
        raise UsageError(f"no cache type is called {name!r}{hint}")
    return _BY_NAME[known]


def row_bytes(kind: TensorType, values: int) -> int:
    """Return the bytes of a row of `values`, whole blocks."""
    return -(-values // kind.block) * kind.size


ROW_PADDING = 512


def pad_row(kind: TensorType, row: int, size: int) -> int:
    """Return the bytes that CUDA sets aside for a tensor of `size` bytes with rows of `row` values.

    Rows of quantized tensors are padded to 512 values once, at the end of the tensor.
    """
    if kind.block == 1 or row % ROW_PADDING == 0:
        return size
    return size + row_bytes(kind, ROW_PADDING - row % ROW_PADDING)


def align(size: int, step: int) -> int:
    """Return `size` rounded up to a multiple of `step`."""
    return -(-size // step) * step
