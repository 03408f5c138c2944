"""What the parts of a graph share: weights by name, caches by layer, the inputs of a micro-batch."""

from __future__ import annotations

from satchel.sizing.graphs.tensors import (
    Graph,
    Tensor,
    apply,
    fill_shape,
    make_input,
    make_weight,
    multiply,
    view,
)
from satchel.sizing.memory import Placement
from satchel.sizing.models.quantization import TensorType, kind_of, pad_row
from satchel.sizing.models.shapes import LayerShape, ModelShape
from satchel.sizing.options import Run

_STATE = kind_of("f32")
LAYER_NORM = frozenset(
    (
        *("bloom", "codeshell", "cohere2", "command-r", "dbrx", "falcon", "gpt2", "gptneox"),
        *("jais", "jais2", "mpt", "nemotron", "olmo", "orion", "phi2", "phimoe", "stablelm"),
        *("starcoder", "starcoder2"),
    )
)
"""Architectures that normalize to mean and variance: that result needs memory of its own."""
FOUR_POSITIONS = frozenset(
    ("qwen2vl", "qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe", "paddleocr", "hunyuan_vl")
)
"""Architectures with four positions a token."""


class Network:
    """A model about to be drawn: its shape, how it is run, and the graph so far."""

    def __init__(self, shape: ModelShape, run: Run, placement: Placement) -> None:
        self.shape, self.run, self.placement = shape, run, placement
        self.graph = Graph()
        self.outputs: list[Tensor] = []
        self.routed: Tensor | None = None
        """Scores of experts that were made before attention."""
        self.stacked: Tensor | None = None
        """What an image adds to the first layers, behind the embeddings."""
        self.tokens, self.wanted, self.sequences = run.batch, run.wanted, run.slots
        self._weights: dict[str, Tensor] = {}
        self._inputs: dict[str, Tensor] = {}
        self._caches: dict[tuple[str, int], Tensor] = {}

    def weight(self, name: str, place: int) -> Tensor | None:
        """Return a weight on its device, None where the model has none of that name."""
        known = self._weights.get(name)
        if known is not None:
            return known
        stored = self.shape.tensors.get(name)
        if stored is None:
            return None
        row = stored.shape[0] if stored.shape else 1
        size = pad_row(kind_of(stored.kind), row, stored.size)
        self._weights[name] = make_weight(place, size, *stored.shape)
        return self._weights[name]

    def of(self, layer: int, name: str) -> Tensor | None:
        """Return a weight of a layer; `.weight` is added to a name without a dot in it."""
        full = f"blk.{layer}.{name.rstrip('.')}" if "." in name else f"blk.{layer}.{name}.weight"
        return self.weight(full, self.placement.layers[layer])

    def turning(self, layer: int) -> Tensor | None:
        """Return the factors of rotary positions, of which each device has its own."""
        place, stored = self.placement.layers[layer], self.shape.tensors.get("rope_freqs.weight")
        key = f"rope_freqs.weight on {place}"
        if stored is not None and key not in self._weights:
            self._weights[key] = make_weight(place, stored.size, *stored.shape)
        return self._weights.get(key)

    def needed(self, layer: int, name: str) -> Tensor:
        """Return a weight that the architecture can't be without."""
        found = self.of(layer, name)
        if found is None:
            raise KeyError(f"blk.{layer}.{name}")
        return found

    def final(self, name: str) -> Tensor | None:
        """Return a weight of the output."""
        return self.weight(name, self.placement.output)

    def given(self, name: str, unit: float, *shape: int) -> Tensor:
        """Return an input of the graph, made when it is first asked for."""
        if name not in self._inputs:
            self._inputs[name] = make_input(unit, *shape)
        return self._inputs[name]

    @property
    def positions(self) -> Tensor:
        """Return the input with the position of each token."""
        several = 4 if self.shape.architecture in FOUR_POSITIONS else 1
        return self.given("positions", 4, several * self.tokens)

    @property
    def rows(self) -> Tensor:
        """Return the input that names the tokens whose logits are wanted."""
        return self.given("rows", 4, self.wanted)

    @property
    def states(self) -> Tensor:
        """Return a view of the input that names the state of each sequence."""
        return self._part("states in use", self.sequences)

    @property
    def idle(self) -> Tensor:
        """Return a view of the same input that names the states of no sequence."""
        return self._part("states not in use", 0)

    def _part(self, name: str, count: int) -> Tensor:
        if name not in self._inputs:
            self._inputs[name] = view(self.given("states", 4, self.run.slots), (count,))
        return self._inputs[name]

    def cells(self, layer: LayerShape) -> int:
        """Return the cells that a layer attends to in one stream."""
        return self.run.sliding_cells(self.shape.window) if layer.sliding else self.run.slot_cells

    def mask(self, layer: LayerShape) -> Tensor:
        """Return the mask of a layer's attention."""
        unit, streams = (2 if self.run.flash_attention else 4), self.run.streams
        name = "mask of the window" if layer.sliding else "mask"
        return self.given(name, unit, self.cells(layer), self.tokens // streams, 1, streams)

    def cache(self, name: str, layer: int, *shape: int, kind: TensorType = _STATE) -> Tensor:
        """Return a cache or state of a layer."""
        key = (name, layer)
        if key not in self._caches:
            tensor = Tensor("cache", fill_shape(shape), kind.size / kind.block)
            tensor.place = self.placement.layers[layer]
            self._caches[key] = tensor
        return self._caches[key]


def scale_values(values: Tensor, weight: Tensor | None, bias: Tensor | None = None) -> Tensor:
    """Return values times a weight plus a bias, each where it is."""
    if weight is not None:
        values = apply("mul", values, weight)
    return values if bias is None else apply("add", values, bias)


def apply_norm(net: Network, values: Tensor, weight: Tensor | None, bias: Tensor | None = None) -> Tensor:
    """Return normalized values, times a weight, plus a bias."""
    op = "norm" if net.shape.architecture in LAYER_NORM else "rms_norm"
    return scale_values(apply(op, values), weight, bias)


def apply_layer_norm(net: Network, layer: int, name: str, values: Tensor) -> Tensor:
    """Return values normalized with the weights of that name, as they are where the layer has none."""
    weight, bias = net.of(layer, name), net.of(layer, f"{name}.bias")
    return values if weight is None else apply_norm(net, values, weight, bias)


def apply_linear(net: Network, layer: int, name: str, values: Tensor) -> Tensor:
    """Return values times a weight of the layer, with its bias where there is one."""
    result = multiply(net.needed(layer, name), values)
    bias = net.of(layer, f"{name}.bias")
    return result if bias is None else apply("add", result, bias)
