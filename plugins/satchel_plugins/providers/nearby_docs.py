"""Instruction files just in time: those of the folders from the root down to what the task is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import ContextItem, TrustStore, find_paths, lazily
from satchel_plugins.providers.instructions import (
    InstructionFile,
    as_item,
    cut,
    read_document,
    stand_for_themselves,
)
from satchel_plugins.providers.limits import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace

_FOLDER = lazily(r"(?<![\w/.@-])((?:[\w.+-]{1,100}/){1,20})(?![\w/])")
_LONGEST_TASK = 1_000_000
_MOST_FOLDERS = 100
_NEVER = ("changelog", "changes", "history")


@attrs.frozen(eq=False, repr=False)
class NearbyDocs:
    """Offer for each file that the task names, and for the best ones, the instructions of its folders.

    One per folder, the root's first and the nearest last, each once. A file that does not exist yet
    counts by its folder. Where they are too long together, the nearest ones stay.
    """

    name, wave = "nearby_docs", 2
    max_items: int = 12
    max_tokens: int = 11_500
    names: tuple[str, ...] = ("PENGUIN.md", "AGENTS.override.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md")
    """The first of a folder that holds something is offered."""
    named_only: tuple[str, ...] = ("README.md",)
    """Names that count only above a file that the task itself names, and where there is none of `names`."""
    targets: int = 8
    """Files of the best ones whose folders are looked at."""
    bytes_in_all: int = 32_768
    """Most bytes of all instructions together."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item per folder that has instructions, root first."""
        folders, store = workspace.files.of_paths(_folders), TrustStore.read()
        named = list(dict.fromkeys(_find_named_folders(task, folders)))
        near = [item.path.rpartition("/")[0] for item in best if item.path][: self.targets]
        wanted: dict[str, tuple[str, ...]] = {}
        for folder in named:
            # At the root `project_docs` has the rest, under a smaller cap.
            wanted |= {above: (*self.names, *self.named_only * bool(above)) for above in _above(folder)}
        for folder in near:
            wanted |= {above: self.names for above in _above(folder) if above not in wanted}
        found = [one for folder, names in wanted.items() if (one := _first(workspace, folder, names, store))]
        files = stand_for_themselves(task)
        once = {document.text: document for document in reversed(found) if document.path not in files}
        kept = self._keep_within_room(sorted(once.values(), key=lambda one: -one.path.count("/")))
        kept.sort(key=lambda one: (one[0].path.count("/"), one[0].path))
        return [as_item(document, text, self.name) for document, text in kept]

    def _keep_within_room(
        self, nearest_first: Sequence[InstructionFile]
    ) -> list[tuple[InstructionFile, str]]:
        """Return documents with their texts, until the bytes for all of them are used up."""
        kept: list[tuple[InstructionFile, str]] = []
        room = self.bytes_in_all
        for document in nearest_first[: self.max_items]:
            text = cut(document, room // BYTES_PER_TOKEN)
            room -= len(text.encode("utf-8", "replace"))
            kept.append((document, text))
            if room < _LEAST_ROOM:
                break
        return kept


_LEAST_ROOM = 300
"""Bytes that are worth opening another document for."""


def _folders(paths: Iterable[str]) -> set[str]:
    folders = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def _find_named_folders(task: Task, folders: set[str]) -> Iterator[str]:
    """Yield the folder of each file that the task names, of a file that is not there yet too."""
    for reference in (*task.pins, *task.open_files, *task.references):
        if reference.path:
            yield reference.path.rpartition("/")[0]
    in_words = (match[1] for match in _FOLDER.finditer(task.text, 0, _LONGEST_TASK))
    for written in dict.fromkeys((*find_paths(task.text), *islice(in_words, _MOST_FOLDERS))):
        parts = [part for part in written.split("/") if part not in ("", ".")]
        if ".." not in parts:
            yield from _existing(parts, folders, absolute=f"/{written}" in task.text)


def _existing(parts: Sequence[str], folders: set[str], *, absolute: bool) -> Iterator[str]:
    """Yield the folder of a written path; of an absolute one the part below the root counts."""
    whole = "/".join(parts)
    if whole in folders:
        yield whole
        return
    above = list(parts[:-1])
    for start in range(len(above) if absolute else 1):
        if "/".join(above[start:]) in folders:
            yield "/".join(above[start:])
            return
    ending = "/" + "/".join(above)
    shallow = sorted(
        (one for one in folders if above and one.endswith(ending)), key=lambda one: (one.count("/"), one)
    )
    yield from shallow[:1] or _deepest(above, folders)


def _deepest(above: list[str], folders: set[str]) -> Iterator[str]:
    """Yield the deepest folder of a path that exists; those below are still to be made."""
    for end in range(len(above) - 1, 0, -1):
        if "/".join(above[:end]) in folders:
            yield "/".join(above[:end])
            return


def _above(folder: str) -> list[str]:
    """Return the folders from the root down to this one."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:end]) for end in range(len(parts) + 1)]


def _first(
    workspace: Workspace, folder: str, names: Sequence[str], store: TrustStore
) -> InstructionFile | None:
    for name in names:
        path = f"{folder}/{name}" if folder else name
        if name.lower().startswith(_NEVER) or workspace.files.document(path) is None:
            continue
        document = read_document(workspace, path, store)
        if document is not None:
            return document
    return None
