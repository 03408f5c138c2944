"""Where satchel keeps what it can make again: the user's cache folder, never the workspace."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path


def cache_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder for caches: `SATCHEL_CACHE_DIR`, or `satchel` in the user's cache folder."""
    chosen = (os.environ if env is None else env).get("SATCHEL_CACHE_DIR", "")
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("satchel", appauthor=False))


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the person alone.

    Raises OSError, also where others could put files of their own into it.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)
    if not hasattr(os, "geteuid"):
        return
    facts = folder.stat()
    if not stat.S_ISDIR(facts.st_mode):
        raise NotADirectoryError(20, "is not a folder", str(folder))
    if facts.st_mode & 0o022 and facts.st_uid == os.geteuid():
        folder.chmod(stat.S_IMODE(facts.st_mode) & ~0o022)
    elif facts.st_uid != os.geteuid() and (os.geteuid() or facts.st_mode & 0o022):
        raise PermissionError(1, "belongs to another user, who could change what is kept there", str(folder))
