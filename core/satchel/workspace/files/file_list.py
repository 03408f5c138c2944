"""The files of a workspace, with the facts known about each without reading it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar, cast

from satchel.workspace.files.listing import FileEntry, Vendored, find_hidden_files, refresh_entry
from satchel.workspace.index.documents import Document, Index, content_hash

T = TypeVar("T")


class FileList:
    """Every file that is not ignored, with the facts known about it without reading it."""

    vendored: Sequence[Vendored]
    """Folders of vendored files, which were not listed."""

    def __init__(
        self, root: Path, index: Index, entries: Iterable[FileEntry], vendored: Sequence[Vendored]
    ) -> None:
        self._root = root
        self._index = index
        self._entries: dict[str, FileEntry] = {}
        self._of_paths: dict[object, object] = {}
        self._places_seen: set[str] = set()
        self.replace(entries, vendored)

    def entry(self, path: str) -> FileEntry | None:
        """Return the entry of a file that is not ignored, None if there is no such file."""
        return self._entries.get(path)

    def entries(self) -> Sequence[FileEntry]:
        """Return every file that is not ignored, by path."""
        return tuple(self._entries.values())

    def document(self, path: str) -> Document | None:
        """Return the index's document of a file, None if it has none."""
        return self._index.documents.get(path)

    def is_listed(self, path: str, *, below: bool = False) -> bool:
        """Return whether this regular file is listed, or with `below` anything in this folder."""
        entry = self._entries.get(path)
        if entry is None:
            return below and any(one.startswith(f"{path}/") for one in self._entries)
        return entry.kind == "file"

    def untracked(self) -> Sequence[str]:
        """Return the paths of all files that git does not track, as they were listed."""
        return [entry.path for entry in self.entries() if not entry.tracked and entry.kind != "folder"]

    def hidden(self, folders: Iterable[str], is_meant: Callable[[str], bool]) -> Sequence[FileEntry]:
        """Return the files directly in these folders that git ignores and `is_meant` takes, by path.

        Paths that `.satchelignore` names stay out.
        """
        places = list(folders)
        found = find_hidden_files(self._root, places, is_meant, listed=self._entries)
        self._places_seen.update(places, (entry.path for entry in found))
        return found

    def places_seen(self) -> Sequence[str]:
        """Return the folders and files that `hidden` looked at for this pack."""
        return sorted(self._places_seen)

    def of_paths(self, make: Callable[[Collection[str]], T]) -> T:
        """Return a function's result for the paths of all files; it is called again when one comes or goes.

        `make` is a module-level function that depends on nothing but the paths. Its result is shared, so
        callers must not change it.
        """
        if make not in self._of_paths:
            self._of_paths[make] = make(self._index.documents.keys())
        return cast("T", self._of_paths[make])

    def labels(self, name: str, label: Callable[[str], str]) -> Mapping[str, str]:
        """Return a function's label for each path, from the index until a file comes or goes.

        `name` identifies the function, and changes with it. The function depends on nothing but the path,
        and returns one of a few strings.
        """
        known = self._of_paths.get(name)
        if known is None:
            paths, given = list(self._index.documents), self.of_paths(_hash_paths)
            words, numbers = self._index.store.again(
                f"labels {name}", given, lambda: _number(map(label, paths))
            )
            known = self._of_paths[name] = MappingProxyType(
                dict(zip(paths, map(words.__getitem__, numbers), strict=True))
            )
        return cast("Mapping[str, str]", known)

    def replace(self, entries: Iterable[FileEntry], vendored: Sequence[Vendored]) -> None:
        """Take another listing."""
        self._entries, self.vendored = {one.path: one for one in entries}, tuple(vendored)

    def look_at(self, paths: Collection[str]) -> None:
        """Stat the given listed files again."""
        self._entries.update({path: refresh_entry(self._root, self._entries[path]) for path in sorted(paths)})

    def forget(self, path: str) -> None:
        """Treat a file as gone."""
        self._entries.pop(path, None)
        known = self._index.documents
        self._index.documents = {other: one for other, one in known.items() if other != path}
        self.forget_paths()

    def forget_paths(self) -> None:
        """Forget the results of functions for the paths, because a file came or went."""
        self._of_paths.clear()

    def forget_places(self) -> None:
        """Forget which places `hidden` looked at, because another pack begins."""
        self._places_seen.clear()


def _hash_paths(paths: Iterable[str]) -> str:
    return content_hash("\0".join(paths).encode("utf-8", "surrogateescape"))


def _number(labels: Iterable[str]) -> tuple[list[str], list[int]]:
    """Return the different labels, and the place of each in them."""
    known: dict[str, int] = {}
    numbers = [known.setdefault(label, len(known)) for label in labels]
    return list(known), numbers
