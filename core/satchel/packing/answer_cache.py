"""Cache the answers of commands and reuse them while nothing that they depend on has changed.

An answer is stored with the state that it was made from: the stamps of all files, git's refs, the settings,
and satchel's own code. Nothing is cached if a third-party plugin takes part, if a file was changed
moments ago, or if git's settings include files that are not checked here.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from satchel.errors import SatchelError
from satchel.paths import absolute
from satchel.private_files import cache_folder, state_folder
from satchel.workspace.files.listing import FileEntry, Look, Vendored, list_files
from satchel.workspace.git.program import settings_state
from satchel.workspace.git.repository import Git, open_git, read_head
from satchel.workspace.index.store import IndexStore, index_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from satchel.config import Config
    from satchel.host.loading import EntryTable
    from satchel.workspace import Workspace

MOST = 12
"""Most answers cached for one workspace."""
_MOST_LATER = 1_000
"""Most texts stored since, so that every pointer of the answer can still be expanded."""
_MOST_STAMPS = 200
"""Most files used by the answer that are checked before all others."""
_SETTLE_NS = 2_000_000_000
"""A file changed this recently may change again with the same time stamp."""
_SIGNED = 0x7FFF_FFFF_FFFF_FFFF
_NAMES = ("HOME", "LANG", "PATH", "PYTHONPATH", "SYSTEMROOT", "VIRTUAL_ENV")
_FAMILIES = ("CONDA_", "GIT_CONFIG_", "LC_", "PYENV_", "SATCHEL_", "TIKTOKEN_", "XDG_")
"""Environment variables that satchel's plugins, or the programs that they call, read."""


class CachedAnswer(NamedTuple):
    """The cached output of a command."""

    text: str
    remarks: tuple[str, ...] = ()
    """Lines for stderr."""


class PackQuestion(NamedTuple):
    """A question about a workspace; `name` is the cache key of its answer."""

    root: Path
    name: str
    store: Path
    table: EntryTable | None = None
    """The installed entry points."""

    def recall(self, looked: Callable[[Look], object] | None = None) -> CachedAnswer | None:
        """Return the cached answer, None if there is none or anything has changed.

        If all files had to be listed to find a change, `looked` gets the listing, so that it can be
        reused for the new answer.
        """
        if not os.path.exists(self.store):
            return None
        store = IndexStore.open(self.store)
        try:
            return self._look_up(store, looked) if store.path is not None else None
        except (SatchelError, sqlite3.Error, OSError, ValueError):  # the new answer will report it
            return None
        finally:
            store.close()

    def _look_up(self, store: IndexStore, looked: Callable[[Look], object] | None) -> CachedAnswer | None:
        rows = store.rows("SELECT state, facts, text FROM answers WHERE name = ?", (self.name,))
        if not rows:
            return None
        state, text = str(rows[0][0]), str(rows[0][2])
        wanted, age, remarks, read = json.loads(str(rows[0][1]))
        if any(_stamp(f"{self.root}/{path}") != stamp for path, stamp in read):
            return None  # same check as below, without listing all files
        git, problems = open_git(self.root)
        listing = list_files(self.root, git, wanted=wanted, store=store)
        if problems or listing.problems:
            return None
        is_same = _fingerprint(self.root, git, listing.entries, listing.vendored) == state
        if is_same and _last_text_number(store) <= age + _MOST_LATER:
            return CachedAnswer(text, tuple(remarks))
        if looked is not None:
            looked(Look(self.root, tuple(wanted), git, listing))
        return None

    def keep(self, workspace: Workspace, wanted: Sequence[str], answer: CachedAnswer, *, begun: int) -> None:
        """Cache an answer; `begun` is when its workspace was listed, in ns."""
        entries = workspace.files.entries()
        newest = max((max(entry.mtime_ns, entry.ctime_ns) for entry in entries), default=0)
        if newest >= begun - _SETTLE_NS or _is_passing(workspace):
            return
        state = _fingerprint(workspace.root, workspace.git, entries, workspace.files.vendored)
        if not state:
            return
        store = workspace.index.store
        depends_on = (*workspace.texts.paths()[:_MOST_STAMPS], *workspace.files.places_seen())
        read = [(path, _stamp(f"{workspace.root}/{path}")) for path in depends_on]
        facts = json.dumps([list(wanted), _last_text_number(store), answer.remarks, read])
        row = (self.name, state, facts, answer.text)
        store.remember(lambda connection: _write(connection, row))


def ask(root: Path, asked: Mapping[str, object], config: Config) -> PackQuestion | None:
    """Return a question whose answer can be cached, None if it depends on more than is checked here."""
    from satchel.host.loading import find_entries

    table = find_entries(cache_folder())
    if config.model or config.plugins or config.warnings or table.problems:
        return None
    if not all(entry.distribution in config.trust for entry in table.entries):
        return None
    told = [repr(sorted(asked.items())), repr(config), repr(table.entries), sys.version, *_list_environment()]
    digest = blake2b("\n".join(told).encode("utf-8", "replace"), digest_size=16)
    folder = absolute(root).resolve()
    return PackQuestion(folder, f"answer {digest.hexdigest()}", index_file(cache_folder(), folder), table)


def _is_passing(workspace: Workspace) -> bool:
    return workspace.is_passing or (workspace.git is not None and bool(workspace.git.program.wasted))


def _write(connection: Connection, row: tuple[str, str, str, str]) -> None:
    connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", row)
    newest = "SELECT rowid FROM answers ORDER BY rowid DESC LIMIT ?"
    connection.execute(f"DELETE FROM answers WHERE rowid NOT IN ({newest})", (MOST,))  # noqa: S608


def _last_text_number(store: IndexStore) -> int:
    return int(str(store.rows("SELECT coalesce(max(age), 0) FROM blobs")[0][0]))


def _list_environment() -> Iterator[str]:
    """Yield what an answer depends on outside the workspace."""
    yield from (f"{name}={os.environ[name]}" for name in sorted(os.environ) if _is_relevant_variable(name))
    yield from (_stamp(folder) for folder in os.environ.get("PATH", os.defpath).split(os.pathsep))
    yield _stamp(_trust_file())
    for package in ("satchel", "satchel_plugins"):
        yield from _stamp_code(package)


def _is_relevant_variable(name: str) -> bool:
    return name in _NAMES or name.startswith(_FAMILIES)


def _trust_file() -> str:
    return str(state_folder() / "trust.json")


def _stamp_code(package: str) -> Iterator[str]:
    """Yield the stamps of a package's files: developers of satchel must not get stale answers."""
    from importlib.util import find_spec

    spec = find_spec(package)
    waiting = list(spec.submodule_search_locations or ()) if spec else []
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_file():
                    facts = entry.stat()
                    yield f"{entry.path} {facts.st_mtime_ns} {facts.st_size}"
                elif entry.name != "__pycache__" and entry.is_dir():
                    waiting.append(entry.path)


def _fingerprint(
    root: Path, git: Git | None, entries: Sequence[FileEntry], vendored: Sequence[Vendored]
) -> str:
    """Return a hash of the state of all files and git's refs; "" if it can't be determined."""
    told = blake2b(repr(vendored).encode("utf-8", "replace"), digest_size=16)
    if git is not None:
        settings = settings_state(git.program)
        if not settings:
            return ""
        head = read_head(git.git_dir, git.program.common_dir)
        told.update("\n".join([settings, head, *_git_files(git)]).encode("utf-8", "replace"))
    for texts in ((entry.path for entry in entries), (entry.blob for entry in entries)):
        told.update("\0".join(texts).encode("utf-8", "surrogateescape"))
    numbers = ((entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode & _SIGNED) for entry in entries)
    told.update(array("q", chain.from_iterable(numbers)).tobytes())
    told.update("".join(entry.kind[0] + "ut"[entry.tracked] for entry in entries).encode())
    return told.hexdigest()


def _git_files(git: Git) -> Iterator[str]:
    """Yield stamps of the files at the top of git's folders: HEAD, the index, state of a merge or rebase."""
    for folder in dict.fromkeys((str(git.git_dir), str(git.program.common_dir))):
        with os.scandir(folder) as entries:
            found = sorted((entry.name, entry.is_file()) for entry in entries)
        yield from (_stamp(f"{folder}/{name}") if is_file else name for name, is_file in found)
        yield _stamp(f"{folder}/info/attributes")


def _stamp(path: str) -> str:
    try:
        facts = os.stat(path)
    except OSError:
        return f"{path} -"
    return f"{path} {facts.st_mtime_ns} {facts.st_ctime_ns} {facts.st_ino} {facts.st_size}"
