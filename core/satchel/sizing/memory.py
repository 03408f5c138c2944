"""The memory of a run on each device: caches, weights, and an estimate of the compute buffer."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.sizing.models.gguf import TensorInfo, TensorType, align, kind_of, pad_row, row_bytes
from satchel.sizing.models.shapes import LayerShape, ModelShape
from satchel.sizing.options import Run

CARD_STEP = 128
HOST_STEP = 32


def _tensor_bytes(kind: TensorType, row: int, count: int, *, on_card: bool) -> int:
    size = row_bytes(kind, row) * count
    if not size:
        return 0
    return align(pad_row(kind, row, size), CARD_STEP) if on_card else align(size, HOST_STEP)


def count_layer_bytes(shape: ModelShape, layer: LayerShape, run: Run, *, on_card: bool) -> int:
    """Return the bytes of the tensors that `layer` keeps, with the device's padding."""
    tensors = (*_attention(shape, layer, run), *_index(shape, layer, run), *_state(shape, layer, run))
    return sum(_tensor_bytes(*tensor, on_card=on_card) for tensor in tensors)


def _attention(shape: ModelShape, layer: LayerShape, run: Run) -> Iterator[tuple[TensorType, int, int]]:
    if not layer.attends or not layer.cached or not layer.kv_heads:
        return
    cells = (run.sliding_cells(shape.window) if layer.sliding else run.slot_cells) * run.streams
    yield run.key_kind, layer.kv_heads * layer.key, cells
    if not shape.latent:
        # Without flash attention values are transposed, as wide as those of the widest layer.
        width = layer.kv_heads * layer.value
        if not run.flash_attention:
            width = max(other.kv_heads * other.value for other in shape.layers)
        yield run.value_kind, width, cells


def _index(shape: ModelShape, layer: LayerShape, run: Run) -> Iterator[tuple[TensorType, int, int]]:
    if layer.indexed:
        yield run.key_kind, layer.indexed, run.slot_cells * run.streams
        if shape.architecture == "minimax-m3":
            yield run.value_kind, layer.value, run.slot_cells * run.streams


def _state(shape: ModelShape, layer: LayerShape, run: Run) -> Iterator[tuple[TensorType, int, int]]:
    if layer.recurs:
        for width in (shape.conv_state, shape.recurrent_state):
            if width:
                yield kind_of("f32"), width, run.slots


HOST_TENSORS = (
    "token_embd.weight",
    "position_embd.weight",
    "token_types.weight",
    "per_layer_token_embd.weight",
)
"""Tensors of the input, which the engine keeps on the host whatever is offloaded."""
ONE_EMBEDDING = frozenset(("bitnet",))
"""Architectures that compute their output at the embedding's place, without a copy of it."""
_BLOCK = lazily(r"^blk\.(\d{1,6})\.")


class Placement(NamedTuple):
    """The device of each layer and of the output; the host is the number after the last card."""

    layers: tuple[int, ...]
    output: int
    host: int


def place(shape: ModelShape, run: Run) -> Placement:
    """Return the devices of layers: from the last one on, shared out by the cards' shares."""
    every = len(shape.layers) + shape.number("nextn_predict_layers")
    host = len(run.shares)
    offloaded = min(run.gpu_layers, every + 1) if host else 0
    start = max(0, every + 1 - run.gpu_layers)
    total = sum(run.shares) or 1.0
    borders = [passed / total for passed in itertools.accumulate(run.shares)]

    def device(layer: int) -> int:
        at = layer - start
        if at < 0 or at >= offloaded:
            return host
        return min(bisect.bisect_right(borders, at / offloaded), host - 1)

    return Placement(tuple(device(at) for at in range(len(shape.layers))), device(every), host)


def weights(shape: ModelShape, placement: Placement) -> list[int]:
    """Return the bytes of weights on each device, the host last."""
    totals = [0] * (placement.host + 1)
    for tensor in shape.tensors.values():
        for device in _devices(tensor, shape, placement):
            totals[device] += _size(tensor, on_card=device != placement.host)
    return totals


def _size(tensor: TensorInfo, *, on_card: bool) -> int:
    row = tensor.shape[0] if tensor.shape else 1
    size = pad_row(kind_of(tensor.kind), row, tensor.size) if on_card else tensor.size
    return align(size, CARD_STEP if on_card else HOST_STEP)


def _devices(tensor: TensorInfo, shape: ModelShape, placement: Placement) -> Sequence[int]:
    """Return the devices that hold a tensor: usually one; an output that is the embedding too, both."""
    block = _BLOCK.match(tensor.name)
    if block:
        layer = int(block[1])
        return (placement.layers[layer],) if layer < len(placement.layers) else ()
    if tensor.name == "token_embd.weight" and "output.weight" not in shape.tensors:
        if shape.architecture in ONE_EMBEDDING:
            return (placement.host,)
        # This architecture asks for its output before its input and gets two copies, even on one device.
        twice = shape.architecture == "gemma3n"
        return (placement.host, placement.output) if twice else tuple({placement.host, placement.output})
    if tensor.name in HOST_TENSORS:
        return (placement.host,)
    if tensor.name.startswith("rope_"):
        return tuple(set(placement.layers))
    early = tensor.name.startswith(("token_embd_norm", "per_layer_"))
    if early and not shape.architecture.startswith("lfm2"):
        return (placement.layers[0],)
    return (placement.output,)


def cache_bytes_by_device(shape: ModelShape, run: Run, placement: Placement) -> list[int]:
    """Return the bytes of caches and state on each device, the host last."""
    totals = [0] * (placement.host + 1)
    for layer, device in zip(shape.layers, placement.layers, strict=True):
        totals[device] += count_layer_bytes(shape, layer, run, on_card=device != placement.host)
    return totals


KNOWN = frozenset(Path(__file__).with_name("known.txt").read_text("ascii").split())
"""Architectures whose drawn graph was compared with the engine's, byte for byte."""
SAFETY = 1.25
SCORED_BLOCKS = frozenset(("minimax-m3",))
"""Architectures that score every cell for each group of heads before they attend to a few."""
MASKED_WORDS = frozenset(("chameleon",))
"""Architectures that hide some words of the output, in a copy of it."""
STREAMS = 8
"""Copies of a layer's input and output that an unknown block is trusted to keep at once."""


def is_recognized(shape: ModelShape) -> bool:
    """Return whether the graph of this model is drawn as the engine draws it."""
    if shape.architecture == "gemma4":
        return not {"per_layer_token_embd.weight", "blk.0.ffn_gate_inp.weight"} & set(shape.tensors)
    return shape.architecture in KNOWN


def guess_buffers(shape: ModelShape, run: Run, placement: Placement) -> list[int]:
    """Return bytes of compute buffers, the host last: the widest block of the model, and a quarter more."""
    rows = max((tensor.shape[1] for tensor in shape.tensors.values() if len(tensor.shape) > 1), default=0)
    vocabulary = shape.tensors.get("token_embd.weight")
    words = vocabulary.shape[1] if vocabulary is not None and len(vocabulary.shape) > 1 else rows
    widest = max(_block(shape, run), 1)
    cells = run.cells
    mask = 2 * run.batch * cells
    scores = 0 if run.flash_attention else 8 * run.batch * cells * max(layer.heads for layer in shape.layers)
    if shape.architecture in SCORED_BLOCKS:
        scores += 8 * run.batch * cells * max(layer.kv_heads for layer in shape.layers)
    copies = max(2 * cells * layer.kv_heads * (layer.key + layer.value) for layer in shape.layers)
    words *= 2 if shape.architecture in MASKED_WORDS else 1
    head = 4 * run.wanted * (words + shape.embedding)
    card = int(SAFETY * max(head, 4 * run.batch * widest + 2 * mask + scores + copies))
    host = int(SAFETY * (8 * run.batch * shape.embedding + 2 * mask))
    return [card] * placement.host + [host if placement.host else host + card]


def _block(shape: ModelShape, run: Run) -> int:
    """Return the values a token that the widest block keeps."""
    used = shape.values.get(f"{shape.architecture}.expert_used_count", 1)
    many = max(used) if isinstance(used, tuple) and used else used
    many = many if isinstance(many, int) else 1
    experts = 0
    dense = 0
    for name, tensor in shape.tensors.items():
        if len(tensor.shape) == 3 and "_exps" in name:
            experts = max(experts, many * (tensor.shape[0] + 3 * tensor.shape[1]))
        elif len(tensor.shape) == 2 and name.startswith("blk."):
            dense = max(dense, 3 * tensor.shape[1])
    heads = max(layer.heads * (layer.key + layer.value) for layer in shape.layers)
    state = (shape.conv_state + shape.recurrent_state) * run.slots // max(1, run.batch)
    return STREAMS * shape.embedding + max(experts, dense) + 2 * heads + 4 * state
