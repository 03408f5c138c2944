"""A worker process of `satchel index`: splits the texts named on stdin and reports on stdout.

It is started as `python -P -m satchel.packing.indexing.worker`. Both directions use JSON Lines; it writes its
results into the index itself, a batch at a time.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import IO, Any, NamedTuple

from satchel import config as configuration
from satchel.errors import SatchelError
from satchel.host import Host
from satchel.installed import make_scanners
from satchel.items import ContextItem
from satchel.packing.rendering import FORMS, note
from satchel.packing.representing import split_new
from satchel.private_files import cache_folder
from satchel.runs import WorkspaceRun, open_run
from satchel.workspace import Workspace
from satchel.workspace.index.documents import Document, Index
from satchel.workspace.index.store import IndexStore, index_file

_ALLOCATIONS = 200_000
"""Net allocations between garbage collections, as in every command."""


class WorkerRequest(NamedTuple):
    """The first line of input: the worker's task."""

    root: str
    counts: str
    """Key of the parent's tokenizer; a worker with another tokenizer is useless."""
    flags: dict[str, object]


class Text(NamedTuple):
    """A file to split."""

    id: str
    provider: str
    title: str
    representer: str
    """Full name of its representer."""
    document: Document


def main() -> int:
    """Split the texts named on stdin until it ends."""
    # Ctrl-C reaches the whole group: the parent ends its workers after their batch.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(_ALLOCATIONS, 50, 100)
    with (
        contextlib.suppress(BrokenPipeError),  # the parent is gone
        os.fdopen(os.dup(1), "w", encoding="utf-8") as answers,
    ):
        os.dup2(2, 1)
        _work(sys.stdin.buffer, answers)
    return 0


def _work(lines: IO[bytes], answers: IO[str]) -> None:
    try:
        run = open_index_run(WorkerRequest(*json.loads(lines.readline() or b"null")))
    except SatchelError as error:
        _say(answers, {"error": str(error)})
        return
    for line in lines:
        split_texts(run, list(starmap(_text, json.loads(line))))
        _say(answers, {"problems": list(dict.fromkeys(run.problems))})
        _reset(run)


def _text(*told: Any) -> Text:
    id_, provider, title, representer, document = told
    return Text(id_, provider, title, representer, Document._make(document))


def _say(answers: IO[str], answer: Mapping[str, Any]) -> None:
    answers.write(f"{json.dumps(answer)}\n")
    answers.flush()


def open_index_run(asked: WorkerRequest) -> WorkspaceRun:
    """Open a run whose workspace has the index but no files yet.

    Raises:
        SatchelError: the index can't be written, or the tokenizer differs.
    """
    folder = Path(asked.root)
    config = configuration.load(folder, env=os.environ, flags=asked.flags)
    host = Host.installed(
        disable=config.disable,
        cache_dir=cache_folder(),
        announce=lambda _: None,
        trusted=config.trust,
        deadline_seconds=None,  # the parent kills a hanging worker: a thread per call would cost a third
    )
    scanners = make_scanners(host, config)
    store = IndexStore.open(index_file(cache_folder(), folder, scanners.key))
    if store.path is None:
        raise SatchelError(str(store.problems[0]))
    workspace = Workspace(folder, None, Index(store, scanners), entries=(), vendored=(), scanners=scanners)
    run = open_run(folder, config=config, host=host, workspace=workspace)
    if run.counter.key != asked.counts:
        raise SatchelError(f"a worker counts with {run.counter.key} instead of {asked.counts}; run it again")
    return run


def split_texts(run: WorkspaceRun, texts: Sequence[Text]) -> None:
    """Split texts into the index, and count their address lines."""
    run.workspace.index.documents = {text.document.path: text.document for text in texts}
    items = {text.id: _item(text) for text in texts}
    splits = split_new(run, list(items.values()), {text.id: text.representer for text in texts})
    lines = [
        line
        for form in FORMS
        for id_, split in splits.items()
        for line in (
            form.pointer(items[id_], note(split)),
            form.opening(items[id_], split),
            form.closing(items[id_], split),
            form.end(items[id_], split),
        )
    ]
    run.counter.count(lines)


def _item(text: Text) -> ContextItem:
    return ContextItem(
        id=text.id,
        provider=text.provider,
        kind="file",
        title=text.title,
        path=text.document.path,
        content=text.document.content,
    )


def _reset(run: WorkspaceRun) -> None:
    run.workspace.release()
    run.workspace.problems = []
    run.host.problems.clear()


if __name__ == "__main__":
    sys.exit(main())
