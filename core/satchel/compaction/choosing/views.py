"""Exchanges as the choice sees them: what they cost without their texts, and the pieces that may be added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from satchel.compaction.choosing.facts import SHORT, Library
from satchel.compaction.choosing.ladders import Unit, View
from satchel.compaction.choosing.pieces import ESCAPED, GAP_TOKENS
from satchel.compaction.choosing.weights import Mentions
from satchel.compaction.cutting.shortening import Form, shortened
from satchel.compaction.rules import called, rules_of
from satchel.items import Level
from satchel.messages import BlockKind, Exchange

if TYPE_CHECKING:
    from satchel.compaction.setups import Setup

_OPENING = 11
"""Tokens of a message's frame with its mark, where it has nothing but pieces."""
_ASKED, _SAID = 3.0, 0.4
"""Worth of what a user wrote, and of what the model said, beside the references in it."""
_CHAT_POWER, _CHAT_SIZE = 2.5, 0.9


class Sight(NamedTuple):
    """What views are made with."""

    setup: Setup
    form: Form
    levels: frozenset[Level]
    """Levels that the compressor shows."""
    near: frozenset[str]
    """Paths in the calls that stand in the window."""
    chat: Sequence[float] = ()
    """Where nobody calls a tool, how much likelier than others each exchange answers the task."""


def view(
    exchange: Exchange, at: int, sight: Sight, *, tokens: int, salience: float, stale: bool = False
) -> View:
    """Return an exchange as the choice sees it; `stale` where a later one has the same results."""
    if sight.chat or sight.levels <= {Level.FULL}:
        answers = sight.chat[at] if sight.chat else 1.0
        worth = (salience * answers) ** _CHAT_POWER * max(1, tokens) ** _CHAT_SIZE
        return View(exchange.id, at, 0, frozenset(), (), tokens, salience, worth=worth)
    library = sight.form.library
    bare = shortened(exchange, (), sight.form)
    base = sum(sight.setup.counts.messages(bare)) if bare else _OPENING
    cleared = bool(rules_of(sight.setup.compressor).clear_first & called(exchange))
    lines = Level.EXCERPT in sight.levels
    units = [
        one for one in _units(exchange, library, salience) if not (cleared and _is_result(exchange, one))
    ]
    refs = frozenset(_base_refs(exchange, library)) if bare else frozenset()
    opens = bool(bare) and Level.HEADERS in sight.levels
    return View(
        exchange.id,
        at,
        base,
        refs,
        units if lines else (),
        tokens,
        salience,
        bare=opens,
        near=bool(sight.near & refs),
        stale=stale or cleared,
    )


def _is_result(exchange: Exchange, unit: Unit) -> bool:
    place = unit.place
    return exchange.messages[place.message].blocks[place.block].kind is BlockKind.RESULT


def repeated(exchanges: Sequence[Exchange]) -> set[int]:
    """Return the exchanges all of whose results stand word for word in later ones too."""
    later: set[str] = set()
    found: set[int] = set()
    for at in range(len(exchanges) - 1, -1, -1):
        texts = {block.text for message in exchanges[at].messages for block in message.results}
        if texts and texts <= later and any(len(text) >= SHORT for text in texts):
            found.add(at)
        later |= texts
    return found


def _units(exchange: Exchange, library: Library, salience: float) -> Iterator[Unit]:
    for place, text in library.places(exchange):
        pieces = library.of(text).pieces
        message = exchange.messages[place.message]
        inside = place.path is not None
        of_text = message.blocks[place.block].kind is BlockKind.TEXT
        value = _value(message.role, len(pieces)) * (0.5 + salience) if of_text else 0.0
        for number, piece in enumerate(pieces):
            if (piece.refs or value) and not (inside and number == 0):
                tokens = int(piece.tokens * ESCAPED) + 1 if inside else piece.tokens
                yield Unit(place, number, tokens + GAP_TOKENS, piece.refs, value)


def _value(role: str, count: int) -> float:
    if role == "user":
        return max(_ASKED / count, _ASKED / 30)
    return _SAID / count


def _base_refs(exchange: Exchange, library: Library) -> Iterator[str]:
    for message in exchange.messages:
        for block in message.calls:
            for _, value in library.values(block.text) or ():
                facts = library.of(value)
                yield from facts.refs if len(value) <= SHORT else facts.pieces[0].refs if facts.pieces else ()


def paths_of(exchanges: Sequence[Exchange], library: Library) -> Iterator[str]:
    """Yield the paths in the calls of exchanges."""
    for one in exchanges:
        yield from (ref for ref in _base_refs(one, library) if "/" in ref or "." in ref)


def mentions(exchanges: Sequence[Exchange], library: Library) -> list[Mentions]:
    """Return the references of each exchange."""
    return [
        Mentions(_refs(one, library, results=False), _refs(one, library, results=True)) for one in exchanges
    ]


def _refs(exchange: Exchange, library: Library, *, results: bool) -> Set[str]:
    found: dict[str, None] = {}
    for message in exchange.messages:
        for block in message.blocks:
            if (block.kind is BlockKind.RESULT) is results:
                for text in library.said(block):
                    found.update(dict.fromkeys(library.of(text).refs))
    return found.keys()


def asked_refs(task: str, library: Library) -> set[str]:
    """Return the references and words of a task."""
    return set(library.of(task).refs) | set(task.split())
