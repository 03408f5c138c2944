"""The packages that the task names or the chosen files import: declared how, locked how, and where."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import ContextItem, agree, format_count, lazily, read_question
from satchel_plugins.providers.packages import find_manifests
from satchel_plugins.providers.texts import BYTES_PER_TOKEN, within

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace
    from satchel_plugins.providers.packages.uses import Naming, PackageSearch, Use

_MOST_VERSIONS, _MOST_PLACES = 3, 3
_NAME = lazily(r"@?\w[\w./-]*\w")
_ASKED = 0.8
"""Certainty from which a task is a question."""


@attrs.frozen(eq=False, repr=False)
class Dependencies:
    """Offer one item for each ecosystem: a line for each package that the task or the chosen files use.

    A question about something else gets only packages that it names.

    Manifests and lock files are read by patterns, never run and never dumped; the manifest nearest to
    a file counts for it.
    """

    name, wave = "dependencies", 2
    max_items: int = 8
    max_tokens: int = 2_000
    files: int = 12
    """Chosen files whose imports are read if the task is about packages."""
    fewer_files: int = 5
    """The same if it is not."""
    packages: int = 30
    """Lines of an item."""
    named: float = 1.0
    """Relevance of an item if the task names one of its packages."""
    asked: float = 0.9
    """Relevance if it names none and asks about packages."""
    imported: float = 0.4
    """Relevance if only the imports of the chosen files lead to it."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return an item for each ecosystem with a package in use."""
        if not workspace.files.of_paths(find_manifests):
            return ()
        from satchel_plugins.providers.packages.ecosystems import ECOSYSTEMS
        from satchel_plugins.providers.packages.uses import Naming, PackageSearch, list_files

        files = workspace.files.of_paths(list_files)
        naming = Naming.of(task.text)
        most = self.files if naming.asks else self.fewer_files
        chosen = list(dict.fromkeys(item.path for item in best if item.kind == "file" and item.path))[:most]
        searches = [PackageSearch(one, workspace, files) for one in ECOSYSTEMS if files.has(one)]
        said = None if naming.asks or not _only_asks(task.text) else {*_NAME.findall(task.text.lower())}
        items = [item for one in searches if (item := self._item(one, naming, chosen, said)) is not None]
        return _within(sorted(items, key=lambda item: -item.relevance), self.max_tokens)

    def _item(
        self, search: PackageSearch, naming: Naming, chosen: Sequence[str], said: Collection[str] | None
    ) -> ContextItem | None:
        """Return the item of an ecosystem, of the packages among the words `said` only, unless None."""
        uses = search.find_uses(naming, chosen)
        uses = [use for use in uses if said is None or use.named or use.name.lower() in said]
        if not uses:
            return None
        named = any(use.named for use in uses)
        if named and not naming.asks:  # in a task about something else, only named packages matter
            uses = [use for use in uses if use.named]
        lines = [_line(use) for use in uses[: self.packages]]
        if len(uses) > self.packages:
            lines.append(_describe_rest(len(uses) - self.packages))
        lines += search.notes
        return ContextItem(
            id=f"dependency:{search.ecosystem.name}",
            provider=self.name,
            kind="dependency",
            title=f"{search.ecosystem.name} dependencies",
            text="".join(f"{line}\n" for line in lines),
            relevance=self.named if named else self.asked if naming.asks else self.imported,
        )


def _only_asks(text: str) -> bool:
    """Return whether a task is a question: its answer is in no list of what files import."""
    return read_question(text).certainty >= _ASKED


def _within(items: Sequence[ContextItem], max_tokens: int) -> Iterator[ContextItem]:
    """Yield the items, the first ones whole, up to the limit."""
    left = max_tokens
    for item in items:
        text = within(item.text or "", left)
        left -= -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
        if text:
            yield attrs.evolve(item, text=text)


def _line(use: Use) -> str:
    """Return `requests 2.31.0 (declared >=2.28 in pyproject.toml:14, locked in uv.lock:812)`."""
    version = f" {use.locked[0].entry.wanted}" if use.locked else ""
    return f"{use.name}{version} ({', '.join(_facts(use))})"


def _facts(use: Use) -> Iterator[str]:
    for path, (_, wanted, line) in use.declared[:_MOST_PLACES]:
        yield f"declared {wanted} in {path}:{line}" if wanted else f"declared in {path}:{line}"
    if not use.declared:
        yield "transitive, declared nowhere"
    if use.locked:
        yield f"locked in {use.locked[0].path}:{use.locked[0].entry.line}"
        if others := [place.entry.wanted for place in use.locked[1:_MOST_VERSIONS]]:
            yield f"also locked as {', '.join(others)}"
    if use.used_in:
        path, imported = use.used_in
        is_plain = imported.lower().startswith(use.name.partition(":")[0].lower())
        yield f"imported in {path}" if is_plain else f"imported in {path} as {imported}"


def _describe_rest(count: int) -> str:
    return f"{format_count(count, 'more package')} {agree(count, 'is', 'are')} used by the chosen files"
