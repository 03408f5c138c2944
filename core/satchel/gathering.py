"""Gather: ask the providers for context items, verify what they answer, enforce their caps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from satchel.errors import Problem
from satchel.host import Host, Loaded
from satchel.host.answers import checked_items
from satchel.host.calling import Call
from satchel.interfaces import Provider
from satchel.items import ContextItem, Task
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
    best: Sequence[ContextItem] = (),
) -> list[ContextItem]:
    """Return the items of all providers of one wave, each provider's in its own order, duplicates merged.

    A provider that fails is left out and stands in `host.problems`. Providers are asked side by side;
    the order of the answer does not depend on their timing.
    """
    asked = [source for source in sources if source.provider.wave == (2 if best else 1)]
    calls = [
        Call(
            source.loaded,
            source.provider.gather,
            (task, workspace, tuple(best)),
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
    return merged(gathered)


def _within_cap(
    items: Iterable[ContextItem], source: Source, problems: list[Problem], workspace: Workspace
) -> Iterable[ContextItem]:
    """Yield items named after their provider until its token cap is reached; files of the workspace are free.

    A file's text is paid for when it is packed, so only text that a provider brings along counts.
    """
    spent = 0.0
    for item in items:
        if item.path and workspace.document(item.path) is None:
            reason = f"item {item.id!r} names {item.path!r}, which is no file of the workspace"
            problems.append(Problem(source.loaded.name, "gather", reason, source.loaded.distribution))
            continue
        spent += len((item.text or "").encode("utf-8", "replace")) / BYTES_PER_TOKEN
        if spent > source.provider.max_tokens:
            reason = f"more than {source.provider.max_tokens} tokens; the rest was left out"
            problems.append(Problem(source.loaded.name, "gather", reason, source.loaded.distribution))
            return
        content = item.content or (content_hash(item.text.encode("utf-8", "replace")) if item.text else "")
        yield attrs.evolve(item, provider=source.loaded.name, content=content)


def merged(items: Sequence[ContextItem]) -> list[ContextItem]:
    """Keep the first item of each id."""
    return list({item.id: item for item in reversed(items)}.values())[::-1]
