"""Bring the whole index of a workspace up to date: words, parts, counts, and the addresses of all files."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple, cast

import attrs

from satchel.config import Config
from satchel.errors import Problem, SatchelError
from satchel.host import Host, Kind
from satchel.items import ContextItem
from satchel.packing.gathering import Source, gather
from satchel.packing.indexing_child import Asked, Text
from satchel.packing.rendering import FORMS, note
from satchel.packing.representing import Claim, claims_of, split_all, unsplit
from satchel.references.tasks import make_task
from satchel.runs import Run, open_run
from satchel.workspace.index.documents import Progress
from satchel.workspace.index.store import damage_told

_LAST_SECONDS = 10.0
"""So long a worker may take to end its batch when nobody waits for more."""


class _Done(NamedTuple):
    """What became of a batch: handled, or its worker was `lost`; `error` says why none can work."""

    batch: Sequence[Text]
    problems: Sequence[Problem] = ()
    lost: str = ""
    error: str = ""


class Labour(NamedTuple):
    """How many processes there are, what they run, and how long they may take."""

    jobs: int = 1
    command: tuple[str, ...] = (sys.executable, "-P", "-m", "satchel.packing.indexing_child")
    """-P: a folder named satchel where somebody stands is not the package."""
    batch_seconds: float = 60.0
    """Most batches take half a second; one that takes longer than this is tried again file by file."""
    file_seconds: float = 20.0


def split_by(
    batches: Sequence[Sequence[Text]], asked: Asked, *, labour: Labour, progress: Progress | None = None
) -> list[Problem]:
    """Have processes split the batches; return what could not be split.

    A batch whose process dies or hangs is tried again file by file; a file that does this alone is left
    out. An interruption keeps every batch that is done, and ends the processes.

    Raises:
        SatchelError: no process can work, because the index can't be written.
    """
    pool = _Pool(asked, labour._replace(jobs=min(labour.jobs, len(batches))))
    try:
        return pool.run(batches, progress)
    finally:
        pool.close()


class _Pool:
    """Workers, with a thread for each that hands it batches."""

    def __init__(self, asked: Asked, labour: Labour) -> None:
        self._asked, self._labour = asked, labour
        self._waiting: queue.SimpleQueue[Sequence[Text] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[_Done] = queue.SimpleQueue()
        self._is_closed = False
        self._workers: list[_Worker] = []
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(labour.jobs)]
        for thread in self._threads:
            thread.start()

    def run(self, batches: Sequence[Sequence[Text]], progress: Progress | None) -> list[Problem]:
        """Hand out the batches, and once more file by file those of lost workers."""
        total, handled, problems = sum(map(len, batches)), 0, list[Problem]()
        for batch in batches:
            self._waiting.put(batch)
        while handled < total:
            done = self._done.get()
            if done.error:
                raise SatchelError(done.error)
            if done.lost and len(done.batch) > 1:
                for text in done.batch:
                    self._waiting.put([text])
                continue
            handled += len(done.batch)
            problems += done.problems
            if done.lost:
                problems.append(Problem(done.batch[0].document.path, "split", f"{done.lost}; left out"))
            if progress is not None:
                progress("split", handled, total)
        return problems

    def close(self) -> None:
        """Let each worker end its batch, and end those that don't."""
        self._is_closed = True
        for _ in self._threads:
            self._waiting.put(None)
        for worker in self._workers:
            worker.end()
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            worker.close()

    def _serve(self) -> None:
        """Keep one worker at work; start another one where it is lost."""
        worker: _Worker | None = None
        while (batch := self._waiting.get()) is not None and not self._is_closed:
            try:
                worker = worker or self._started()
            except OSError as error:
                self._done.put(_Done(batch, error=f"no worker can be started: {error.strerror or error}"))
                return
            done = worker.answer(batch)
            worker = None if done.lost else worker
            self._done.put(done)

    def _started(self) -> _Worker:
        worker = _Worker(self._asked, self._labour)
        self._workers.append(worker)
        return worker


class _Worker:
    """One process. Raises OSError where it can't be started."""

    def __init__(self, asked: Asked, labour: Labour) -> None:
        self._labour = labour
        self._process = subprocess.Popen(labour.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        self._questions = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        self._tell(list(asked))

    def answer(self, batch: Sequence[Text]) -> _Done:
        """Have a batch split, and wait for it."""
        patience = self._labour.file_seconds if len(batch) == 1 else self._labour.batch_seconds
        hangs = threading.Timer(patience, self._process.kill)
        hangs.daemon = True
        hangs.start()
        try:
            self._tell(batch)
            line = self._answers.readline()
        finally:
            hangs.cancel()
        if not line.endswith(b"\n"):
            return _Done(batch, lost=_how(self._process.wait()))
        told = json.loads(line)
        problems = [Problem(*one) for one in told.get("problems", ())]
        return _Done(batch, problems, error=told.get("error", ""))

    def end(self) -> None:
        """Let it end its batch, and end it where it does not."""
        with contextlib.suppress(OSError):
            self._questions.close()
        try:
            self._process.wait(_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Close what it was heard through; nobody listens any more."""
        self._answers.close()

    def _tell(self, what: object) -> None:
        """Write a line; that nobody reads it shows when no answer comes."""
        with contextlib.suppress(OSError, ValueError):
            self._questions.write(f"{json.dumps(what)}\n".encode())
            self._questions.flush()


def _how(code: int) -> str:
    return f"the process that split it ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}"


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
