"""Read trees that are drawn: of folders, as `tree` does, and of packages, as package managers do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satchel.patterns import lazily


class TreeBranch(NamedTuple):
    """An entry of a tree."""

    line: int
    """From 0."""
    parent: int
    """The line of what it is in, -1 at the top of a tree that has no name."""
    folder: str
    """The path of the folder that it is in, with the slash at its end, "" at the top."""


_BRANCH = lazily(
    r"(?:\[INFO\] )?((?:[│|](?!--)[ \u00a0]*+|[ \u00a0]++){0,40}+)"
    r"(?:[├└]─{1,2}┬?|[|`]--|[+\\]-{1,3})[\s\u00a0]*(\S.*)"
)
"""An entry: group 1 is what stands before its branch, group 2 what it says."""
_VERSION = lazily(r"\d\.\d")
_MOSTLY = 0.6


def find_branches(lines: Sequence[str]) -> list[TreeBranch]:
    """Return the entries of trees that are drawn, [] where most lines are none."""
    found: list[TreeBranch] = []
    opened: list[tuple[int, int, str]] = []
    for at, line in enumerate(lines):
        drawn = _BRANCH.match(line)
        if drawn is None:
            opened = [(-1, at, "")] if line.strip() else []
            continue
        while opened and opened[-1][0] >= drawn.end(1):
            opened.pop()
        parent = opened[-1][1] if opened else -1
        found.append(TreeBranch(at, parent, "".join(name for *_, name in opened)))
        opened.append((drawn.end(1), at, f"{drawn[2].split(' -> ')[0].strip().rstrip('/')}/"))
    return found if 2 * len(found) > len(lines) else []


def draws_packages(lines: Sequence[str]) -> bool:
    """Whether lines draw trees of packages: most entries have a version."""
    branches = find_branches(lines)
    versions = sum(_VERSION.search(lines[branch.line]) is not None for branch in branches)
    return bool(branches) and versions >= _MOSTLY * len(branches)
