"""Update the whole index of a workspace: words, parts, token counts and address lines of all files."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast

import attrs

from satchel.config import Config
from satchel.errors import Problem, SatchelError
from satchel.host import Host, PluginKind
from satchel.items import ContextItem
from satchel.packing.gathering import ActiveProvider, gather
from satchel.packing.indexing.worker import Text, WorkerRequest
from satchel.packing.rendering import FORMS, note
from satchel.packing.representing import Claim, claims_of, split_all, unsplit
from satchel.references.tasks import make_task
from satchel.runs import ReadingOptions, WorkspaceRun, open_run
from satchel.session.store import StoreError
from satchel.workspace.index.documents import ReportProgress
from satchel.workspace.index.sharing import SharedIndex, SharingResult
from satchel.workspace.index.store import report_damage

if TYPE_CHECKING:
    from satchel.interfaces import Blobs
    from satchel.workspace.files.listing import FileEntry
    from satchel.workspace.git.repository import Git
    from satchel.workspace.index.documents import Index

_LAST_SECONDS = 10.0
"""Time that a worker may take to finish its batch on shutdown."""


class _BatchResult(NamedTuple):
    """The result of a batch: done, or `lost` with its worker; `error` says why no worker can run."""

    batch: Sequence[Text]
    problems: Sequence[Problem] = ()
    lost: str = ""
    error: str = ""


class WorkerSettings(NamedTuple):
    """Number of worker processes, their command, and their time limits."""

    jobs: int = 1
    command: tuple[str, ...] = (sys.executable, "-P", "-m", "satchel.packing.indexing.worker")
    """-P: a folder named satchel in the current folder is not the package."""
    batch_seconds: float = 60.0
    """Most batches take half a second; one that exceeds this is retried file by file."""
    file_seconds: float = 20.0


_FILE_BYTES = 2_000
"""Bytes that take as long as the fixed time of each file, whatever its size."""


def split_by(
    batches: Sequence[Sequence[Text]],
    asked: WorkerRequest,
    *,
    labour: WorkerSettings,
    progress: ReportProgress | None = None,
) -> list[Problem]:
    """Split the batches in worker processes; return a problem for each file that could not be split.

    A batch whose process dies or hangs is retried file by file; a file that fails alone is left out. An
    interruption keeps finished batches and ends the processes.

    Raises:
        SatchelError: no worker can run, because the index can't be written.
    """
    pool = _Pool(asked, labour._replace(jobs=min(labour.jobs, len(batches))))
    try:
        return pool.run(batches, progress)
    finally:
        pool.close()


def _weigh(batch: Sequence[Text]) -> int:
    """Return about how long a batch takes: each file has bytes, and a start."""
    return sum(text.document.size + _FILE_BYTES for text in batch)


class _Pool:
    """Worker processes, each fed with batches by its own thread."""

    def __init__(self, asked: WorkerRequest, labour: WorkerSettings) -> None:
        self._asked, self._labour = asked, labour
        self._waiting: queue.SimpleQueue[Sequence[Text] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[_BatchResult] = queue.SimpleQueue()
        self._is_closed = False
        self._workers: list[_SplitProcess] = []
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(labour.jobs)]
        for thread in self._threads:
            thread.start()

    def run(self, batches: Sequence[Sequence[Text]], progress: ReportProgress | None) -> list[Problem]:
        """Distribute the batches, and retry those of lost workers file by file."""
        handled, problems = 0, list[Problem]()
        total, done_bytes = sum(map(len, batches)), 0
        all_bytes = sum(map(_weigh, batches))
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
            done_bytes += _weigh(done.batch)
            problems += done.problems
            if done.lost:
                problems.append(Problem(done.batch[0].document.path, "split", f"{done.lost}; left out"))
            if progress is not None:
                progress("split", done_bytes, all_bytes)
        return problems

    def close(self) -> None:
        """Let each worker finish its batch, and kill the others."""
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
        """Keep one worker busy; start another one if it is lost."""
        worker: _SplitProcess | None = None
        while (batch := self._waiting.get()) is not None and not self._is_closed:
            try:
                worker = worker or self._start_worker()
            except OSError as error:
                self._done.put(
                    _BatchResult(batch, error=f"no worker can be started: {error.strerror or error}")
                )
                return
            done = worker.answer(batch)
            worker = None if done.lost else worker
            self._done.put(done)

    def _start_worker(self) -> _SplitProcess:
        worker = _SplitProcess(self._asked, self._labour)
        self._workers.append(worker)
        return worker


class _SplitProcess:
    """One worker process. Raises OSError if it can't be started."""

    def __init__(self, asked: WorkerRequest, labour: WorkerSettings) -> None:
        self._labour = labour
        self._process = subprocess.Popen(labour.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        self._questions = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        self._tell(list(asked))

    def answer(self, batch: Sequence[Text]) -> _BatchResult:
        """Send a batch and wait for its result."""
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
            return _BatchResult(batch, lost=_describe_exit(self._process.wait()))
        told = json.loads(line)
        problems = [Problem(*one) for one in told.get("problems", ())]
        return _BatchResult(batch, problems, error=told.get("error", ""))

    def end(self) -> None:
        """Let the worker finish its batch, and kill it if it does not."""
        with contextlib.suppress(OSError):
            self._questions.close()
        try:
            self._process.wait(_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Close the pipe of its answers."""
        self._answers.close()

    def _tell(self, what: object) -> None:
        """Write a line; a dead reader is noticed when no answer comes."""
        with contextlib.suppress(OSError, ValueError):
            self._questions.write(f"{json.dumps(what)}\n".encode())
            self._questions.flush()


def _describe_exit(code: int) -> str:
    return f"the process that split it ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}"


_BATCH_FILES = 64
_BATCH_BYTES = 400_000
"""Bytes of text in a batch, which a worker holds at a time."""
_BYTES_A_JOB = 2_000_000
"""Bytes that take as long to split as a process takes to start."""
_TASK = "what is where"
"""A task without content, so that each provider offers its items for any task."""


@attrs.frozen
class Indexed:
    """The state of the index after a full update."""

    files: int
    """Files of the workspace."""
    texts: int
    """Number of files that can be split."""
    split: int
    """Number of texts split in this run."""
    left: int
    """Number of texts that could not be read or split."""
    path: str
    """The file of the index."""
    problems: tuple[Problem, ...]
    taken: int = 0
    """Number of texts that another clone had read and split, taken from the shared index."""
    given: int = 0
    """Number of texts with records added to the shared index."""


@report_damage()
def index_all(
    root: str | Path,
    *,
    host: Host,
    config: Config,
    flags: Mapping[str, object],
    jobs: int = 1,
    progress: ReportProgress | None = None,
    shared: Blobs | None = None,
) -> Indexed:
    """Split and count every text of a workspace ahead of packs.

    Args:
        root: the workspace's folder.
        host: the plugins.
        config: the configuration.
        flags: settings of the command line; workers read the rest from files.
        jobs: most worker processes.
        progress: called with a stage, what is done and all of it: files, and bytes while they are split.
        shared: the store where clones of a repository share their index. If it can't be reached, that is
            a problem of the answer, and everything is read here.

    Raises:
        SatchelError: the index can't be stored: no folder for it, or the disk is full.
        WorkspaceError: the root is not a folder.
    """
    sharing = _RunSharing(shared) if shared is not None else None
    fetch = sharing.fetch if sharing else None
    reading = ReadingOptions(progress=progress, before_reading=fetch)
    run = open_run(root, config=config, host=host, options=reading)
    try:
        indexed = _index(run, flags, jobs=jobs, progress=progress)
        return sharing.publish(run, indexed) if sharing else indexed
    finally:
        run.workspace.close()


class _RunSharing:
    """The shared index of a workspace during one run; its failures are problems and no errors."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._shared: SharedIndex | None = None
        self._problems: list[Problem] = []

    def fetch(self, index: Index, git: Git | None, entries: Sequence[FileEntry]) -> None:
        """Take over rows of files that others have read."""
        roots = git.revisions.list_roots() if git else []
        if not roots:
            told = "nothing is shared: the folder is not a git repository with commits"
            self._problems.append(Problem("index", "share", told))
            return
        self._shared = SharedIndex(self._blobs, roots, scanners=index.scanners.key)
        self._try(partial(self._shared.fetch, index.store, entries))

    def publish(self, run: WorkspaceRun, indexed: Indexed) -> Indexed:
        """Give the rows that others lack, and return the answer with the numbers exchanged."""
        shared = self._shared
        if shared is not None and not self._problems:
            self._try(partial(shared.publish, run.workspace.index.store, run.workspace.files.entries()))
        result = shared.result if shared else SharingResult()
        told = (*indexed.problems, *self._problems, *(shared.problems if shared else ()))
        return attrs.evolve(indexed, taken=result.taken, given=result.given, problems=told)

    def _try(self, exchange: Callable[[], None]) -> None:
        try:
            exchange()
        except StoreError as error:
            self._problems.append(Problem("index", "share", str(error)))


def _index(
    run: WorkspaceRun, flags: Mapping[str, object], *, jobs: int, progress: ReportProgress | None
) -> Indexed:
    _check_store(run)
    if progress is not None:
        progress("gather", 0, 0)
    items = _gather_items(run)
    files = {item.id: item for item in items if item.kind == "file" and item.text is None and not item.note}
    texts = list(files.values())
    claims = claims_of(run, texts)
    fresh = unsplit(run, texts, claims)
    batches = _batches(run, fresh, claims)
    size = sum(text.document.size for batch in batches for text in batch)
    jobs = jobs_for(size, most=jobs)
    asked = WorkerRequest(str(run.workspace.root), run.counter.key, dict(flags))
    problems = split_by(batches, asked, labour=WorkerSettings(jobs), progress=progress)
    _count_addresses(run, items)
    _check_store(run)
    left = len(unsplit(run, fresh, claims)) if fresh else 0
    path = str(run.workspace.index.store.path)
    return Indexed(
        files=len(run.workspace.files.entries()),
        texts=len(texts),
        split=len(fresh) - left,
        left=left,
        path=path,
        problems=tuple(dict.fromkeys([*run.problems, *problems])),
    )


def jobs_for(size: int, *, most: int) -> int:
    """Return how many worker processes pay off for this total size in bytes."""
    return min(most, 1 + size // _BYTES_A_JOB)


def _check_store(run: WorkspaceRun) -> None:
    store = run.workspace.index.store
    if store.path is None or store.closed_to_writing:
        told = [str(one) for one in run.problems if one.plugin == "index"]
        raise SatchelError("the index can't be kept; " + (told[-1] if told else "see satchel doctor"))


def _gather_items(run: WorkspaceRun) -> Sequence[ContextItem]:
    """Return the items that providers offer for any task; this also fills their caches of the git log."""
    providers = [ActiveProvider(loaded, provider) for loaded, provider in run.all(PluginKind.PROVIDER)]
    task = make_task(_TASK, run.workspace.index.documents)
    return [item for some in gather(run.host, providers, task, workspace=run.workspace) for item in some]


def _batches(
    run: WorkspaceRun, items: Sequence[ContextItem], claims: Mapping[str, Claim]
) -> list[list[Text]]:
    """Group the texts into batches of bounded size, in order of path."""
    batches: list[list[Text]] = []
    room = 0
    for item in sorted(items, key=lambda item: item.path):
        document = run.workspace.files.document(item.path)
        if document is None:
            continue
        if not batches or room < document.size or len(batches[-1]) == _BATCH_FILES:
            batches.append([])
            room = _BATCH_BYTES
        name = claims[item.id].loaded.full_name
        batches[-1].append(Text(item.id, item.provider, item.title, name, document))
        room -= document.size
    return batches


def _count_addresses(run: WorkspaceRun, items: Sequence[ContextItem]) -> None:
    """Split providers' own texts, and count the address lines of items that can only be named."""
    brought = {item.id: item for item in items if item.text is not None and not item.note}
    splits = split_all(run, list(brought.values()))
    notes = [(brought[id_], note(split)) for id_, split in splits.items()]
    notes += [(item, item.note) for item in items if item.note]
    run.counter.count([form.pointer(item, told) for form in FORMS for item, told in notes])
    run.counter.count([text for form in FORMS for text in (form.prologue(), form.epilogue()) if text])
