"""Open the session of a store, make it if it is missing, and list the sessions of a store."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from satchel.paths import absolute
from satchel.session.chains import Chain
from satchel.session.history import History
from satchel.session.line import MAIN, Line, Readers
from satchel.session.nodes import MESSAGE, POOL_PREFIX, SessionError, check_name
from satchel.session.places import open_place
from satchel.session.store import BRANCH, Head, Known, Store
from satchel.spelling import nearest

if TYPE_CHECKING:
    from satchel.events import Event


class OpenSession(Line, Readers, History):
    """A session of a store and the place of its files; use it as a context manager, or call `close`.

    Several threads may share one, and several processes may have the same one open.
    """

    @classmethod
    def open(
        cls,
        id: str,  # noqa: A002 (the name that the command has)
        *,
        store: str | Path | None = None,
        root: str | Path = ".",
        create: bool = False,
        clock: Callable[[], float] = time.time,
        observe: Callable[[Event], None] | None = None,
    ) -> Self:
        """Open a session.

        Args:
            id: its name.
            store: folder or address of the store; by default what the user's configuration says, else a
                folder for each project in the user's state folder.
            root: the project.
            create: whether a session, and a store, that is missing is made.
            clock: seconds since the epoch.
            observe: is told what happens.

        Raises:
            SessionError: there is no such session.
            StoreError: the store is missing, newer, or can't be opened.
            DamageError: the store is damaged.
        """
        check_name(id, "session")
        here = absolute(root)
        opened = open_place(store, here, create=create)
        return cls.of_store(
            opened.store, id, folder=opened.folder, root=here, create=create, clock=clock, observe=observe
        )

    @classmethod
    def of_store(
        cls,
        store: Store,
        id: str,  # noqa: A002 (as `open` has it)
        *,
        folder: str | Path,
        root: str | Path = ".",
        create: bool = False,
        clock: Callable[[], float] = time.time,
        observe: Callable[[Event], None] | None = None,
    ) -> Self:
        """Open a session of any store: its snapshots go to `folder`, the rest is as in `open`."""
        try:
            places = absolute(folder), absolute(root)
            known = _find_or_make(store, check_name(id, "session"), create=create, now=float(clock()))
            session = cls(store, known, clock=clock, observe=observe)
        except BaseException:
            store.close()
            raise
        session.folder, session.root = places
        return session

    folder: Path
    """Where the store's file and the snapshots are."""
    root: Path
    """The project, even if the process changes its folder after the session was opened."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def describe_sessions(store: Store) -> list[dict[str, Any]]:
    """Return a description of each session of a store."""
    with store.reading() as moment:
        found = []
        for known in moment.sessions():
            head = moment.head(known.number, BRANCH, known.branch)
            node = head.node if head else ""
            found.append(
                {
                    "session": known.name,
                    "branch": known.branch,
                    "head": node,
                    "messages": Chain(moment, known, node).last_of(MESSAGE)[0],
                    "created": known.created,
                }
            )
        return found


def sessions_of(store: Store) -> list[Known]:
    """Return the sessions of a store, by name."""
    with store.reading() as moment:
        return moment.sessions()


def _find_or_make(store: Store, name: str, *, create: bool, now: float) -> Known:
    with store.reading() as moment:
        found = moment.session(name)
        if found is None and not create:
            raise SessionError(name, _missing(store.place, name, [one.name for one in moment.sessions()]))
    return found or _make_session(store, name, now)


def _make_session(store: Store, name: str, now: float) -> Known:
    with store.writing() as moment:
        # All are read, so that one damaged name does not begin a new session.
        found = next((one for one in moment.sessions() if one.name == name), None)
        if found is not None:
            return found
        known = moment.put_session(Known(0, name, os.urandom(8).hex(), now, MAIN))
        moment.put_head(known.number, Head(BRANCH, MAIN, "", now))
        return known


def _missing(place: str, name: str, names: list[str]) -> str:
    is_pool = name.startswith(POOL_PREFIX)
    alike = [one.removeprefix(POOL_PREFIX) for one in names if one.startswith(POOL_PREFIX) == is_pool]
    near = nearest(name.removeprefix(POOL_PREFIX), alike)
    hint = f", did you mean {near!r}?" if near else f"; it has {', '.join(alike[:20]) or 'none'}"
    return f"is not in {place}{hint}"
