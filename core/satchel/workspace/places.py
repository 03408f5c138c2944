"""Where satchel keeps what it can make again: the user's cache folder, never the workspace."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def cache_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder for caches: `SATCHEL_CACHE_DIR`, or `satchel` in the user's cache folder."""
    chosen = (os.environ if env is None else env).get("SATCHEL_CACHE_DIR", "")
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("satchel", appauthor=False))
