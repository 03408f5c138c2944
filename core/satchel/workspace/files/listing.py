"""List the files of a workspace: ask git if there is a repository, else walk with git's rules."""

from __future__ import annotations

import enum
import errno
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from satchel.errors import Problem, WorkspaceError
from satchel.paths import safe_text
from satchel.patterns import lazily
from satchel.workspace.files.contents import describe_refusal, open_folder, read_bytes
from satchel.workspace.files.ignoring import (
    GIT_RULES,
    OWN_RULES,
    Chain,
    IgnoreRules,
    drop_ignored,
    extend_chain,
    is_excluded,
    read_rules,
)
from satchel.workspace.git.repository import SUBMODULE, Git, TrackedFile
from satchel.workspace.git.running import excludes_file

VENDORED_NAMES = (
    "__pycache__",
    "dist",
    "node_modules",
    "site-packages",
    "third_party",
    "vendor",
    ".venv",
    "venv",
)
_VENDORED = lazily(rf"(?:\A|/)(?:{'|'.join(map(re.escape, VENDORED_NAMES))})(?=/)")
_RULES_BYTES = 4_000_000

Found = tuple[str, os.stat_result]
"""A workspace path and its own stat result, without following a link."""


class _WalkedFolder(NamedTuple):
    """A folder of the walk, with the rules that apply to it."""

    path: str
    git_rules: Chain
    own_rules: Chain


class Walk(NamedTuple):
    """The result of a walk: files, vendored folders, and problems."""

    root: Path
    wanted: Sequence[str]
    files: list[Found]
    vendored: list[str]
    problems: list[Problem]


def walk(root: Path, wanted: Sequence[str], *, global_rules: Path | None) -> Walk:
    """Walk all folders, with one open at a time, so that neither depth nor link loops matter.

    `global_rules` is the user's global git ignore file.
    """
    found = Walk(root, wanted, [], [], [])
    waiting = [_WalkedFolder("", _outer_rules(found, global_rules), ())]
    while waiting:
        folder = waiting.pop()
        try:
            children = _list_folder(root, folder.path)
        except OSError as error:
            found.problems.append(problem(describe_refusal(error), folder.path))
            continue
        here = _add_own_rules(found, folder, {path.rpartition("/")[2] for path, _ in children})
        waiting += [_WalkedFolder(path, *here[1:]) for path in _place_children(found, here, children)]
    return found


def find_vendored_folder(path: str) -> str:
    """Return the outermost vendored folder that contains a file, "" if none does."""
    match = _VENDORED.search(path)
    return path[: match.end()] if match else ""


def may_hold_vendored(paths: Sequence[str]) -> bool:
    """Return whether any path may be vendored; this is far cheaper than checking each."""
    text = "\0".join(paths)
    return any(f"{name}/" in text for name in VENDORED_NAMES)


def is_wanted(path: str, wanted: Sequence[str]) -> bool:
    """Return whether a path is one of `wanted`, or below one."""
    return any(f"{path}/".startswith(f"{prefix.rstrip('/')}/") for prefix in wanted if prefix)


def rules_at(root: Path, path: str, problems: list[Problem]) -> IgnoreRules:
    """Read an ignore file of the workspace; one that can't be read is a problem and has no rules."""
    try:
        return read_rules(read_bytes(root, path, _RULES_BYTES))
    except WorkspaceError as error:
        problems.append(problem(f"its ignore rules are not applied: {error.reason}", path))
        return read_rules(b"")


def problem(text: str, path: str) -> Problem:
    """Return a problem with a path of the workspace; "" is the root."""
    return Problem("files", "read", f"{safe_text(path) or 'the root'}: {text}")


def _outer_rules(found: Walk, global_rules: Path | None) -> Chain:
    """Read the rules that are weaker than every `.gitignore`: the user's, then the repository's own."""
    chain: Chain = ()
    if global_rules is not None and global_rules.is_file():
        chain = extend_chain(chain, "", rules_at(global_rules.parent, global_rules.name, found.problems))
    if (found.root / ".git/info/exclude").is_file():
        chain = extend_chain(chain, "", rules_at(found.root, ".git/info/exclude", found.problems))
    return chain


def _add_own_rules(found: Walk, folder: _WalkedFolder, names: set[str]) -> _WalkedFolder:
    """Add the rules of the ignore files in the folder itself."""
    _, git_rules, own_rules = folder
    prefix = f"{folder.path}/" if folder.path else ""
    if GIT_RULES in names:
        git_rules = extend_chain(
            git_rules, folder.path, rules_at(found.root, prefix + GIT_RULES, found.problems)
        )
    if OWN_RULES in names:
        own_rules = extend_chain(
            own_rules, folder.path, rules_at(found.root, prefix + OWN_RULES, found.problems)
        )
    return _WalkedFolder(folder.path, git_rules, own_rules)


def _place_children(found: Walk, folder: _WalkedFolder, children: Sequence[Found]) -> Iterator[str]:
    """Add each child to the result, and yield the folders to walk."""
    chains = [chain for chain in folder[1:] if chain]
    is_vendored = bool(find_vendored_folder(f"{folder.path}/"))
    for path, facts in children:
        is_folder = stat.S_ISDIR(facts.st_mode)
        if chains and _is_left_out(chains, path, is_folder=is_folder):
            continue
        if is_folder:
            yield from _enter_folder(found, path, is_vendored=is_vendored)
        elif not is_vendored or is_wanted(path, found.wanted):
            found.files.append((path, facts))


def _enter_folder(found: Walk, folder: str, *, is_vendored: bool) -> tuple[str, ...]:
    """Return the folder if it should be walked; record an outermost vendored folder."""
    if not is_vendored and folder[folder.rfind("/") + 1 :] not in VENDORED_NAMES:
        return (folder,)
    if not is_vendored:
        found.vendored.append(folder)
    return (folder,) if _leads_to_wanted(folder, found.wanted) else ()


def _is_left_out(chains: Sequence[Chain], path: str, *, is_folder: bool) -> bool:
    raw = os.fsencode(path)
    return any(is_excluded(chain, raw, is_folder=is_folder) for chain in chains)


def _leads_to_wanted(folder: str, wanted: Sequence[str]) -> bool:
    return is_wanted(folder, wanted) or any(prefix.startswith(f"{folder}/") for prefix in wanted)


def _list_folder(root: Path, folder: str) -> list[Found]:
    """List the content of a folder except `.git`; skip files that vanish meanwhile."""
    prefix = f"{folder}/" if folder else ""
    try:
        return list(_scan(prefix, f"{root}/{folder}"))
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
    descriptor = open_folder(root, folder)
    try:
        return list(_scan(prefix, descriptor))
    finally:
        os.close(descriptor)


def _scan(prefix: str, place: str | int) -> Iterator[Found]:
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.name == ".git":
                continue
            try:
                yield prefix + entry.name, entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue


_MOST_SETTINGS = 1 << 16
"""Bytes of a git settings file that are read."""
_UNTRACKED = TrackedFile("", "", "0", "")


class FileKind(enum.StrEnum):
    """The kind of file at a path."""

    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    """A repository within the workspace: a submodule or a clone. It is not walked."""
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
    """Git's id of the content, "" if git does not know it or the file was touched since."""
    kind: FileKind
    ctime_ns: int = 0
    """When the file, its name or its permissions changed; it can't be set."""
    tracked: bool = False
    """Whether git's index has it."""


class Vendored(NamedTuple):
    """A vendored folder, which is not walked; `files` is None if they were not counted."""

    path: str
    files: int | None


class Listing(NamedTuple):
    """The files of a workspace, sorted by path, with left-out folders and problems with reading."""

    entries: tuple[FileEntry, ...]
    vendored: tuple[Vendored, ...] = ()
    problems: tuple[Problem, ...] = ()


def list_files(root: Path, git: Git | None, *, wanted: Sequence[str] = ()) -> Listing:
    """List the files below `root` that neither git's rules nor `.satchelignore` leave out.

    `wanted` are paths inside vendored folders to list anyway, with everything below them. A file that git
    tracks is listed in any case. From now on `git` hides changes of paths that `.satchelignore` names.
    No link is followed out of the root, and nothing raises: unreadable paths are problems of the listing.
    """
    problems: list[Problem] = []
    if git is not None:
        try:
            return _list_repository(root, git, wanted)
        except WorkspaceError as error:
            problems.append(problem(f"{error.reason}; listed without git", ""))
    walked = walk(root, wanted, global_rules=_global_rules(os.environ))
    if git is not None:
        git.choose_visible = partial(
            drop_ignored, rules=_read_own_rules(root, [path for path, _ in walked.files], problems)
        )
    entries = sorted(_entry(path, facts, "") for path, facts in walked.files)
    vendored = tuple(Vendored(path, None) for path in sorted(walked.vendored))
    return Listing(tuple(entries), vendored, (*problems, *walked.problems))


def _list_repository(root: Path, git: Git, wanted: Sequence[str]) -> Listing:
    problems: list[Problem] = []
    tracked = {file.path: file for file in git.files.tracked()}
    untracked = [path for path in _list_untracked(root, git, wanted, problems) if path not in tracked]
    paths, vendored = _split_off_vendored((*tracked, *untracked), wanted)
    git.choose_visible = partial(drop_ignored, rules=_read_own_rules(root, paths, problems))
    visible = git.choose_visible(paths)
    entries = sorted(_entries(root, visible, tracked, problems))
    clean = {entry.path for entry in entries if entry.blob}
    touched = [path for path in visible if path in tracked and path not in clean]
    git.touched = [*touched, *(folder.path for folder in vendored)]
    return Listing(tuple(entries), vendored, tuple(problems))


def _list_untracked(root: Path, git: Git, wanted: Sequence[str], problems: list[Problem]) -> Sequence[str]:
    try:
        found = git.files.others()
    except WorkspaceError as error:
        problems.append(problem(f"{error.reason}; untracked files were looked for without git", ""))
        walked = walk(root, wanted, global_rules=_global_rules(os.environ))
        problems += walked.problems
        return [path for path, _ in walked.files]
    problems += [problem(warning, "") for warning in found.warnings]
    return found.paths


def _split_off_vendored(
    paths: Sequence[str], wanted: Sequence[str]
) -> tuple[list[str], tuple[Vendored, ...]]:
    """Separate the files of vendored folders from the others; keep wanted ones."""
    if not may_hold_vendored(paths):
        return list(paths), ()
    kept, counts = [], Counter[str]()
    known: dict[str, str] = {}
    for path in paths:
        within = path[: path.rfind("/") + 1]
        folder = known.get(within)
        if folder is None:
            folder = known[within] = find_vendored_folder(within)
        counts[folder] += 1
        if not folder or is_wanted(path, wanted):
            kept.append(path)
    del counts[""]
    return kept, tuple(Vendored(folder, counts[folder]) for folder in sorted(counts))


def _read_own_rules(root: Path, paths: Iterable[str], problems: list[Problem]) -> dict[str, IgnoreRules]:
    """Read every `.satchelignore`; the one at the root counts even if git ignores it."""
    listed = {path for path in paths if path.rpartition("/")[2] == OWN_RULES}
    files = listed | ({OWN_RULES} if os.path.lexists(root / OWN_RULES) else set())
    return {path.rpartition("/")[0]: rules_at(root, path, problems) for path in sorted(files)}


def find_hidden_files(
    root: Path, folders: Iterable[str], is_meant: Callable[[str], bool], *, listed: Mapping[str, FileEntry]
) -> list[FileEntry]:
    """Find the regular files in these folders that are meant, and not listed because git ignores them.

    No link is followed, `.satchelignore` files keep their paths out, and if one of them can't be read nothing
    is found.
    """
    found: dict[str, os.stat_result] = {}
    for folder in folders:
        found.update(
            (path, facts)
            for path, facts in _list_meant(root, folder, is_meant)
            if path not in listed and stat.S_ISREG(facts.st_mode)
        )
    above = {above for path in found for above in _folders_above(path)}
    files = [f"{folder}/{OWN_RULES}" if folder else OWN_RULES for folder in above]
    problems: list[Problem] = []
    own = {
        path.rpartition("/")[0]: rules_at(root, path, problems)
        for path in files
        if os.path.lexists(root / path)
    }
    visible = [] if problems else drop_ignored(sorted(found), own)
    return [_entry(path, found[path], "", tracked=False) for path in visible]


def _list_meant(root: Path, folder: str, is_meant: Callable[[str], bool]) -> list[Found]:
    """List the meant files in a folder; [] if it does not exist, can't be read or is behind a link."""
    prefix = f"{folder}/" if folder else ""
    if not _is_real(root, folder, {"": True}):
        return []
    try:
        with os.scandir(root / folder) as entries:
            return [
                (prefix + entry.name, entry.stat(follow_symlinks=False))
                for entry in entries
                if is_meant(prefix + entry.name)
            ]
    except OSError:
        return []


def _folders_above(path: str) -> Iterator[str]:
    """Yield the folders that a path is in, the root, "", last."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def _entries(
    root: Path, paths: Sequence[str], tracked: Mapping[str, TrackedFile], problems: list[Problem]
) -> list[FileEntry]:
    """Stat each file once, without following a link; skip files that are gone or behind a link."""
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
            problems.append(problem(describe_refusal(error), path))
            continue
        if file.is_unchanged(facts) and facts.st_mode & _KIND_BITS == regular:
            entries.append(_entry(path, facts, file.blob, tracked=True))
        elif (entry := _look_at_untracked(root, path, facts, file, real_folders)) is not None:
            entries.append(entry)
    return entries


def _look_at_untracked(
    root: Path, path: str, facts: os.stat_result, file: TrackedFile, real_folders: dict[str, bool]
) -> FileEntry | None:
    """Return the entry of a file that git has no current data of; None if it is not in the workspace."""
    blob = file.blob if file.is_unchanged(facts) else ""
    if not blob and not _is_real(root, path.rstrip("/").rpartition("/")[0], real_folders):
        return None
    if stat.S_ISDIR(facts.st_mode) and not (file.mode == SUBMODULE or path.endswith("/")):
        return None
    return _entry(path.rstrip("/"), facts, blob, tracked=file is not _UNTRACKED)


def _is_real(root: Path, folder: str, known: dict[str, bool]) -> bool:
    """Return whether no folder of the path is a link; `known` caches the answers."""
    unknown = []
    while folder not in known:
        unknown.append(folder)
        folder = folder.rpartition("/")[0]
    real = known[folder]
    for deeper in reversed(unknown):
        real = known[deeper] = real and not (root / deeper).is_symlink()
    return real


def _entry(path: str, facts: os.stat_result, blob: str, *, tracked: bool = False) -> FileEntry:
    kind = _KINDS.get(stat.S_IFMT(facts.st_mode), FileKind.SPECIAL)
    times = facts.st_mtime_ns, facts.st_ctime_ns
    return FileEntry(path, facts.st_size, times[0], facts.st_ino, blob, kind, times[1], tracked)


def refresh_entry(root: Path, entry: FileEntry) -> FileEntry:
    """Return an entry with current stat data; git is not asked, so its blob is unknown. Raises OSError."""
    return _entry(entry.path, os.lstat(root / entry.path), "", tracked=entry.tracked)


def _may_name_rules(environment: Mapping[str, str]) -> bool:
    """Return whether git must be asked, which starts a process, from the user's git settings."""
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
    """Find the user's global ignore file: the configured one, else git's default."""
    told = excludes_file(environment) if _may_name_rules(environment) else None
    if told is not None:
        return told
    folder = environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(folder, "git", "ignore") if os.path.isabs(folder) else None
