"""Score files by where they lie: paths and frames that the task names, and the area of its first line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import find_frames, lazily
from satchel_plugins.scorers.wording import emphasize

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace

_LONGEST_TASK = 1_000_000


def depths_of(task: Task) -> dict[str, int]:
    """Return for each frame of the workspace, as it is written, how many others lie further in."""
    return {text: depth for text, (depth, _) in _places(task).items()}


def file_depths_of(task: Task) -> dict[str, int]:
    """Return for each frame of the workspace, as it is written, how many files lie further in."""
    return {text: files for text, (_, files) in _places(task).items()}


def _places(task: Task) -> dict[str, tuple[int, int]]:
    """Return for each frame the frames and the files further in; of several tracebacks the least."""
    paths = {ref.text: ref.path for ref in task.references if ref.lines[0]}
    places: dict[str, tuple[int, int]] = {}
    frames: dict[int, int] = {}
    files: dict[int, dict[str, int]] = {}
    for frame in find_frames(task.text[:_LONGEST_TASK]) if paths else ():
        if frame.text in paths:
            depth = frames[frame.trace] = frames.get(frame.trace, -1) + 1
            seen = files.setdefault(frame.trace, {})
            place = (depth, seen.setdefault(paths[frame.text], len(seen)))
            places[frame.text] = min(place, places.get(frame.text, place))
    return places


@attrs.frozen(eq=False, repr=False)
class Paths:
    """Give 1 to a file that the task or an editor names, and a little to its neighbours in the folder.

    Files that only the frames of a traceback name have less the further they are from the error.
    """

    name, kinds, grain = "paths", frozenset({"*"}), "item"
    weight: float = 0.8
    neighbour: float = 0.15
    """Score of a neighbour."""
    caller: float = 1.0
    """How much less a file counts for each file of its traceback that lies further in."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        depths = file_depths_of(task)
        named: dict[str, float] = {}
        for ref in (*task.references, *task.pins, *task.open_files):
            if ref.path:
                worth = 1 / (1 + self.caller * depths.get(ref.text, 0))
                named[ref.path] = max(worth, named.get(ref.path, 0.0))
        if not named:
            return [0.0] * len(parts)
        folders = {path.rpartition("/")[0] for path in named}
        return [self._score(part.path, named, folders) for part in parts]

    def _score(self, path: str, named: Mapping[str, float], folders: Collection[str]) -> float:
        beside = self.neighbour if path.rpartition("/")[0] in folders else 0.0
        return max(named.get(path, 0.0), beside)

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Tell who names its file, or one beside it."""
        for refs, told in (
            (task.pins, "is pinned"),
            (task.references, "is in a file that the task names"),
            (task.open_files, "is in a file that is open in the editor"),
        ):
            if any(ref.path and ref.path == part.path for ref in refs):
                return told
        folder = part.path.rpartition("/")[0]
        beside = [ref.path for ref in task.references if ref.path and ref.path.rpartition("/")[0] == folder]
        return f"lies beside `{beside[0]}`, which the task names" if beside else ""


_SCOPE = lazily(
    r"\s*(?:(?P<area>[A-Za-z][\w./*-]*(?:, ?[\w./*-]+)*)(?:\((?P<inner>[\w./*, &-]+)\))?!?: "
    r"|\[(?P<bracket>[A-Za-z][\w./, -]*)\])"
)
_WORD = lazily(r"[a-z0-9-]+")
_KINDS = frozenset(
    "fix feat feature chore docs doc test tests refactor perf build ci style revert bugfix hotfix add remove"  # noqa: SIM905
    " update improve deps release wip bug bot error warning exception note question issue request".split()
)
"""Words that stand there too and name no area: what kind of change or report it is."""
_LONGEST = 120
"""Characters of a line that are looked at."""


def scope_of(line: str) -> frozenset[str]:
    """Return the words of the area that the first line of a task or of a commit message names."""
    match = _SCOPE.match(line[:_LONGEST])
    if match is None:
        return frozenset()
    area = match["inner"] or match["area"] or match["bracket"]
    words = frozenset(_WORD.findall(area.lower().replace("_", "-")))
    return frozenset() if words <= _KINDS else words


@attrs.frozen(eq=False, repr=False)
class Scopes:
    """Give 1 to files whose name or folder is the area, and to others what past commits tell of their folder.

    That is the share of what commits for the same area changed in the folder or below it, divided by the
    largest: nothing in the words `rt` and `runtime` is alike. Of an area of several words each counts.
    """

    name, kinds, grain = "scopes", frozenset({"file"}), "item"
    weight: float = 1.8
    largest: int = 30
    """Commits of more files are not looked at."""
    halving: int = 10
    """So many commits for the area later, a commit counts half."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part, all 0 where the first line names no area."""
        scope = scope_of(task.text.lstrip().partition("\n")[0])
        if not scope:
            return [0.0] * len(parts)
        shares = self._shares(scope, workspace)
        scores = {
            path: max(len(scope & _names(path)) / len(scope), shares.get(path.rpartition("/")[0], 0.0))
            for path in {part.path for part in parts}
        }
        return [scores[part.path] for part in parts]

    def _shares(self, scope: frozenset[str], workspace: Workspace) -> Mapping[str, float]:
        """Return for each folder how much of what commits for the scope changed lies in it or below."""
        commits = [commit for commit in workspace.history.commits() if 0 < len(commit.paths) <= self.largest]
        alike = [commit.paths for commit in commits if scope_of(commit.subject) == scope]
        shares: dict[str, float] = {}
        for age, paths in enumerate(alike):
            weight = 0.5 ** (age / max(self.halving, 1)) / len(paths)
            for path in paths:
                for folder in _folders(path):
                    shares[folder] = shares.get(folder, 0.0) + weight
        most = max(shares.values(), default=1.0)
        return {folder: share / most for folder, share in shares.items()}

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Tell the area of the task that it belongs to."""
        scope = scope_of(task.text.lstrip().partition("\n")[0])
        if found := sorted(scope & _names(part.path)):
            return f"lies in {emphasize(found)}, the area that the task names"
        folder = part.path.rpartition("/")[0]
        return f"commits for {emphasize(sorted(scope))} changed its folder" if scope and folder else ""


def _names(path: str) -> frozenset[str]:
    """Return what a path is called by: its folders, and its name without suffixes."""
    *folders, name = path.lower().replace("_", "-").split("/")
    return frozenset((*folders, name.partition(".")[0]))


def _folders(path: str) -> Iterator[str]:
    while folder := path.rpartition("/")[0]:
        yield folder
        path = folder
