"""Parts: what a context item is split into, once per content.

NamedTuples, because a pack makes tens of thousands of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

Lines = tuple[int, int]
"""First and last line, counted from 1, both inclusive; (0, 0) means none."""

NO_LINES: Lines = (0, 0)


class Symbol(NamedTuple):
    """A definition: a function, a class, a type, a method, a section."""

    name: str
    kind: str
    lines: Lines
    """From its first decorator or doc comment to its last line."""
    head: Lines
    """The lines that introduce it: the signature, and the first docstring line where it follows at once."""


class Part(NamedTuple):
    """A run of whole lines of one item; the parts of an item cover it without gap or overlap.

    A representer fills `kind`, `name`, `lines`, `head`, `span`, `symbols` and `refs`; the host fills
    the rest and puts `block` parts where lines were left uncovered.
    """

    kind: str
    """`function`, `method`, `class`, `section`, `imports`, `block`, ..."""
    name: str
    """Qualified name (`Class.method`), or "" where the lines have none."""
    lines: Lines
    head: Lines = NO_LINES
    """The lines within `lines` that stand for the part where its body does not."""
    span: Lines = NO_LINES
    """Of a part that opens a definition with parts of its own (a class): the whole definition."""
    symbols: tuple[Symbol, ...] = ()
    """Every definition that starts in these lines, in order, the part's own one first."""
    refs: tuple[str, ...] = ()
    """Names that the lines use and do not define."""

    id: str = ""
    """`<content hash>:<first>-<last>`; equal text at the same place in two files has one id."""
    item: str = ""
    """Id of the context item."""
    path: str = ""
    """Workspace path of the item, with `/`; "" where it has none."""
    tokens: int = 0
    """Exact count of the lines where they follow a mark line."""
    joined_tokens: int = 0
    """Exact count where they follow the part before them at once."""
    head_tokens: int = 0
    """Exact count of the head lines and of their mark line."""
    mark_tokens: int = 0
    """Count of the mark line that gives the number of the first line."""
    branches: int = 0
    """Words and marks in its code where the course may part or end: `if`, `case`, `return`, `&&`, `?`."""
    comments: float = 0.0
    """Share of its text that comments and docstrings make up, 0..1."""
    calls: int = 0
    """Opening parentheses in its text: about how often it calls something."""


def end_of_span(parts: Sequence[Part], at: int) -> int:
    """Return the number of the first part behind the definition that a part opens, or of the next part."""
    end = at + 1
    while end < len(parts) and parts[end].lines[0] <= parts[at].span[1]:
        end += 1
    return end


class Stretch(NamedTuple):
    """A few lines of a long part, counted as parts are."""

    part: int
    """Number of the part."""
    lines: Lines
    tokens: int
    joined_tokens: int
    mark_tokens: int


class Stretches(NamedTuple):
    """Every long part of an item, cut finer."""

    rows: tuple[Stretch, ...]
    terms: tuple[str, ...]
    """The folded terms of each row in their order, a blank between them."""


@attrs.frozen
class Split:
    """An item's parts, and what its text asks of a document that shows it."""

    parts: tuple[Part, ...]
    terms: Mapping[str, Sequence[int]]
    """Folded term -> part number, count, part number, count, ..."""
    lengths: tuple[int, ...]
    """Terms in each part."""
    fence: str = "```"
    """Longer than any fence inside."""
    sigil: str = "@@"
    """Starts a mark line; no line of the text starts with it and a digit."""
    plain: bool = True
    """Whether the text can stand in XML as it is."""
    stretches: Stretches | None = attrs.field(default=None, eq=False)
    """None where they are still in the index."""
    stored: tuple[str, str] = attrs.field(default=("", ""), eq=False)
    """Content and key that the index has the stretches under."""
