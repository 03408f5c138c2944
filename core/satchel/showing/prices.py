"""What a window costs at a provider, from a dated table."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

_MILLION = 1_000_000


class Price(NamedTuple):
    """Prices of a model in US dollars for a million tokens."""

    input: float
    cached: float
    output: float
    date: str
    """When the table was written."""

    def of_window(self, tokens: int, *, cached: bool = False) -> float:
        """Return what sending a window costs, in US dollars."""
        return tokens * (self.cached if cached else self.input) / _MILLION


def find_price(model: str) -> Price | None:
    """Return the prices of a model, None if the table does not have it; the longest name that fits counts."""
    plain = model.strip().lower().rpartition("/")[2]
    table = _table()
    fitting = [name for name in table["models"] if plain == name or plain.startswith(f"{name}-")]
    if not fitting:
        return None
    given, cached, output = table["models"][max(fitting, key=len)]
    return Price(given, cached, output, table["date"])


@lru_cache(maxsize=1)
def _table() -> Any:
    return json.loads(Path(__file__).with_name("prices.json").read_text(encoding="utf-8"))
