"""Size a model's window: the largest that fits, what limits it, and what a given one takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.sizing.fitting import Card, Usage, bytes_per_token, fits, largest, shortfall, usage_of
from satchel.sizing.models.gguf import Header
from satchel.sizing.models.opening import open_model
from satchel.sizing.models.quantization import kind_of
from satchel.sizing.models.shapes import ModelShape, shape_of
from satchel.sizing.runs import ALL_LAYERS, Run, checked
from satchel.sizing.settings import ready_made

ENGINE = "llama.cpp of llama-cpp-python 0.3.36"
"""The engine whose rules are followed; paddings and buffers change between its versions."""
MARGIN_BYTES = 512 << 20
MARGIN_SHARE = 100
"""One part in so many of a card's memory is held back, beside the bytes: other programs, CUDA's own."""
SMALLEST_USEFUL = 4096
SMALLER_CACHES = ("f16", "q8_0", "q4_0")
OFFLOADED_QUARTERS = (4, 3, 2, 1)


class Choice(NamedTuple):
    """Another way to run the model."""

    key_kind: str
    value_kind: str
    gpu_layers: int
    """Layers on the cards, the output counted as one."""
    context: int
    """The largest window that fits, 0 where none does."""
    total_bytes: int


class Sizing(NamedTuple):
    """The answer: a window, what limits it, and the memory it takes."""

    model: str
    shape: ModelShape
    run: Run
    """How the model is run, with the window of the answer."""
    limited_by: str
    """`trained`, `memory` or `user`."""
    usage: Usage
    cards: tuple[Card, ...]
    """Empty where no card was asked or given."""
    nearest: Choice | None = None
    """What fits instead, where the answer does not."""
    engine: str = ENGINE
    """Whose rules were followed, or who was asked."""

    @property
    def fits(self) -> bool:
        """Tell whether the cards hold it; without cards there is nothing that it could exceed."""
        return self.run.context > 0 and (not self.cards or fits(self.usage, self.cards))

    @property
    def short_bytes(self) -> int:
        """Return the bytes that are missing, 0 where it fits."""
        return shortfall(self.usage, self.cards) if self.cards else 0

    @property
    def bytes_per_token(self) -> float:
        """Return what one more token of the window costs in the cache."""
        return bytes_per_token(self.shape, self.run)

    @property
    def settings(self) -> Mapping[str, str]:
        """Return ready-made settings for servers."""
        return ready_made(self.model, self.run)


def default_margin(total_bytes: int) -> int:
    """Return the bytes of a card that are held back where nobody says how many."""
    return MARGIN_BYTES + total_bytes // MARGIN_SHARE


def size(model: str, run: Run | None = None, *, cards: Sequence[Card] = ()) -> Sizing:
    """Size the window of a model: a .gguf file, a folder, or `ollama:NAME`.

    A window of 0 in `run` asks for the largest that fits on `cards`, each with its margin.

    Raises:
        HeaderError: the model can't be read.
        UsageError: the engine would refuse such a run.
    """
    header = open_model(model)
    return sized(model, header, run or Run(0), cards=cards)


def sized(model: str, header: Header, run: Run, *, cards: Sequence[Card]) -> Sizing:
    """Size the window of a model whose header was read."""
    shape, run = shape_of(header), _sharing(run, cards)
    checked(run._replace(context=run.context or run.slots))
    context, limit = _window(shape, run, cards)
    chosen = run._replace(context=context or _least(shape, run))
    usage = usage_of(shape, chosen)
    usage = usage._replace(problems=(*header.problems, *usage.problems))
    if cards and not fits(usage, cards):
        return Sizing(model, shape, chosen, limit, usage, tuple(cards), _nearest(shape, run, cards))
    return Sizing(model, shape, chosen, limit, usage, tuple(cards))


def _sharing(run: Run, cards: Sequence[Card]) -> Run:
    """Return the run with layers shared out by the cards' free memory, as the engine does."""
    shares = tuple(float(card.free_bytes) for card in cards)
    return (
        run._replace(shares=shares)
        if cards and any(shares)
        else run._replace(shares=(1.0,) * max(1, len(cards)))
    )


def _window(shape: ModelShape, run: Run, cards: Sequence[Card]) -> tuple[int, str]:
    if run.context:
        return run.context, "user"
    if not cards:
        return shape.trained_context, "trained"
    found = largest(shape, run, cards)
    most = max(shape.trained_context // (256 * run.slots) * 256 * run.slots, min(shape.trained_context, 256))
    return found, "trained" if found >= most else "memory"


def _least(shape: ModelShape, run: Run) -> int:
    return max(run.slots, min(shape.trained_context, SMALLEST_USEFUL))


def _nearest(shape: ModelShape, run: Run, cards: Sequence[Card]) -> Choice | None:
    """Return what fits with the least sacrifice: smaller caches first, then fewer layers on the cards."""
    found = (choice for choice in choices(shape, run, cards) if choice.context >= _least(shape, run))
    return next(found, None)


def choices(shape: ModelShape, run: Run, cards: Sequence[Card]) -> Iterator[Choice]:
    """Yield the largest window for each offload and cache type, all layers on the cards first."""
    every = len(shape.layers) + 1
    for quarter in OFFLOADED_QUARTERS:
        layers = min(run.gpu_layers, every) * quarter // 4
        for name in SMALLER_CACHES:
            if name != "f16" and not run.flash_attention:
                continue
            way = run._replace(key_kind=kind_of(name), value_kind=kind_of(name))
            way = way._replace(gpu_layers=min(run.gpu_layers, ALL_LAYERS) if quarter == 4 else layers)
            context = largest(shape, way, cards)
            usage = usage_of(shape, way._replace(context=context)) if context else None
            yield Choice(name, name, layers, context, usage.together.total if usage else 0)
