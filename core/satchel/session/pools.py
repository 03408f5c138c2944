"""Pools: notes and files that several agents share; all sessions that name a pool see each addition."""

from __future__ import annotations

from pathlib import Path

import attrs

from satchel.errors import UsageError
from satchel.session.nodes import POOL_PREFIX
from satchel.session.opening import OpenSession

KIND = "note"
_MOST_CHARS = 20_000
SHOWN = 100
"""Most notes that a window considers, the newest."""


@attrs.frozen
class Note:
    """One entry of a pool."""

    id: str
    at: float
    author: str
    """The session or the agent that added it, "" if not given."""
    text: str
    path: str = ""
    """The file that the note is about."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return its forms in a window: all of it, or its first line."""
        who = f"{self.author}: " if self.author else ""
        about = f" [{self.path}]" if self.path else ""
        first, _, rest = self.text.partition("\n")
        full = f"{who}{self.text}{about}\n"
        return (full, f"{who}{first[:160]}{about}\n") if rest.strip() or len(first) > 160 else (full,)


def is_pool(name: str) -> bool:
    """Return whether a session of that name holds a pool."""
    return name.startswith(POOL_PREFIX)


def add_note(
    pool: str, text: str, *, store: str | Path | None, root: str | Path, author: str = "", path: str = ""
) -> Note:
    """Put a note into a pool, which is made if missing; the note is on the disk when this returns.

    Raises:
        UsageError: the note is empty or too long.
    """
    if not text.strip():
        raise UsageError("the note is empty; give it with --text or on stdin")
    if len(text) > _MOST_CHARS:
        raise UsageError(
            f"the note has {len(text):,} characters; the limit is {_MOST_CHARS:,}. "
            "Put it into a file and name the file"
        )
    from satchel.installed import make_user_scanners

    scanners, said = make_user_scanners(), {"text": text, "author": author, "path": path}
    with OpenSession.open(f"{POOL_PREFIX}{pool}", store=store, root=root, create=True) as held:
        body = {key: scanners.redact(told).text for key, told in said.items()}
        node = held.record(KIND, body)
    return Note(node.id, node.at, **body)


def notes_of(pool: str, *, store: str | Path | None, root: str | Path) -> list[Note]:
    """Return the newest notes of a pool, oldest first; SessionError if there is no such pool."""
    with OpenSession.open(f"{POOL_PREFIX}{pool}", store=store, root=root) as held:
        nodes = held.happenings(KIND, last=SHOWN)
    return [Note(node.id, node.at, **node.body) for node in nodes]
