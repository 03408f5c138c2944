"""Tensors without values and the order in which a graph of them is computed."""

from __future__ import annotations

from collections.abc import Sequence

Shape = tuple[int, int, int, int]

IN_PLACE = frozenset(
    (
        *("fill", "scale", "add", "add_id", "sub", "mul", "div", "sqr", "sqrt", "log"),
        *("unary", "rope", "rms_norm", "clamp", "soft_max"),
    )
)
"""Operations whose result may take the place of an operand (ggml_op_can_inplace)."""

LEAVES = frozenset(("input", "weight", "cache"))
"""What is there before the graph runs."""

VIEWS = frozenset(("view", "reshape", "permute"))
"""Operations that only look at their operand; they never start a run on another device."""


class Tensor:
    """A tensor: its shape, the bytes between neighbours in each direction, and what it is made from.

    `root` is the tensor whose memory a view looks at. `place` is the device of a weight or a cache,
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
        """Tell whether its values follow each other without gaps."""
        return self.strides == Tensor(self.op, self.shape, self.unit).strides


class Graph:
    """What is computed, in order: operands before results, each once."""

    __slots__ = ("inputs", "nodes", "seen")

    def __init__(self) -> None:
        self.nodes: list[Tensor] = []
        self.inputs: list[Tensor] = []
        self.seen: set[int] = set()

    def expand(self, result: Tensor) -> Tensor:
        """Add all that `result` needs and is not there yet, leftmost operand first."""
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
        """Add both, and go on with the first."""
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
