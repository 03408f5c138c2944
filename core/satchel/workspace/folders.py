"""What git told of untracked files, told again as long as no folder, rule or setting has changed.

A folder's stat data changes with every name in it. So the untracked files are the same while the
folders that git looked into, the ignore files in them, the tracked paths and the settings are.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from satchel.errors import WorkspaceError
from satchel.workspace.git import Git, Untracked
from satchel.workspace.gitindex import TrackedFile
from satchel.workspace.store import Store

_FACT = "untracked"
_FORM = 1
_RULES = ".gitignore"
_SETTLE_NS = 2_000_000_000
"""What changed this shortly before it was looked at may change again within its time stamp."""
_NOT_THERE = (0, 0, 0, 0)
_UNSETTLED = (-1, -1, -1, -1)
"""Facts that nothing has: it is asked again."""
_CLUES = (b"excludesfile", b"include", b"worktreeconfig")
"""Settings that lead to further files; a repository with one of them is asked each time."""
_VARIABLES = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "HOME", "XDG_CONFIG_HOME")
_MOST_SETTINGS = 1_000_000

Facts = tuple[int, int, int, int]
"""Times, inode and size."""


class _Seen(NamedTuple):
    """The places that the answer depends on, with what they looked like."""

    places: tuple[str, ...]
    facts: array[int]


def others(git: Git, tracked: Mapping[str, TrackedFile], store: Store) -> Untracked:
    """Return `git.others()`, from the store while nothing changed that it depends on.

    Raises:
        WorkspaceError: git can't tell.
    """
    key = _key(git, tracked)
    stored = store.rows("SELECT value FROM facts WHERE name = ?", (_FACT,)) if key else []
    known = _read(str(stored[0][0]), key) if stored else None
    if known is not None and _facts_of(git.root, known[0].places) == known[0].facts:
        return known[1]
    begun = time.time_ns()
    found = git.others()
    if key and not found.warnings:
        _remember(git, found, store, key=key, begun=begun, submodules=_submodules(tracked))
    return found


def _read(stored: str, key: str) -> tuple[_Seen, Untracked] | None:
    told, _, rest = stored.partition("\n")
    if told != key:
        return None
    places, paths, facts = json.loads(rest)
    return _Seen(tuple(places), array("q", bytes.fromhex(facts))), Untracked(tuple(paths))


def _remember(
    git: Git, found: Untracked, store: Store, *, key: str, begun: int, submodules: frozenset[str]
) -> None:
    try:
        closed = {*git.ignored_folders(), *found.paths, *submodules}
    except WorkspaceError:
        return
    places = tuple(_places(git.root, closed))
    facts = _facts_of(git.root, places, before=begun - _SETTLE_NS)
    value = f"{key}\n{json.dumps([places, found.paths, facts.tobytes().hex()])}"
    insert = "INSERT OR REPLACE INTO facts VALUES (?, ?)"
    store.remember(lambda connection: connection.execute(insert, (_FACT, value)))


def _places(root: Path, closed: Iterable[str]) -> Iterator[str]:
    """Yield the folders that git looks into and the ignore files in them; closed ones end with `/`."""
    ends = frozenset(path.rstrip("/") for path in closed if path.endswith("/"))
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        yield folder
        if folder in ends:
            continue
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                inner = sorted(
                    entry.name
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) or entry.name == _RULES
                )
        except OSError:
            continue
        yield from (prefix + name for name in inner if name == _RULES)
        waiting += [prefix + name for name in inner if name not in (".git", _RULES)]


def _facts_of(root: Path, places: Sequence[str], *, before: int = 0) -> array[int]:
    """Return the stat data of places; with `before`, that of what changed later is like nothing."""
    facts: array[int] = array("q")
    top = f"{root}/"
    for place in places:
        try:
            found = os.lstat(top + place)
        except OSError:
            facts.extend(_NOT_THERE)
            continue
        if before and max(found.st_mtime_ns, found.st_ctime_ns) >= before:
            facts.extend(_UNSETTLED)
        else:
            size = 0 if stat.S_ISDIR(found.st_mode) else found.st_size
            facts.extend((found.st_mtime_ns, found.st_ctime_ns, found.st_ino & 0x7FFF_FFFF_FFFF_FFFF, size))
    return facts


def _submodules(tracked: Mapping[str, TrackedFile]) -> frozenset[str]:
    return frozenset(f"{path}/" for path, file in tracked.items() if file.mode == "160000")


def _key(git: Git, tracked: Mapping[str, TrackedFile]) -> str:
    """Return what must be the same for an answer to hold beside the folders; "" where nobody can tell."""
    settings = settings_state(git)
    if not settings:
        return ""
    digest = hashlib.blake2b(settings.encode("utf-8", "replace"), digest_size=20)
    digest.update("\0".join(tracked).encode("utf-8", "surrogateescape"))
    return f"{_FORM} {digest.hexdigest()}"


def settings_state(git: Git) -> str:
    """Return what changes with every setting that git may find; "" where the files lead to further ones."""
    files = list(_setting_files(git))
    if any(map(_leads_on, files)):
        return ""
    named = (git.environment.get(name, "") for name in _VARIABLES)
    stamps = (f"{file} {_stamp(file)}" for file in (*files, *_rule_files(git)))
    return "\n".join([git.prefix, str(git.root), git.program, *named, *stamps])


def _setting_files(git: Git) -> Iterator[str]:
    yield f"{git.common_dir}/config"
    yield f"{git.git_dir}/config.worktree"
    yield git.environment.get("GIT_CONFIG_GLOBAL") or f"{_home(git)}/.gitconfig"
    yield f"{_personal(git)}/git/config"
    yield git.environment.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"
    yield str(Path(git.program).parent.parent / "etc/gitconfig")


def _rule_files(git: Git) -> Iterator[str]:
    yield f"{git.common_dir}/info/exclude"
    yield f"{_personal(git)}/git/ignore"
    yield from (f"{folder}/{_RULES}" for folder in _above(git))


def _above(git: Git) -> Iterator[Path]:
    """Yield the folders between the repository's top and the workspace: their rules hold here too."""
    folder = Path(git.root)
    for _ in range(git.prefix.count("/")):
        folder = folder.parent
        yield folder


def _home(git: Git) -> str:
    return git.environment.get("HOME", "")


def _personal(git: Git) -> str:
    return git.environment.get("XDG_CONFIG_HOME") or f"{_home(git)}/.config"


def _stamp(file: str) -> str:
    try:
        facts = os.stat(file)
    except OSError:
        return "-"
    return f"{facts.st_mtime_ns} {facts.st_ctime_ns} {facts.st_ino} {facts.st_size}"


def _leads_on(file: str) -> bool:
    try:
        with open(file, "rb") as stream:
            text = stream.read(_MOST_SETTINGS + 1).lower()
    except OSError:
        return False
    return len(text) > _MOST_SETTINGS or any(clue in text for clue in _CLUES)
