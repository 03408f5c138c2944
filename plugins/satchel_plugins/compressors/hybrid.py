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
    share: ClassVar[float] = 0.0

    never_prune: tuple[str, ...] = ()
    """Tools whose calls and results stay whole, as long as there is room."""
    clear_first: tuple[str, ...] = ()
    """Tools of whose results nothing stays once they are old."""
    side_effects: tuple[str, ...] = ()
    """Tools whose calls stay, so that nothing is done twice; their results may be cut."""

    def compress(self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer) -> Message | None:
        """Return None: what is left out is left out."""
        return None
