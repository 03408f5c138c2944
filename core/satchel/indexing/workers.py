"""The processes that split: each is handed a batch at a time, and one that dies costs its batch alone."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, NamedTuple, cast

from satchel.errors import Problem, SatchelError
from satchel.indexing.child import Asked, Text
from satchel.workspace.index import Progress

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
    command: tuple[str, ...] = (sys.executable, "-P", "-m", "satchel.indexing.child")
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
