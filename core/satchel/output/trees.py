"""Read drawn trees: of folders, as by `tree`, and of packages, as by package managers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satchel.patterns import lazily


class TreeBranch(NamedTuple):
    """An entry of a tree."""

    line: int
    """From 0."""
    parent: int
    """The line of its parent, -1 at the top of a tree without a name."""
    folder: str
    """The path of its folder, with the slash at its end, "" at the top."""


_BRANCH = lazily(
    r"(?:\[INFO\] )?((?:[│|](?!--)[ \u00a0]*+|[ \u00a0]++){0,40}+)"
    r"(?:[├└]─{1,2}┬?|[|`]--|[+\\]-{1,3})[\s\u00a0]*(\S.*)"
)
"""An entry: group 1 is the text before its branch, group 2 its content."""
_VERSION = lazily(r"\d\.\d")
_MOSTLY = 0.6


def find_branches(lines: Sequence[str]) -> list[TreeBranch]:
    """Return the entries of drawn trees, [] if most lines are not entries."""
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
    """Return whether lines draw trees of packages: most entries have a version."""
    branches = find_branches(lines)
    versions = sum(_VERSION.search(lines[branch.line]) is not None for branch in branches)
    return bool(branches) and versions >= _MOSTLY * len(branches)
