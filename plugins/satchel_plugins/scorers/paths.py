"""Score files that the task names by path, or that stand beside one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.plugin_api import find_frames

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

    name: ClassVar[str] = "paths"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "item"
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
