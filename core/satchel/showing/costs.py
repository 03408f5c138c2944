"""The cost of a window: money, by dated prices, and the memory of a local model."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel.sizing.sizing import Sizing


class ModelMemory(NamedTuple):
    """Bytes on the cards, or on the host if there are none."""

    model: str
    total_bytes: int
    """Bytes that the cards have for it, without their margins; 0 if no card is known."""
    weights_bytes: int
    compute_bytes: int
    cache_bytes: int
    """Bytes of the window as it is."""
    cache_bytes_per_token: float
    """Cache bytes of one more token."""
    context: int
    """Tokens at which the window ends, 0 if the model does not fit."""
    limited_by: str
    """`trained`, `memory` or `user`."""

    @property
    def free_bytes(self) -> int:
        """Return the free bytes, negative if the window does not fit."""
        return self.total_bytes - self.weights_bytes - self.compute_bytes - self.cache_bytes


def measure_memory(sizing: Sizing, tokens: int) -> ModelMemory:
    """Return the memory of a model and of a window of `tokens`."""
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


_MILLION = 1_000_000
_WINDOW = lazily(r"\[\d+[km]\]$")
"""Claude Code's suffix for the window after a model's name."""
_SAME = lazily(r"[-@](\d{6,8}|\d{4}-\d\d-\d\d|latest|preview.*)(-v\d.*)?|-v\d+:\d+")


class Price(NamedTuple):
    """Prices of a model in US dollars for a million tokens."""

    input: float
    cached: float
    output: float
    date: str
    """The date of the table."""
    longest: int = 0
    """Tokens of a request up to which these prices hold, 0 for any."""
    long_input: float = 0.0
    long_cached: float = 0.0

    def of_window(self, tokens: int, *, cached: bool = False) -> float:
        """Return the cost of sending a window, in US dollars."""
        if self.longest and tokens > self.longest:
            return tokens * (self.long_cached if cached else self.long_input) / _MILLION
        return tokens * (self.cached if cached else self.input) / _MILLION


def find_price(model: str) -> Price | None:
    """Return the prices of a model, None if the table does not have it.

    A date, a version of a cloud's or a size of the window after a name of the table is the same model; any
    other word or number may be another one, at another price.
    """
    plain = _WINDOW.sub("", model.strip().lower().rpartition("/")[2]).removeprefix("anthropic.")
    table = _table()
    name = max((one for one in table["models"] if _is_of(plain, one)), key=len, default="")
    if not name:
        return None
    given, cached, output, *long = table["models"][name]
    return Price(given, cached, output, table["date"], *long[:3])


def _is_of(model: str, name: str) -> bool:
    rest = model.removeprefix(name)
    return model.startswith(name) and (not rest or bool(_SAME.fullmatch(rest)))


@lru_cache(maxsize=1)
def _table() -> Any:
    return json.loads(Path(__file__).with_name("prices.json").read_text(encoding="utf-8"))
