"""The memory of a local model beside its window: what is taken, what is free, where the window would end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from satchel.sizing.sizing import Sizing


class ModelMemory(NamedTuple):
    """Bytes on the cards, or on the host where there are none."""

    model: str
    total_bytes: int
    """What the cards have for it, their margins left out; 0 where no card is known."""
    weights_bytes: int
    compute_bytes: int
    cache_bytes: int
    """Of the window as it is."""
    bytes_per_token: float
    """What one more token costs in the cache."""
    context: int
    """Tokens at which the window ends, 0 where the model does not fit."""
    limited_by: str
    """`trained`, `memory` or `user`."""

    @property
    def free_bytes(self) -> int:
        """Bytes that are left, negative where the window does not fit."""
        return self.total_bytes - self.weights_bytes - self.compute_bytes - self.cache_bytes


def measure_memory(sizing: Sizing, tokens: int) -> ModelMemory:
    """Return the memory of a model and of a window of so many tokens."""
    together = sizing.usage.together
    return ModelMemory(
        sizing.model,
        sum(card.free_bytes - card.margin_bytes for card in sizing.cards),
        together.weights,
        together.compute,
        round(sizing.bytes_per_token * tokens),
        sizing.bytes_per_token,
        sizing.run.context if sizing.fits else 0,
        sizing.limited_by,
    )
