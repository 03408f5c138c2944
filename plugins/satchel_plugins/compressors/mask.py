"""Compress by masking observations: calls stay, results give way to a mark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel import Level

if TYPE_CHECKING:
    from satchel import Tokenizer
    from satchel.messages import Exchange, Message


@attrs.frozen
class Mask:
    """Show old calls without their results."""

    name: ClassVar[str] = "mask"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.HEADERS, Level.FULL})

    def compress(self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer) -> Message | None:
        """Return None: what is left out is left out."""
        return None
