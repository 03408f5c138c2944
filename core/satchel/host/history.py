"""Which versions of which distributions have run here before: announced, and survived."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from satchel.host.entries import Entry
from satchel.host.kinds import Kind, Origin
from satchel.private_files import read_record, write_record


def survival_key(origin: Origin, hook: str) -> str:
    """Name one distribution version's plugins of one kind."""
    return f"{origin.distribution} {origin.version} {hook}"


class History:
    """First uses, kept in the cache folder; without one, each process begins anew."""

    def __init__(self, cache_dir: Path | None) -> None:
        self._file = cache_dir / "plugins-used.json" if cache_dir else None
        self._announced: set[str] | None = None

    def is_first_use(self, origin: Origin) -> bool:
        """Tell whether this version of its distribution was never used before, and note that it is now."""
        version = f"{origin.distribution} {origin.version}"
        if self._announced is None:
            self._announced = self._read("announced")
        if version in self._announced:
            return False
        self._announced.add(version)
        self._add("announced", [version])
        return True

    def unproven(self, entries: Iterable[Entry]) -> tuple[str, ...]:
        """Return the third-party distributions that have plugins which never came back from a call here."""
        survived = self._read("survived")
        return tuple(
            dict.fromkeys(e.distribution for e in entries if not e.builtin and not _is_proven(e, survived))
        )

    def survived(self, keys: Iterable[str]) -> None:
        """Note what ran to the end."""
        self._add("survived", keys)

    def _read(self, key: str) -> set[str]:
        names = read_record(self._file).get(key) if self._file else None
        return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()

    def _add(self, key: str, names: Iterable[str]) -> None:
        if self._file is None:
            return
        record = read_record(self._file)
        before = self._read(key)
        after = before.union(names)
        if after != before:
            write_record(self._file, record | {key: sorted(after)})


def _is_proven(entry: Entry, survived: set[str]) -> bool:
    """Tell whether all of its kinds have survived; code that may change under its version never has."""
    if entry.editable or entry.hooks is None:
        return False
    kinds = {kind.hook for kind in Kind}
    return all(survival_key(entry, hook) in survived for hook in entry.hooks if hook in kinds)
