"""Compressors that leave out: delete, hybrid, mask and truncate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.plugin_api import Level

if TYPE_CHECKING:
    from satchel.plugin_api import Exchange, Message, Task, Tokenizer


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

    def compress(
        self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer, task: Task
    ) -> Message | None:
        """Return None: what is left out is left out."""
        return None


@attrs.frozen
class Delete(Shortening):
    """Delete lines and whole exchanges; nothing is rephrased, nothing is added but marks."""

    name: ClassVar[str] = "delete"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.EXCERPT, Level.FULL})


@attrs.frozen
class HybridCompressor(Shortening):
    """Keep calls, and of results and long texts the lines that are worth their tokens."""

    name: ClassVar[str] = "hybrid"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.HEADERS, Level.EXCERPT, Level.FULL})


@attrs.frozen
class Mask(Shortening):
    """Show old calls without their results."""

    name: ClassVar[str] = "mask"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.HEADERS, Level.FULL})


@attrs.frozen
class Truncate:
    """Leave out whole exchanges."""

    name: ClassVar[str] = "truncate"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.FULL})
    share: ClassVar[float] = 0.0

    def compress(
        self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer, task: Task
    ) -> Message | None:
        """Return None: what is left out is left out."""
        return None
