"""The totals at the end: a block of counts, one below the other, of which each says a part of the sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from satchel.patterns import lazily
from satchel.terminal.folding import Kept
from satchel.terminal.judging import Rank

_TOTAL = lazily(
    r"\W*(?:[A-Za-z][\w./'-]*(?: [\w()/.'-]+){0,5} ?[:=]? +\(?\d[\d,.]*\)?%?(?: ?[A-Za-z]+)?"
    r"|\d[\d,.]* [A-Za-z][\w-]*(?:\(s\))?(?: [\w()-]+){0,3})[\W_]*"
)
_ZERO = lazily(r"\b0(?:\.0+)?\b")
_NEAR_END, _LONGEST = 30, 80
_FEWEST, _MOST = 2, 10
_WORTH, _NOTHING, _PER_LINE = 60.0, 57.0, 0.3
"""Of a total, of one that is nought, and what each further one of a block loses."""


def lift_totals(lines: Sequence[Kept], values: list[float], total: int) -> None:
    """Show the blocks of totals that stand near the end whole."""
    for block in _blocks(lines, total):
        for nth, at in enumerate(block):
            least = _NOTHING if _ZERO.search(lines[at].text) else _WORTH
            values[at] = max(values[at], least - _PER_LINE * nth)


def _blocks(lines: Sequence[Kept], total: int) -> Iterator[list[int]]:
    """Yield the places of two to ten totals that stand one below the other."""
    block: list[int] = []
    for at in range(len(lines) - 1, -1, -1):
        if lines[at].number < total - _NEAR_END:
            break
        if _is_total(lines[at]) and (not block or lines[block[0]].number - lines[at].number <= 1):
            block.insert(0, at)
            continue
        yield from _whole(block)
        block = [at] if _is_total(lines[at]) else []
    yield from _whole(block)


def _whole(block: list[int]) -> Iterator[list[int]]:
    if _FEWEST <= len(block) <= _MOST:
        yield block


def _is_total(line: Kept) -> bool:
    """Whether a line counts one thing, and lines like it do not stand everywhere."""
    if len(line.text) > _LONGEST or line.start or line.family.judgement.rank is Rank.NOISE:
        return False
    return not line.family.is_common() and _TOTAL.fullmatch(line.text) is not None
