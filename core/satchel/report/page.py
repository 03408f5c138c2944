"""The content of a page: entries that add up to the window, left-out items, turns, a comparison."""

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
"""Name -> title on the page, in the order of the bar."""
WARN_AT, ALARM_AT = 0.85, 0.95
"""Shares of the window from which the page warns."""


class Score(NamedTuple):
    """One scorer's score of an entry."""

    scorer: str
    value: float
    """0..1."""
    meaning: str
    """Its meaning in words, "" for an unknown scorer."""


@attrs.frozen
class PageEntry:
    """One thing in the window."""

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
    """Its importance for the task, 0..1; None if nobody judged it."""
    scores: tuple[Score, ...] = ()
    about: tuple[str, ...] = ()
    """Short facts: kind, provider, turn."""


class LeftOutRow(NamedTuple):
    """One thing that is missing from the window, or not whole."""

    title: str
    reason: str
    tokens: int
    """Its cost, 0 if unknown."""
    salience: float | None = None
    pointer: str = ""


class LeftOutFolder(NamedTuple):
    """Things of one folder that were left out for one reason."""

    folder: str
    reason: str
    number: int


class PageTurn(NamedTuple):
    """A request and everything up to the next one."""

    number: int
    title: str
    sections: Mapping[str, int]
    """Tokens of the conversation up to its end, by section."""
    at: float = 0.0
    """Seconds since the epoch, 0 if unknown."""
    cached: float | None = None
    """Share of the sent tokens that a cache gave, 0..1."""

    @property
    def tokens(self) -> int:
        """Return the tokens up to its end."""
        return sum(self.sections.values())


class Moment(NamedTuple):
    """An event of a conversation: a compaction, a snapshot, a checkpoint."""

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
    """The effect of a compaction on one message."""

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
    """The content of a page."""

    kind: str
    """pack, conversation, session, transcript, output or window."""
    title: str
    window: int = 0
    """Tokens of the window; the tokens of all entries if its size is unknown."""
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
    """The name of a turn."""
    comparison: Comparison | None = None
    advice: tuple[Advice, ...] = ()
    problems: tuple[str, ...] = ()

    def within(self, window: int) -> Page:
        """Return it in a window of so many tokens, 0 if its size is unknown."""
        name = "window" if window else "all of it"
        return attrs.evolve(self, window=window or self.used, window_name=name)

    @property
    def used(self) -> int:
        """Return the tokens of all entries."""
        return sum(entry.tokens for entry in self.entries)

    @property
    def free(self) -> int:
        """Return the free tokens of the window; below 0 if it holds too much."""
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
