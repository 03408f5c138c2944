"""Runs of neighbouring lines that a reader can follow: three or more, whole definitions where they are short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from satchel.compaction.pieces import Piece

LINES = 3
"""Lines of a run at least."""
_STRETCHES = 12
"""Pieces of a run at most: a line that is longer than so many is shown in parts."""


def runs_of(text: str, pieces: Sequence[Piece], *, lines: int = LINES) -> Iterator[tuple[int, int]]:
    """Yield first and last piece (exclusive) of each run of a text's pieces; together they are all of it."""
    firsts = _line_starts(text, pieces)
    start = 0
    while start < len(firsts):
        end = min(start + lines, len(firsts))
        if len(firsts) - end < lines:
            end = len(firsts) if len(firsts) - start < 2 * lines else end
        first, last = firsts[start], firsts[end] if end < len(firsts) else len(pieces)
        if last - first > _STRETCHES:
            yield from ((at, min(at + LINES, last)) for at in range(first, last, LINES))
        else:
            yield first, last
        start = end


def _line_starts(text: str, pieces: Sequence[Piece]) -> list[int]:
    """Return the pieces that begin a line."""
    return [
        at
        for at, piece in enumerate(pieces)
        if at == 0 or "\n" in text[pieces[at - 1].end : piece.start]
    ]
