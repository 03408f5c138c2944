"""The table of installed entry points, kept in the cache folder because looking costs 50 ms.

The table is used as long as the fingerprint of the import path is the same: the names of all
metadata folders, and each `entry_points.txt` with its time and size. Install, uninstall, upgrade,
and an entry point edited in place all change one of them.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel.errors import Problem
from satchel.private_files import read_record, write_record

if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUP = "satchel"
_FORM = 1  # of the file; another number is not read
_METADATA = (".dist-info", ".egg-info")


class Entry(NamedTuple):
    """One entry point of the group `satchel`, not loaded yet."""

    name: str
    value: str
    """`module` or `module:attribute`."""
    distribution: str
    version: str
    editable: bool = False
    """Whether its code may change without a new version."""
    hooks: tuple[str, ...] | None = None
    """The hooks that its module was seen to implement, None where that isn't known."""

    @property
    def builtin(self) -> bool:
        """Whether it is satchel's own."""
        return self.name == "builtin" and self.distribution == "satchel"

    def may_have(self, hook: str) -> bool:
        """Tell whether its module must be loaded to answer this hook."""
        return self.hooks is None or hook in self.hooks


class Table(NamedTuple):
    """Installed entry points by name, and what was unreadable on the way."""

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()


def installed(cache_dir: Path | None) -> Table:
    """Return the installed entry points, from the cache where nothing has changed since."""
    paths = _import_path()
    if cache_dir is None:
        return _scan(paths)
    fingerprint = [_fingerprint(path) for path in paths]
    file = _table_file(cache_dir)
    kept = _from_record(read_record(file), fingerprint)
    if kept is not None:
        return kept
    table = _scan(paths)
    write_record(file, _to_record(table, fingerprint))
    return table


def remember_hooks(cache_dir: Path, seen: Sequence[Entry]) -> None:
    """Note in the cached table which hooks these entries' modules implement."""
    file = _table_file(cache_dir)
    record = read_record(file)
    known = {(entry.name, entry.distribution, entry.version): entry for entry in seen if not entry.editable}
    table = _from_record(record, record.get("fingerprint"))
    if table is None or not known:
        return
    entries = tuple(known.get((e.name, e.distribution, e.version), e) for e in table.entries)
    write_record(file, _to_record(table._replace(entries=entries), record["fingerprint"]))


def _table_file(cache_dir: Path) -> Path:
    return cache_dir / f"plugins-{zlib.crc32(os.fsencode(sys.prefix)):08x}.json"


def _import_path() -> list[str]:
    """Return the import path without the current folder: `python -m` puts it there, whoever owns it."""
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    try:
        here = os.getcwd()
    except FileNotFoundError:  # the folder was deleted under us
        here = ""
    return [path for path in dict.fromkeys(sys.path) if path and (path != here or path in named)]


def _fingerprint(path: str) -> list[Any]:
    """Return what changes with what is installed in a folder, or with the archive that stands for one."""
    try:
        if os.path.isdir(path):
            return [path, 0, sorted(_metadata_files(path))]
        return [path, os.stat(path).st_mtime_ns, []]
    except OSError:
        return [path, 0, []]


def _metadata_files(path: str) -> Iterator[list[Any]]:
    with os.scandir(path) as found:
        names = [entry.name for entry in found if entry.name.endswith(_METADATA)]
    for name in names:
        try:
            facts = os.stat(os.path.join(path, name, "entry_points.txt"))
        except OSError:
            yield [name, 0, 0]
        else:
            yield [name, facts.st_mtime_ns, facts.st_size]


def _scan(paths: Sequence[str]) -> Table:
    from importlib.metadata import distributions

    entries: dict[str, list[Entry]] = {}
    problems: list[Problem] = []
    for distribution in distributions(path=list(paths)):
        try:
            found = _entries_of(distribution)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"its metadata can't be read: {error}; install it again"
            problems.append(Problem(_place(distribution), "load", reason, _place(distribution)))
            continue
        if found:
            entries.setdefault(normal(found[0].distribution), found)
    ordered = sorted((e for found in entries.values() for e in found), key=lambda e: (e.name, e.distribution))
    return Table(tuple(ordered), tuple(problems))


def _entries_of(distribution: Distribution) -> list[Entry]:
    text = distribution.read_text("entry_points.txt")
    if not text or GROUP not in text:
        return []
    found = [point for point in distribution.entry_points if point.group == GROUP]
    if not found:
        return []
    name, version = distribution.metadata["Name"], distribution.version
    editable = _is_editable(distribution)
    return [Entry(point.name, point.value, str(name), str(version or ""), editable) for point in found]


def _is_editable(distribution: Distribution) -> bool:
    """Tell whether the code may change under an installed version (PEP 610; egg-info: always)."""
    origin = distribution.read_text("direct_url.json") or ""
    return (
        '"editable": true' in origin
        or '"editable":true' in origin
        or not _place(distribution).endswith(".dist-info")
    )


def _place(distribution: Distribution) -> str:
    return Path(str(getattr(distribution, "_path", "a distribution"))).name


def normal(distribution: str) -> str:
    """Return the name as PEP 503 compares names."""
    return "-".join(
        part for part in distribution.lower().replace("_", "-").replace(".", "-").split("-") if part
    )


def _to_record(table: Table, fingerprint: object) -> dict[str, Any]:
    return {
        "form": _FORM,
        "fingerprint": fingerprint,
        "entries": [[e.name, e.value, e.distribution, e.version, e.editable, e.hooks] for e in table.entries],
        "problems": [[p.plugin, p.stage, p.error, p.distribution] for p in table.problems],
    }


def _from_record(record: dict[str, Any], fingerprint: object) -> Table | None:
    if record.get("form") != _FORM or record.get("fingerprint") != fingerprint:
        return None
    try:
        entries = tuple(_entry(row) for row in record["entries"])
        return Table(entries, tuple(Problem(*map(str, row)) for row in record["problems"]))
    except (KeyError, TypeError, ValueError):
        return None


def _entry(row: Sequence[Any]) -> Entry:
    name, value, distribution, version, editable, hooks = row
    seen = None if hooks is None else tuple(map(str, hooks))
    return Entry(str(name), str(value), str(distribution), str(version), bool(editable), seen)
