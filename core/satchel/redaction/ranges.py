"""Search again only where a text changed: all but blocks and tables read a bounded part around a secret."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from satchel.redaction.rules import Span

REACH = 65_536
"""Characters on either side of a secret that can affect it: twice the longest match of any rule."""


class SearchRange(NamedTuple):
    """A part of a text to read, in which only text from `first` to `last` is of interest.

    The rest is its context.
    """

    start: int
    end: int
    first: int
    last: int

    def keep(self, spans: Iterable[Span]) -> Iterator[Span]:
        """Yield the spans of interest in the part, with their places in the text."""
        for span in spans:
            found = span._replace(start=self.start + span.start, end=self.start + span.end)
            if found.start <= self.last and found.end >= self.first:
                yield found


def find_ranges(places: Sequence[int], size: int) -> Iterator[SearchRange]:
    """Yield the parts of a text of some size that text at these places, in order, can affect."""
    at = 0
    while at < len(places):
        begun = done = places[at]
        while places[at := bisect.bisect_right(places, done + 4 * REACH, at) - 1] > done:
            done = places[at]
        at += 1
        yield _make_range(begun, done, size)


def _make_range(begun: int, done: int, size: int) -> SearchRange:
    return SearchRange(max(0, begun - 2 * REACH), min(size, done + 2 * REACH), begun - REACH, done + REACH)
