"""Record an edit in a session: the changes, how a window shows them, and the archived texts."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.archive import ArchiveError
from satchel.errors import UsageError, WorkspaceError
from satchel.events import EditRecorded
from satchel.items import ContextItem
from satchel.parts import Part, lines_of
from satchel.paths import relative_path
from satchel.session.edits.measuring import Magnitude, changes_between, hunks_of, measure, render_unified
from satchel.shared_archive import open_archive
from satchel.spelling import format_count
from satchel.workspace.files.contents import decode
from satchel.workspace.files.kinds import is_binary, is_credentials
from satchel.workspace.index.documents import content_hash

if TYPE_CHECKING:
    from satchel.runs import WorkspaceRun
    from satchel.session.nodes import Node
    from satchel.session.session import Session


SMALL, LARGE = 0.05, 0.5
"""Shares of the lines: below the first, both sides of an edit are shown; above the second, only a marker."""


class Strategy(enum.StrEnum):
    """The form of an edit in a window."""

    BOTH = "both"
    """The changed lines before and after."""
    DIFF = "diff"
    """The diff, in place of the earlier text of the file."""
    MARKER = "marker"
    """The size of the change only; whoever needs the text reads the file again."""


class Life(NamedTuple):
    """How long an edit is shown: until either limit is reached."""

    messages: int
    seconds: float


LIVES = {
    Strategy.BOTH: Life(40, 1_800.0),
    Strategy.DIFF: Life(80, 3_600.0),
    Strategy.MARKER: Life(160, 7_200.0),
}
"""About one, two and four pieces of work: half an hour, or the calls of two long turns, is one.

The setting `window.edit_life` multiplies each.
"""


def decide(magnitude: Magnitude) -> tuple[Strategy, str]:
    """Return the form of an edit in a window, and the reason."""
    if magnitude.formatting_only:
        return Strategy.DIFF, "only the layout changed"
    if magnitude.comments_only:
        return Strategy.DIFF, "only comments changed"
    if magnitude.structure:
        return Strategy.MARKER, "the structure changed"
    if magnitude.share > LARGE:
        return Strategy.MARKER, f"{magnitude.share:.0%} of the lines changed"
    if magnitude.share < SMALL and (magnitude.functions or magnitude.types):
        return Strategy.BOTH, f"{magnitude.share:.1%} of the lines changed, in definitions"
    return Strategy.DIFF, f"{magnitude.share:.0%} of the lines changed"


KIND = "edit"
_MOST_LINES = 400
"""Most lines of a shown diff; the rest can be expanded."""
_DIGITS = 12
_NEWEST = 200


@attrs.frozen
class Edit:
    """A recorded edit."""

    node: str
    at: float
    path: str
    strategy: Strategy
    why: str
    magnitude: Magnitude
    life: Life
    shown: tuple[str, ...]
    """Texts from most to least: both sides, the diff, the marker; without those above the strategy."""
    after: int
    """Number of messages in the session when it was recorded."""


def edits_of(session: Session) -> list[Edit]:
    """Return the newest edits of the branch, oldest first."""
    return [_read(node) for node in session.happenings(KIND, last=_NEWEST)]


def _read(node: Node) -> Edit:
    body: Mapping[str, Any] = node.body
    told = body["magnitude"]
    told = {**told, "functions": tuple(told["functions"]), "types": tuple(told["types"])}
    magnitude = Magnitude(**told)
    strategy, life, shown = Strategy(body["strategy"]), Life(*body["life"]), tuple(body["shown"])
    return Edit(node.id, node.at, body["path"], strategy, body["why"], magnitude, life, shown, body["after"])


def texts_from_git(run: WorkspaceRun, path: str) -> tuple[str | None, str | None]:
    """Return a file's text at HEAD and in the working tree, None if it is absent.

    Raises:
        WorkspaceError: there is no repository, or the file is in neither.
    """
    if run.workspace.git is None:
        raise WorkspaceError(
            str(run.workspace.root), "is not a git repository; give both texts with --old and --new"
        )
    held = run.workspace.git.show("HEAD", path)
    old = None if held is None else text_of(held, f"{path} at HEAD")
    try:
        new = text_of(run.workspace.texts.read_bytes(path), path)
    except WorkspaceError:
        if (run.workspace.root / path).is_file():
            raise
        new = None
    if old is None and new is None:
        raise WorkspaceError(path, "is neither in the working tree nor at HEAD")
    return old, new


def text_of(data: bytes, name: str) -> str:
    """Return the text of a file; WorkspaceError if it is binary."""
    if is_binary(data):
        raise WorkspaceError(name, "is binary, so that no edit of it can be shown")
    return decode(data).text


def record_edit(
    session: Session,
    path: str,
    *,
    run: WorkspaceRun,
    texts: tuple[str | None, str | None] | None = None,
    store: str | None = None,
) -> tuple[Edit, Node]:
    """Record the edit of a file; without texts, compare the working tree with HEAD.

    Args:
        session: the session to record it in.
        path: of the file, below the root.
        run: the open workspace: its representers see definitions, its scanners find secrets.
        texts: before and after; None on a side without the file.
        store: folder of the archive.

    Raises:
        WorkspaceError: the path leads out of the root, or there is nothing to compare.
        UsageError: nothing changed.
        ArchiveError: the texts can't be kept.
    """
    inside = relative_path(run.workspace.root, path)
    old, new = texts if texts is not None else texts_from_git(run, inside)
    if old == new:
        raise UsageError(f"{inside}: nothing changed, so there is no edit to record")
    # A piece of a secret can't be recognised alone: scan the whole texts.
    clean = [run.workspace.redactor.redact(text or "", inside) for text in (old, new)]
    magnitude = measure(inside, old, new, parts=_parts(run, inside, *clean), count=run.counter.fresh)
    strategy, why = decide(magnitude)
    if is_credentials(inside):
        strategy, why, pointers = Strategy.MARKER, "it holds credentials", ("", "")
    else:
        pointers = _archive_texts(store, old, new)
    usual, factor = LIVES[strategy], run.config.edit_life
    life = Life(round(usual.messages * factor), usual.seconds * factor)
    shown = _list_levels(
        inside, (clean[0], clean[1]), strategy, why=why, magnitude=magnitude, pointers=pointers
    )
    body = {
        "path": inside,
        "strategy": str(strategy),
        "why": why,
        "share": magnitude.share,
        "magnitude": attrs.asdict(magnitude),
        "life": list(life),
        "old": pointers[0],
        "new": pointers[1],
        "shown": [run.workspace.redactor.redact(text, inside) for text in shown],
        "after": session.count(),
    }
    node = session.record(KIND, body)
    session.emit(EditRecorded(session.id, inside, str(strategy), magnitude.share, magnitude.tokens))
    return _read(node), node


def _archive_texts(store: str | None, old: str | None, new: str | None) -> tuple[str, str]:
    """Put both texts into the archive; return their pointers, "" for an absent text."""
    archive = open_archive(store)
    try:
        return (
            f"blob:{archive.put(old)[:_DIGITS]}" if old is not None else "",
            f"blob:{archive.put(new)[:_DIGITS]}" if new is not None else "",
        )
    except OSError as error:
        raise ArchiveError(archive.folder, str(error)) from error


def _parts(
    run: WorkspaceRun, path: str, old: str | None, new: str | None
) -> tuple[Sequence[Part], Sequence[Part]]:
    """Return the representers' parts of both texts."""
    from satchel.packing.representing import split_all

    items = [
        ContextItem(
            f"edit-{side}:{path}",
            "session",
            "file",
            path,
            path=path,
            text=text,
            content=content_hash(text.encode("utf-8", "replace")),
        )
        for side, text in (("old", old), ("new", new))
        if text
    ]
    splits = split_all(run, items)
    before, after = (splits.get(f"edit-{side}:{path}") for side in ("old", "new"))
    return (before.parts if before else (), after.parts if after else ())


def _list_levels(
    path: str,
    texts: tuple[str, str],
    strategy: Strategy,
    *,
    why: str,
    magnitude: Magnitude,
    pointers: tuple[str, str],
) -> list[str]:
    """Return the texts for a window, from most to least, beginning with that of the strategy."""
    old, new = (lines_of(text.replace("\r\n", "\n")) for text in texts)
    marker = _marker(path, why, magnitude, pointers)
    if strategy is Strategy.MARKER:
        return [marker]
    hunks = hunks_of(changes_between(old, new), (len(old), len(new)))
    diff = f"{marker}{_short(render_unified(old, new, hunks), pointers)}"
    if strategy is Strategy.DIFF:
        return [diff, marker]
    sides = "".join(
        f"before, line {hunk.before[0] + 1}:\n{_block(old[slice(*hunk.before)])}"
        f"after, line {hunk.after[0] + 1}:\n{_block(new[slice(*hunk.after)])}"
        for hunk in hunks
    )
    return [f"{marker}{_short(sides, pointers)}", diff, marker]


def _block(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _short(text: str, pointers: tuple[str, str]) -> str:
    """Cut a text that is too long for a window."""
    lines = text.split("\n")
    if len(lines) <= _MOST_LINES:
        return text
    rest = len(lines) - _MOST_LINES
    left = f"{format_count(rest, 'line')} of this edit left out"
    told = f"[satchel: {left}; satchel expand {pointers[1] or pointers[0]}]"
    return "\n".join([*lines[:_MOST_LINES], told, ""])


def _marker(path: str, why: str, magnitude: Magnitude, pointers: tuple[str, str]) -> str:
    """Return the line that describes an edit."""
    names = [*magnitude.functions, *magnitude.types]
    facts = [
        f"{magnitude.changed} of {format_count(magnitude.lines, 'line')}",
        f"{magnitude.tokens:+} tokens",
        *([f"in {', '.join(dict.fromkeys(names[:6]))}"] if names else []),
        *(["dependencies"] if magnitude.dependencies else []),
        *(["configuration"] if magnitude.configuration else []),
        why,
    ]
    before = f"; before: satchel expand {pointers[0]}" if pointers[0] else ""
    return f"edited {path}: {'; '.join(facts)}{before}\n"
