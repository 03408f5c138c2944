"""The packages that the task names or the chosen files import: declared how, locked how, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.plugin_api import ContextItem, agree, format_count
from satchel_plugins.providers.limits import BYTES_PER_TOKEN, within
from satchel_plugins.providers.packages.declaring import declares

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace
    from satchel_plugins.providers.manifests.records import Ecosystem
    from satchel_plugins.providers.packages.listing import Naming, PackageListing
    from satchel_plugins.providers.packages.uses import Use

_MOST_VERSIONS = 3


@attrs.frozen(eq=False, repr=False)
class Dependencies:
    """Offer one item for each ecosystem: a line for each package that the task or the chosen files use.

    Manifests and lock files are read by patterns, never run and never dumped; the manifest nearest to
    a file counts for it.
    """

    name: ClassVar[str] = "dependencies"
    wave: ClassVar[int] = 2
    max_items: int = 8
    max_tokens: int = 2_000
    files: int = 12
    """Chosen files whose imports are read where the task is about packages."""
    fewer_files: int = 5
    """The same where it is not."""
    packages: int = 30
    """Lines of an item."""
    named: float = 1.0
    """Relevance of an item where the task names one of its packages."""
    asked: float = 0.9
    """Relevance where it names none and asks about packages."""
    imported: float = 0.4
    """Relevance where only the imports of the chosen files lead to it."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return an item for each ecosystem of which something is used."""
        if not declares(workspace):
            return ()
        from satchel_plugins.providers.manifests import ECOSYSTEMS
        from satchel_plugins.providers.packages.listing import Naming, PackageListing

        listing = PackageListing.of(workspace)
        naming = Naming.of(task.text)
        most = self.files if naming.asks else self.fewer_files
        chosen = list(dict.fromkeys(item.path for item in best if item.kind == "file" and item.path))[:most]
        items = [
            item
            for ecosystem in ECOSYSTEMS
            if listing.manifests[ecosystem.name] or listing.locks[ecosystem.name]
            if (item := self._item(ecosystem, listing, naming, chosen=chosen)) is not None
        ]
        return _within(sorted(items, key=lambda item: -item.relevance), self.max_tokens)

    def _item(
        self, ecosystem: Ecosystem, listing: PackageListing, naming: Naming, *, chosen: Sequence[str]
    ) -> ContextItem | None:
        from satchel_plugins.providers.packages.uses import find_uses

        uses = find_uses(ecosystem, listing, naming, chosen)
        if not uses:
            return None
        named = any(use.named for use in uses)
        lines = [_line(use) for use in uses[: self.packages]]
        if len(uses) > self.packages:
            lines.append(_describe_rest(len(uses) - self.packages))
        lines += listing.notes(ecosystem.name)
        return ContextItem(
            id=f"dependency:{ecosystem.name}",
            provider=self.name,
            kind="dependency",
            title=f"{ecosystem.name} dependencies",
            text="".join(f"{line}\n" for line in lines),
            relevance=self.named if named else self.asked if naming.asks else self.imported,
        )


def _within(items: Sequence[ContextItem], max_tokens: int) -> Iterator[ContextItem]:
    """Yield the items, the first ones whole, as far as the cap goes."""
    left = max_tokens
    for item in items:
        text = within(item.text or "", left)
        left -= -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
        if text:
            yield attrs.evolve(item, text=text)


def _line(use: Use) -> str:
    """Return `requests 2.31.0 (declared >=2.28 in pyproject.toml:14, locked in uv.lock:812)`."""
    version = use.version
    return f"{use.name}{f' {version}' if version else ''} ({', '.join(_facts(use))})"


def _facts(use: Use) -> Iterator[str]:
    if use.declared:
        for place, entry, wanted in use.declared[:2]:
            group = f" for {entry.group}" if entry.group else ""
            shown = f"{wanted} " if wanted else ""
            sort = "declared indirect" if entry.sort == "indirect" else "declared"
            yield f"{sort} {shown}in {place}:{entry.line}{group}"
    else:
        yield "transitive, declared nowhere"
    yield from use.remarks
    if use.locked:
        path, versions = use.locked
        yield f"locked in {path}:{versions[0].line}"
        others = [one.version for one in versions[1:_MOST_VERSIONS]]
        if others:
            yield f"also locked as {', '.join(others)}"
    elif use.lock_paths:
        yield f"not in {use.lock_paths[0]}"
    if use.used_in:
        path, imported = use.used_in
        yield f"imported in {path}{f' as {imported}' if imported else ''}"


def _describe_rest(count: int) -> str:
    return f"{format_count(count, 'more package')} {agree(count, 'is', 'are')} used by the chosen files"
