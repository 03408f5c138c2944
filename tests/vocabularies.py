"""The vocabulary, kept once for all tests: a process that finds it does not load a third of a second long."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

from satchel_plugins.tokenizers import keep_ranks


def lend_vocabularies(cache: Path) -> Path:
    """Put the vocabulary into a cache as an earlier run leaves it; return the cache."""
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = cache / "vocabularies"
    if not place.exists():
        place.symlink_to(_kept())
    return cache


@functools.cache
def _kept() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="satchel-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    keep_ranks("o200k_base", folder)
    return folder
