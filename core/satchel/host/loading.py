"""Import an entry point's module, find the hooks that it implements, and check the classes they return."""

from __future__ import annotations

import importlib
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from satchel.errors import Problem
from satchel.host.answers import BrokenContractError
from satchel.host.calling import GivenUpError, described
from satchel.host.kinds import Kind, Loaded
from satchel.interfaces import Later
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


CLASSES_ALLOWED = 1_000
"""Most classes of one kind that one entry point may return."""

Hook = Callable[[], object]
_MARKS = str.maketrans("", "", "_-.")
"""Takes away what a name may hold beside letters and digits."""


def import_entry(entry: Entry) -> object:
    """Import what the entry point names: a module, or an attribute of one."""
    module, _, attribute = entry.value.partition(":")
    found: object = importlib.import_module(module.strip())
    for name in filter(None, attribute.split("[")[0].strip().split(".")):
        found = getattr(found, name)
    return found


def hooks_of(module: object, name: str) -> Mapping[str, Hook]:
    """Return the hooks that a module implements; raise where it implements none or an unknown one."""
    import pluggy

    from satchel import hookspecs

    registry = pluggy.PluginManager("satchel")
    registry.add_hookspecs(hookspecs)
    registry.register(module, name)
    registry.check_pending()
    callers = registry.get_hookcallers(module) or []
    if not callers:
        raise BrokenContractError("implements no hook; mark its functions with @satchel.hookimpl")
    return {caller.name: caller.get_hookimpls()[0].function for caller in callers}


def returned_by(hook: Hook, kind: Kind, entry: Entry) -> list[Loaded | str]:
    """Return a plugin for each well-formed class that the hook returns, a reason for each other one."""
    classes = list(islice(cast("Iterable[object]", hook()), CLASSES_ALLOWED + 1))
    checked = [_checked(cls, kind, entry) for cls in classes[:CLASSES_ALLOWED]]
    if len(classes) > CLASSES_ALLOWED:
        checked.append(f"{kind.hook} returns more than {CLASSES_ALLOWED} classes; the rest is left out")
    return checked


def _checked(cls: object, kind: Kind, entry: Entry) -> Loaded | str:
    try:
        name = _name_of(cls, kind)
    except BrokenContractError as error:
        return f"{kind.hook} returns {_called(cls)}: {error}"
    return Loaded(kind, name, cls, entry.distribution, entry.version, entry.builtin)


def arrived(plugins: Sequence[Loaded]) -> list[Loaded | str]:
    """Return plugins that were named with their classes, a reason for each that can't be loaded."""
    return [_arrived(plugin) for plugin in plugins]


def _arrived(plugin: Loaded) -> Loaded | str:
    later: Later = plugin.cls
    try:
        cls = later.load()
        _check_named(cls, _own_name(cls, plugin.kind), later, plugin.kind)
    except (GivenUpError, KeyboardInterrupt):
        raise
    except BaseException as error:  # one that fails costs none of the others
        return described(error)
    return plugin._replace(cls=cls)


def _check_named(cls: Any, name: str, later: Later, kind: Kind) -> None:
    if name != later.name:
        raise BrokenContractError(f"{later.home} is called {name!r}, its hook calls it {later.name!r}")
    if kind is Kind.SCORER and later.kinds and later.kinds != frozenset(cls.kinds):
        raise BrokenContractError(f"{later.home} has other kinds than its hook says")


def _check_later(later: Later) -> str:
    module, colon, cls = str(later.home).partition(":")
    if not (module and colon and cls.isidentifier()):
        raise BrokenContractError(f"its home is {later.home!r:.60}, not `package.module:Class`")
    if not isinstance(later.kinds, frozenset) or not all(isinstance(one, str) for one in later.kinds):
        raise BrokenContractError("its kinds are no frozenset of texts")
    return _valid_name(later.name)


def _name_of(cls: object, kind: Kind) -> str:
    return _check_later(cls) if isinstance(cls, Later) else _own_name(cls, kind)


def _own_name(cls: object, kind: Kind) -> str:
    return _observer_name(cls) if kind is Kind.OBSERVER else _class_name(cls, kind)


def _called(cls: object) -> str:
    if isinstance(cls, Later):
        return f"{cls.home!r:.80} for later"
    if isinstance(cls, type):
        return f"class {cls.__name__}"
    return f"a {type(cls).__name__}"


def _class_name(cls: object, kind: Kind) -> str:
    """Return the plugin's name; raise where the class has not the shape of its kind."""
    if not isinstance(cls, type):
        raise BrokenContractError("it is no class")
    import attrs  # a command that needs no plugin does without

    if not attrs.has(cls):
        raise BrokenContractError("it is no attrs class; decorate it with @attrs.frozen")
    fields = attrs.fields_dict(cls)
    name = _valid_name(None if "name" in fields else getattr(cls, "name", None))
    missing = [method for method in kind.methods if not callable(getattr(cls, method, None))]
    missing += [name for name in kind.attributes if name not in fields and not hasattr(cls, name)]
    if missing:
        raise BrokenContractError(f"it has no {', '.join(missing)}, which a {kind.value} must have")
    _check_attributes(cls, kind)
    return name


def _valid_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise BrokenContractError("it has no class variable `name` that is a text")
    letters = name.translate(_MARKS)
    if len(name) > 100 or not (letters.isalnum() or not letters):
        raise BrokenContractError(f"its name {name!r:.60} has more than letters, digits, - _ and .")
    return str(name)


def _check_attributes(cls: Any, kind: Kind) -> None:
    if kind is Kind.SCORER:
        if cls.grain not in ("item", "part"):
            raise BrokenContractError(f"its grain is {cls.grain!r:.60}, not 'item' or 'part'")
        kinds = cls.kinds
        if not isinstance(kinds, frozenset | set | tuple) or not all(isinstance(one, str) for one in kinds):
            raise BrokenContractError("its kinds are no frozenset of texts")
    if kind is Kind.PROVIDER and cls.wave not in (1, 2):
        raise BrokenContractError(f"its wave is {cls.wave!r:.60}, not 1 or 2")
    if kind is Kind.REPRESENTER and not isinstance(cls.version, str):
        raise BrokenContractError("its version is no text")


def _observer_name(observer: object) -> str:
    if not callable(observer):
        raise BrokenContractError("it is not callable")
    name = getattr(observer, "name", None) or getattr(observer, "__name__", type(observer).__name__)
    return _valid_name(str(name).strip("<>"))
