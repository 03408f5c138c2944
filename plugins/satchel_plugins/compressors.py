"""Compressors that leave out (delete, hybrid, mask, truncate), and one that makes notes (summarize)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.plugin_api import Later, Level

if TYPE_CHECKING:
    from satchel.plugin_api import Exchange, Message, Task, Tokenizer


class _LeavingOut:
    """Leave out everything except the levels that a compressor shows."""

    share: ClassVar[float] = 0.0
    """No room is reserved, because it makes no messages of its own."""

    def compress(
        self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer, task: Task
    ) -> Message | None:
        """Return None: nothing replaces left-out exchanges."""
        return None


@attrs.frozen
class _Shortening(_LeavingOut):
    """Leave out everything except the shown levels, with rules for tools in the settings."""

    never_prune: tuple[str, ...] = ()
    """Tools whose calls and results stay whole, as long as there is room."""
    clear_first: tuple[str, ...] = ()
    """Tools of whose results nothing stays once they are old."""
    side_effects: tuple[str, ...] = ()
    """Tools whose calls stay, the newest first and in up to half of the room, so that nothing is done twice;
    their results may be cut."""


@attrs.frozen
class Delete(_Shortening):
    """Delete lines and whole exchanges; nothing is rephrased, nothing is added but marks."""

    name: ClassVar[str] = "delete"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.EXCERPT, Level.FULL})


@attrs.frozen
class HybridCompressor(_Shortening):
    """Keep calls, and of results and long texts the lines that are worth their tokens."""

    name: ClassVar[str] = "hybrid"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.HEADERS, Level.EXCERPT, Level.FULL})


@attrs.frozen
class Mask(_Shortening):
    """Show old calls without their results."""

    name: ClassVar[str] = "mask"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.HEADERS, Level.FULL})


@attrs.frozen
class Truncate(_LeavingOut):
    """Leave out whole exchanges."""

    name: ClassVar[str] = "truncate"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.FULL})


_LONGEST = 160


@attrs.frozen
class Summarize:
    """Put the first words of each left-out exchange into one note, the newest first to have room."""

    name: ClassVar[str] = "summarize"
    levels: ClassVar[frozenset[Level]] = frozenset({Level.FULL})
    share: float = 0.15
    """Share of what the promises leave that summaries may fill."""

    def compress(
        self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer, task: Task
    ) -> Message | None:
        """Return a note of at most `target` tokens, None if not even a line of it fits."""
        from satchel.plugin_api import Message

        lines = [line for line in map(_line, exchanges) if line]
        title = f"[satchel: what {len(exchanges)} left-out steps were about, oldest first]"
        tokens = tokenizer.count([f"{title}\n", *(f"{line}\n" for line in lines)])
        left = target - tokens[0]
        shown: list[str] = []
        for line, cost in zip(reversed(lines), reversed(tokens[1:]), strict=True):
            if cost > left:
                break
            left -= cost
            shown.append(line)
        text = "\n".join([title, *reversed(shown)])
        return Message("user", text) if shown and tokenizer.count([text])[0] <= target else None


def _line(exchange: Exchange) -> str:
    said = " ".join(" ".join(_texts(exchange)).split())
    return f"- {exchange.role}: {said[:_LONGEST]}" if said else ""


def _texts(exchange: Exchange) -> Iterator[str]:
    first = exchange.messages[0]
    yield first.text[: 4 * _LONGEST]
    for call in first.calls:
        yield f"[{call.name} {call.text[:_LONGEST]}]"


COMPRESSORS = (
    Later("delete", "satchel_plugins.compressors:Delete"),
    Later("hybrid", "satchel_plugins.compressors:HybridCompressor"),
    Later("mask", "satchel_plugins.compressors:Mask"),
    Later("summarize", "satchel_plugins.compressors:Summarize"),
    Later("truncate", "satchel_plugins.compressors:Truncate"),
)
