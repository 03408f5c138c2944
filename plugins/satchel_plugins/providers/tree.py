"""A map of the repository: all paths if it is small, else folders and the nearest files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import chain
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import ContextItem, lazily, safe_text
from satchel_plugins.providers.files import RoleFactors, role_factor, text_of_file
from satchel_plugins.providers.texts import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace

_TOP_LEVEL = lazily(
    r"^(?:export |default |pub(?:\([a-z]+\))? |public |abstract |final |async |static |declare )*"
    r"(?:def|class|func|fn|struct|enum|trait|interface|type|function|module) +(\w+)",
    re.MULTILINE,
)
_FACTORS: RoleFactors = {
    "changes": 0.2,
    "test": 0.4,
    "bundled": 0.3,
    "document": 0.3,
    "data": 0.4,
    "code": 1.0,
}
_LARGEST = 200_000
"""Bytes of the largest file whose names are looked up."""
_LOOKED_FOR = 100
"""Most paths whose roles are checked."""
_LOOKED_AT = 40_000
"""Characters of a file that are searched for names."""
_SHARE = 0.5
"""Share of the map for folders; the rest is for the nearest files."""
_LONGEST_LINE = 160
_MOST_FOLDERS = 20_000
"""Folders that are ordered: many more than any map has room for."""


@attrs.frozen(eq=False, repr=False)
class Tree:
    """Offer a map of the repository as one item, with the files nearest to the task and their names."""

    name, wave = "tree", 1
    max_items: int = 1
    max_tokens: int = 400
    files: int = 10
    """Files near the task that are listed with their names."""
    relevance: float = 0.6
    """Low, since a map holds words of every file and must not come before them."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return the map, or nothing for an empty workspace."""
        paths = workspace.index.documents.keys()
        if not paths:
            return []
        room = self.max_tokens * BYTES_PER_TOKEN - 4
        lines = _whole(paths, room) or self._map(task, workspace, room)
        text = "".join(f"{line}\n" for line in lines)
        return [
            ContextItem(
                "tree:", self.name, "tree", "map of the workspace", text=text, relevance=self.relevance
            )
        ]

    def _map(self, task: Task, workspace: Workspace, room: int) -> list[str]:
        number, folders = workspace.files.of_paths(_order_folders)
        near = list(self._near(task, workspace)) if self.files else []
        title = (
            f"{_count_noun(len(workspace.index.documents), 'file')} in "
            f"{_count_noun(number, 'folder')}; folders with their files"
        )
        lines = (f"{safe_text(path)}/ {_count_noun(files, 'file')}" for path, files in folders)
        kept = _within(chain([title], lines), int(room * _SHARE) if near else room)
        return [
            *kept,
            *_within(["files nearest to the task: what they define", *near], room - _size(kept), least=2),
        ]

    def _near(self, task: Task, workspace: Workspace) -> Iterator[str]:
        for path in _nearest(task, workspace)[: self.files]:
            line = f"{safe_text(path)}:"
            for name in _names(workspace, path):
                if len(line) + len(name) + 2 > _LONGEST_LINE:
                    break
                line += f" {name}" if line.endswith(":") else f", {name}"
            yield line.removesuffix(":")


def _whole(paths: Collection[str], room: int) -> list[str]:
    """Return a line for each path, [] if they don't fit."""
    if 2 * len(paths) > room or sum(map(len, paths)) + len(paths) >= room:
        return []
    lines = [f"all {_count_noun(len(paths), 'file')} of the workspace", *map(safe_text, paths)]
    return lines if _size(lines) <= room else []


def _nearest(task: Task, workspace: Workspace) -> list[str]:
    """Return the paths that fit the task, best first; [] if no word of it occurs anywhere."""
    ranking = workspace.ranking.files(task)
    named = {ref.path for ref in (*task.references, *task.open_files) if ref.path}
    scores: dict[str, float] = {}
    for weight, field in ((1.0, ranking.body), (0.4, ranking.path), (0.4, ranking.name)):
        for path, score in field.items():
            scores[path] = scores.get(path, 0.0) + weight * score
    for path in named:
        scores[path] = scores.get(path, 0.0) + 2.0
    best = nlargest(_LOOKED_FOR, scores, key=lambda path: (scores[path], path))
    marked = {path: scores[path] * role_factor(path, _FACTORS) for path in best if scores[path] > 0}
    return sorted(marked, key=lambda path: (-marked[path], path))


def _names(workspace: Workspace, path: str) -> list[str]:
    text = text_of_file(workspace, path, largest=_LARGEST)
    return list(dict.fromkeys(name for name in _TOP_LEVEL.findall(text, 0, _LOOKED_AT)))[:12]


def _folder_counts(paths: Iterable[str]) -> Counter[str]:
    """Count the files below each folder, at any depth."""
    counts = Counter(path.rpartition("/")[0] for path in paths)
    del counts[""]
    by_depth: dict[int, list[str]] = {}
    for folder in counts:
        by_depth.setdefault(folder.count("/"), []).append(folder)
    for depth in range(max(by_depth, default=0), 0, -1):
        for folder in by_depth.get(depth, ()):
            above = folder.rpartition("/")[0]
            if above not in counts:
                by_depth.setdefault(depth - 1, []).append(above)
            counts[above] += counts[folder]
    return counts


def _order_folders(paths: Iterable[str]) -> tuple[int, Sequence[tuple[str, int]]]:
    """Return the number of folders, and the first ones, each with the number of files below it.

    Shallow and large folders come first; of a chain of single folders, only the last.
    """
    counts = _folder_counts(paths)
    passing = {
        folder.rpartition("/")[0]
        for folder, files in counts.items()
        if counts[folder.rpartition("/")[0]] == files
    }
    order = sorted(counts.keys() - passing, key=lambda one: (one.count("/") > 1, -counts[one], one))
    return len(counts), [(folder, counts[folder]) for folder in order[:_MOST_FOLDERS]]


def _within(lines: Iterable[str], room: int, *, least: int = 1) -> list[str]:
    """Return as many lines as fit, the first one and sorted others; [] if fewer than `least` fit."""
    kept: list[str] = []
    for line in lines:
        room -= _size([line])
        if room < 0:
            break
        kept.append(line)
    return kept if len(kept) >= least else []


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode("utf-8", "replace")) + 1 for line in lines)


def _count_noun(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
