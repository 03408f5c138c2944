"""What a reader has seen in an earlier pack is shown as what changed in it since: the level DIFF."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.errors import WorkspaceError
from satchel.items import ContextItem, Level
from satchel.packing.gathering import Gathered
from satchel.packing.ladders import Ladder
from satchel.packing.rendering import Form, find_form
from satchel.packing.representing import lines_of
from satchel.runs import Run
from satchel.workspace.index.documents import content_hash
from satchel.workspace.workspace import Snapshot

if TYPE_CHECKING:
    from satchel.packing.bundle import Bundle

UNCHANGED = "shown before, unchanged since"
_MOST_LINES = 20_000
"""Of a file that is compared: more would take long, so that it is shown anew."""
_ID = "seen:"


class Seen(NamedTuple):
    """The files that an earlier pack showed whole, and what all files held then."""

    texts: Mapping[str, str]
    snapshot: Snapshot
    form: Form

    @classmethod
    def of(cls, bundle: Bundle) -> Seen:
        """Return what the reader of a bundle has seen."""
        form = find_form(bundle.form)
        whole = [item for item in bundle.items if item.kind == "file" and item.level == Level.FULL]
        # A form that marks a first line has one before line 1, which is no line of the file.
        texts = {item.path: item.text.partition("\n")[2] if form.first_mark else item.text for item in whole}
        return cls(texts, bundle.snapshot, form)


def as_changes(run: Run, gathered: Gathered, seen: Seen, *, pinned: Collection[str]) -> Gathered:
    """Put what changed in the place of each file that was seen; one that did not is only named.

    A pinned file stays: whoever pins it wants all of it.
    """
    known = seen.texts.keys() - set(pinned)

    def change(item: ContextItem) -> ContextItem:
        return item if item.note else _as_change(run, item, seen)

    return Gathered(gathered.items.replaced(change, known), gathered.lifted)


def as_diff(ladder: Ladder) -> Ladder:
    """Call the whole text of a change by its level."""
    if not ladder.item.id.startswith(_ID):
        return ladder
    levels = {Level.FULL: Level.DIFF}
    options = [option._replace(level=levels.get(option.level, option.level)) for option in ladder.options]
    return ladder._replace(options=tuple(options))


def _as_change(run: Run, item: ContextItem, seen: Seen) -> ContextItem:
    if item.content and item.content == seen.snapshot.content(item.path):
        return attrs.evolve(item, note=UNCHANGED)
    try:
        new = lines_of(seen.form.escaped(run.text(item)))
    except WorkspaceError:  # whoever shows it would fail too, and says so
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
