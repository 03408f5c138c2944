"""Files that the person always wants in the window to read: by path and glob, pinned ones before others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.plugin_api import ContextItem, Problem, find_blob, keep_blobs
from satchel_plugins.providers.texts import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace


@attrs.frozen(eq=False, repr=False)
class ReadOnly:
    """Offer the configured files; if there are too many, leave out the least recently used ones.

    A file is used when the task names it or when it is open. The others are ordered by their last
    change, the newest first.
    """

    name, wave = "read_only", 1
    read_only_settings: ClassVar[tuple[str, ...]] = ("files", "pinned")
    max_items: int = 100
    max_tokens: int = 16_000
    """Maximum tokens of all files together, estimated at 3 bytes a token; pinned ones stay at any cost."""
    files: tuple[str, ...] = ()
    """Paths and globs, `docs/*.md`."""
    pinned: tuple[str, ...] = ()
    """Paths and globs that never go."""
    refresh: bool = True
    """Whether a file that changed is shown as it is now; else as it was when it was first offered."""
    max_files: int = 20
    """Maximum number of files, pinned ones included; pinned ones stay even beyond it."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item per file; a path or glob that matches nothing is a problem of the run."""
        pinned = self._match(workspace, self.pinned)
        others = [path for path in self._match(workspace, self.files) if path not in set(pinned)]
        room = self.max_tokens - sum(_tokens(workspace, path) for path in pinned)
        kept = []
        for path in _sort_by_use(task, workspace, others)[: max(self.max_files - len(pinned), 0)]:
            room -= _tokens(workspace, path)
            if room < 0:
                break
            kept.append(path)
        return [self._item(workspace, path) for path in (*pinned, *kept)]

    def _match(self, workspace: Workspace, patterns: Sequence[str]) -> list[str]:
        """Return the files that patterns match, each once; the host records patterns without a match."""
        if not patterns:
            return []
        from satchel.plugin_api import match_paths

        readable = [
            path for path, one in workspace.index.documents.items() if one.kind in ("text", "generated")
        ]
        found = {pattern: match_paths(pattern, readable) for pattern in patterns}
        missing = [pattern for pattern, paths in found.items() if not paths]
        if missing:
            told = f"matches no file: {', '.join(missing)}; correct it in [provider.{self.name}]"
            workspace.problems.append(Problem(self.name, "gather", told))
        return list(dict.fromkeys(path for paths in found.values() for path in paths))

    def _item(self, workspace: Workspace, path: str) -> ContextItem:
        document = workspace.index.documents[path]
        content = document.content if self.refresh else _first_content(workspace, path)
        old = find_blob(workspace.index.store, content) if content != document.content else None
        return ContextItem(
            f"file:{path}",
            self.name,
            "file",
            path,
            path=path,
            text=old,
            content=content if old is not None else document.content,
            worked_on=True,
        )


def _tokens(workspace: Workspace, path: str) -> int:
    return workspace.index.documents[path].size // BYTES_PER_TOKEN


def _sort_by_use(task: Task, workspace: Workspace, paths: Sequence[str]) -> list[str]:
    if not paths:
        return []
    used = {ref.path for ref in (*task.references, *task.pins, *task.open_files) if ref.path}
    changed = {entry.path: entry.mtime_ns for entry in workspace.files.entries()}
    return sorted(paths, key=lambda path: (path not in used, -changed.get(path, 0), path))


def _first_content(workspace: Workspace, path: str) -> str:
    """Return the hash of the text that was first offered, and keep that text."""
    store, fact = workspace.index.store, f"read-only {path}"
    known = store.recall({fact: ""}).get(fact)
    if known is not None and find_blob(store, known) is not None:
        return str(known)
    content = workspace.index.documents[path].content
    keep_blobs(store, {content: workspace.texts.read(path)})
    store.keep({fact: ""}, {fact: content})
    return content
