"""Where satchel keeps files of its own: the user's folders for caches and state, never the workspace."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from satchel.private_files import expanded, make_private_folder

__all__ = ["cache_folder", "make_private_folder", "state_folder"]


def cache_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder for what can be made again: `SATCHEL_CACHE_DIR`, or the user's cache folder.

    Raises:
        UsageError: it begins with a home folder that does not exist.
    """
    return _chosen("SATCHEL_CACHE_DIR", env) or _usual("cache")


def state_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder for what can't be made again: `SATCHEL_STATE_DIR`, or the user's state folder.

    Raises:
        UsageError: it begins with a home folder that does not exist.
    """
    return _chosen("SATCHEL_STATE_DIR", env) or _usual("state")


def _chosen(variable: str, env: Mapping[str, str] | None) -> Path | None:
    text = (os.environ if env is None else env).get(variable, "")
    return expanded(text, variable) if text else None


def _usual(kind: str) -> Path:
    import platformdirs

    find = platformdirs.user_cache_dir if kind == "cache" else platformdirs.user_state_dir
    folder = Path(find("satchel", appauthor=False))
    if folder.is_absolute():
        return folder
    from satchel.errors import UsageError  # nobody's folder would be one in the workspace

    raise UsageError(f"there is no home folder for {kind} files; set SATCHEL_{kind.upper()}_DIR, or HOME")
