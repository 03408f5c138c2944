"""Ask the providers for context items, verify their answers and enforce their caps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.errors import Problem, WorkspaceError
from satchel.escaping import marks_in
from satchel.host import Host, Loaded
from satchel.host.answers import check_items
from satchel.host.calling import Call
from satchel.items import ContextItem, Task
from satchel.parts import NO_LINES
from satchel.ranked_files import Offers, RankedFiles
from satchel.workspace import Workspace
from satchel.workspace.index.documents import content_hash

if TYPE_CHECKING:
    from satchel.interfaces import Provider
    from satchel.workspace.index.documents import Document

BYTES_PER_TOKEN = 3.0
"""Used only for caps, before counting: less than in most code, so that no cap is exceeded by much."""


class ActiveProvider(NamedTuple):
    """A provider that takes part in a run, with its plugin record."""

    loaded: Loaded
    provider: Provider


def gather(
    host: Host,
    sources: Sequence[ActiveProvider],
    task: Task,
    *,
    workspace: Workspace,
    best: Sequence[ContextItem] | None = None,
) -> list[Sequence[ContextItem]]:
    """Return the items of each provider of the first wave, or, handed the `best`, of the second.

    Each keeps its own order. A provider that fails is left out and recorded in `host.problems`.
    Providers run in parallel; the answer does not depend on their timing.
    """
    asked = [source for source in sources if source.provider.wave == (1 if best is None else 2)]
    calls = [
        Call(
            source.loaded,
            source.provider.gather,
            (task, workspace, tuple(best or ())),
            "gather",
            cap=source.provider.max_items,
            check=_check_answer,
            lend=not source.loaded.trusted,
            lazy=RankedFiles,
        )
        for source in asked
    ]
    answers = host.calls.call_all(calls)
    answered = [
        (source, _within_cap(answer, source, host.problems, workspace))
        for source, answer in zip(asked, answers, strict=True)
        if not isinstance(answer, Problem)
    ]
    if all(source.loaded.trusted for source, _ in answered):
        return [items for _, items in answered]
    return list(_drop_id_clashes(answered, host.problems))


def _drop_id_clashes(
    answered: Sequence[tuple[ActiveProvider, Sequence[ContextItem]]], problems: list[Problem]
) -> Iterator[Sequence[ContextItem]]:
    """Yield each provider's items, without third-party items that use the id of a trusted plugin's item."""
    taken = {
        item.id
        for source, items in answered
        if source.loaded.trusted
        for item in (items.beside if isinstance(items, RankedFiles) else items)
        if item.kind != "file"
    }
    for source, items in answered:
        clash = () if source.loaded.trusted else [item.id for item in items if item.id in taken]
        if clash:
            reason = f"item {clash[0]!r:.80} has the id of a trusted plugin's item; left out"
            problems.append(Problem(source.loaded.name, "gather", reason, source.loaded.distribution))
            yield [item for item in items if item.id not in taken]
        else:
            yield items


def _check_answer(answer: Iterable[object]) -> Sequence[ContextItem]:
    """Return a provider's answer, checked; ranked files were checked when they were ranked."""
    if not isinstance(answer, RankedFiles):
        return check_items(answer)
    check_items(answer.beside)
    return answer


def _within_cap(
    items: Sequence[ContextItem], source: ActiveProvider, problems: list[Problem], workspace: Workspace
) -> Sequence[ContextItem]:
    """Return a provider's items until its token cap is reached; files are free.

    A file's text is counted when it is packed, so only text supplied by the provider counts here.
    """
    named, documents = items, workspace.index.documents
    if isinstance(items, RankedFiles) and items.provider == source.loaded.name:
        named = items.beside  # all others are documents of the index
    if not source.loaded.trusted and named is items:
        items = named = [_fill_from_index(item, documents) for item in items]
    if all(_is_file(item, source, documents) for item in named):
        return items
    return list(_apply_cap(items, source, problems, workspace))


def _is_file(item: ContextItem, source: ActiveProvider, documents: Mapping[str, Document]) -> bool:
    """Return whether an item is just a file, with no text of its own."""
    if item.text is not None or (item.path and item.path not in documents):
        return False
    if not source.loaded.trusted and (item.title != item.path or item.note):
        return False  # third parties can put anything into titles and notes
    return item.provider == source.loaded.name


def _fill_from_index(item: ContextItem, documents: Mapping[str, Document]) -> ContextItem:
    """Return a third-party plugin's file item, completed with the facts in the index."""
    document = documents.get(item.path) if item.path and item.text is None else None
    if document is None:
        return item
    if item.kind != "file":
        return attrs.evolve(item, content=document.content)
    note = "" if document.kind == "text" else item.note or f"{document.kind}, {document.size} bytes"
    return attrs.evolve(
        item, id=f"file:{item.path}", title=item.path, content=document.content, note=note, trusted=False
    )


def _apply_cap(
    items: Iterable[ContextItem], source: ActiveProvider, problems: list[Problem], workspace: Workspace
) -> Iterator[ContextItem]:
    spent, documents = 0.0, workspace.index.documents
    coming = iter(items)
    for item in coming:
        if item.path and item.path not in documents:
            reason = f"item {item.id!r} names {item.path!r}, which is not a file of the workspace"
            problems.append(Problem(source.loaded.name, "gather", reason, source.loaded.distribution))
            continue
        item = _redact_labels(item, workspace)
        if item.text is None and item.provider == source.loaded.name:
            yield item
            continue
        spent += len((item.text or "").encode("utf-8", "replace")) / BYTES_PER_TOKEN
        if spent > source.provider.max_tokens:
            kinds = Counter(one.kind for one in (item, *coming))
            rest = ", ".join(f"{count:,} of kind {kind}" for kind, count in sorted(kinds.items()))
            most = f"{source.provider.max_tokens:,.0f}"
            reason = (
                f"it offers more tokens than {most}, the most for one plugin; not looked at: its last {rest}"
            )
            problems.append(Problem(source.loaded.name, "gather", reason, source.loaded.distribution))
            return
        try:
            text = _redact_text(item, workspace)
        except WorkspaceError as error:
            problems.append(Problem(source.loaded.name, "gather", str(error), source.loaded.distribution))
            continue
        content = content_hash(text.encode("utf-8", "replace")) if text else item.content
        yield attrs.evolve(item, provider=source.loaded.name, text=text, content=content)


def _redact_labels(item: ContextItem, workspace: Workspace) -> ContextItem:
    """Return an item with secrets redacted from title and note; a file's title is its path and stays."""
    words = [word for word in (item.title, item.note) if word and word != item.path]
    cleaned = {word: clean for word in words if marks_in(clean := workspace.redactor.show(word))}
    if not cleaned:
        return item
    title, note = (cleaned.get(word, word) for word in (item.title, item.note))
    return attrs.evolve(item, title=title, note=note)


def _redact_text(item: ContextItem, workspace: Workspace) -> str | None:
    """Return an item's text without secrets; lines of a file are redacted as in the full file."""
    if not item.text:
        return item.text
    return workspace.redactor.show(
        workspace.texts.show_lines(item.text, item.path) if item.path else item.text
    )


class Gathered(NamedTuple):
    """Everything that the providers offered, without duplicates."""

    items: Offers
    """Items with text of their own first, then files, in the order in which they were offered."""
    lifted: tuple[ContextItem, ...]
    """Files named by other providers than the one that lists all files: companions of their findings."""


def merge_answers(answers: Iterable[Sequence[ContextItem]]) -> Gathered:
    """Keep each id once, and drop a file whose path is also among the items as instructions.

    A file that is offered twice keeps the facts of the listing or the text that a provider supplied,
    the higher relevance, and the lines.
    """
    joining = _Merger()
    for answer in answers:
        if isinstance(answer, RankedFiles) and joining.ranked is None:
            joining.rank(answer)
        else:
            joining.add(answer)
    return joining.collect()


class _Merger:
    """Collects items by id, in the order of their first offer, before and after the ranked files."""

    def __init__(self) -> None:
        self.ranked: RankedFiles | None = None
        self._before: dict[str, ContextItem] = {}
        self._after: dict[str, ContextItem] = {}
        self._instead: dict[str, ContextItem] = {}
        """Ranked files that were offered again later, by path."""
        self._lifted: dict[str, ContextItem] = {}

    def add(self, items: Iterable[ContextItem]) -> None:
        """Add items; join files with those that have the same id."""
        kept = self._before if self.ranked is None else self._after
        for item in items:
            path = self.ranked.path_of(item.id) if self.ranked is not None else ""
            if item.id in self._before:
                self._join(self._before, item.id, item)
            elif self.ranked is not None and path:
                self._instead.setdefault(path, self.ranked.item(path))
                self._join(self._instead, path, item)
            elif kept.setdefault(item.id, item) is not item:
                self._join(kept, item.id, item)

    def rank(self, ranked: RankedFiles) -> None:
        """Add the ranked files; those already offered keep their place."""
        self.ranked = ranked
        known = [path for id_ in self._before if (path := ranked.path_of(id_))]
        for path in sorted(known, key=ranked.rank):
            item = ranked.item(path)
            self._join(self._before, item.id, item)
        self.add(ranked.beside)

    def _join(self, kept: dict[str, ContextItem], key: str, item: ContextItem) -> None:
        if item.kind == "file":
            kept[key] = joined = _join_items(kept[key], item)
            if not joined.note:
                self._lifted[item.id] = joined

    def collect(self) -> Gathered:
        """Separate items with their own text from files, and drop files already present as instructions."""
        items = (*self._before.values(), *self._after.values())
        brought = [item for item in items if item.kind != "file"]
        shown = {item.path for item in brought if item.kind == "instructions" and item.path}
        before, after = (
            [item for item in kept.values() if item.kind == "file" and item.path not in shown]
            for kept in (self._before, self._after)
        )
        ids = (*self._before, *(f"file:{path}" for path in shown))
        hidden = {path for id_ in ids if self.ranked is not None and (path := self.ranked.path_of(id_))}
        offers = Offers((*brought, *before), self.ranked, after, instead=self._instead, hidden=hidden)
        return Gathered(offers, tuple(self._lifted.values()))


def _join_items(one: ContextItem, other: ContextItem) -> ContextItem:
    told = [item for item in (one, other) if item.text is not None]
    listed = told[0] if told else one if one.content or one.note else other
    lines = one.lines if one.lines != NO_LINES else other.lines
    worked_on = one.worked_on or other.worked_on
    relevance = max(one.relevance, other.relevance)
    return attrs.evolve(listed, relevance=relevance, lines=lines, worked_on=worked_on)
