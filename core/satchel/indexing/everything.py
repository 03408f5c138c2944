"""Bring the whole index of a workspace up to date: words, parts, counts, and the addresses of all files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from satchel.config import Config
from satchel.errors import Problem, SatchelError
from satchel.gathering import Source, gather
from satchel.host import Host, Kind
from satchel.indexing.child import Asked, Text
from satchel.indexing.workers import Labour, split_by
from satchel.items import ContextItem
from satchel.references.referencing import make_task
from satchel.rendering import FORMS, note
from satchel.runs import Run, open_run
from satchel.splitting import Claim, claims_of, split_all, unsplit
from satchel.workspace.index import Progress
from satchel.workspace.store import damage_told

_BATCH_FILES = 64
_BATCH_BYTES = 400_000
"""Texts that a worker holds at a time."""
_BYTES_A_JOB = 2_000_000
"""A process takes as long to start as to split so much."""
_TASK = "what is where"
"""Providers answer tasks: this one says nothing, so that each offers what it has for any."""


@attrs.frozen
class Indexed:
    """What the index holds after all of it was brought up to date."""

    files: int
    """Files of the workspace."""
    texts: int
    """Those that can be split."""
    split: int
    """Those that were split this time."""
    left: int
    """Those that still are not, because they could not be read or split."""
    path: str
    """The file of the index."""
    problems: tuple[Problem, ...]


@damage_told()
def index_all(
    root: str | Path,
    *,
    host: Host,
    config: Config,
    flags: Mapping[str, object],
    jobs: int = 1,
    progress: Progress | None = None,
) -> Indexed:
    """Do ahead what packs would do one after the other: split and count every text of a workspace.

    Args:
        root: the workspace's folder.
        host: the plugins.
        config: the configuration.
        flags: what of it the command line says; workers read the rest again.
        jobs: processes that split, at most.
        progress: called with a stage, the files done and all files.

    Raises:
        SatchelError: the index can't be kept: no folder for it, or the disk is full.
        WorkspaceError: the root is no folder.
    """
    run = open_run(root, config=config, host=host, progress=progress)
    try:
        return _indexed(run, flags, jobs=jobs, progress=progress)
    finally:
        run.workspace.close()


def _indexed(run: Run, flags: Mapping[str, object], *, jobs: int, progress: Progress | None) -> Indexed:
    _check_kept(run)
    items = _offered(run)
    files = {item.id: item for item in items if item.kind == "file" and item.text is None and not item.note}
    texts = list(files.values())
    claims = claims_of(run, texts)
    fresh = unsplit(run, texts, claims)
    batches = _batches(run, fresh, claims)
    size = sum(text.document.size for batch in batches for text in batch)
    jobs = jobs_for(size, most=jobs)
    asked = Asked(str(run.workspace.root), run.counter.key, dict(flags), size // jobs)
    problems = split_by(batches, asked, labour=Labour(jobs), progress=progress)
    _name(run, items)
    _check_kept(run)
    left = len(unsplit(run, fresh, claims)) if fresh else 0
    path = str(run.workspace.index.store.path)
    return Indexed(
        files=len(run.workspace.files()),
        texts=len(texts),
        split=len(fresh) - left,
        left=left,
        path=path,
        problems=tuple(dict.fromkeys([*run.problems, *problems])),
    )


def jobs_for(size: int, *, most: int) -> int:
    """Return how many processes are worth their start for texts of so many bytes in all."""
    return min(most, 1 + size // _BYTES_A_JOB)


def _check_kept(run: Run) -> None:
    store = run.workspace.index.store
    if store.path is None or store.closed_to_writing:
        told = [str(one) for one in run.problems if one.plugin == "index"]
        raise SatchelError("the index can't be kept; " + (told[-1] if told else "see satchel doctor"))


def _offered(run: Run) -> Sequence[ContextItem]:
    """Return what providers offer for any task; what they remember of the history is remembered then."""
    providers = [Source(loaded, provider) for loaded, provider in run.all(Kind.PROVIDER)]
    task = make_task(_TASK, run.workspace.index.documents)
    return [item for some in gather(run.host, providers, task, workspace=run.workspace) for item in some]


def _batches(run: Run, items: Sequence[ContextItem], claims: Mapping[str, Claim]) -> list[list[Text]]:
    """Cut the texts into batches of bounded size, in their order."""
    batches: list[list[Text]] = []
    room = 0
    for item in sorted(items, key=lambda item: item.path):
        document = run.workspace.document(item.path)
        if document is None:
            continue
        if not batches or room < document.size or len(batches[-1]) == _BATCH_FILES:
            batches.append([])
            room = _BATCH_BYTES
        name = claims[item.id].loaded.full_name
        batches[-1].append(Text(item.id, item.provider, item.title, name, document))
        room -= document.size
    return batches


def _name(run: Run, items: Sequence[ContextItem]) -> None:
    """Split what providers bring along, and count the address lines of what can only be named."""
    brought = {item.id: item for item in items if item.text is not None and not item.note}
    splits = split_all(run, list(brought.values()))
    notes = [(brought[id_], note(split)) for id_, split in splits.items()]
    notes += [(item, item.note) for item in items if item.note]
    run.counter.count([form.pointer(item, told) for form in FORMS for item, told in notes])
    run.counter.count([text for form in FORMS for text in (form.prologue(), form.epilogue()) if text])
