"""The beginning of the last sent window: a compaction leaves it unchanged, because caches hold it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import attrs

from satchel.messages import Block, BlockKind, Exchange, Message

MOST = 0.4
"""Share of a compaction's target that stays as it was sent.

Providers charge a tenth of the price for tokens that their cache holds, and a quarter more for new ones. So
each token that stays saves 1.15; beyond about this share, the kept part is too often stale.
"""
NEWEST = 0.35
"""Share of a compaction's target within which exchanges are new enough to be shown afresh."""
Origin = tuple[int, int]
"""The index of a window's message in the list that came in, -1 if it has none; its number of blocks."""


class StandingPrefix(NamedTuple):
    """The part of a window that stays, and the exchanges that it covers."""

    messages: tuple[Message, ...] = ()
    shown: Mapping[int, tuple[Message, ...]] = MappingProxyType({})
    """The shown messages by exchange number; the other exchanges before `end` are left out."""
    end: int = 0


NOTHING = StandingPrefix()


def origins_of(messages: Iterable[Message]) -> list[Origin]:
    """Return where each message of a window comes from, without those outside of the list."""
    return [(message.index, len(_drop_empty_blocks(message))) for message in messages if not message.outside]


def restore_sent(messages: Iterable[Message], origins: Sequence[Origin]) -> list[Message]:
    """Return the messages of a window that was read again, as they were before it was written.

    Some formats join messages in a row; `origins` separate them. [] if they do not match.
    """
    blocks = [(message, _drop_empty_blocks(message)) for message in messages if not message.outside]
    found: list[Message] = []
    at = start = 0
    for index, count in origins:
        if at == len(blocks) or not count:
            return []
        message, solid = blocks[at]
        own = solid[start : start + count]
        if len(own) < count:
            return []
        joined = count < len(solid)
        found.append(
            attrs.evolve(message, blocks=own, original=own, index=index)
            if joined
            else attrs.evolve(message, index=index)
        )
        start += count
        at, start = (at + 1, 0) if start == len(solid) else (at, start)
    return found


def trace_items(written: Iterable[Message], origins: Iterable[Origin], count: int) -> list[int]:
    """Return the index of each item of a window in the list that came in, -1 for satchel's own items.

    For messages that were joined in one item, the first one counts. Items after those of `origins` are
    not included.

    Args:
        written: the messages of the window, read again.
        origins: of the messages that it was written from.
        count: items of the window.
    """
    items = iter([(one.index, len(_drop_empty_blocks(one))) for one in written if not one.outside])
    found: dict[int, int] = {}
    item, left = -1, 0
    for index, blocks in origins:
        while True:
            if not left:
                item, left = next(items, (count, 0))
            if found.get(item, -1) < 0:
                found[item] = index
            taken = min(left, blocks)
            left, blocks = left - taken, blocks - taken
            if not blocks or item == count:
                break
    return [found[item] for item in range(count) if item in found]


def match_items(sent: Iterable[str], source: Sequence[str]) -> list[int]:
    """Return the index of each sent item in the list that came in, by digests; -1 if it has none."""
    found, at = [], 0
    for digest in sent:
        place = source.index(digest, at) if digest in source[at:] else -1
        at = max(at, place + 1)
        found.append(place)
    return found


def _drop_empty_blocks(message: Message) -> tuple[Block, ...]:
    """Return the blocks of a message without empty texts: writing may add or drop them."""
    return tuple(block for block in message.blocks if block.text or block.kind is not BlockKind.TEXT)


def standing(
    messages: Sequence[Message],
    exchanges: Sequence[Exchange],
    costs: Sequence[int],
    *,
    most: int,
    before: int,
    whole: Iterable[int],
) -> StandingPrefix:
    """Return the longest beginning of a window that stays; empty if nothing in it is cut.

    Args:
        messages: of the window that was sent last, with their indices in the conversation.
        exchanges: of the whole conversation.
        costs: tokens of the messages.
        most: most tokens of the beginning.
        before: the number of the first exchange that must be shown afresh.
        whole: the exchanges that must be whole.
    """
    places = _map_messages_to_exchanges(messages, exchanges)
    held: dict[int, list[Message]] = {}
    for place, message in zip(places, messages, strict=True):
        held.setdefault(place, []).append(message)
    stop = min([before, *_find_partial_exchanges(held, exchanges, whole)])
    count = _count_kept_messages(messages, places, costs, most=most, stop=stop)
    if all(message.index >= 0 for message in messages[:count]):
        return NOTHING
    outside = {at: tuple(one.messages) for at, one in enumerate(exchanges) if one.messages[0].outside}
    shown = {at: _messages_of(exchanges[at], held[at]) for at in dict.fromkeys(places[:count]) if at >= 0}
    parts = {at: iter(said) for at, said in shown.items()}
    kept = [next(parts[at]) if at >= 0 else messages[number] for number, at in enumerate(places[:count])]
    first = [message for said in outside.values() for message in said]
    return StandingPrefix((*first, *kept), MappingProxyType({**outside, **shown}), max(shown, default=-1) + 1)


def _map_messages_to_exchanges(messages: Sequence[Message], exchanges: Sequence[Exchange]) -> list[int]:
    """Return the exchange of each message, -1 if it has none."""
    whose: dict[tuple[int, str], list[int]] = {}
    for at, one in enumerate(exchanges):
        for message in one.messages:
            if not message.outside and message.index >= 0:
                whose.setdefault((message.index, message.role), []).append(at)
    # each piece of one message has its own exchange, in order
    pieces = {key: iter(places) for key, places in whose.items()}
    last = {key: places[-1] for key, places in whose.items()}
    keys = [(message.index, message.role) for message in messages]
    return [next(pieces[key], last[key]) if key in whose else -1 for key in keys]


def _find_partial_exchanges(
    held: Mapping[int, Sequence[Message]], exchanges: Sequence[Exchange], whole: Iterable[int]
) -> list[int]:
    """Return the exchanges that must be whole but are not."""
    inside = [at for at in whole if not exchanges[at].messages[0].outside]
    return [at for at in inside if not _have_same_content(exchanges[at].messages, held.get(at, ()))]


def _count_kept_messages(
    messages: Sequence[Message], places: Sequence[int], costs: Sequence[int], *, most: int, stop: int
) -> int:
    """Return how many messages stay: whole exchanges in order, as far as the tokens go."""
    count, last = 0, -1
    for at, place in enumerate(places):
        most -= costs[at]
        unknown = place < 0 and messages[at].index >= 0
        if most < 0 or unknown or place >= stop or 0 <= place < last:
            break
        last = max(last, place)
        if place >= 0 and place not in places[at + 1 : at + 2]:
            count = at + 1
    return count


def _messages_of(exchange: Exchange, shown: Sequence[Message]) -> tuple[Message, ...]:
    """Return an exchange's own messages if it is shown whole, else the shown ones."""
    return tuple(exchange.messages) if _have_same_content(exchange.messages, shown) else tuple(shown)


def _have_same_content(messages: Sequence[Message], shown: Sequence[Message]) -> bool:
    """Return whether messages are shown unchanged; messages that were joined have lost their frames."""
    return len(messages) == len(shown) and all(
        one == other or (one.role == other.role and _say(one.blocks, other.blocks))
        for one, other in zip(messages, shown, strict=True)
    )


def _say(blocks: Sequence[Block], shown: Sequence[Block]) -> bool:
    return len(blocks) == len(shown) and all(
        one == other or (one.kind is other.kind is BlockKind.TEXT and one.text == other.text)
        for one, other in zip(blocks, shown, strict=True)
    )
