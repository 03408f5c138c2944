"""What the files of a workspace held at a moment, and what has changed since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from satchel.workspace.index import Document


class Change(NamedTuple):
    """A file that is not as it was: `new`, `changed` or `deleted`."""

    path: str
    status: str


class Snapshot:
    """The files of a workspace at a moment, by path; it holds no text."""

    __slots__ = ("_documents",)

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents

    def content(self, path: str) -> str:
        """Return the hash of what a file held, "" where it was not there or not read."""
        document = self._documents.get(path)
        return document.content if document is not None else ""

    def changes(self, later: Snapshot) -> tuple[Change, ...]:
        """Return what differs in a later snapshot, by path."""
        old, new = self._documents, later._documents
        if old == new:
            return ()
        both = old.keys() & new.keys()
        found = [Change(path, "changed") for path in both if _differs(old[path], new[path])]
        found += [Change(path, "new") for path in new.keys() - both]
        found += [Change(path, "deleted") for path in old.keys() - both]
        return tuple(sorted(found))


def _differs(old: Document, new: Document) -> bool:
    """Compare contents; of what was not read, size and number, which is another after each change."""
    if old.content or new.content:
        return old.content != new.content
    return (old.kind, old.size, old.id) != (new.kind, new.size, new.id)
