"""Keep the index of a workspace fresh in a process that lives long: events say where to look again.

Events are hints. Whatever they leave in doubt (a lost event, a new folder, git's own data, no events
at all) makes the next look a whole one, as if the process had just been started.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from satchel.errors import Problem
from satchel.garbage import uncollected
from satchel.paths import absolute
from satchel.references.tasks import written_paths
from satchel.workspace import Change, Workspace
from satchel.workspace.files.ignoring import GIT_RULES, OWN_RULES
from satchel.workspace.files.listing import vendored_folder

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.packing.bundle import Bundle, PackOptions

_MOST_EVENTS = 4_000
"""Events between two looks from which on some may have been lost: the system keeps 16,384."""
_FRESH_SECONDS = 2.0
"""So long after a folder has come, files in it may have been missed."""
_RULES = frozenset({GIT_RULES, OWN_RULES, ".gitattributes", ".gitmodules"})
_SETTINGS = frozenset({"satchel.toml", "pyproject.toml", "llm_context.json"})
_DELIVERY_SECONDS = 0.02
"""So long the system and watchdog may take to hand over what has happened already."""
_LONGEST_DELIVERY_SECONDS = 3.0
"""After this time without an end of events everything is looked at."""
_MOST_TOLD = 12
"""Packs that are told again where nothing has changed."""
_QUIET = ("opened", "closed_no_write")
"""Events that change nothing."""


def watch(root: str | Path = ".", *, host: Host | None = None, patience_seconds: float = 300.0) -> Watch:
    """Watch a workspace, so that packs find its index fresh and list nothing again; use it with `with`.

    Args:
        root: the workspace's folder.
        host: the plugins; all installed ones by default.
        patience_seconds: after this time everything is looked at again, whatever events say.

    Raises:
        WorkspaceError: the root is no folder.
    """
    return Watch(Path(root), host, patience_seconds)


class Watch:
    """A watched workspace: `pack`, `changed` and `workspace` look again only where something happened.

    Attributes:
        problem: why there are no events, "" where there are; then every look is a whole one.
    """

    def __init__(self, root: Path, host: Host | None, patience_seconds: float) -> None:
        from satchel.runs import open_run

        self.root = absolute(root).resolve()
        self._host = host
        self._hints = Hints(self.root)
        self.problem = self._hints.start()
        self._patience_seconds = patience_seconds
        self._lock = threading.RLock()
        try:
            run = open_run(self.root, host=host)
        except BaseException:
            self._hints.stop()
            raise
        self._host, self._config = run.host, run.config
        self._workspace = run.workspace
        self._workspace.refresh(touched=())  # the second look: from now on the index keeps what is stored
        self._looked, self._marks = time.monotonic(), _marks(self._workspace)
        self._told: dict[str, Bundle] = {}
        """Packs since the last change, by what was asked; not relied on while events begin to come in."""
        self._begun = time.monotonic()

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
        if any(vendored_folder(path) for path in (*written_paths(task), *pins)):
            # What is not looked into is not watched either.
            return pack(
                task, self.root, budget=budget, model=model, pins=pins, host=self._host, options=given
            )
        with self._lock:
            mine = attrs.evolve(given, workspace=self.workspace, config=given.config or self._config)
            asked = repr((task, budget, model, tuple(pins), given, mine.config))
            known = self._told.get(asked)
            if known is not None and time.monotonic() - self._begun > _FRESH_SECONDS:
                return known
            files, met = len(self._workspace.files()), len(self._workspace.problems)
            with self._apart(), self._calm():
                bundle = pack(
                    task, self.root, budget=budget, model=model, pins=pins, host=self._host, options=mine
                )
            lost = len(self._workspace.files()) != files  # some went away meanwhile and were forgotten
            if lost or len(self._workspace.problems) != met:
                self._hints.doubt()
            elif self._may_keep(bundle, given):
                self._told = {**dict(list(self._told.items())[-_MOST_TOLD + 1 :]), asked: bundle}
            return bundle

    @contextlib.contextmanager
    def _apart(self) -> Iterator[None]:
        """Let the problems that plugins meet in one pack stand in that pack alone."""
        told = self._host.problems if self._host is not None else []
        known = len(told)
        try:
            yield
        finally:
            del told[known:]

    def _calm(self) -> contextlib.AbstractContextManager[None]:
        """Pause the collector: it looks at all that is known of the workspace, and a pack leaves few cycles.

        Plugins of others may wait for something, or leave cycles.
        """
        return uncollected() if self._is_own() else contextlib.nullcontext()

    def _is_own(self) -> bool:
        return self._host is not None and all(entry.builtin for entry in self._host.entries)

    def _may_keep(self, bundle: Bundle, options: PackOptions) -> bool:
        """Tell whether the same question has the same answer as long as no look finds anything new."""
        asks_back = options.seen or options.since or options.observe or options.finished or options.usage
        return self._is_own() and not (asks_back or bundle.problems or self._workspace.is_passing)

    def _look(self) -> None:
        """Refresh what the hints tell; everything where they don't."""
        touched = self._hints.take()
        overdue = time.monotonic() - self._looked > self._patience_seconds
        marks = _marks(self._workspace)
        if touched:
            self._told = {}
        if self.problem or overdue or marks != self._marks or touched is None:
            self._told = {}
            self._look_at_all()
        elif touched:
            self._look_at(touched)

    def _look_at_all(self) -> None:
        self._looked = time.monotonic()
        self._workspace.refresh()
        self._marks = _marks(self._workspace)
        self._read_settings()
        if self.problem:
            self._workspace.problems.append(Problem("watch", "start", self.problem))

    def _look_at(self, touched: set[str]) -> None:
        """Look at single files where all of them were listed and still are what they were."""
        here = {path for path in touched if os.path.lexists(self.root / path)}
        known = {path for path in here if self._workspace.is_listed(path)}
        gone = {path for path in touched - here if self._workspace.is_listed(path, below=True)}
        if gone or here != known or any(path.rpartition("/")[2] in _RULES for path in known):
            self._look_at_all()
            return
        try:
            self._workspace.refresh(touched=known)
        except OSError:  # it went away just now
            self._look_at_all()
        if not _SETTINGS.isdisjoint(known):
            self._read_settings()

    def _read_settings(self) -> None:
        from satchel import config as configuration

        self._config = configuration.load(self.root, env=os.environ)


def _marks(workspace: Workspace) -> tuple[object, ...]:
    """Return what changes with git's index, HEAD and rules, wherever the repository keeps them."""
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
    """Return what changes when the branch that HEAD names gets another commit."""
    try:
        head = (git_dir / "HEAD").read_text(errors="replace").strip()
    except OSError:
        return ""
    name = head.removeprefix("ref: ")
    places = (git_dir / name, git_dir / "packed-refs") if name != head else ()
    return (head, *map(_stamp, places))


class Hints:
    """Collects the paths that events name; `take` hands them over, None where anything may have changed."""

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
        """Start to listen; return why that is impossible, "" where it works."""
        try:
            from watchdog import events
            from watchdog.observers import Observer
        except ImportError:
            return "watchdog is not installed; every look is a whole one: pip install watchdog"
        handler = events.FileSystemEventHandler()
        handler.dispatch = self.note  # type: ignore[method-assign]
        observer = Observer()
        logging.getLogger("watchdog").addHandler(self._listener)
        try:
            observer.schedule(handler, self._root, recursive=True, event_filter=_told_events(events))
            observer.start()
        except OSError as error:
            logging.getLogger("watchdog").removeHandler(self._listener)
            return f"the system gives no more events ({error.strerror or error}); every look is a whole one"
        self._observer = observer
        _hold_moves_shortly(observer)
        return ""

    def stop(self) -> None:
        """Stop to listen."""
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
        """Note what an event names; called by watchdog in a thread of its own."""
        if event.event_type in _QUIET:
            return
        paths = [self._relative(path) for path in (event.src_path, getattr(event, "dest_path", "")) if path]
        with self._lock:
            self._events += 1
            if event.is_directory and event.event_type != "modified" and not _is_gits(paths):
                self._unsure_until = time.monotonic() + _FRESH_SECONDS
            self._touched.update(path for path in paths if path and not path.startswith(".git/"))

    def take(self) -> set[str] | None:
        """Return the files that were touched since the last time, None where that is not sure.

        Where events were lost, all folders are watched anew first, so that what the caller finds by
        looking at everything is followed by events from then on.
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
        """Note that events were lost and that folders may be unwatched."""
        with self._lock:
            self._has_lost = True

    def _begin_again(self) -> None:
        """Watch all folders anew; where that fails it is tried again at the next look."""
        self.stop()
        with self._lock:
            self._touched, self._events, self._has_lost = set(), 0, False
        if self.start():
            self._lose()

    def _wait_for_delivery(self) -> None:
        """Wait until no more events come in: what a caller has just written shall be seen."""
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
    """Tell whether the system or watchdog holds events that nobody was told, where that can be seen.

    On a busy machine watchdog may not get to read for longer than anybody waits.
    """
    if not observer.event_queue.empty():
        return True
    for emitter in observer.emitters:
        group = getattr(emitter, "_inotify", None)
        delayed = getattr(getattr(group, "_move_event_grouper", group), "_queue", None)
        if getattr(delayed, "_queue", ()) or _has_unread(group):
            return True
    return False


def _has_unread(group: Any) -> bool:
    """Tell whether the system holds events that watchdog (7 or 6) has not read."""
    reader = group
    for name in ("_inotify", "_inotify_fd", "_inotify_fd"):
        reader = getattr(reader, name, reader)
    if not isinstance(reader, int):
        return False
    try:
        import fcntl
        import termios

        return any(fcntl.ioctl(reader, termios.FIONREAD, bytes(4)))
    except (ImportError, OSError, ValueError):  # no such question here, or it is closed
        return False


def _told_events(events: Any) -> list[Any]:
    """Return the events to ask the system for: none where a file is only read.

    Reading a large workspace makes more of those than the system keeps, and with them the others are
    lost. The first class lets all events through that come; the others say which are asked for.
    """
    kinds = ("Created", "Deleted", "Modified", "Moved")
    named = [getattr(events, f"{what}{kind}Event") for what in ("File", "Dir") for kind in kinds]
    return [events.FileSystemEvent, *named, events.FileClosedEvent]


def _hold_moves_shortly(observer: Any) -> None:
    """Shorten the half second for which watchdog holds all events back behind a file that was moved out.

    Moves that are no pair then are a deletion and a creation, which is as good here.
    """
    for emitter in observer.emitters:
        group = getattr(emitter, "_inotify", None)
        queue = getattr(getattr(group, "_move_event_grouper", group), "_queue", None)
        for name in {"delay", "delay_sec"} & getattr(queue, "__dict__", {}).keys():  # watchdog 7 and 6
            setattr(queue, name, _DELIVERY_SECONDS / 4)


def _is_gits(paths: Sequence[str]) -> bool:
    return all(path == ".git" or path.startswith(".git/") for path in paths)


class _Listener(logging.Handler):
    """Takes every warning of watchdog as a loss: it says so when events were lost."""

    def __init__(self, lose: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lose = lose

    def emit(self, record: logging.LogRecord) -> None:
        """Note the loss."""
        self._lose()
