"""What the sessions below a folder point to in the archive: it stays when the rest is pruned."""

from __future__ import annotations

from pathlib import Path

from satchel.session.sqlite.opening import open_store


def needed(folder: Path) -> set[str]:
    """Return the hashes, some of them shortened, that sessions of the stores in a folder name.

    Raises:
        SatchelError: a store can't be read.
    """
    found: set[str] = set()
    for path in (folder / "sessions.sqlite", *sorted((folder / "sessions").glob("*/sessions.sqlite"))):
        if path.is_file():
            store = open_store(path)
            try:
                found.update(store.texts("SELECT hash FROM blobs"))
            finally:
                store.close()
    return found
