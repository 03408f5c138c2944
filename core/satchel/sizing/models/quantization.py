"""How many bytes values take in each type of ggml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from satchel.errors import UsageError
from satchel.spelling import nearest


class TensorType(NamedTuple):
    """A type of values: `block` values are stored together in `size` bytes."""

    name: str
    block: int
    size: int


TYPES: Mapping[int, TensorType] = {
    number: TensorType(name, block, size)
    for number, name, block, size in (
        *((0, "f32", 1, 4), (1, "f16", 1, 2), (2, "q4_0", 32, 18), (3, "q4_1", 32, 20), (6, "q5_0", 32, 22)),
        *((7, "q5_1", 32, 24), (8, "q8_0", 32, 34), (9, "q8_1", 32, 36), (10, "q2_K", 256, 84)),
        *((11, "q3_K", 256, 110), (12, "q4_K", 256, 144), (13, "q5_K", 256, 176), (14, "q6_K", 256, 210)),
        *(
            (15, "q8_K", 256, 292),
            (16, "iq2_xxs", 256, 66),
            (17, "iq2_xs", 256, 74),
            (18, "iq3_xxs", 256, 98),
        ),
        *((19, "iq1_s", 256, 50), (20, "iq4_nl", 32, 18), (21, "iq3_s", 256, 110), (22, "iq2_s", 256, 82)),
        *(
            (23, "iq4_xs", 256, 136),
            (24, "i8", 1, 1),
            (25, "i16", 1, 2),
            (26, "i32", 1, 4),
            (27, "i64", 1, 8),
        ),
        *((28, "f64", 1, 8), (29, "iq1_m", 256, 56), (30, "bf16", 1, 2), (34, "tq1_0", 256, 54)),
        *((35, "tq2_0", 256, 66), (39, "mxfp4", 32, 17), (40, "nvfp4", 64, 36), (41, "q1_0", 128, 18)),
        (42, "q2_0", 64, 18),
    )
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
