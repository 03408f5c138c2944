"""How far from the error the frames of pasted tracebacks stand, counted in frames and in files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.plugin_api import find_frames

if TYPE_CHECKING:
    from satchel.plugin_api import Task

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
