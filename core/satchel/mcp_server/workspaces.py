"""Workspaces that stay open between calls, each watched, opened in the background when first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from satchel.errors import UsageError, WorkspaceError
from satchel.host import Host
from satchel.packing.indexing.watching import Watch, watch
from satchel.paths import absolute, safe_text

_LOOK_SECONDS = 0.05
MOST_OPEN = 8
"""Most workspaces that stay open; the least recently used one is closed for another."""


class CancelledCallError(Exception):
    """Nobody waits for the answer any more."""


class ToolRequest:
    """One call: whether it was cancelled, and its progress."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self.stage, self.done, self.total = "", 0, 0

    def cancel(self) -> None:
        """Record that nobody waits for it any more."""
        self._cancelled.set()

    def check(self) -> None:
        """Raise CancelledCallError if nobody waits for it any more."""
        if self._cancelled.is_set():
            raise CancelledCallError

    def report(self, stage: str, done: int, total: int) -> None:
        """Record its progress."""
        self.stage, self.done, self.total = stage, done, total


class ResidentWorkspace:
    """One folder; it is opened in a thread of its own, so that a call that is cancelled costs no index."""

    def __init__(self, root: Path, open_host: Callable[[Path], Host]) -> None:
        self.root = root
        self._open_host = open_host
        self._lock = threading.Lock()
        self._opening: Future[Watch] | None = None
        self._turn = threading.Lock()
        """Held by the call that uses the watch; cancelled calls leave the queue."""
        self._stage = ("open", 0, 0)

    def begin(self) -> Future[Watch]:
        """Start opening it, unless that has been done; return the watch to come."""
        with self._lock:
            if self._opening is None:
                self._opening = Future()
                work = threading.Thread(target=self._open, args=(self._opening,), daemon=True)
                work.start()
            return self._opening

    def _open(self, opening: Future[Watch]) -> None:
        try:
            opening.set_result(watch(self.root, host=self._open_host(self.root), progress=self._report))
        except BaseException as error:  # it is raised in the threads that wait
            opening.set_exception(error)

    def _report(self, stage: str, done: int, total: int) -> None:
        self._stage = (stage, done, total)

    @property
    def watch(self) -> Watch | None:
        """Return the watch, None if it is not open yet."""
        opening = self._opening
        ready = opening is not None and opening.done() and opening.exception() is None
        return opening.result() if opening is not None and ready else None

    def wait(self, seconds: float) -> Watch | None:
        """Open it and return the watch, None if that takes longer or fails."""
        wait_for([self.begin()], seconds)
        return self.watch

    @contextmanager
    def use(self, call: ToolRequest) -> Iterator[Watch]:
        """Lend the watch, once it is open and free.

        Raises:
            CancelledCallError: the call was cancelled meanwhile.
            SatchelError: it can't be opened; the next call tries again.
        """
        watched = self._wait(call)
        while not self._turn.acquire(timeout=_LOOK_SECONDS):
            call.check()
        try:
            call.check()
            yield watched
        finally:
            self._turn.release()

    def _wait(self, call: ToolRequest) -> Watch:
        opening = self.begin()
        while True:
            try:
                return opening.result(_LOOK_SECONDS)
            except TimeoutError:
                if opening.done():
                    raise
                call.check()
                call.report(*self._stage)
            except BaseException:
                with self._lock:
                    if self._opening is opening:
                        self._opening = None
                raise

    def close(self) -> None:
        """Close the watch, if it is open."""
        with self._turn, self._lock:
            watched, self._opening = self.watch, None
            if watched is not None:
                watched.close()


class Workspaces:
    """The open workspaces of a server, by folder."""

    def __init__(self, open_host: Callable[[Path], Host]) -> None:
        self._open_host = open_host
        self._lock = threading.Lock()
        self._known: dict[Path, ResidentWorkspace] = {}
        """The most recently used one comes last."""

    def of(self, root: Path) -> ResidentWorkspace:
        """Return the workspace of a folder.

        Raises:
            WorkspaceError: it is not a folder.
        """
        if not root.is_dir():
            raise WorkspaceError(safe_text(str(root)), "is not a folder")
        with self._lock:
            found = self._known.pop(root, None) or ResidentWorkspace(root, self._open_host)
            self._known[root] = found
            old = list(self._known)[:-MOST_OPEN]
            dropped = [self._known.pop(one) for one in old]
        for one in dropped:
            one.close()
        return found

    def use(self, asked: str, roots: Sequence[Path], call: ToolRequest) -> AbstractContextManager[Watch]:
        """Lend the watch of the root that a call names, or of the first one."""
        return self.of(choose_root(asked, roots)).use(call)

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            known, self._known = list(self._known.values()), {}
        for one in known:
            one.close()


def choose_root(asked: str, roots: Sequence[Path]) -> Path:
    """Return the root that a call names, by its folder or its last name, or the first one.

    Raises:
        UsageError: it names none of them.
    """
    if not roots:
        raise UsageError("there is no workspace: start the server with --root DIR, or open a folder")
    if not asked:
        return roots[0]
    path = absolute(Path(asked)).resolve()
    for root in roots:
        if path == root or asked.rstrip("/") == root.name:
            return root
    listed = ", ".join(safe_text(str(root)) for root in roots)
    raise UsageError(f"'root' {asked!r} is not one of the workspaces: {listed}")
