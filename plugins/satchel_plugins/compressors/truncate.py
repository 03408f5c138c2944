"""Compress by leaving out: an exchange is whole or not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel import Level

if TYPE_CHECKING:
    from satchel import Tokenizer
    from satchel.messages import Exchange, Message


@attrs.frozen
class Truncate:
    """Leave out whole exchanges."""

    name: ClassVar[str] = "truncate"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.FULL})
    share: ClassVar[float] = 0.0

    def compress(self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer) -> Message | None:
        """Return None: what is left out is left out."""
        return None
