"""Which versions of which distributions have been used here before."""

from __future__ import annotations

from pathlib import Path

from satchel.host.kinds import Origin
from satchel.private_files import read_record, write_record

_KEY = "announced"


class History:
    """First uses, kept in the cache folder; without one, each process begins anew."""

    def __init__(self, cache_dir: Path | None) -> None:
        self._file = cache_dir / "plugins-used.json" if cache_dir else None
        self._announced: set[str] | None = None

    def is_first_use(self, origin: Origin) -> bool:
        """Tell whether this version of its distribution was never used before, and note that it is now."""
        version = f"{origin.distribution} {origin.version}"
        if self._announced is None:
            self._announced = self._read()
        if version in self._announced:
            return False
        self._announced.add(version)
        if self._file is not None:
            known = self._read() | self._announced
            write_record(self._file, read_record(self._file) | {_KEY: sorted(known)})
        return True

    def _read(self) -> set[str]:
        names = read_record(self._file).get(_KEY) if self._file else None
        return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()
