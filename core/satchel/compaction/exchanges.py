"""Exchanges as the choice sees them: what they cost without their texts, and the pieces that may be added."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from satchel.compaction.files import EDITED, READ_AGAIN, readings_of
from satchel.compaction.ladders import Unit, View
from satchel.compaction.pieces import ESCAPED, SHORT, Library
from satchel.compaction.rules import names_of_calls, rules_of
from satchel.compaction.runs import runs_of
from satchel.compaction.shortening import Form, shorten
from satchel.compaction.worth import ReferenceMentions, ages, runs_commands, worths
from satchel.items import Level
from satchel.messages import BlockKind, Exchange
from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel.compaction.setup import Setup

_OPENING = 11
"""Tokens of a message's frame with its mark, where it has nothing but pieces."""
_ASKED, _SAID = 3.0, 0.4
"""Worth of what a user wrote, and of what the model said, beside the references in it."""
_CHAT_POWER, _CHAT_SIZE = 2.5, 0.9
NEAR = 1.5
"""How much more the lines of a file are worth that is still worked on."""
READ = 1.7
"""How much more the lines of a file are worth than what commands and searches printed: edits repeat them."""
GONE: Mapping[str, float] = MappingProxyType({"": 1.0, EDITED: 0.3, READ_AGAIN: 0.1})
"""How much the lines of a file are worth that was edited or read again since."""
_READS = lazily(r"read|view|cat|open", re.IGNORECASE)


class Sight(NamedTuple):
    """What views are made with."""

    setup: Setup
    form: Form
    levels: frozenset[Level]
    """Levels that the compressor shows."""
    near: frozenset[str]
    """Paths in the calls that stand in the window."""
    chat: Sequence[float] = ()
    """Where no tool is called, how much likelier than others each exchange answers the task."""


class SeenReferences(NamedTuple):
    """What is known of an exchange before it is looked at."""

    at: int
    tokens: int
    salience: float
    stale: bool = False
    """Whether a later one has the same results."""
    age: int = 0
    """How many later ones ran commands."""
    gone: Mapping[str, str] = MappingProxyType({})
    """What became of the files that its calls read, by the calls' ids."""


def views(exchanges: Sequence[Exchange], seen: Sequence[SeenReferences], sight: Sight) -> list[View]:
    """Return exchanges as the choice sees them, `seen` says which."""
    if sight.chat or sight.levels <= {Level.FULL}:
        return [_whole_only(exchanges[one.at].id, one, sight) for one in seen]
    old, gone = ages(exchanges), find_gone(exchanges)
    seen = [one._replace(age=old[one.at], gone=gone.get(one.at, {})) for one in seen]
    bare = [shorten(exchanges[one.at], (), sight.form) for one in seen]
    tokens = iter(sight.setup.counts.messages([message for shown in bare for message in shown]))
    bases = [sum(next(tokens) for _ in shown) if shown else _OPENING for shown in bare]
    return [
        _view(exchanges[one.at], one, sight, base=base, bare=bool(shown))
        for one, base, shown in zip(seen, bases, bare, strict=True)
    ]


def _whole_only(id_: str, seen: SeenReferences, sight: Sight) -> View:
    """Return an exchange that is shown whole or not at all."""
    answers = sight.chat[seen.at] if sight.chat else 1.0
    worth = (seen.salience * answers) ** _CHAT_POWER * max(1, seen.tokens) ** _CHAT_SIZE
    return View(id_, seen.at, 0, frozenset(), (), seen.tokens, seen.salience, worth=worth)


def _view(exchange: Exchange, seen: SeenReferences, sight: Sight, *, base: int, bare: bool) -> View:
    library = sight.form.library
    cleared = bool(rules_of(sight.setup.compressor).clear_first & names_of_calls(exchange))
    units = _units(exchange, library, seen) if Level.EXCERPT in sight.levels else []
    refs = frozenset(_base_refs(exchange, library)) if bare else frozenset()
    return View(
        exchange.id,
        seen.at,
        base,
        refs,
        [one for one in units if not _is_result(exchange, one)] if cleared else units,
        seen.tokens,
        seen.salience,
        bare=bare and Level.HEADERS in sight.levels,
        factor=(NEAR if sight.near & refs else 1.0) * (READ if _is_reading(exchange) else 1.0),
        stale=seen.stale or cleared or bool(seen.gone),
    )


def find_gone(exchanges: Sequence[Exchange]) -> dict[int, dict[str, str]]:
    """Return by exchange the ids of calls whose results no longer tell what their files say, and why."""
    found: dict[int, dict[str, str]] = {}
    for (at, id_), reading in readings_of(exchanges).items():
        if reading.gone:
            found.setdefault(at, {})[id_] = reading.gone
    return found


def _is_reading(exchange: Exchange) -> bool:
    """Tell whether a tool of an exchange reads files, by the names of tools."""
    return any(_READS.search(name) for name in names_of_calls(exchange))


def _is_result(exchange: Exchange, unit: Unit) -> bool:
    place = unit.place
    return exchange.messages[place.message].blocks[place.block].kind is BlockKind.RESULT


def find_repeats(exchanges: Sequence[Exchange]) -> set[int]:
    """Return the exchanges all of whose results stand word for word in later ones too."""
    later: set[str] = set()
    found: set[int] = set()
    for at in range(len(exchanges) - 1, -1, -1):
        texts = {block.text for message in exchanges[at].messages for block in message.results}
        if texts and texts <= later and any(len(text) >= SHORT for text in texts):
            found.add(at)
        later |= texts
    return found


def _units(exchange: Exchange, library: Library, seen: SeenReferences) -> list[Unit]:
    units: list[Unit] = []
    ran = runs_commands(exchange)
    for place, text in library.places(exchange):
        pieces = library.of(text).pieces
        if not pieces:
            continue
        message = exchange.messages[place.message]
        of_text = message.blocks[place.block].kind is BlockKind.TEXT
        value = _value(message.role, len(pieces)) * (0.5 + seen.salience) if of_text else 0.0
        told = worths(text, pieces, age=seen.age) if ran and not of_text else {}
        inside = place.path is not None
        gone = "" if inside else seen.gone.get(message.blocks[place.block].id, "")
        factor = GONE[gone]
        for first, last in runs_of(text, pieces):
            if inside and last == 1:
                continue
            run = pieces[first:last]
            refs = tuple(dict.fromkeys(ref for piece in run for ref in piece.refs))
            worth = max([told[number] for number in range(first, last) if number in told], default=0.0)
            worth = worth or value * len(run)
            if refs or worth:
                tokens = sum([piece.tokens for piece in run])
                cost = int(tokens * ESCAPED) + 1 if inside else tokens
                units.append(
                    Unit(
                        place,
                        first,
                        cost + max(run[0].gap, run[-1].gap),
                        refs,
                        0.0 if inside else worth,
                        last - first,
                        factor,
                    )
                )
    return units


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


def mentions(exchanges: Sequence[Exchange], library: Library) -> list[ReferenceMentions]:
    """Return the references of each exchange."""
    return [
        ReferenceMentions(_refs(one, library, results=False), _refs(one, library, results=True))
        for one in exchanges
    ]


def _refs(exchange: Exchange, library: Library, *, results: bool) -> Set[str]:
    found: dict[str, None] = {}
    for message in exchange.messages:
        for block in message.blocks:
            if (block.kind is BlockKind.RESULT) is results:
                for text in library.texts_of(block):
                    found.update(dict.fromkeys(library.of(text).refs))
    return found.keys()


def find_task_refs(task: str, library: Library) -> set[str]:
    """Return the references and words of a task."""
    return set(library.of(task).refs) | set(task.split())
