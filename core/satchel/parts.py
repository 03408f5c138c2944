"""Parts of context items, split once per content.

NamedTuples, because a pack creates tens of thousands of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import attrs

Lines = tuple[int, int]
"""First and last line, counted from 1, both inclusive; (0, 0) means none."""

NO_LINES: Lines = (0, 0)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without their ends: line feeds alone; the last one may lack it."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


class Symbol(NamedTuple):
    """A definition: a function, a class, a type, a method, a section."""

    name: str
    kind: str
    lines: Lines
    """From its first decorator or doc comment to its last line."""
    head: Lines
    """The lines that introduce it: the signature, without a docstring."""


class Part(NamedTuple):
    """Consecutive whole lines of one item; an item's parts cover it without gap or overlap.

    A representer fills `kind`, `name`, `lines`, `head`, `span`, `symbols` and `refs`; the host fills
    the rest and adds `block` parts for uncovered lines.
    """

    kind: str
    """`function`, `method`, `class`, `section`, `imports`, `block`, ..."""
    name: str
    """Qualified name (`Class.method`), or "" if the lines have none."""
    lines: Lines
    head: Lines = NO_LINES
    """The lines within `lines` that represent the part when its body is not shown."""
    span: Lines = NO_LINES
    """The full definition, if the part opens one with parts of its own (a class)."""
    symbols: tuple[Symbol, ...] = ()
    """All definitions that start in these lines, in order, the part's own first."""
    refs: tuple[str, ...] = ()
    """Names that the lines use but do not define."""

    id: str = ""
    """`<content hash>:<first>-<last>`; equal text at the same place in two files has one id."""
    item: str = ""
    """Id of the context item."""
    path: str = ""
    """Workspace path of the item, with `/`; "" if it has none."""
    tokens: int = 0
    """Exact count of the lines when they follow a mark line."""
    joined_tokens: int = 0
    """Exact count when they directly follow the part before them."""
    head_tokens: int = 0
    """Exact count of the head lines and of their mark line."""
    mark_tokens: int = 0
    """Count of the mark line with the number of the first line."""
    branches: int = 0
    """Words and marks in its code where control flow branches or ends: `if`, `case`, `return`, `&&`, `?`."""
    comments: float = 0.0
    """Share of comments and docstrings in its text, 0..1."""
    calls: int = 0
    """Opening parentheses in its text: roughly its number of calls."""


def join_lines(lines: Sequence[str], part: Part) -> str:
    """Return the text of a part, from the lines of its item."""
    return "\n".join(lines[part.lines[0] - 1 : part.lines[1]])


def end_of_span(parts: Sequence[Part], at: int) -> int:
    """Return the index of the first part after the definition that a part opens, or of the next part."""
    end = at + 1
    while end < len(parts) and parts[end].lines[0] <= parts[at].span[1]:
        end += 1
    return end


def number_lines(text: str, places: Sequence[int]) -> list[int]:
    """Return the numbers of the lines in which places of a text are; the places are in order."""
    counts = (text.count("\n", *span) for span in pairwise([0, *places]))
    return [1 + count for count in accumulate(counts)]


def find_parts(parts: Sequence[Part], lines: Collection[int]) -> list[int]:
    """Return the indexes of the parts that have one of these lines."""
    return [
        at for at, part in enumerate(parts) if any(part.lines[0] <= line <= part.lines[1] for line in lines)
    ]


class Stretch(NamedTuple):
    """A few lines of a long part, with token counts like a part's."""

    part: int
    """Index of the part."""
    lines: Lines
    tokens: int
    joined_tokens: int
    mark_tokens: int


class Stretches(NamedTuple):
    """The stretches of all long parts of an item."""

    rows: tuple[Stretch, ...]
    terms: tuple[str, ...]
    """The folded terms of each row in order, separated by blanks."""


@attrs.frozen
class SplitItem:
    """An item's parts, and what a document needs to show its text."""

    parts: tuple[Part, ...]
    terms: Mapping[str, Sequence[int]]
    """Folded term -> part index, count, part index, count, ..."""
    lengths: tuple[int, ...]
    """Number of terms in each part."""
    fence: str = "```"
    """Longer than any fence in the text."""
    sigil: str = "@@"
    """Starts a mark line; no line of the text starts with it and a digit."""
    plain: bool = True
    """Whether the text needs no escaping in XML."""
    stretches: Stretches | None = attrs.field(default=None, eq=False)
    """None if they are still only in the index."""
    stored: tuple[str, str] = attrs.field(default=("", ""), eq=False)
    """Content and key of the stretches in the index."""
    made: dict[object, object] = attrs.field(factory=dict, init=False, eq=False, repr=False)
    """Results of functions for it, by their identity: they are released with the split."""
