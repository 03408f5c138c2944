"""Listing the files of a workspace: git's own answer where there is one, else a walk with git's rules."""

from __future__ import annotations

import enum
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from satchel.errors import Problem, WorkspaceError
from satchel.workspace.folders import others
from satchel.workspace.git import SUBMODULE, Git, Untracked, excludes_file
from satchel.workspace.gitindex import TrackedFile
from satchel.workspace.ignoring import OWN_RULES, RuleSet, unignored
from satchel.workspace.store import Store
from satchel.workspace.walking import (
    is_wanted,
    may_hold_vendored,
    problem,
    reason,
    rules_at,
    vendored_folder,
    walk,
)

_MOST_SETTINGS = 1 << 16
"""Bytes of a file of git's settings that are looked at."""
_UNTRACKED = TrackedFile("", "", "0", "")


class FileKind(enum.StrEnum):
    """What stands at a path."""

    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    """A repository within the workspace: a submodule or a clone. It is not looked into."""
    SPECIAL = "special"
    """A FIFO, a socket or a device."""


_KIND_BITS = 0o170000
_KINDS = {stat.S_IFREG: FileKind.FILE, stat.S_IFLNK: FileKind.LINK, stat.S_IFDIR: FileKind.FOLDER}


class FileEntry(NamedTuple):
    """A file of the workspace; only one of kind FILE may be read."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    blob: str
    """Git's id of the content, "" where git does not know it or the file was touched since."""
    kind: FileKind
    ctime_ns: int = 0
    """When the file, its name or its permissions changed: nobody can set it."""
    tracked: bool = False
    """Whether git's index has it."""


class Vendored(NamedTuple):
    """A folder of somebody else's code that is not looked into; `files` is None where nobody counted."""

    path: str
    files: int | None


class Listing(NamedTuple):
    """The files of a workspace, sorted by path, with what was left out or could not be read."""

    entries: tuple[FileEntry, ...]
    vendored: tuple[Vendored, ...] = ()
    problems: tuple[Problem, ...] = ()


class Look(NamedTuple):
    """A listing that was made a moment ago, without problems."""

    root: Path
    wanted: tuple[str, ...]
    git: Git | None
    listing: Listing


def list_files(
    root: Path, git: Git | None, *, wanted: Sequence[str] = (), store: Store | None = None
) -> Listing:
    """List the files below `root` that neither git's rules nor `.satchelignore` leave out.

    `wanted` are paths inside vendored folders that are listed all the same, with what lies below
    them. A file that git tracks is listed whatever git's rules say. Nothing is followed out of the
    root, and nothing raises: what can't be read is a problem of the listing. In `store` stands what
    git told before.
    """
    problems: list[Problem] = []
    if git is not None:
        try:
            return _list_repository(root, git, wanted, store)
        except WorkspaceError as error:
            problems.append(problem(f"{error.reason}; listed without git", ""))
    walked = walk(root, wanted, global_rules=_global_rules(os.environ))
    entries = sorted(_entry(path, facts, "") for path, facts in walked.files)
    vendored = tuple(Vendored(path, None) for path in sorted(walked.vendored))
    return Listing(tuple(entries), vendored, (*problems, *walked.problems))


def _list_repository(root: Path, git: Git, wanted: Sequence[str], store: Store | None) -> Listing:
    problems: list[Problem] = []
    tracked = {file.path: file for file in git.tracked()}
    ask = git.others if store is None else partial(others, git, tracked, store)
    untracked = [path for path in _untracked(root, ask, wanted, problems) if path not in tracked]
    paths, vendored = _without_vendored((*tracked, *untracked), wanted)
    visible = unignored(paths, _own_rules(root, paths, problems))
    entries = sorted(_entries(root, visible, tracked, problems))
    return Listing(tuple(entries), vendored, tuple(problems))


def _untracked(
    root: Path, ask: Callable[[], Untracked], wanted: Sequence[str], problems: list[Problem]
) -> Sequence[str]:
    try:
        found = ask()
    except WorkspaceError as error:
        problems.append(problem(f"{error.reason}; untracked files were looked for without git", ""))
        walked = walk(root, wanted, global_rules=_global_rules(os.environ))
        problems += walked.problems
        return [path for path, _ in walked.files]
    problems += [problem(warning, "") for warning in found.warnings]
    return found.paths


def _without_vendored(paths: Sequence[str], wanted: Sequence[str]) -> tuple[list[str], tuple[Vendored, ...]]:
    """Part the files of vendored folders from the others; wanted ones stay."""
    if not may_hold_vendored(paths):
        return list(paths), ()
    kept, counts = [], Counter[str]()
    known: dict[str, str] = {}
    for path in paths:
        within = path[: path.rfind("/") + 1]
        folder = known.get(within)
        if folder is None:
            folder = known[within] = vendored_folder(within)
        counts[folder] += 1
        if not folder or is_wanted(path, wanted):
            kept.append(path)
    del counts[""]
    return kept, tuple(Vendored(folder, counts[folder]) for folder in sorted(counts))


def _own_rules(root: Path, paths: Iterable[str], problems: list[Problem]) -> dict[str, RuleSet]:
    """Read every `.satchelignore`; the one at the root counts even where git ignores it."""
    listed = {path for path in paths if path.rpartition("/")[2] == OWN_RULES}
    files = listed | ({OWN_RULES} if os.path.lexists(root / OWN_RULES) else set())
    return {path.rpartition("/")[0]: rules_at(root, path, problems) for path in sorted(files)}


def _entries(
    root: Path, paths: Sequence[str], tracked: Mapping[str, TrackedFile], problems: list[Problem]
) -> list[FileEntry]:
    """Look at each file once, without following a link; what is gone, or behind a link, is not there."""
    real_folders = {"": True}
    top = f"{root}/"
    look, files, regular = os.lstat, tracked.get, stat.S_IFREG
    entries: list[FileEntry] = []
    for path in paths:
        file = files(path, _UNTRACKED)
        try:
            facts = look(top + path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            problems.append(problem(reason(error), path))
            continue
        if file.is_unchanged(facts) and facts.st_mode & _KIND_BITS == regular:
            entries.append(_entry(path, facts, file.blob, tracked=True))
        elif (entry := _looked(root, path, facts, file, real_folders)) is not None:
            entries.append(entry)
    return entries


def _looked(
    root: Path, path: str, facts: os.stat_result, file: TrackedFile, real_folders: dict[str, bool]
) -> FileEntry | None:
    """Return the entry of what git does not know as it stands; None where it is no file of the workspace."""
    blob = file.blob if file.is_unchanged(facts) else ""
    if not blob and not _is_real(root, path.rstrip("/").rpartition("/")[0], real_folders):
        return None
    if stat.S_ISDIR(facts.st_mode) and not _is_repository(path, file):
        return None
    return _entry(path.rstrip("/"), facts, blob, tracked=file is not _UNTRACKED)


def _is_real(root: Path, folder: str, known: dict[str, bool]) -> bool:
    """Tell whether no folder on the way is a link; `known` is filled on the way."""
    unknown = []
    while folder not in known:
        unknown.append(folder)
        folder = folder.rpartition("/")[0]
    real = known[folder]
    for deeper in reversed(unknown):
        real = known[deeper] = real and not (root / deeper).is_symlink()
    return real


def _is_repository(path: str, file: TrackedFile) -> bool:
    return file.mode == SUBMODULE or path.endswith("/")


def _entry(path: str, facts: os.stat_result, blob: str, *, tracked: bool = False) -> FileEntry:
    kind = _KINDS.get(stat.S_IFMT(facts.st_mode), FileKind.SPECIAL)
    times = facts.st_mtime_ns, facts.st_ctime_ns
    return FileEntry(path, facts.st_size, times[0], facts.st_ino, blob, kind, times[1], tracked)


def looked_at(root: Path, entry: FileEntry) -> FileEntry:
    """Return an entry as its file stands now; git is not asked, so its blob is not known. Raises OSError."""
    return _entry(entry.path, os.lstat(root / entry.path), "", tracked=entry.tracked)


def _may_name_rules(environment: Mapping[str, str]) -> bool:
    """Tell from the text of the user's git settings whether git need be asked, which starts a process."""
    home = environment.get("HOME", "")
    if not os.path.isabs(home):
        return True
    named = environment.get("GIT_CONFIG_GLOBAL")
    personal = environment.get("XDG_CONFIG_HOME") or f"{home}/.config"
    return any(map(_leads_to_rules, (named,) if named else (f"{home}/.gitconfig", f"{personal}/git/config")))


def _leads_to_rules(file: str) -> bool:
    try:
        facts = os.stat(file)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _MOST_SETTINGS:
            return True
        with open(file, "rb") as stream:
            text = stream.read().lower()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return b"excludesfile" in text or b"include" in text


def _global_rules(environment: Mapping[str, str]) -> Path | None:
    """Find the user's ignore file for all repositories: where they told git, else in git's own place."""
    told = excludes_file(environment) if _may_name_rules(environment) else None
    if told is not None:
        return told
    folder = environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(folder, "git", "ignore") if os.path.isabs(folder) else None
