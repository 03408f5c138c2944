"""The memory that a run takes on each device, and the largest window that fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satchel.errors import UsageError
from satchel.sizing.graphs.drawing import compute_buffers
from satchel.sizing.memory import (
    Placement,
    cache_bytes_by_device,
    count_layer_bytes,
    guess_buffers,
    is_recognized,
    place,
    weights,
)
from satchel.sizing.models.gguf import align
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


def usage_of(shape: ModelShape, run: Run, *, held: Sequence[int] = ()) -> DeviceUsage:
    """Return the memory that `run` takes, device by device; `held` are the weights if known."""
    run = _settle_run(shape, check_run(run))
    placement = place(shape, run)
    held, caches = held or weights(shape, placement), cache_bytes_by_device(shape, run, placement)
    compute, problems = _compute(shape, run, placement)
    parts = [DeviceMemory(*part) for part in zip(held, caches, compute, strict=True)]
    return DeviceUsage(tuple(parts[:-1]), parts[-1], problems)


def _compute(shape: ModelShape, run: Run, placement: Placement) -> tuple[Sequence[int], tuple[str, ...]]:
    if is_recognized(shape):
        try:
            return compute_buffers(shape, run, placement), ()
        except (LookupError, ArithmeticError) as error:
            return guess_buffers(shape, run, placement), (_describe_unknown(shape, error),)
    return guess_buffers(shape, run, placement), (_describe_unknown(shape, None),)


def _settle_run(shape: ModelShape, run: Run) -> Run:
    """Return the run as the engine runs it; UsageError if it would refuse it."""
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
    if shape.is_hugging_face:
        return (
            "weights of Hugging Face are run by vLLM and its like, whose compute buffer is estimated on the "
            "safe side; llama.cpp, Ollama and LM Studio want them converted to GGUF first"
        )
    missing = f" ({error.args[0]} is not there)" if isinstance(error, KeyError) else ""
    return (
        f"the graph of architecture {shape.architecture!r} is not known{missing}: "
        "its compute buffer is estimated on the safe side"
    )


def fits(usage: DeviceUsage, cards: Sequence[Card]) -> bool:
    """Return whether each card holds its part."""
    return all(memory.total <= card.usable for memory, card in zip(usage.cards, cards, strict=True))


def shortfall(usage: DeviceUsage, cards: Sequence[Card]) -> int:
    """Return the bytes that are missing on all cards together."""
    return sum(max(0, memory.total - card.usable) for memory, card in zip(usage.cards, cards, strict=True))


def largest(shape: ModelShape, run: Run, cards: Sequence[Card]) -> int:
    """Return the largest window up to the trained one that fits, in the engine's steps; 0 if none fits."""
    held = weights(shape, place(shape, run))
    if any(size > card.usable for size, card in zip(held, cards, strict=False)):
        return 0

    def missing(context: int) -> int:
        usage = usage_of(shape, run._replace(context=context), held=held)
        pairs = zip(usage.cards, cards, strict=True)
        return max((memory.total - card.usable for memory, card in pairs), default=0)

    step = CELL_PADDING * run.slots
    low, high = 1, shape.trained_context // step
    if not high:
        return shape.trained_context if missing(shape.trained_context) <= 0 else 0
    spare, over = -missing(low * step), missing(high * step)
    if over <= 0:
        return high * step
    if spare < 0:
        return 0
    halve = False
    while high - low > 1:
        # The memory of a window grows almost evenly, so few are tried; halves are for jumps.
        ahead = (high - low) // 2 if halve else (high - low) * spare // (spare + over)
        at = min(low + max(1, ahead), high - 1)
        found, halve = missing(at * step), not halve
        if found > 0:
            high, over = at, found
        else:
            low, spare = at, -found
    return low * step


def bytes_per_token(shape: ModelShape, run: Run) -> float:
    """Return the cache bytes of one more token of the window, on all devices together."""
    last = align(max(run.context, CELL_PADDING), CELL_PADDING)
    more = run._replace(context=last + CELL_PADDING * run.slots)
    here = run._replace(context=last)
    grown = sum(
        count_layer_bytes(shape, layer, more, on_card=True)
        - count_layer_bytes(shape, layer, here, on_card=True)
        for layer in shape.layers
    )
    return grown / (CELL_PADDING * run.slots)
