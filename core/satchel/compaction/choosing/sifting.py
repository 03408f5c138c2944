"""Sift a conversation of very many exchanges: the newest, and those that hold the task's words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from satchel.compaction.choosing.facts import Library
from satchel.compaction.rules import Rules, called
from satchel.messages import Exchange
from satchel.workspace.terms import STOP, count_words

NEWEST = BEST = 4_000
"""Exchanges that are looked at whatever they cost: the newest, and the best of those before."""
FEW = NEWEST + BEST
"""Exchanges that are all looked at."""
NEWEST_TIMES = 6
"""The newest are looked at as far as they cost this many times the budget, too."""
_TERMS, _LONGEST, _LEAST = 24, 4_000, 3
"""Terms of a task, from so many of its characters, each of so many letters or more."""


def sifted(exchanges: Sequence[Exchange], tokens: int, *, terms: Sequence[str], rules: Rules) -> list[int]:
    """Return the positions of the exchanges that are worth a look, in order.

    The others are left out unread, so that a history of many thousands costs little time and memory.

    Args:
        exchanges: in order.
        tokens: of the window.
        terms: what the task says, in small letters.
        rules: tools whose calls should stay.
    """
    first = _first_of_newest(exchanges, NEWEST_TIMES * tokens)
    return [
        *_best(exchanges[:first], terms, rules.never_prune | rules.side_effects),
        *range(first, len(exchanges)),
    ]


def terms_of(task: str, library: Library) -> list[str]:
    """Return references and words of a task, in small letters, for `sifted`."""
    said = task[:_LONGEST]
    words = [word for word in count_words(said) if word.lower() not in STOP]
    found = dict.fromkeys(term.lower() for term in (*library.of(said).refs, *words))
    return [term for term in found if len(term) >= _LEAST][:_TERMS]


def _first_of_newest(exchanges: Sequence[Exchange], tokens: int) -> int:
    """Return the position from which exchanges are looked at; four characters count as a token."""
    first = len(exchanges)
    while first > 0 and (len(exchanges) - first < NEWEST or tokens > 0):
        first -= 1
        tokens -= (
            sum(len(block.text) for message in exchanges[first].messages for block in message.blocks) // 4
        )
    return first


def _best(exchanges: Sequence[Exchange], terms: Sequence[str], tools: frozenset[str]) -> list[int]:
    """Return the best positions by the rarity of the terms they hold; of equals, users' and newest ones."""
    masks = [_mask(one, terms) for one in exchanges]
    worth = _worth(masks, len(terms))

    def rank(at: int) -> tuple[bool, float, bool, int]:
        one = exchanges[at]
        return bool(tools and tools & called(one)), worth[masks[at]], one.role == "user", at

    return sorted(sorted(range(len(exchanges)), key=rank, reverse=True)[:BEST])


def _mask(exchange: Exchange, terms: Sequence[str]) -> int:
    """Return which terms an exchange holds, a bit for each."""
    texts = [block.text for message in exchange.messages for block in message.blocks]
    said = "\n".join(texts).lower()
    return sum([1 << at for at, term in enumerate(terms) if term in said])


def _worth(masks: Sequence[int], count: int) -> dict[int, float]:
    """Return the worth of each mask: the sum of the rarities of its terms."""
    times: dict[int, int] = {}
    for mask in masks:
        times[mask] = times.get(mask, 0) + 1
    holding = [sum(many for mask, many in times.items() if mask >> at & 1) for at in range(count)]
    rare = [math.log((1 + len(masks)) / (1 + held)) for held in holding]
    return {mask: sum(rare[at] for at in range(count) if mask >> at & 1) for mask in times}
