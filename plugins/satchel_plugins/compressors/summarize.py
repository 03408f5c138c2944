"""Compress by summarising: a run of exchanges becomes a few of its own sentences, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.plugin_api import Level

if TYPE_CHECKING:
    from satchel.plugin_api import Exchange, Message, Task, Tokenizer

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
        """Return a note of at most `target` tokens, None where not even a line of it fits."""
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
