"""Compress by deleting lines: what stays stands word for word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel import Level

if TYPE_CHECKING:
    from satchel import Tokenizer
    from satchel.messages import Exchange, Message


@attrs.frozen
class Delete:
    """Delete lines and whole exchanges; nothing is rephrased, nothing is added but marks."""

    name: ClassVar[str] = "delete"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.EXCERPT, Level.FULL})

    def compress(self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer) -> Message | None:
        """Return None: what is left out is left out."""
        return None
