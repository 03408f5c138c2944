"""Which device holds which layer and which weight, and how many bytes that is."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Sequence
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.sizing.caches import CARD_STEP, HOST_STEP, layer_cache
from satchel.sizing.models.gguf import TensorInfo
from satchel.sizing.models.quantization import aligned, kind_of, padded_bytes
from satchel.sizing.models.shapes import ModelShape
from satchel.sizing.runs import Run

HOST_TENSORS = (
    "token_embd.weight",
    "position_embd.weight",
    "token_types.weight",
    "per_layer_token_embd.weight",
)
"""Tensors of the input, which the engine keeps on the host whatever is offloaded."""
ONE_EMBEDDING = frozenset(("bitnet",))
"""Architectures that compute their output where the embedding lies, without a copy of it."""
_BLOCK = lazily(r"^blk\.(\d{1,6})\.")


class Placement(NamedTuple):
    """The device of each layer and of the output; the host is the number after the last card."""

    layers: tuple[int, ...]
    output: int
    host: int


def place(shape: ModelShape, run: Run) -> Placement:
    """Return where the engine puts layers: from the last one on, shared out by the cards' shares."""
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
    size = padded_bytes(kind_of(tensor.kind), row, tensor.size) if on_card else tensor.size
    return aligned(size, CARD_STEP if on_card else HOST_STEP)


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


def kept(shape: ModelShape, run: Run, placement: Placement) -> list[int]:
    """Return the bytes of caches and state on each device, the host last."""
    totals = [0] * (placement.host + 1)
    for layer, device in zip(shape.layers, placement.layers, strict=True):
        totals[device] += layer_cache(shape, layer, run).size(on_card=device != placement.host)
    return totals
