"""What an earlier run leaves in a cache, made once for all tests: a vocabulary and the table of plugins."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

from satchel import Host
from satchel_plugins.tokenizers import keep_ranks


def lend_cache(cache: Path) -> Path:
    """Put the vocabulary into a cache as an earlier run leaves it; return the cache."""
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = cache / "vocabularies"
    if not place.exists():
        place.symlink_to(_kept() / "vocabularies")
    for name, content in _tables().items():
        (cache / name).write_bytes(content)
    return cache


@functools.cache
def _kept() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="satchel-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    keep_ranks("o200k_base", folder / "vocabularies")
    Host.installed(cache_dir=folder)
    return folder


@functools.cache
def _tables() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in _kept().glob("plugins-*.json")}
