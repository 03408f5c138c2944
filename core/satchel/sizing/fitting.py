"""The memory that a run takes on each device, and the largest window that fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satchel.errors import UsageError
from satchel.sizing.caches import layer_cache
from satchel.sizing.graphs.drawing import compute_buffers
from satchel.sizing.guessing import guessed_buffers, recognised
from satchel.sizing.models.quantization import aligned
from satchel.sizing.models.shapes import ModelShape
from satchel.sizing.placement import Placement, kept, place, weights
from satchel.sizing.runs import CELL_PADDING, Run, checked

WITHOUT_FLASH = frozenset(("grok",))
"""Architectures for which the engine turns flash attention off."""


class Memory(NamedTuple):
    """Bytes on one device."""

    weights: int
    cache: int
    """Keys and values, and recurrent state."""
    compute: int

    @property
    def total(self) -> int:
        """Return all of it."""
        return self.weights + self.cache + self.compute


class Usage(NamedTuple):
    """Bytes on each card and on the host."""

    cards: tuple[Memory, ...]
    host: Memory
    problems: tuple[str, ...] = ()

    @property
    def together(self) -> Memory:
        """Return the sums over the cards."""
        return (
            Memory(*(sum(part) for part in zip(*self.cards, strict=True))) if self.cards else Memory(0, 0, 0)
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


def usage_of(shape: ModelShape, run: Run, *, held: Sequence[int] = (), whole: bool = True) -> Usage:
    """Return the memory that `run` takes, device by device.

    `held` are the weights where they are known. Where not `whole`, repeated layers are looked at once:
    faster, and nearly always the same.
    """
    run = _accepted(shape, checked(run))
    placement = place(shape, run)
    held, caches = held or weights(shape, placement), kept(shape, run, placement)
    compute, problems = _compute(shape, run, placement, whole=whole)
    parts = [Memory(*part) for part in zip(held, caches, compute, strict=True)]
    return Usage(tuple(parts[:-1]), parts[-1], problems)


def _compute(
    shape: ModelShape, run: Run, placement: Placement, *, whole: bool
) -> tuple[Sequence[int], tuple[str, ...]]:
    if recognised(shape):
        try:
            return compute_buffers(shape, run, placement, whole=whole), ()
        except (LookupError, ArithmeticError) as error:
            return guessed_buffers(shape, run, placement), (_unknown(shape, error),)
    return guessed_buffers(shape, run, placement), (_unknown(shape, None),)


def _accepted(shape: ModelShape, run: Run) -> Run:
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


def _unknown(shape: ModelShape, error: Exception | None) -> str:
    missing = f" ({error.args[0]} is not there)" if isinstance(error, KeyError) else ""
    return (
        f"the graph of architecture {shape.architecture!r} is not known{missing}: "
        "its compute buffer is estimated on the safe side"
    )


def fits(usage: Usage, cards: Sequence[Card]) -> bool:
    """Tell whether each card holds its part."""
    return all(memory.total <= card.usable for memory, card in zip(usage.cards, cards, strict=True))


def shortfall(usage: Usage, cards: Sequence[Card]) -> int:
    """Return the bytes that are missing on all cards together."""
    return sum(max(0, memory.total - card.usable) for memory, card in zip(usage.cards, cards, strict=True))


def largest(shape: ModelShape, run: Run, cards: Sequence[Card]) -> int:
    """Return the largest window up to the trained one that fits, in the engine's steps; 0 for none.

    Bisection: with more memory each step goes as far or further.
    """
    held = weights(shape, place(shape, run))
    if any(size > card.usable for size, card in zip(held, cards, strict=False)):
        return 0

    def holds(context: int, *, whole: bool = False) -> bool:
        return fits(usage_of(shape, run._replace(context=context), held=held, whole=whole), cards)

    step = CELL_PADDING * run.slots
    low, high = 0, shape.trained_context // step
    if not high:
        return shape.trained_context if holds(shape.trained_context, whole=True) else 0
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle * step):
            low = middle
        else:
            high = middle - 1
    while low and not holds(low * step, whole=True):
        low -= 1
    return low * step


def bytes_per_token(shape: ModelShape, run: Run) -> float:
    """Return what one more token of the window costs in the cache, on all devices together."""
    last = aligned(max(run.context, CELL_PADDING), CELL_PADDING)
    more = run._replace(context=last + CELL_PADDING * run.slots)
    here = run._replace(context=last)
    grown = sum(
        layer_cache(shape, layer, more).size(on_card=True)
        - layer_cache(shape, layer, here).size(on_card=True)
        for layer in shape.layers
    )
    return grown / (CELL_PADDING * run.slots)
