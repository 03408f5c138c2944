"""Compare two texts line by line, in time that hostile texts can't raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_MOST_STEPS = 500
"""Lines taken away and added from which a run of lines counts as replaced: Myers' search is their square."""
CONTEXT = 3
_FORWARD = 1


class Change(NamedTuple):
    """Lines `before` of the old text became lines `after` of the new one; both from 0, end excluded."""

    before: tuple[int, int]
    after: tuple[int, int]

    @property
    def lines(self) -> int:
        """Return how many lines it is about, the larger side."""
        return max(self.before[1] - self.before[0], self.after[1] - self.after[0])


class Hunk(NamedTuple):
    """Changes that stand close together, with the lines around them."""

    before: tuple[int, int]
    after: tuple[int, int]
    changes: tuple[Change, ...]


def changes_between(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """Return what changed, in order: Myers' shortest edit between the first and the last difference."""
    start = _same(old, new)
    left, right = old[start:], new[start:]
    tail = _same(left[::-1], right[::-1])
    left, right = left[: len(left) - tail], right[: len(right) - tail]
    if not left and not right:
        return []
    matches = _matches(left, right)
    if matches is None:
        return [Change((start, start + len(left)), (start, start + len(right)))]
    return _gaps(matches, (len(left), len(right)), start)


def _same(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines both begin with."""
    for at, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return at
    return min(len(old), len(new))


def _gaps(matches: Sequence[tuple[int, int]], ends: tuple[int, int], start: int) -> list[Change]:
    """Return what lies between lines that match."""
    found, at, to = [], 0, 0
    for one, other in (*matches, ends):
        if one > at or other > to:
            found.append(Change((start + at, start + one), (start + to, start + other)))
        at, to = one + 1, other + 1
    return found


def _matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]] | None:
    """Return the pairs of lines that stay, None where too little stays (Myers 1986, greedy)."""
    furthest = {_FORWARD: 0}
    trace: list[dict[int, int]] = []
    for steps in range(min(_MOST_STEPS, len(old) + len(new)) + 1):
        trace.append(dict(furthest))
        for diagonal in range(-steps, steps + 1, 2):
            x = _entered(furthest, diagonal, steps)
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _walked_back(trace, (len(old), len(new)))
    return None


def _entered(furthest: dict[int, int], diagonal: int, steps: int) -> int:
    """Return how far the old text is read where a diagonal is entered: from above, or from the left."""
    if _is_down(furthest, diagonal, steps):
        return furthest.get(diagonal + 1, -1)
    return furthest.get(diagonal - 1, -1) + 1


def _walked_back(trace: Sequence[dict[int, int]], ends: tuple[int, int]) -> list[tuple[int, int]]:
    x, y = ends
    found: list[tuple[int, int]] = []
    for steps in range(len(trace) - 1, -1, -1):
        diagonal = x - y
        begun = _entered(trace[steps], diagonal, steps) if steps else 0
        while x > begun and y > begun - diagonal:
            x, y = x - 1, y - 1
            found.append((x, y))
        if steps:
            x, y = (x, y - 1) if _is_down(trace[steps], diagonal, steps) else (x - 1, y)
    return found[::-1]


def _is_down(furthest: dict[int, int], diagonal: int, steps: int) -> bool:
    above, left = furthest.get(diagonal + 1, -1), furthest.get(diagonal - 1, -1)
    return diagonal == -steps or (diagonal != steps and left < above)


def hunks_of(changes: Sequence[Change], sizes: tuple[int, int]) -> list[Hunk]:
    """Return the changes in groups, each with `CONTEXT` lines around it, as far as the texts go."""
    groups: list[list[Change]] = []
    for change in changes:
        near = bool(groups) and change.before[0] - groups[-1][-1].before[1] <= 2 * CONTEXT
        if near:
            groups[-1].append(change)
        else:
            groups.append([change])
    return [_hunk(group, sizes) for group in groups]


def _hunk(group: Sequence[Change], sizes: tuple[int, int]) -> Hunk:
    first, last = group[0], group[-1]
    lead = min(CONTEXT, first.before[0], first.after[0])
    trail = min(CONTEXT, sizes[0] - last.before[1], sizes[1] - last.after[1])
    return Hunk(
        (first.before[0] - lead, last.before[1] + trail),
        (first.after[0] - lead, last.after[1] + trail),
        tuple(group),
    )


def unified(old: Sequence[str], new: Sequence[str], hunks: Sequence[Hunk]) -> str:
    """Return the hunks as `diff -u` writes them, without the names of the files."""
    lines: list[str] = []
    for hunk in hunks:
        lines.append(f"@@ -{_range(hunk.before)} +{_range(hunk.after)} @@")
        at = hunk.before[0]
        for change in hunk.changes:
            lines += [f" {line}" for line in old[at : change.before[0]]]
            lines += [f"-{line}" for line in old[slice(*change.before)]]
            lines += [f"+{line}" for line in new[slice(*change.after)]]
            at = change.before[1]
        lines += [f" {line}" for line in old[at : hunk.before[1]]]
    return "".join(f"{line}\n" for line in lines)


def _range(lines: tuple[int, int]) -> str:
    first, count = lines[0] + 1, lines[1] - lines[0]
    return f"{first if count else first - 1},{count}"
