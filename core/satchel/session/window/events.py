"""The events of a session besides messages, in forms that a window may show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from satchel.session.edits.recording import Edit, Strategy, edits_of
from satchel.session.entries import Entry, entries_of
from satchel.session.ledger import Ledger
from satchel.session.nodes import place_of
from satchel.session.pools import Note
from satchel.session.window.blocks import Changed
from satchel.session.window.levels import Shown
from satchel.spelling import agree

if TYPE_CHECKING:
    from satchel.session.session import Session

TITLES: Mapping[str, str] = {
    "tasks": "Done so far",
    "notes": "Notes of the pool",
    "diffs": "Edits",
    "terminal": "Terminal",
}
CHANGED = "changed:"
"""Prefix of the ids of files that changed since they were shown."""
_HALF_AGE = 4.0
"""Number of newer things of its kind after which a thing's standing has halved."""
_FAILED = 0.2
"""Gain in standing of a failed command's output."""
MOST_OF_A_FILE = {Strategy.BOTH: 10, Strategy.DIFF: 20, Strategy.MARKER: 30}
"""Most edits of one file that are shown, the newest."""
Tokens = Callable[[Sequence[str]], Sequence[int]]


class Happened(NamedTuple):
    """The events that a window may show."""

    ledger: Ledger
    changed: Sequence[Changed] = ()
    notes: Sequence[Note] = ()


def list_shown(session: Session, happened: Happened, count: Tokens) -> list[Shown]:
    """Return everything that may be shown, each at its levels, the oldest first."""
    found = [
        *_of_ledger(happened.ledger),
        *_of_notes(happened.notes),
        *_of_edits(session, happened),
        *_of_entries(entries_of(session)),
    ]
    tokens = iter(count([text for one in found for text in one.texts]))
    return [one._replace(tokens=tuple(next(tokens) for _ in one.texts)) for one in found]


def _standing(age: int) -> float:
    return math.pow(0.5, age / _HALF_AGE)


def _of_ledger(ledger: Ledger) -> Iterator[Shown]:
    texts = ledger.texts()
    if texts:
        yield Shown("ledger", "tasks", texts, (), 1.0)


def _of_notes(notes: Sequence[Note]) -> Iterator[Shown]:
    for age, note in enumerate(reversed(notes)):
        yield Shown(f"note:{note.id}", "tasks", note.texts, (), _standing(age))


def _of_edits(session: Session, happened: Happened) -> Iterator[Shown]:
    """Yield the edits that still live, and changes in shown files that no edit covers."""
    living = living_edits(edits_of(session), messages=session.count(), now=session.now())
    told = {edit.path: edit.node for edit in living}
    fresh = [one for one in happened.changed if one.text and not _is_newer(told.get(one.path, ""), one.since)]
    for one in fresh:
        short = f"{one.path} changed since it was shown above; read it again\n"
        texts = tuple(dict.fromkeys((one.text, short)))
        yield Shown(f"{CHANGED}{one.path}", "diffs", texts, (), 0.9, path=one.path)
    since = {one.path: one.since for one in happened.changed}
    for age, edit in enumerate(reversed(living)):
        path = edit.path if _is_newer(edit.node, since.get(edit.path, "")) else ""
        yield Shown(f"edit:{edit.node}", "diffs", edit.shown, (), _standing(age), path=path)


def _is_newer(node: str, since: str) -> bool:
    """Return whether a node came after another one, or there is none to compare it with."""
    return bool(node) and (not since or place_of(node).position > place_of(since).position)


def list_untold(changed: Iterable[Changed], shown: Iterable[Shown], levels: Mapping[str, int]) -> list[str]:
    """Return the paths of files that changed since they were shown, without any shown mention of it."""
    told = {one.path for one in shown if levels[one.id] < len(one.texts)}
    return [one.path for one in changed if one.text and one.path not in told]


def living_edits(edits: Iterable[Edit], *, messages: int, now: float) -> list[Edit]:
    """Return the edits whose time to live is not over, at most a few of each file, oldest first.

    Args:
        edits: the recorded edits, oldest first.
        messages: that the session has now.
        now: seconds since the epoch.
    """
    counted: dict[tuple[str, Strategy], int] = {}
    living = []
    for edit in reversed(list(edits)):
        key = (edit.path, edit.strategy)
        aged = messages - edit.after >= edit.life.messages or now - edit.at >= edit.life.seconds
        if aged or counted.get(key, 0) >= MOST_OF_A_FILE[edit.strategy]:
            continue
        counted[key] = counted.get(key, 0) + 1
        living.append(edit)
    return living[::-1]


def _of_entries(entries: Sequence[Entry]) -> Iterator[Shown]:
    for age, entry in enumerate(reversed(entries)):
        failed = _FAILED if entry.exit_code else 0.0
        standing = min(1.0, _standing(age) + failed)
        yield Shown(f"entry:{entry.node}", "terminal", entry.texts, (), standing, floor=entry.level(age))


def render_events(shown: Sequence[Shown], levels: Mapping[str, int]) -> str:
    """Return the text of the shown events, under a title for each kind, oldest first; "" for none."""
    lines: list[str] = []
    for kind, title in TITLES.items():
        mine = [one for one in reversed(shown) if _group(one) == kind]
        texts = [one.texts[levels[one.id]] for one in mine if levels[one.id] < len(one.texts)]
        hidden = len(mine) - len(texts)
        if texts:
            older = f" ({hidden} more {agree(hidden, 'is', 'are')} not shown)" if hidden else ""
            lines += [f"## {title}{older}\n", *texts]
    return "".join(lines)


def _group(one: Shown) -> str:
    return "notes" if one.id.startswith("note:") else one.kind
