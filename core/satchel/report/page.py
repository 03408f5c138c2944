"""What a page shows: entries that add up to the window, what was left out, turns, and a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import attrs

from satchel.showing.advice import Advice

SECTIONS: Mapping[str, str] = {
    "system": "system and instructions",
    "tools": "tool definitions",
    "files": "files",
    "changes": "changes and failures",
    "documents": "documents and other",
    "context": "workspace block",
    "results": "tool results",
    "calls": "calls of tools",
    "dialog": "dialogue",
    "output": "output",
    "frame": "frame",
    "reply": "kept for the reply",
}
"""Name -> what it is called on the page, in the order of the bar."""
WARN_AT, ALARM_AT = 0.85, 0.95
"""Shares of the window from which the page warns."""


class Score(NamedTuple):
    """What one scorer gave an entry."""

    scorer: str
    value: float
    """0..1."""
    meaning: str
    """What it says, in words, "" for a scorer that is not known."""


@attrs.frozen
class PageEntry:
    """One thing that stands in the window."""

    title: str
    section: str
    """A key of `SECTIONS`."""
    tokens: int
    level: str = "whole"
    text: str = ""
    pointer: str = ""
    reason: str = ""
    """Why it is there, in words."""
    next_levels: tuple[tuple[str, int], ...] = ()
    """Levels that show more, with the tokens of each."""
    salience: float | None = None
    """How much it matters for the task, 0..1; None where nobody judged."""
    scores: tuple[Score, ...] = ()
    about: tuple[str, ...] = ()
    """Short facts: kind, provider, turn."""


class LeftOutRow(NamedTuple):
    """One thing that does not stand in the window, or not whole."""

    title: str
    reason: str
    tokens: int
    """What it would cost, 0 where nobody knows."""
    salience: float | None = None
    pointer: str = ""


class LeftOutFolder(NamedTuple):
    """Things of one folder that were left out for one reason."""

    folder: str
    reason: str
    number: int


class PageTurn(NamedTuple):
    """A request and all that followed it."""

    number: int
    title: str
    sections: Mapping[str, int]
    """Tokens of the conversation up to its end, by section."""
    at: float = 0.0
    """Seconds since the epoch, 0 where nobody knows."""
    cached: float | None = None
    """Share of what was sent that a cache gave, 0..1."""

    @property
    def tokens(self) -> int:
        """Return the tokens up to its end."""
        return sum(self.sections.values())


class Moment(NamedTuple):
    """Something that happened to a conversation: a compaction, a snapshot, a checkpoint."""

    turn: int
    """The turn after which it happened, 0 for the beginning."""
    kind: str
    text: str
    at: float = 0.0


class Lane(NamedTuple):
    """A branch: it leaves another after one turn and ends at another."""

    name: str
    first: int
    last: int
    current: bool


class Side(NamedTuple):
    """A conversation before or after a compaction."""

    title: str
    sections: Mapping[str, int]
    items: int

    @property
    def tokens(self) -> int:
        """Return all its tokens."""
        return sum(self.sections.values())


class WindowChange(NamedTuple):
    """What a compaction did to one message."""

    title: str
    before: int
    after: int
    reason: str
    text_before: str = ""
    text_after: str = ""
    pointer: str = ""


@attrs.frozen
class Comparison:
    """A conversation before and after a compaction."""

    before: Side
    after: Side
    changes: tuple[WindowChange, ...] = ()


@attrs.frozen
class Page:
    """All that a page shows."""

    kind: str
    """pack, conversation, session, transcript, output or window."""
    title: str
    window: int = 0
    """Tokens of the window; the tokens of all entries where nobody said how large it is."""
    window_name: str = ""
    """budget, window, or all of it."""
    entries: tuple[PageEntry, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    task: str = ""
    left_out: tuple[LeftOutRow, ...] = ()
    folders: tuple[LeftOutFolder, ...] = ()
    turns: tuple[PageTurn, ...] = ()
    moments: tuple[Moment, ...] = ()
    lanes: tuple[Lane, ...] = ()
    unit: str = "turn"
    """What a turn is called."""
    comparison: Comparison | None = None
    advice: tuple[Advice, ...] = ()
    problems: tuple[str, ...] = ()

    def within(self, window: int) -> Page:
        """Return it in a window of so many tokens, 0 where nobody says how large it is."""
        name = "window" if window else "all of it"
        return attrs.evolve(self, window=window or self.used, window_name=name)

    @property
    def used(self) -> int:
        """Return the tokens of all entries."""
        return sum(entry.tokens for entry in self.entries)

    @property
    def free(self) -> int:
        """Return what is left of the window; below 0 where it holds too much."""
        return self.window - self.used

    @property
    def sections(self) -> dict[str, int]:
        """Return tokens by section, in the order of `SECTIONS`, without the empty ones."""
        return sum_sections(self.entries)


def sum_sections(entries: Iterable[PageEntry]) -> dict[str, int]:
    """Return tokens by section, in the order of `SECTIONS`, without the empty ones."""
    sums = dict.fromkeys(SECTIONS, 0)
    for entry in entries:
        sums[entry.section] += entry.tokens
    return {name: tokens for name, tokens in sums.items() if tokens}
