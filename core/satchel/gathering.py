"""Gather: ask the providers for context items, verify what they answer, enforce their caps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import attrs

from satchel.errors import Problem
from satchel.host import Host, Loaded
from satchel.host.answers import checked_items
from satchel.host.calling import Call
from satchel.interfaces import Provider
from satchel.items import ContextItem, Task
from satchel.parts import NO_LINES
from satchel.workspace import Workspace
from satchel.workspace.index import content_hash

BYTES_PER_TOKEN = 3.0
"""For caps alone, before anything is counted: fewer than in most code, so that no cap is passed by much."""


@attrs.frozen
class Source:
    """A provider that takes part in a run."""

    loaded: Loaded
    provider: Provider


def gather(
    host: Host,
    sources: Sequence[Source],
    task: Task,
    *,
    workspace: Workspace,
    best: Sequence[ContextItem] | None = None,
) -> list[ContextItem]:
    """Return the items of the providers of the first wave, or, handed the `best`, of the second.

    They stand in each provider's own order. A provider that fails is left out and stands in
    `host.problems`. Providers are asked side by side; the answer does not depend on their timing.
    """
    asked = [source for source in sources if source.provider.wave == (1 if best is None else 2)]
    calls = [
        Call(
            source.loaded,
            source.provider.gather,
            (task, workspace, tuple(best or ())),
            "gather",
            cap=source.provider.max_items,
            check=checked_items,
        )
        for source in asked
    ]
    answers = host.calls.call_all(calls)
    gathered: list[ContextItem] = []
    for source, answer in zip(asked, answers, strict=True):
        if not isinstance(answer, Problem):
            gathered.extend(_within_cap(answer, source, host.problems, workspace))
    return gathered


def _within_cap(
    items: Sequence[ContextItem], source: Source, problems: list[Problem], workspace: Workspace
) -> Iterable[ContextItem]:
    """Return items named after their provider until its token cap is reached; files are free.

    A file's text is paid for when it is packed, so only text that a provider brings along counts.
    """
    documents = workspace.index.documents
    are_files = {item.text for item in items} <= {None} and {item.path for item in items} <= {"", *documents}
    if are_files and {item.provider for item in items} <= {source.loaded.name}:
        return items
    return _capped(items, source, problems, workspace)


def _capped(
    items: Iterable[ContextItem], source: Source, problems: list[Problem], workspace: Workspace
) -> Iterator[ContextItem]:
    spent, documents = 0.0, workspace.index.documents
    for item in items:
        if item.path and item.path not in documents:
            reason = f"item {item.id!r} names {item.path!r}, which is no file of the workspace"
            problems.append(Problem(source.loaded.name, "gather", reason, source.loaded.distribution))
            continue
        if item.text is None and item.provider == source.loaded.name:
            yield item
            continue
        spent += len((item.text or "").encode("utf-8", "replace")) / BYTES_PER_TOKEN
        if spent > source.provider.max_tokens:
            reason = f"more than {source.provider.max_tokens} tokens; the rest was left out"
            problems.append(Problem(source.loaded.name, "gather", reason, source.loaded.distribution))
            return
        text = workspace.clean(item.text) if item.text else item.text
        content = content_hash(text.encode("utf-8", "replace")) if text else item.content
        yield attrs.evolve(item, provider=source.loaded.name, text=text, content=content)


@attrs.frozen
class Gathered:
    """What all providers offered, each thing once."""

    items: tuple[ContextItem, ...]
    """What providers bring along first, then files, in the order in which they were offered."""
    lifted: tuple[ContextItem, ...]
    """Files that a provider named beside the one that lists them all: companions of what it found."""


def merged(items: Sequence[ContextItem]) -> Gathered:
    """Keep each id once, and the file of no path that stands among the items as instructions too.

    A file that is offered twice keeps the facts of the listing, or the text that a provider brought
    for it, the higher relevance and the lines.
    """
    kept: dict[str, ContextItem] = {}
    lifted: dict[str, ContextItem] = {}
    again = [item for item in items if kept.setdefault(item.id, item) is not item]
    for item in again:
        if item.kind == "file":
            kept[item.id] = _joined(kept[item.id], item)
            if not kept[item.id].note:
                lifted[item.id] = kept[item.id]
    brought = [item for item in kept.values() if item.kind != "file"]
    instructions = {item.path for item in brought if item.kind == "instructions" and item.path}
    files = [item for item in kept.values() if item.kind == "file" and item.path not in instructions]
    return Gathered((*brought, *files), tuple(lifted.values()))


def _joined(one: ContextItem, other: ContextItem) -> ContextItem:
    told = [item for item in (one, other) if item.text is not None]
    listed = told[0] if told else one if one.content or one.note else other
    lines = one.lines if one.lines != NO_LINES else other.lines
    return attrs.evolve(listed, relevance=max(one.relevance, other.relevance), lines=lines)
