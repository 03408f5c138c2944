"""Show files that the reader has from an earlier pack as diffs: the level DIFF."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.errors import WorkspaceError
from satchel.items import ContextItem, Level
from satchel.packing.gathering import Gathered
from satchel.packing.ladders import ItemLadder
from satchel.packing.rendering import DocumentForm, find_form
from satchel.parts import lines_of
from satchel.runs import WorkspaceRun
from satchel.workspace.index.documents import content_hash
from satchel.workspace.workspace import Snapshot

if TYPE_CHECKING:
    from satchel.packing.bundle import Bundle

UNCHANGED = "shown before, unchanged since"
_MOST_LINES = 20_000
"""Most lines of a compared file: longer files would take long and are shown again in full."""
_ID = "seen:"


class EarlierPack(NamedTuple):
    """The files that an earlier pack showed in full, and a snapshot of all files."""

    texts: Mapping[str, str]
    snapshot: Snapshot
    form: DocumentForm

    @classmethod
    def of(cls, bundle: Bundle) -> EarlierPack:
        """Return the texts that a reader of a bundle has."""
        form = find_form(bundle.form)
        whole = [item for item in bundle.items if item.kind == "file" and item.level == Level.FULL]
        return cls({item.path: form.source(item.text) for item in whole}, bundle.snapshot, form)


def as_changes(
    run: WorkspaceRun, gathered: Gathered, seen: EarlierPack, *, pinned: Collection[str]
) -> Gathered:
    """Replace each file that the reader has by its changes; unchanged files are only named.

    A pinned file stays, because a pin asks for all of it.
    """
    known = seen.texts.keys() - set(pinned)

    def change(item: ContextItem) -> ContextItem:
        return item if item.note else _as_change(run, item, seen)

    return Gathered(gathered.items.replace_files(change, known), gathered.lifted)


def as_diff(ladder: ItemLadder) -> ItemLadder:
    """Label the full text of a change as DIFF."""
    if not ladder.item.id.startswith(_ID):
        return ladder
    levels = {Level.FULL: Level.DIFF}
    options = [option._replace(level=levels.get(option.level, option.level)) for option in ladder.options]
    return ladder._replace(options=tuple(options))


def _as_change(run: WorkspaceRun, item: ContextItem, seen: EarlierPack) -> ContextItem:
    if item.content and item.content == seen.snapshot.content(item.path):
        return attrs.evolve(item, note=UNCHANGED)
    try:
        new = lines_of(seen.form.escape(run.text(item)))
    except WorkspaceError:  # rendering it will fail too, and report it
        return item
    old = lines_of(seen.texts[item.path])
    if max(len(old), len(new)) > _MOST_LINES:
        return item
    text = _difference(old, new)
    if not text:
        return attrs.evolve(item, note=UNCHANGED)
    title = f"{item.path} since it was last shown"
    content = content_hash(text.encode("utf-8", "replace"))
    return attrs.evolve(item, id=f"{_ID}{item.path}", kind="diff", title=title, text=text, content=content)


def _difference(old: Sequence[str], new: Sequence[str]) -> str:
    import difflib

    lines = list(difflib.unified_diff(old, new, lineterm=""))
    return "".join(f"{line}\n" for line in lines[2:])
