"""Keep a workspace's index fresh in a long-lived process, using file system events.

Events are hints. Any doubt (a lost event, a new folder, git's own data, no events at all) makes the next
refresh a full one, as if the process had just started.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from satchel.errors import Problem
from satchel.paths import absolute
from satchel.references.mentions import find_paths
from satchel.workspace import Change, Workspace
from satchel.workspace.files.ignoring import GIT_RULES, OWN_RULES
from satchel.workspace.files.listing import find_vendored_folder

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host
    from satchel.packing.bundle import Bundle, PackOptions
    from satchel.runs import WorkspaceRun
    from satchel.workspace.index.documents import ReportProgress

_MOST_EVENTS = 4_000
"""Events between two refreshes from which some may be lost: the system buffers 16,384."""
_FRESH_SECONDS = 2.0
"""Time after a folder's creation in which files in it may have been missed."""
_RULES = frozenset({GIT_RULES, OWN_RULES, ".gitattributes", ".gitmodules"})
_SETTINGS = frozenset({"satchel.toml", "pyproject.toml", "llm_context.json"})
_DELIVERY_SECONDS = 0.02
"""Time that the system and watchdog may take to deliver past events."""
_LONGEST_DELIVERY_SECONDS = 3.0
"""After this time of continuous events everything is refreshed."""
_QUIET = ("opened", "closed_no_write")
"""Events that change nothing."""


def watch(
    root: str | Path = ".",
    *,
    host: Host | None = None,
    patience_seconds: float = 300.0,
    progress: ReportProgress | None = None,
) -> Watch:
    """Watch a workspace so that packs need not list its files again; use it with `with`.

    Args:
        root: the workspace's folder.
        host: the plugins; all installed ones by default.
        patience_seconds: after this time everything is refreshed, whatever the events.
        progress: called with a stage, the number done and the total while the index is made.

    Raises:
        WorkspaceError: the root is not a folder.
    """
    return Watch(Path(root), host, patience_seconds, progress)


class Watch:
    """A watched workspace: `pack`, `changed` and `workspace` refresh only what has changed.

    Attributes:
        problem: why there are no events, "" if there are; without events every refresh is a full one.
    """

    def __init__(
        self, root: Path, host: Host | None, patience_seconds: float, progress: ReportProgress | None = None
    ) -> None:
        from satchel.runs import ReadingOptions, open_run

        self.root = absolute(root).resolve()
        self._host = host
        self._finds_plugins = host is None
        self._hints = Hints(self.root)
        self.problem = self._hints.start()
        self._patience_seconds = patience_seconds
        self._lock = threading.RLock()
        try:
            run = open_run(self.root, host=host, options=ReadingOptions(progress=progress))
        except BaseException:
            self._hints.stop()
            raise
        self._host, self._config = run.host, run.config
        self._workspace = run.workspace
        self._looked, self._marks = time.monotonic(), _git_stamps(self._workspace)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop watching and close the index."""
        self._hints.stop()
        self._workspace.close()

    @property
    def workspace(self) -> Workspace:
        """The workspace with its index brought up to date."""
        with self._lock:
            self._look()
            return self._workspace

    def paths(self) -> Sequence[str]:
        """Return the paths of all files as of the last look, without waiting for a pack in the making."""
        return [entry.path for entry in self._workspace.files.entries() if entry.kind == "file"]

    def changed(self, since: Bundle) -> tuple[Change, ...]:
        """Return the files that are new, changed or deleted since a pack."""
        return self.workspace.changed(since.snapshot)

    def pack(
        self,
        task: str,
        *,
        budget: int | str | None = None,
        model: str | None = None,
        pins: Sequence[str] = (),
        options: PackOptions | None = None,
    ) -> Bundle:
        """Pack as `satchel.pack` does, with the same answer."""
        from satchel.packing.bundle import PackOptions, pack

        given = options or PackOptions()
        if any(find_vendored_folder(path) for path in (*find_paths(task), *pins)):
            # Vendored folders are not watched.
            return pack(
                task, self.root, budget=budget, model=model, pins=pins, host=self._host, options=given
            )
        with self._lock:
            mine = attrs.evolve(given, workspace=self.workspace, config=given.config or self._config)
            files, met = len(self._workspace.files.entries()), len(self._workspace.problems)
            with self._isolate():
                bundle = pack(
                    task, self.root, budget=budget, model=model, pins=pins, host=self._host, options=mine
                )
            lost = len(self._workspace.files.entries()) != files  # some files vanished meanwhile
            if lost or len(self._workspace.problems) != met:
                self._hints.doubt()
            return bundle

    @contextlib.contextmanager
    def borrow(self, wanted: Sequence[str] = ()) -> Iterator[WorkspaceRun]:
        """Lend a run on the workspace, brought up to date, for `expand`, `why` and `search`.

        Nobody else uses the workspace meanwhile. `wanted` paths in vendored folders, which are not watched,
        are found in a workspace that is opened for them.
        """
        from satchel.runs import open_run, run_of

        if any(find_vendored_folder(path) for path in wanted):
            with run_of(self.root, config=self._config, host=self._host, wanted=wanted) as run:
                yield run
            return
        with self._lock, self._isolate():
            workspace = self.workspace
            workspace.begin()
            yield open_run(self.root, config=self._config, host=self._host, workspace=workspace)

    @contextlib.contextmanager
    def _isolate(self) -> Iterator[None]:
        """Keep the problems that plugins have now out of later packs, and collect no garbage meanwhile.

        Garbage collection over the whole workspace takes an eighth of a question (Python's own thresholds).
        Third-party plugins may wait for something or leave cycles: with them it goes on.
        """
        told = self._host.problems if self._host is not None else []
        known = len(told)
        pauses = (
            gc.isenabled() and self._host is not None and all(entry.trusted for entry in self._host.entries)
        )
        if pauses:
            gc.disable()
        try:
            yield
        finally:
            if pauses:
                gc.enable()
            del told[known:]

    def _look(self) -> None:
        """Refresh the files that the hints name, or everything if they are uncertain."""
        touched = self._hints.take()
        overdue = time.monotonic() - self._looked > self._patience_seconds
        marks = _git_stamps(self._workspace)
        if self.problem or overdue or marks != self._marks or touched is None:
            self._look_at_all()
        elif touched:
            self._look_at(touched)

    def _look_at_all(self) -> None:
        self._looked = time.monotonic()
        self._workspace.refresh()
        self._marks = _git_stamps(self._workspace)
        self._read_settings()
        if self.problem:
            self._workspace.problems.append(Problem("watch", "start", self.problem))

    def _look_at(self, touched: set[str]) -> None:
        """Refresh single files, or everything if the list of files may have changed."""
        here = {path for path in touched if os.path.lexists(self.root / path)}
        known = {path for path in here if self._workspace.files.is_listed(path)}
        gone = {path for path in touched - here if self._workspace.files.is_listed(path, below=True)}
        if gone or here != known or any(path.rpartition("/")[2] in _RULES for path in known):
            self._look_at_all()
            return
        try:
            self._workspace.refresh(touched=known)
        except OSError:  # it vanished just now
            self._look_at_all()
        if not _SETTINGS.isdisjoint(known):
            self._read_settings()

    def _read_settings(self) -> None:
        from satchel import config as configuration
        from satchel.installed import find_plugins

        before, self._config = self._config, configuration.load(self.root, env=os.environ)
        if self._finds_plugins and _plugin_settings(before) != _plugin_settings(self._config):
            self._host = find_plugins(self._config)


def _plugin_settings(config: Config) -> tuple[object, ...]:
    """Return the settings that decide which plugins there are and how they are called."""
    return config.disable, config.deadline_seconds, config.trust


def _git_stamps(workspace: Workspace) -> tuple[object, ...]:
    """Return stamps of git's index, HEAD and ignore rules, wherever the repository stores them."""
    git = workspace.git
    if git is None:
        return ()
    folder = git.git_dir
    places = [
        folder / "index",
        folder / "HEAD",
        folder / "logs/HEAD",
        folder / "config",
        folder / "info/exclude",
    ]
    top = len(Path(git.prefix).parts)
    places += [parent / GIT_RULES for parent in list(workspace.root.parents)[:top]]
    return (*map(_stamp, places), _branch(folder))


def _stamp(place: Path) -> tuple[int, ...]:
    try:
        facts = os.stat(place)
    except OSError:
        return ()
    return (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino)


def _branch(git_dir: Path) -> object:
    """Return stamps that change when the current branch gets another commit."""
    try:
        head = (git_dir / "HEAD").read_text(errors="replace").strip()
    except OSError:
        return ""
    name = head.removeprefix("ref: ")
    places = (git_dir / name, git_dir / "packed-refs") if name != head else ()
    return (head, *map(_stamp, places))


class Hints:
    """Collects the paths named by events; `take` returns them, or None if anything may have changed."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._lock = threading.Lock()
        self._touched: set[str] = set()
        self._events = 0
        self._unsure_until = -1.0
        self._has_lost = False
        self._observer: Any = None
        self._listener = _Listener(self._lose)

    def start(self) -> str:
        """Start listening; return why that fails, "" if it works."""
        try:
            from watchdog import events
            from watchdog.observers import Observer
        except ImportError:
            return "watchdog is not installed; every refresh scans the whole workspace: pip install watchdog"
        handler = events.FileSystemEventHandler()
        handler.dispatch = self.note  # type: ignore[method-assign]
        observer = Observer()
        logging.getLogger("watchdog").addHandler(self._listener)
        try:
            observer.schedule(handler, self._root, recursive=True, event_filter=_events_to_request(events))
            observer.start()
        except OSError as error:
            logging.getLogger("watchdog").removeHandler(self._listener)
            reason = error.strerror or error
            return f"the system gives no more events ({reason}); every refresh scans the whole workspace"
        self._observer = observer
        _hold_moves_shortly(observer)
        return ""

    def stop(self) -> None:
        """Stop listening."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None
            logging.getLogger("watchdog").removeHandler(self._listener)

    def doubt(self) -> None:
        """Note that anything may have changed."""
        with self._lock:
            self._unsure_until = max(self._unsure_until, time.monotonic())

    def note(self, event: Any) -> None:
        """Record the paths of an event; called by watchdog in its own thread."""
        if event.event_type in _QUIET:
            return
        paths = [self._relative(path) for path in (event.src_path, getattr(event, "dest_path", "")) if path]
        with self._lock:
            self._events += 1
            if event.is_directory and event.event_type != "modified" and not _is_gits(paths):
                self._unsure_until = time.monotonic() + _FRESH_SECONDS
            self._touched.update(path for path in paths if path and not path.startswith(".git/"))

    def take(self) -> set[str] | None:
        """Return the files touched since the last call, None if that is uncertain.

        If events were lost, all folders are watched again first, so that events cover everything after
        the caller's full refresh.
        """
        self._wait_for_delivery()
        if self._has_lost:
            self._begin_again()
            return None
        with self._lock:
            touched, self._touched = self._touched, set()
            events, self._events = self._events, 0
            unsure, now = self._unsure_until, time.monotonic()
            self._unsure_until = unsure if unsure > now else -1.0
        touched -= {path for path in touched if os.path.isdir(os.path.join(self._root, path))}
        return None if unsure >= 0 or events > _MOST_EVENTS or not self._is_alive() else touched

    def _lose(self) -> None:
        """Record that events were lost and folders may be unwatched."""
        with self._lock:
            self._has_lost = True

    def _begin_again(self) -> None:
        """Watch all folders again; if that fails, the next refresh retries."""
        self.stop()
        with self._lock:
            self._touched, self._events, self._has_lost = set(), 0, False
        if self.start():
            self._lose()

    def _wait_for_delivery(self) -> None:
        """Wait until no more events arrive, so that the caller's latest writes are seen."""
        seen, until = -1, time.monotonic() + _LONGEST_DELIVERY_SECONDS
        while self._observer is not None and self._events <= _MOST_EVENTS:
            if seen == self._events and not _is_underway(self._observer):
                return
            if time.monotonic() > until:
                self.doubt()
                return
            seen = self._events
            time.sleep(_DELIVERY_SECONDS)

    def _is_alive(self) -> bool:
        return self._observer is None or all(
            one.is_alive() for one in (self._observer, *self._observer.emitters)
        )

    def _relative(self, path: str | bytes) -> str:
        text = os.fsdecode(path)
        return os.path.relpath(text, self._root) if text.startswith(self._root) else ""


def _is_underway(observer: Any) -> bool:
    """Return whether the system or watchdog has undelivered events, as far as that is visible.

    On a busy machine watchdog may not read them for longer than the caller waits.
    """
    if not observer.event_queue.empty():
        return True
    for emitter in observer.emitters:
        group = getattr(emitter, "_inotify", None)
        delayed = getattr(getattr(group, "_move_event_grouper", group), "_queue", None)
        if getattr(delayed, "_queue", ()) or _has_pending_events(group):
            return True
    return False


def _has_pending_events(group: Any) -> bool:
    """Return whether the system holds events that watchdog (7 or 6) has not read."""
    reader = group
    for name in ("_inotify", "_inotify_fd", "_inotify_fd"):
        reader = getattr(reader, name, reader)
    if not isinstance(reader, int):
        return False
    try:
        import fcntl
        import termios

        return any(fcntl.ioctl(reader, termios.FIONREAD, bytes(4)))
    except (ImportError, OSError, ValueError):  # not supported here, or it is closed
        return False


def _events_to_request(events: Any) -> list[Any]:
    """Return the events to request from the system, without events for files that are only read.

    Reading a large workspace creates more of these than the system buffers, so that others are lost. The
    first class lets all incoming events pass; the others select the requested ones.
    """
    kinds = ("Created", "Deleted", "Modified", "Moved")
    named = [getattr(events, f"{what}{kind}Event") for what in ("File", "Dir") for kind in kinds]
    return [events.FileSystemEvent, *named, events.FileClosedEvent]


def _hold_moves_shortly(observer: Any) -> None:
    """Shorten the half second for which watchdog delays all events after a file was moved out.

    Unpaired moves then become a deletion and a creation, which is fine here.
    """
    for emitter in observer.emitters:
        group = getattr(emitter, "_inotify", None)
        queue = getattr(getattr(group, "_move_event_grouper", group), "_queue", None)
        for name in {"delay", "delay_sec"} & getattr(queue, "__dict__", {}).keys():  # watchdog 7 and 6
            setattr(queue, name, _DELIVERY_SECONDS / 4)


def _is_gits(paths: Sequence[str]) -> bool:
    return all(path == ".git" or path.startswith(".git/") for path in paths)


class _Listener(logging.Handler):
    """Treats every warning of watchdog as a loss: it warns when events were lost."""

    def __init__(self, lose: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lose = lose

    def emit(self, record: logging.LogRecord) -> None:
        """Note the loss."""
        self._lose()
