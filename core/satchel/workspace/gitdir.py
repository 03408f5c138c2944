"""Where a repository keeps its data: in the tree, or where it says itself that this tree is its own.

Git believes a `.git` file, a `commondir`, `objects/info/alternates` and links, wherever they lead. A
workspace from a stranger could thus show the history of somebody else's repository. Here what lies
outside must point back, which only its owner could have written. A store of objects can't point back:
`borrows` tells of one, and git is then asked whether the tree is the one that stands there.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from satchel.patterns import lazily

_POINTER_BYTES = 65_536
_MOST_ENTRIES = 50_000
_MOST_ALTERNATES = 20
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_WORKTREE = lazily(rb"(?im)^[ \t]*(?:\[core\][ \t]*)?worktree[ \t]*=[ \t]*(.*?)[ \t\r]*$")
# Entries of these folders are looked at one by one; git follows whatever they are.
_FOLDERS = ("", "info", "objects", "objects/info", "objects/pack")
_NEVER_READ = frozenset({"hooks", "description", "fsmonitor--daemon.ipc", "fsmonitor--daemon"})


class _Places(NamedTuple):
    """A repository's folders, links resolved."""

    holder: str
    git_dir: str
    common: str


def refusal(holder: Path) -> str:
    """Return why git must not be asked about the repository of `holder`, "" where it may be.

    No program runs. A repository that is damaged in other ways is left to git.
    """
    try:
        places = _places(holder)
        return next(_faults(places), "") if isinstance(places, _Places) else places
    except OSError as error:
        return f"its data can't be looked at: {(error.strerror or str(error)).lower()}"


def _places(holder: Path) -> _Places | str:
    home, git_dir = os.path.realpath(holder), _git_dir(holder)
    if not git_dir:
        return ".git is neither a folder nor the address of one"
    is_inside = _is_below(git_dir, (home,))
    if not is_inside and not _points_back(git_dir, home):
        return "its data lies outside and does not name this folder; if it is yours, set core.worktree in it"
    common = _common(git_dir)
    if not _is_below(common, (home if is_inside else git_dir, git_dir)) and (
        is_inside or os.path.dirname(git_dir) != os.path.join(common, "worktrees")
    ):
        return "its commondir leads outside"
    return _Places(home, git_dir, common)


def _git_dir(holder: Path) -> str:
    """Return where `.git` leads to, "" where it is neither a folder nor a file that names one."""
    place = holder / ".git"
    if place.is_dir():
        return os.path.realpath(place)
    text = b"" if place.is_symlink() else _text(str(place))
    if not text.startswith(b"gitdir: "):
        return ""
    named = os.fsdecode(text.removeprefix(b"gitdir: ").rstrip(b"\r\n"))
    return os.path.realpath(os.path.join(holder, named))


def _common(git_dir: str) -> str:
    named = os.fsdecode(_text(f"{git_dir}/commondir").rstrip(b"\r\n"))
    return os.path.realpath(os.path.join(git_dir, named)) if named else git_dir


def _points_back(git_dir: str, home: str) -> bool:
    """Tell whether a folder outside names this tree as its own: a worktree's does, and a submodule's."""
    named = os.fsdecode(_text(f"{git_dir}/gitdir").rstrip(b"\r\n"))
    if named and os.path.realpath(os.path.dirname(os.path.join(git_dir, named))) == home:
        return True
    found = [os.fsdecode(text.strip(b'"')) for text in _WORKTREE.findall(_text(f"{git_dir}/config"))]
    return any(os.path.realpath(os.path.join(git_dir, text)) == home for text in found if text)


def _faults(places: _Places) -> Iterator[str]:
    """Yield what leads out or would block whoever opens it."""
    tops = (places.holder, places.git_dir, places.common)
    left = _MOST_ENTRIES
    for path, facts in _entries(dict.fromkeys((places.git_dir, places.common))):
        left -= 1
        if stat.S_ISLNK(facts.st_mode) and not _is_below(os.path.realpath(path), tops):
            yield f"{_short(path, tops)} leads outside through a link"
        elif not (stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode) or stat.S_ISLNK(facts.st_mode)):
            yield f"{_short(path, tops)} is no regular file"
        if left < 0:
            return


def borrows(holder: Path) -> bool:
    """Tell whether a repository takes objects from a store outside, as `git clone --shared` makes one."""
    places = _places(holder)
    if not isinstance(places, _Places):
        return False
    return any(_alternates(f"{places.common}/objects", (places.holder, places.git_dir, places.common)))


def _entries(folders: dict[str, None]) -> Iterator[tuple[str, os.stat_result]]:
    for top in folders:
        for name in _FOLDERS:
            yield from (found for found in _listed(f"{top}/{name}") if name or not _is_idle(found[0]))
        waiting = [f"{top}/refs"]
        while waiting:
            for path, facts in _listed(waiting.pop()):
                if stat.S_ISDIR(facts.st_mode):
                    waiting.append(path)
                yield path, facts


def _is_idle(path: str) -> bool:
    return os.path.basename(path) in _NEVER_READ


def _listed(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    if not os.path.isdir(folder):
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                yield entry.path, entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue


def _alternates(objects: str, tops: tuple[str, ...]) -> Iterator[str]:
    """Yield each store of objects that lies outside; stores may name further ones."""
    waiting, known = [objects], {objects}
    while waiting and len(known) <= _MOST_ALTERNATES:
        store = waiting.pop()
        for line in _text(f"{store}/info/alternates").splitlines():
            place = os.path.realpath(os.path.join(store, os.fsdecode(line)))
            if not line or line.startswith(b"#") or place in known:
                continue
            if line.startswith(b'"') or not _is_below(place, tops):
                yield place
            known.add(place)
            waiting.append(place)


def _is_below(path: str, tops: tuple[str, ...]) -> bool:
    return any(path == top or path.startswith(f"{top.rstrip('/')}/") for top in tops)


def _short(path: str, tops: tuple[str, ...]) -> str:
    longest = max((top for top in tops if path.startswith(top)), key=len, default="")
    return path[len(longest) :].lstrip("/")


def _text(path: str) -> bytes:
    """Return the beginning of a regular file, b"" where there is none."""
    try:
        descriptor = os.open(path, _READ_FLAGS)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        return os.read(descriptor, _POINTER_BYTES)
    finally:
        os.close(descriptor)
