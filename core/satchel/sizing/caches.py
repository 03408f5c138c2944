"""Bytes of the key-value cache and of recurrent state, layer by layer, as the engine sets them aside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from satchel.sizing.models.quantization import Kind, aligned, kind_of, padded_bytes, row_bytes
from satchel.sizing.models.shapes import LayerShape, ModelShape
from satchel.sizing.runs import Run

CARD_STEP = 128
HOST_STEP = 32


class LayerCache(NamedTuple):
    """The tensors that one layer keeps: rows of values, how many, and their type."""

    rows: tuple[tuple[Kind, int, int], ...]

    def size(self, *, on_card: bool) -> int:
        """Return the bytes with the device's padding."""
        return sum(_tensor_bytes(*row, on_card=on_card) for row in self.rows)


def _tensor_bytes(kind: Kind, row: int, count: int, *, on_card: bool) -> int:
    size = row_bytes(kind, row) * count
    if not size:
        return 0
    return aligned(padded_bytes(kind, row, size), CARD_STEP) if on_card else aligned(size, HOST_STEP)


def layer_cache(shape: ModelShape, layer: LayerShape, run: Run) -> LayerCache:
    """Return what `layer` keeps."""
    return LayerCache(
        (*_attention(shape, layer, run), *_index(shape, layer, run), *_state(shape, layer, run))
    )


def _attention(shape: ModelShape, layer: LayerShape, run: Run) -> Iterator[tuple[Kind, int, int]]:
    if not layer.attends or not layer.cached or not layer.kv_heads:
        return
    cells = (run.sliding_cells(shape.window) if layer.sliding else run.slot_cells) * run.streams
    yield run.key_kind, layer.kv_heads * layer.key, cells
    if not shape.latent:
        # Without flash attention values stand transposed, as wide as those of the widest layer.
        width = layer.kv_heads * layer.value
        if not run.flash_attention:
            width = max(other.kv_heads * other.value for other in shape.layers)
        yield run.value_kind, width, cells


def _index(shape: ModelShape, layer: LayerShape, run: Run) -> Iterator[tuple[Kind, int, int]]:
    if layer.indexed:
        yield run.key_kind, layer.indexed, run.slot_cells * run.streams
        if shape.architecture == "minimax-m3":
            yield run.value_kind, layer.value, run.slot_cells * run.streams


def _state(shape: ModelShape, layer: LayerShape, run: Run) -> Iterator[tuple[Kind, int, int]]:
    if layer.recurs:
        for width in (shape.conv_state, shape.recurrent_state):
            if width:
                yield kind_of("f32"), width, run.slots
