"""What the working tree differs in from git's index and HEAD: asked whole once, then of touched files."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Sequence

from satchel.errors import WorkspaceError
from satchel.workspace.git import Git
from satchel.workspace.patches import Status

_MOST_TOUCHED = 100
"""Files that git is asked about by name; where more were touched it looks at all of them again."""
_Change = tuple[str, str]


class Standing:
    """The status of one repository, for as long as its HEAD, its index and its settings stay."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._known: Status | None = None
        self._touched: set[str] = set()
        self._lock = threading.Lock()

    def touch(self, paths: Collection[str]) -> None:
        """Note files that may have changed since the last question."""
        self._touched.update(paths)

    def status(self) -> Status:
        """Return what `Git.status` does.

        Raises:
            WorkspaceError: git can't tell.
        """
        with self._lock:
            touched, self._touched = self._touched, set()
            try:
                self._known = self._asked(sorted(touched))
            except WorkspaceError:
                self._known = None
                raise
            return self._known

    def _asked(self, touched: Sequence[str]) -> Status:
        if self._known is None or len(touched) > _MOST_TOUCHED:
            return self._git.status()
        if not touched:
            return self._known
        return _brought_up_to_date(self._known, self._git.status(touched), frozenset(touched))


def _brought_up_to_date(known: Status, fresh: Status, touched: frozenset[str]) -> Status:
    """Return a status in which a fresh one tells of the touched files."""
    conflicts = {path for path in known.conflicts if path not in touched} | set(fresh.conflicts)
    return Status(
        fresh.branch,
        fresh.head,
        _joined(known.staged, fresh.staged, touched),
        _joined(known.unstaged, fresh.unstaged, touched),
        tuple(sorted(conflicts, key=os.fsencode)),
    )


def _joined(
    known: Sequence[_Change], fresh: Sequence[_Change], touched: frozenset[str]
) -> tuple[_Change, ...]:
    """Put both in git's order, which is that of the paths' bytes."""
    changes = [*(change for change in known if change[1] not in touched), *fresh]
    return tuple(sorted(changes, key=lambda change: os.fsencode(change[1])))
