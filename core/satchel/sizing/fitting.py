"""The memory that a run takes on each device, and the largest window that fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satchel.errors import UsageError
from satchel.sizing.graphs.drawing import compute_buffers
from satchel.sizing.memory import (
    Placement,
    cache_bytes_by_device,
    guess_buffers,
    is_recognized,
    layer_cache,
    place,
    weights,
)
from satchel.sizing.models.quantization import align
from satchel.sizing.models.shapes import ModelShape
from satchel.sizing.options import CELL_PADDING, Run, check_run

WITHOUT_FLASH = frozenset(("grok",))
"""Architectures for which the engine turns flash attention off."""


class DeviceMemory(NamedTuple):
    """Bytes on one device."""

    weights: int
    cache: int
    """Keys and values, and recurrent state."""
    compute: int

    @property
    def total(self) -> int:
        """Return all of it."""
        return self.weights + self.cache + self.compute


class DeviceUsage(NamedTuple):
    """Bytes on each card and on the host."""

    cards: tuple[DeviceMemory, ...]
    host: DeviceMemory
    problems: tuple[str, ...] = ()

    @property
    def together(self) -> DeviceMemory:
        """Return the sums over the cards."""
        return (
            DeviceMemory(*(sum(part) for part in zip(*self.cards, strict=True)))
            if self.cards
            else DeviceMemory(0, 0, 0)
        )


class Card(NamedTuple):
    """Memory of a graphics card that a model may use."""

    free_bytes: int
    margin_bytes: int = 0
    name: str = ""

    @property
    def usable(self) -> int:
        """Return the bytes that may be used."""
        return max(0, self.free_bytes - self.margin_bytes)


def usage_of(shape: ModelShape, run: Run, *, held: Sequence[int] = (), whole: bool = True) -> DeviceUsage:
    """Return the memory that `run` takes, device by device.

    `held` are the weights where they are known. Where not `whole`, repeated layers are looked at once:
    faster, and nearly always the same.
    """
    run = _accept(shape, check_run(run))
    placement = place(shape, run)
    held, caches = held or weights(shape, placement), cache_bytes_by_device(shape, run, placement)
    compute, problems = _compute(shape, run, placement, whole=whole)
    parts = [DeviceMemory(*part) for part in zip(held, caches, compute, strict=True)]
    return DeviceUsage(tuple(parts[:-1]), parts[-1], problems)


def _compute(
    shape: ModelShape, run: Run, placement: Placement, *, whole: bool
) -> tuple[Sequence[int], tuple[str, ...]]:
    if is_recognized(shape):
        try:
            return compute_buffers(shape, run, placement, whole=whole), ()
        except (LookupError, ArithmeticError) as error:
            return guess_buffers(shape, run, placement), (_describe_unknown(shape, error),)
    return guess_buffers(shape, run, placement), (_describe_unknown(shape, None),)


def _accept(shape: ModelShape, run: Run) -> Run:
    """Return the run as the engine runs it; UsageError where it would refuse it."""
    if shape.architecture in WITHOUT_FLASH:
        run = run._replace(flash_attention=False)
    if shape.latent and run.key_kind != run.value_kind:
        raise UsageError(f"{shape.architecture} keeps keys and values as one, they need one cache type")
    for layer in shape.layers:
        for kind, size in ((run.key_kind, layer.key), (run.value_kind, layer.value)):
            if layer.attends and size % kind.block:
                raise UsageError(
                    f"the engine does not keep heads of {size} values as {kind.name}, "
                    f"whose blocks hold {kind.block}; take f16"
                )
    return run


def _describe_unknown(shape: ModelShape, error: Exception | None) -> str:
    missing = f" ({error.args[0]} is not there)" if isinstance(error, KeyError) else ""
    return (
        f"the graph of architecture {shape.architecture!r} is not known{missing}: "
        "its compute buffer is estimated on the safe side"
    )


def fits(usage: DeviceUsage, cards: Sequence[Card]) -> bool:
    """Tell whether each card holds its part."""
    return all(memory.total <= card.usable for memory, card in zip(usage.cards, cards, strict=True))


def shortfall(usage: DeviceUsage, cards: Sequence[Card]) -> int:
    """Return the bytes that are missing on all cards together."""
    return sum(max(0, memory.total - card.usable) for memory, card in zip(usage.cards, cards, strict=True))


def largest(shape: ModelShape, run: Run, cards: Sequence[Card]) -> int:
    """Return the largest window up to the trained one that fits, in the engine's steps; 0 for none."""
    search = _WindowSearch(shape, run, cards)
    if any(size > card.usable for size, card in zip(search.held, cards, strict=False)):
        return 0
    steps = shape.trained_context // search.step
    if not steps:
        return shape.trained_context if search.holds(shape.trained_context) else 0
    found = search.highest(steps)
    while found and not search.holds(found * search.step):
        found -= 1
    return found * search.step


class _WindowSearch:
    """Looks for the largest window: caches are quickly counted, a graph is drawn for few windows only."""

    def __init__(self, shape: ModelShape, run: Run, cards: Sequence[Card]) -> None:
        self.shape, self.run, self.cards = shape, run, cards
        self.placement = place(shape, run)
        self.held = weights(shape, self.placement)
        self.step = CELL_PADDING * run.slots
        self._drawn: dict[int, Sequence[float]] = {}

    def holds(self, context: int) -> bool:
        """Tell whether a window fits, each layer looked at."""
        return fits(usage_of(self.shape, self.run._replace(context=context), held=self.held), self.cards)

    def highest(self, steps: int) -> int:
        """Return the most steps that fit, looking where buffers that grow evenly would end.

        Larger windows never have smaller buffers, so a buffer tells what is out of reach beyond its window.
        """
        low, high = 0, self._reach(1, steps, self._buffers(1)) + 1
        while high - low > 1:
            at = self._interpolate(low, high)
            if self._reach(at, at, self._buffers(at)) < at:
                high = at
            else:
                low, high = at, min(high, self._reach(at, high - 1, self._buffers(at)) + 1)
        return low

    def _interpolate(self, low: int, high: int) -> int:
        """Return the next window to look at: where buffers that grow evenly would end."""
        if high not in self._drawn:
            return high - 1
        least, most, span = self._buffers(max(1, low)), self._buffers(high), high - low
        near, far = low, high
        while far - near > 1:
            middle = (near + far) // 2
            part = (middle - low) / span
            even = [a + (b - a) * part for a, b in zip(least, most, strict=True)]
            near, far = (middle, far) if self._reach(middle, middle, even) == middle else (near, middle)
        return min(max(near, low + 1), high - 1)

    def _buffers(self, steps: int) -> Sequence[float]:
        if steps not in self._drawn:
            run = _accept(self.shape, check_run(self.run._replace(context=steps * self.step)))
            self._drawn[steps] = _compute(self.shape, run, self.placement, whole=False)[0]
        return self._drawn[steps]

    def _reach(self, first: int, last: int, buffers: Sequence[float]) -> int:
        """Return the most steps up to `last` whose caches fit beside `buffers`, `first` - 1 for none."""
        low, high = first - 1, last
        while low < high:
            middle = (low + high + 1) // 2
            caches = cache_bytes_by_device(
                self.shape, self.run._replace(context=middle * self.step), self.placement
            )
            parts = zip(self.held, caches, buffers, self.cards, strict=False)
            if all(held + cache + buffer <= card.usable for held, cache, buffer, card in parts):
                low = middle
            else:
                high = middle - 1
        return low


def bytes_per_token(shape: ModelShape, run: Run) -> float:
    """Return what one more token of the window costs in the cache, on all devices together."""
    last = align(max(run.context, CELL_PADDING), CELL_PADDING)
    more = run._replace(context=last + CELL_PADDING * run.slots)
    here = run._replace(context=last)
    grown = sum(
        layer_cache(shape, layer, more).size(on_card=True)
        - layer_cache(shape, layer, here).size(on_card=True)
        for layer in shape.layers
    )
    return grown / (CELL_PADDING * run.slots)
