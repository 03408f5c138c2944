"""Runs of neighbouring lines that a reader can follow: three or more, to the end of a paragraph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from satchel.compaction.pieces import Piece

LINES = 3
"""Lines of a run at least."""
_PARAGRAPH = 5
"""Lines of a run at most, where its paragraph ends within them."""
_STRETCHES = 12
"""Pieces of a run at most: a line that is longer than this many is shown in parts."""


def runs_of(text: str, pieces: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """Yield first and last piece (exclusive) of each run of a text's pieces; together they are all of it."""
    firsts, ends = _line_starts(text, pieces)
    start = 0
    while start < len(firsts):
        end = _end_of_run(start, len(firsts), ends)
        first, last = firsts[start], firsts[end] if end < len(firsts) else len(pieces)
        if last - first > _STRETCHES:
            yield from ((at, min(at + LINES, last)) for at in range(first, last, LINES))
        else:
            yield first, last
        start = end


def _end_of_run(start: int, count: int, ends: Sequence[bool]) -> int:
    """Return where a run ends: with its paragraph where that is near, and never so that too few are left."""
    if count - start < 2 * LINES:
        return count
    for end in range(start + LINES, min(start + _PARAGRAPH, count - LINES) + 1):
        if ends[end]:
            return end
    return start + LINES


def _line_starts(text: str, pieces: Sequence[Piece]) -> tuple[list[int], list[bool]]:
    """Return the pieces that begin a line, and whether a blank line stands before each."""
    firsts, ends = [], []
    for at, piece in enumerate(pieces):
        between = text[pieces[at - 1].end : piece.start] if at else "\n"
        if "\n" in between:
            firsts.append(at)
            ends.append(between.count("\n") > 1)
    return firsts, ends
