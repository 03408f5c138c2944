"""What compressors have in common that show calls and lines of results: the rules for tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Tokenizer
    from satchel.messages import Exchange, Message


@attrs.frozen
class Shortening:
    """Leave out what is not shown; the levels of a compressor say what is."""

    share: ClassVar[float] = 0.0
    """No room is kept for messages of its own: it makes none."""

    never_prune: tuple[str, ...] = ()
    """Tools whose calls and results stay whole, as long as there is room."""
    clear_first: tuple[str, ...] = ()
    """Tools of whose results nothing stays once they are old."""
    side_effects: tuple[str, ...] = ()
    """Tools whose calls stay, so that nothing is done twice; their results may be cut."""

    def compress(self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer) -> Message | None:
        """Return None: what is left out is left out."""
        return None
