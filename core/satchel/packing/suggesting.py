"""Suggest files worth adding to a project's context, each with its reasons."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from satchel.installed import list_read_only
from satchel.packing.weighing.backbone import is_starting_file
from satchel.patterns import lazily
from satchel.questions import FilePlace, place_of
from satchel.runs import open_run
from satchel.workspace.files.kinds import DOCUMENT_ENDINGS
from satchel.workspace.files.listing import find_vendored_folder
from satchel.workspace.index.store import report_damage
from satchel.workspace.index.terms import count_terms
from satchel.workspace.instructions import match_paths

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host
    from satchel.workspace import Commit, Document, Workspace

MOST = 15
"""Most files that are suggested."""
_BYTES_PER_TOKEN = 3
_LARGEST = 120_000
"""Size in bytes above which a file is considered a library."""
_BROADEST_COMMIT = 30
"""A commit that touches more files says nothing about one of them."""
_MOST_NAMES = 400
"""Most files whose names are looked up in the index."""

_GUIDES = lazily(
    r"^(?:(?:PENGUIN|AGENTS(?:\.override)?|CLAUDE|GEMINI)\.md|\.cursorrules|\.github/copilot-instructions\.md)$",
    re.IGNORECASE,
)
_EXPLAINS = lazily(
    r"(?:^|/)(?:readme|contributing|architecture|design|conventions?|style(?:[-_]?guide)?|glossary|development"
    rf"|hacking)\.(?:{DOCUMENT_ENDINGS})$",
    re.IGNORECASE,
)
_MANIFEST = lazily(
    r"(?:^|/)(?:pyproject\.toml|setup\.cfg|package\.json|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?"
    r"|Gemfile|composer\.json|Makefile|justfile|CMakeLists\.txt|tsconfig\.json)$"
)


@attrs.frozen
class Suggestion:
    """A suggested file, its approximate tokens, and the reasons."""

    path: str
    tokens: int
    """Estimated at 3 bytes a token."""
    reasons: tuple[str, ...]


@report_damage()
def suggest(
    root: str | Path = ".", *, host: Host | None = None, config: Config | None = None
) -> tuple[Suggestion, ...]:
    """Return files worth adding to a project's context, best first, at most 15.

    Candidates are instructions and explanations, the manifest, entry points, files that change often, and
    files that many others name. Files that the configuration already adds are left out.

    Raises:
        WorkspaceError: the root is not a folder.
        ConfigError: the configuration has errors.
    """
    run = open_run(root, config=config, host=host)
    try:
        return _suggest(run.workspace, list_read_only(run.config, run.host))
    finally:
        run.workspace.close()


def _suggest(workspace: Workspace, patterns: Sequence[str]) -> tuple[Suggestion, ...]:
    documents = {path: one for path, one in workspace.index.documents.items() if _is_fit(one)}
    added = {path for pattern in patterns for path in match_paths(pattern, documents)}
    scores: Counter[str] = Counter()
    reasons: dict[str, list[str]] = {}
    for path, points, reason in _evidence(workspace, documents):
        scores[path] += points
        reasons.setdefault(path, []).append(reason)
    ranked = sorted(scores.keys() - added, key=lambda path: (-scores[path], path.count("/"), path))
    return tuple(
        Suggestion(path, math.ceil(documents[path].size / _BYTES_PER_TOKEN), tuple(reasons[path]))
        for path in ranked[:MOST]
    )


def _is_fit(document: Document) -> bool:
    return document.kind == "text" and document.size <= _LARGEST and not find_vendored_folder(document.path)


def _evidence(workspace: Workspace, documents: Mapping[str, Document]) -> Iterator[tuple[str, int, str]]:
    """Yield path, points and reason; instructions get a hundred points, weak signs a few."""
    for path in documents:
        yield from _by_name(path)
    yield from _by_changes(workspace.history.commits(), documents)
    yield from _by_mentions(workspace, documents)


def _by_name(path: str) -> Iterator[tuple[str, int, str]]:
    depth = path.count("/")
    if _GUIDES.match(path):
        yield path, 100, "instructions for everyone who works here"
    elif _EXPLAINS.search(path):
        yield path, max(70 - 20 * depth, 5), "explains the project"
    elif _MANIFEST.search(path):
        yield path, max(55 - 20 * depth, 3), "names dependencies and tools"
    elif is_starting_file(path):
        yield path, max(45 - 8 * depth, 5), "the program starts here"


def _by_changes(
    history: Sequence[Commit], documents: Mapping[str, Document]
) -> Iterator[tuple[str, int, str]]:
    changes = Counter(
        path
        for commit in history
        if len(commit.paths) <= _BROADEST_COMMIT
        for path in commit.paths
        if path in documents and place_of(path) is FilePlace.CODE
    )
    most = max(changes.values(), default=0)
    for path, times in changes.most_common(30):
        if times >= max(3, most // 5):
            yield path, round(40 * times / most), f"changed by {times} of the newest {len(history)} commits"


def _by_mentions(workspace: Workspace, documents: Mapping[str, Document]) -> Iterator[tuple[str, int, str]]:
    """Yield code files whose name occurs in many other files, which import or mention them."""
    code = [path for path in documents if place_of(path) is FilePlace.CODE]
    by_name: dict[str, list[str]] = {}
    for path in code:
        stem = path.rpartition("/")[2].partition(".")[0].strip("_")
        # The full name is the last term; a name shared by several files identifies none of them.
        if len(stem) > 3 and stem.isidentifier():
            by_name.setdefault(list(count_terms(stem))[-1], []).append(path)
    single = {name: paths[0] for name, paths in by_name.items() if len(paths) == 1}
    known = {document.id for document in documents.values()}
    least = max(4, len(code) // 20)
    for name, path in list(single.items())[:_MOST_NAMES]:
        holding = len(known & workspace.index.postings(name).keys()) - 1
        if least <= holding < len(known) * 0.6:
            yield path, round(40 * holding / len(known)) + 5, f"its name is in {holding} other files"
