"""Domain types of a pack: tasks, context items, options, candidates, selections."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from satchel.parts import NO_LINES, Lines


class Level(enum.StrEnum):
    """Levels of detail of an item, from least to most; DIFF is outside the order."""

    POINTER = "pointer"
    HEADERS = "headers"
    SYMBOLS = "symbols"
    EXCERPT = "excerpt"
    FULL = "full"
    DIFF = "diff"


@attrs.frozen
class Reference:
    """Something named by a task or a caller: a path, a line, a symbol, a number, a quoted string."""

    text: str
    """As written."""
    kind: str
    """`path`, `symbol`, `string`, `number` or `glob`."""
    path: str = ""
    """Workspace path that it resolves to; "" if it is not a file."""
    lines: Lines = NO_LINES
    name: str = ""


@attrs.frozen
class Task:
    """The purpose of the window, in plain words, with the references found in the text."""

    text: str
    references: tuple[Reference, ...] = ()
    pins: tuple[Reference, ...] = ()
    """References to include in full."""
    open_files: tuple[Reference, ...] = ()
    """Files open in the editor, with the cursor's line."""
    usage: Mapping[str, float] = attrs.field(factory=dict)
    """Usage of each item in the session so far, 0..1 by item id; empty without a session."""


@attrs.frozen
class ContextItem:
    """Something that could go into a window.

    A provider may omit `text` for a workspace file: it is read when needed.
    """

    id: str
    """Unique in a run: `file:src/app.py`, `diff:src/app.py`."""
    provider: str
    kind: str
    """`file`, `diff`, `error`, `document`, ..."""
    title: str
    """Text of its address line."""
    path: str = ""
    text: str | None = None
    relevance: float = 1.0
    """The provider's estimate, 0..1, of how much the evidence for it counts."""
    modified: float = 0.0
    """Time of its newest change in seconds since the epoch, 0 if unknown."""
    trusted: bool = False
    content: str = ""
    """Hash of the text. Of files with equal texts one is packed; texts from providers do not count."""
    lines: Lines = NO_LINES
    """The lines because of which a provider offers the file."""
    note: str = ""
    """Why only its address line can be shown ("binary, 12,034 bytes"); such an item has no text."""
    worked_on: bool = False
    """Whether it is open, or given to be read only: in a session's window it counts as working context."""
    is_answer: bool = False
    """Whether it answers the task's question by itself: it is shown as if nothing matched better."""


class Option(NamedTuple):
    """One way to show an item: a prefix of the steps of its ladder; `worth` is cumulative."""

    level: Level
    tokens: int
    worth: float


@attrs.frozen
class Candidate:
    """An item as a packer sees it: options in ascending order of tokens, without text."""

    id: str
    position: int
    """Rank in time: 0 is the oldest."""
    kind: str
    options: Sequence[Option]
    scores: Mapping[str, float] = attrs.field(factory=dict)
    pinned: bool = False
    """If true, an option at or above `floor` must be chosen."""
    floor: int = 0


@attrs.frozen
class Selection:
    """A packer's choice: the option index of each kept candidate, by id."""

    choices: Mapping[str, int]
    tokens: int
    worth: float
