"""Walking a folder that no git answers for, under git's ignore rules and satchel's own."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from satchel.errors import Problem, WorkspaceError
from satchel.patterns import lazily
from satchel.workspace.contents import open_folder, read_bytes
from satchel.workspace.ignoring import (
    GIT_RULES,
    OWN_RULES,
    Chain,
    RuleSet,
    extended,
    is_excluded,
    read_rules,
)
from satchel.workspace.paths import safe_text

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
"""A workspace path and its own stat data, not those of what it may link to."""


class _Folder(NamedTuple):
    """A folder on the walk, with the rules that it lies under."""

    path: str
    git_rules: Chain
    own_rules: Chain


class Walk(NamedTuple):
    """What a walk finds: files, folders of somebody else's code, and what could not be read."""

    root: Path
    wanted: Sequence[str]
    files: list[Found]
    vendored: list[str]
    problems: list[Problem]


def walk(root: Path, wanted: Sequence[str], *, global_rules: Path | None) -> Walk:
    """Walk all folders, one open at a time, so that no depth and no loop of links matters.

    `global_rules` is the user's own ignore file for all repositories, as git has it.
    """
    found = Walk(root, wanted, [], [], [])
    waiting = [_Folder("", _outer_rules(found, global_rules), ())]
    while waiting:
        folder = waiting.pop()
        try:
            children = _children(root, folder.path)
        except OSError as error:
            found.problems.append(problem(reason(error), folder.path))
            continue
        here = _with_own(found, folder, {path.rpartition("/")[2] for path, _ in children})
        waiting += [_Folder(path, *here[1:]) for path in _sorted_in(found, here, children)]
    return found


def vendored_folder(path: str) -> str:
    """Return the outermost folder of somebody else's code that a file lies in, "" for none."""
    match = _VENDORED.search(path)
    return path[: match.end()] if match else ""


def may_hold_vendored(paths: Sequence[str]) -> bool:
    """Tell whether it is worth asking each path; far cheaper than that."""
    text = "\0".join(paths)
    return any(f"{name}/" in text for name in VENDORED_NAMES)


def is_wanted(path: str, wanted: Sequence[str]) -> bool:
    """Tell whether a path is one of those asked for, or lies below one."""
    return any(f"{path}/".startswith(f"{prefix.rstrip('/')}/") for prefix in wanted if prefix)


def rules_at(root: Path, path: str, problems: list[Problem]) -> RuleSet:
    """Read an ignore file of the workspace; one that can't be read is a problem and has no rules."""
    try:
        return read_rules(read_bytes(root, path, _RULES_BYTES))
    except WorkspaceError as error:
        problems.append(problem(f"its ignore rules are not applied: {error.reason}", path))
        return read_rules(b"")


def problem(text: str, path: str) -> Problem:
    """Record what went wrong with a path of the workspace; "" is the root."""
    return Problem("files", "read", f"{safe_text(path) or 'the root'}: {text}")


def reason(error: OSError) -> str:
    """Say why the system refused."""
    return f"can't be read: {(error.strerror or str(error)).lower()}"


def _outer_rules(found: Walk, global_rules: Path | None) -> Chain:
    """Read the rules that are weaker than every `.gitignore`: the user's, then the repository's own."""
    chain: Chain = ()
    if global_rules is not None and global_rules.is_file():
        chain = extended(chain, "", rules_at(global_rules.parent, global_rules.name, found.problems))
    if (found.root / ".git/info/exclude").is_file():
        chain = extended(chain, "", rules_at(found.root, ".git/info/exclude", found.problems))
    return chain


def _with_own(found: Walk, folder: _Folder, names: set[str]) -> _Folder:
    """Add the rules that stand in the folder itself."""
    _, git_rules, own_rules = folder
    prefix = f"{folder.path}/" if folder.path else ""
    if GIT_RULES in names:
        git_rules = extended(git_rules, folder.path, rules_at(found.root, prefix + GIT_RULES, found.problems))
    if OWN_RULES in names:
        own_rules = extended(own_rules, folder.path, rules_at(found.root, prefix + OWN_RULES, found.problems))
    return _Folder(folder.path, git_rules, own_rules)


def _sorted_in(found: Walk, folder: _Folder, children: Sequence[Found]) -> Iterator[str]:
    """Put each child where it belongs, and return the folders to go into."""
    chains = [chain for chain in folder[1:] if chain]
    is_vendored = bool(vendored_folder(f"{folder.path}/"))
    for path, facts in children:
        is_folder = stat.S_ISDIR(facts.st_mode)
        if chains and _is_left_out(chains, path, is_folder=is_folder):
            continue
        if is_folder:
            yield from _entered(found, path, is_vendored=is_vendored)
        elif not is_vendored or is_wanted(path, found.wanted):
            found.files.append((path, facts))


def _entered(found: Walk, folder: str, *, is_vendored: bool) -> tuple[str, ...]:
    """Return the folder if it is to be gone into; name the outermost vendored one."""
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


def _children(root: Path, folder: str) -> list[Found]:
    """List what is in a folder, but for git's own data; what vanishes meanwhile is not there."""
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
