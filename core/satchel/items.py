"""The domain types of the road: tasks, context items, options, candidates, selections."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from satchel.parts import NO_LINES, Lines


class Level(enum.StrEnum):
    """Named points on an item's ladder, from least to most; DIFF stands beside it."""

    POINTER = "pointer"
    HEADERS = "headers"
    SYMBOLS = "symbols"
    EXCERPT = "excerpt"
    FULL = "full"
    DIFF = "diff"


@attrs.frozen
class Reference:
    """Something that a task or a caller names: a path, a line, a symbol, a number, a quoted string."""

    text: str
    """As it was written."""
    kind: str
    """`path`, `symbol`, `string`, `number` or `glob`."""
    path: str = ""
    """Workspace path that it resolves to; "" where it is not a file."""
    lines: Lines = NO_LINES
    name: str = ""


@attrs.frozen
class Task:
    """What the window is for, in plain words, with the references found in them."""

    text: str
    references: tuple[Reference, ...] = ()
    pins: tuple[Reference, ...] = ()
    """What must go in, whole."""
    open_files: tuple[Reference, ...] = ()
    """What the person has open, with the cursor's line."""
    usage: Mapping[str, float] = attrs.field(factory=dict)
    """How much each item was used in the session so far, 0..1 by item id; empty without one."""


@attrs.frozen
class ContextItem:
    """Something that could stand in a window.

    A provider may leave `text` out for a file of the workspace: it is read when it is needed.
    """

    id: str
    """Unique in a run: `file:src/app.py`, `diff:src/app.py`."""
    provider: str
    kind: str
    """`file`, `diff`, `error`, `document`, ..."""
    title: str
    """What its address line says."""
    path: str = ""
    text: str | None = None
    relevance: float = 1.0
    """The provider's own estimate, 0..1, of how much the evidence for it counts."""
    modified: float = 0.0
    """Seconds since the epoch of its newest change, 0 where unknown."""
    trusted: bool = False
    content: str = ""
    """Hash of the text; equal contents are packed once."""
    lines: Lines = NO_LINES
    """The lines it was offered for, where a provider names a file because of them."""
    note: str = ""
    """Why only its address line may be shown ("binary, 12,034 bytes"); such an item has no text."""


class Option(NamedTuple):
    """One way to show one item: the first so many steps of its ladder.

    `worth` is cumulative, `covers` holds the ids of parts whose bodies it shows: what two options
    share counts once.
    """

    level: Level
    tokens: int
    worth: float
    covers: frozenset[str] = frozenset()


@attrs.frozen
class Candidate:
    """An item as a packer sees it: options in rising order of tokens, no text."""

    id: str
    position: int
    """Rank in time: 0 is the oldest."""
    kind: str
    options: Sequence[Option]
    scores: Mapping[str, float] = attrs.field(factory=dict)
    pinned: bool = False
    """Where true, one of the options from `floor` on must be chosen."""
    floor: int = 0


@attrs.frozen
class Selection:
    """What a packer chose: for each kept candidate's id the index of its option."""

    choices: Mapping[str, int]
    tokens: int
    worth: float
