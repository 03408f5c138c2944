"""Tensors without values, and the graph that computes them."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.sizing.memory import Placement
from satchel.sizing.models.gguf import TensorType, kind_of, pad_row
from satchel.sizing.models.shapes import LayerShape, ModelShape
from satchel.sizing.options import Run

Shape = tuple[int, int, int, int]

IN_PLACE = frozenset(
    (
        *("fill", "scale", "add", "add_id", "sub", "mul", "div", "sqr", "sqrt", "log"),
        *("unary", "rope", "rms_norm", "clamp", "soft_max"),
    )
)
"""Operations whose result may take the place of an operand (ggml_op_can_inplace)."""

LEAVES = frozenset(("input", "weight", "cache"))
"""Tensors that exist before the graph runs."""

VIEWS = frozenset(("view", "reshape", "permute"))
"""Operations that only view their operand; they never start a run on another device."""


class Tensor:
    """A tensor: its shape, the bytes between neighbours in each direction, and its operands.

    `root` is the tensor whose memory a view shows. `place` is the device of a weight or a cache,
    which the graph does not allocate, None for all that it does; `stored` are the bytes of a weight.
    Values of a cache may be parts of a byte each, as they are in blocks.
    """

    __slots__ = (
        "device",
        "extra",
        "op",
        "parents",
        "place",
        "root",
        "shape",
        "shift",
        "stored",
        "strides",
        "unit",
    )

    def __init__(self, op: str, shape: Shape, unit: float = 4, parents: tuple[Tensor, ...] = ()) -> None:
        self.op, self.shape, self.unit, self.parents = op, shape, unit, parents
        first, second, third, _ = shape
        self.strides: tuple[float, float, float, float] = (
            unit,
            unit * first,
            unit * first * second,
            unit * first * second * third,
        )
        self.root: Tensor | None = None
        self.shift: float = 0
        self.place: int | None = None
        self.device = -1
        self.extra = 0
        self.stored = 0

    @property
    def size(self) -> int:
        """Return the bytes between its first and its last value, both included."""
        if self.stored or not all(self.shape):
            return self.stored
        first, second, third, fourth = self.shape
        _, row, plane, block = self.strides
        return int(self.unit * first + (second - 1) * row + (third - 1) * plane + (fourth - 1) * block)

    @property
    def contiguous(self) -> bool:
        """Return whether its values follow each other without gaps."""
        return self.strides == Tensor(self.op, self.shape, self.unit).strides


class Graph:
    """The computations, in order: operands before results, each once."""

    __slots__ = ("inputs", "nodes", "seen")

    def __init__(self) -> None:
        self.nodes: list[Tensor] = []
        self.inputs: list[Tensor] = []
        self.seen: set[int] = set()

    def expand(self, result: Tensor) -> Tensor:
        """Add everything that `result` needs and that is missing, leftmost operand first."""
        pending = [(result, 0)]
        while pending:
            tensor, at = pending.pop()
            if at == 0 and id(tensor) in self.seen:
                continue
            if at < len(tensor.parents):
                self.seen.add(id(tensor))
                pending += ((tensor, at + 1), (tensor.parents[at], 0))
                continue
            self.seen.add(id(tensor))
            (self.inputs if tensor.op in LEAVES else self.nodes).append(tensor)
        return result

    def select(self, chosen: Tensor, other: Tensor) -> Tensor:
        """Add both, and continue with the first."""
        self.expand(chosen)
        self.expand(other)
        return chosen


def apply(op: str, operand: Tensor, *others: Tensor | None) -> Tensor:
    """Return the result of an elementwise operation: the shape of the first operand."""
    parents = (operand, *(other for other in others if other is not None))
    return Tensor(op, operand.shape, operand.unit, parents)


def make_input(unit: float, *shape: int) -> Tensor:
    """Return an input: filled by the host before the graph runs."""
    return Tensor("input", fill_shape(shape), unit)


def make_weight(place: int, stored: int, *shape: int) -> Tensor:
    """Return a weight of `stored` bytes, which has its own memory on a device."""
    tensor = Tensor("weight", fill_shape(shape))
    tensor.place, tensor.stored = place, stored
    return tensor


def fill_shape(shape: Sequence[int]) -> Shape:
    """Return a shape with the directions that are not named set to 1."""
    first, second, third, fourth = (*shape, 1, 1, 1, 1)[:4]
    return first, second, third, fourth


def multiply(weight: Tensor, values: Tensor) -> Tensor:
    """Return `weight` times `values`."""
    _, second, third, fourth = values.shape
    return Tensor("mul_mat", (weight.shape[1], second, third, fourth), 4, (weight, values))


def pick(rows: Tensor, which: Tensor) -> Tensor:
    """Return the rows of `rows` that `which` names, as 32-bit floats."""
    return Tensor("get_rows", (rows.shape[0], *which.shape[:3]), 4, (rows, which))


def view(source: Tensor, shape: Sequence[int], strides: Sequence[float] = (), *, shift: float = 0) -> Tensor:
    """Return a window on the memory of `source`; strides from the second direction on, else contiguous."""
    result = Tensor("view", fill_shape(shape), source.unit, (source,))
    if strides:
        known = (source.unit, *strides)
        result.strides = _widen_strides(known, result.shape)
    return _looking(result, source, shift)


def _widen_strides(known: tuple[float, ...], shape: Shape) -> tuple[float, float, float, float]:
    strides = list(known)
    while len(strides) < 4:
        strides.append(strides[-1] * shape[len(strides) - 1])
    return strides[0], strides[1], strides[2], strides[3]


def _looking(result: Tensor, source: Tensor, shift: float = 0) -> Tensor:
    result.root = source.root or source
    result.shift = source.shift + shift
    return result


def reshape(source: Tensor, *shape: int) -> Tensor:
    """Return the same values in another shape."""
    return _looking(Tensor("reshape", fill_shape(shape), source.unit, (source,)), source)


def permute(source: Tensor, *axes: int) -> Tensor:
    """Return a view in which direction `i` of the source is direction `axes[i]`."""
    result = Tensor("permute", source.shape, source.unit, (source,))
    shape, strides = list(source.shape), list(source.strides)
    for old, new in enumerate(axes):
        shape[new], strides[new] = source.shape[old], source.strides[old]
    result.shape, result.strides = fill_shape(shape), (strides[0], strides[1], strides[2], strides[3])
    return _looking(result, source)


def transpose(source: Tensor) -> Tensor:
    """Return a view with the first two directions exchanged."""
    return permute(source, 1, 0, 2, 3)


def write(op: str, target: Tensor, *parents: Tensor) -> Tensor:
    """Return the result of an operation that writes into `target`, whose memory it keeps."""
    result = Tensor(op, target.shape, target.unit, parents)
    result.strides = target.strides
    return _looking(result, target)


def contiguous(source: Tensor, *shape: int) -> Tensor:
    """Return a copy without gaps, perhaps in another shape."""
    return Tensor("cont", fill_shape(shape) if shape else source.shape, source.unit, (source,))


def concatenate(first: Tensor, second: Tensor, axis: int) -> Tensor:
    """Return one tensor with `second` behind `first` in direction `axis`."""
    shape = [*first.shape]
    shape[axis] += second.shape[axis]
    return Tensor("concat", fill_shape(shape), first.unit, (first, second))


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
    """A model about to be drawn: its shape, its run, and the graph so far."""

    def __init__(self, shape: ModelShape, run: Run, placement: Placement) -> None:
        self.shape, self.run, self.placement = shape, run, placement
        self.graph = Graph()
        self.outputs: list[Tensor] = []
        self.routed: Tensor | None = None
        """Scores of experts that were made before attention."""
        self.stacked: Tensor | None = None
        """An image's addition to the first layers, after the embeddings."""
        self.tokens, self.wanted, self.sequences = run.batch, run.wanted, run.slots
        self._weights: dict[str, Tensor] = {}
        self._inputs: dict[str, Tensor] = {}
        self._caches: dict[tuple[str, int], Tensor] = {}

    def weight(self, name: str, place: int) -> Tensor | None:
        """Return a weight on its device, None if the model has none of that name."""
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

    def layer_weight(self, layer: int, name: str) -> Tensor | None:
        """Return a weight of a layer; `.weight` is added to a name without a dot in it."""
        full = f"blk.{layer}.{name.rstrip('.')}" if "." in name else f"blk.{layer}.{name}.weight"
        return self.weight(full, self.placement.layers[layer])

    def rope_factors(self, layer: int) -> Tensor | None:
        """Return the factors of rotary positions, of which each device has its own."""
        place, stored = self.placement.layers[layer], self.shape.tensors.get("rope_freqs.weight")
        key = f"rope_freqs.weight on {place}"
        if stored is not None and key not in self._weights:
            self._weights[key] = make_weight(place, stored.size, *stored.shape)
        return self._weights.get(key)

    def require_weight(self, layer: int, name: str) -> Tensor:
        """Return a weight that the architecture can't be without."""
        found = self.layer_weight(layer, name)
        if found is None:
            raise KeyError(f"blk.{layer}.{name}")
        return found

    def output_weight(self, name: str) -> Tensor | None:
        """Return a weight of the output."""
        return self.weight(name, self.placement.output)

    def input(self, name: str, unit: float, *shape: int) -> Tensor:
        """Return an input of the graph, made on first use."""
        if name not in self._inputs:
            self._inputs[name] = make_input(unit, *shape)
        return self._inputs[name]

    @property
    def positions(self) -> Tensor:
        """Return the input with the position of each token."""
        several = 4 if self.shape.architecture in FOUR_POSITIONS else 1
        return self.input("positions", 4, several * self.tokens)

    @property
    def rows(self) -> Tensor:
        """Return the input that names the tokens whose logits are wanted."""
        return self.input("rows", 4, self.wanted)

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
            self._inputs[name] = view(self.input("states", 4, self.run.slots), (count,))
        return self._inputs[name]

    def cells(self, layer: LayerShape) -> int:
        """Return the cells that a layer attends to in one stream."""
        return self.run.sliding_cells(self.shape.window) if layer.sliding else self.run.slot_cells

    def mask(self, layer: LayerShape) -> Tensor:
        """Return the mask of a layer's attention."""
        unit, streams = (2 if self.run.flash_attention else 4), self.run.streams
        name = "mask of the window" if layer.sliding else "mask"
        return self.input(name, unit, self.cells(layer), self.tokens // streams, 1, streams)

    def cache(self, name: str, layer: int, *shape: int, kind: TensorType = _STATE) -> Tensor:
        """Return a cache or state of a layer."""
        key = (name, layer)
        if key not in self._caches:
            tensor = Tensor("cache", fill_shape(shape), kind.size / kind.block)
            tensor.place = self.placement.layers[layer]
            self._caches[key] = tensor
        return self._caches[key]


def scale_values(values: Tensor, weight: Tensor | None, bias: Tensor | None = None) -> Tensor:
    """Return values times a weight plus a bias, element by element."""
    if weight is not None:
        values = apply("mul", values, weight)
    return values if bias is None else apply("add", values, bias)


def apply_norm(net: Network, values: Tensor, weight: Tensor | None, bias: Tensor | None = None) -> Tensor:
    """Return normalized values, times a weight, plus a bias."""
    op = "norm" if net.shape.architecture in LAYER_NORM else "rms_norm"
    return scale_values(apply(op, values), weight, bias)


def apply_layer_norm(net: Network, layer: int, name: str, values: Tensor) -> Tensor:
    """Return values normalized with the weights of that name, unchanged if the layer has none."""
    weight, bias = net.layer_weight(layer, name), net.layer_weight(layer, f"{name}.bias")
    return values if weight is None else apply_norm(net, values, weight, bias)


def apply_linear(net: Network, layer: int, name: str, values: Tensor) -> Tensor:
    """Return values times a weight of the layer, with its bias if there is one."""
    result = multiply(net.require_weight(layer, name), values)
    bias = net.layer_weight(layer, f"{name}.bias")
    return result if bias is None else apply("add", result, bias)
