"""Import the module of an entry point or of a plugin file, find its hooks, and check their classes."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.machinery import SourceFileLoader
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel.errors import Problem, UsageError
from satchel.host.answers import BrokenContractError, describe
from satchel.host.calling import GivenUpError, describe_error
from satchel.host.kinds import PROTOCOLS, Loaded, PluginKind
from satchel.interfaces import Later
from satchel.patterns import lazily
from satchel.private_files import read_record, why_not_a_persons, write_record
from satchel.spelling import nearest

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_FEWEST = {PluginKind.COMPRESSOR: 3}
"""Arguments that a method of an older plugin may end with."""


class _Arguments(NamedTuple):
    """The arguments with which the host calls a method: names by position, and by name."""

    by_position: tuple[str, ...]
    by_name: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Show them as in a call."""
        return ", ".join((*self.by_position, *(f"{name}=..." for name in self.by_name)))


def check_signatures(cls: type, kind: PluginKind) -> None:
    """Raise BrokenContractError if a method of a class does not take the host's arguments."""
    protocol = PROTOCOLS[kind]
    for method in (*kind.methods, *kind.optional_methods):
        found = inspect.getattr_static(cls, method, None)
        function = found.__func__ if isinstance(found, staticmethod | classmethod) else found
        if not isinstance(function, FunctionType):
            continue  # a callable of another type checks its own arguments
        given = _read_arguments(getattr(protocol, method))
        bound = () if isinstance(found, staticmethod) else ("self",)
        fewest = _FEWEST.get(kind, len(given.by_position))
        _check_function(function, given, bound=bound, fewest=fewest)


def check_observer(observer: Callable[..., object]) -> None:
    """Raise BrokenContractError if an observer, a class or another callable, does not take an event."""
    found = inspect.getattr_static(observer, "__call__", None) if isinstance(observer, type) else observer
    if isinstance(found, FunctionType):
        _check_function(
            found, _Arguments(("event",)), bound=("self",) if isinstance(observer, type) else (), fewest=1
        )


def _read_arguments(method: Any) -> _Arguments:
    code = method.__code__
    names = code.co_varnames
    by_position = names[1 : code.co_argcount]
    return _Arguments(by_position, names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])


def _check_function(
    function: FunctionType, given: _Arguments, *, bound: tuple[str, ...], fewest: int
) -> None:
    code = function.__code__
    if code.co_flags & inspect.CO_COROUTINE:
        raise BrokenContractError(
            f"its {code.co_name} is async, expected a plain function ({place_of(code)})"
        )
    plain = not given.by_name and not code.co_kwonlyargcount and not function.__defaults__
    if plain and code.co_argcount == len(bound) + len(given.by_position):
        return  # nearly all: asking for a signature takes a hundred times as long
    signature = inspect.signature(function)
    for count in range(len(given.by_position), fewest - 1, -1):
        try:
            signature.bind(*bound, *given.by_position[:count], **dict.fromkeys(given.by_name))
        except TypeError:
            continue
        return
    bare = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    taken = inspect.Signature(bare)
    raise BrokenContractError(
        f"its {code.co_name}{taken} can't be called with ({given}), as satchel does ({place_of(code)})"
    )


def place_of(code: CodeType) -> str:
    """Return the file and line at which a function begins."""
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"


def place_of_class(cls: type) -> str:
    """Return the file and line at which a class begins, "" if unknown."""
    try:
        return f"{os.path.basename(inspect.getfile(cls))}:{inspect.getsourcelines(cls)[1]}"
    except (OSError, TypeError):  # it has no source
        return ""


VARIABLE = "SATCHEL_PLUGIN_FILES"
"""Files to load as plugins, separated as in PATH; `--plugin FILE` adds to it."""
_LARGEST = 4 << 20
"""Bytes of the largest file that is loaded as a plugin."""


def plugin_folder() -> Path:
    """Return the user's own plugin folder, whose `*.py` files are loaded; never one of a workspace."""
    from platformdirs import user_config_path

    return user_config_path("satchel", appauthor=False) / "plugins"


def check_plugin_file(name: str) -> str:
    """Return the absolute path of a file to load as a plugin.

    Raises:
        UsageError: it is not a Python file that can be read.
    """
    path = Path(name).expanduser()
    if not path.is_file():
        reason = "is a folder; name a Python file in it" if path.is_dir() else "no such file"
        raise UsageError(f"--plugin {name}: {reason}")
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise UsageError(f"--plugin {name}: expected a Python file with a plain name, like owners.py")
    if os.pathsep in str(path.resolve()):
        raise UsageError(f"--plugin {name}: its path has a {os.pathsep!r}, which separates files")
    return str(path.resolve())


def list_plugin_files() -> frozenset[str]:
    """Return the names of the files in the environment, which `--plugin` adds."""
    return frozenset(_name_of(Path(one)) for one in os.environ.get(VARIABLE, "").split(os.pathsep) if one)


def _name_of(path: Path) -> str:
    """Return the name of a plugin file in messages: for a package's `__init__.py` that of the package."""
    return path.parent.name if path.name == "__init__.py" else path.name


def find_plugin_files() -> tuple[list[tuple[Path, str]], list[Problem]]:
    """Return the files named in the environment, and those of the user's folder, and problems.

    Each file comes with the hash of its content. A file in the user's folder that somebody else may have
    written is not loaded.
    """
    named = os.environ.get(VARIABLE, "")
    files: list[tuple[Path, str]] = []
    problems: list[Problem] = []
    for path, is_named in (*((Path(one), True) for one in named.split(os.pathsep) if one), *_own_files()):
        reason, data = "" if is_named else why_not_a_persons(path), b""
        try:
            data = b"" if reason else _read(path)
        except (OSError, ValueError) as error:
            cause = getattr(error, "strerror", None)
            reason = f"can't be read: {cause}" if cause else str(error)
        if reason:
            problems.append(Problem(path.stem, "load", f"{path} is not loaded: it {reason}", _name_of(path)))
        elif all(path != known for known, _ in files):
            files.append((path, f"{zlib.crc32(data):08x}"))
    return files, problems


class _SourceOnly(SourceFileLoader):
    """Compiles the source each time: bytecode goes stale unseen if a file changes twice within a second."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def import_file(path: str) -> object:
    """Import a plugin file under a name of its own, and return its module."""
    name = f"satchel_plugin_{Path(path).stem}_{zlib.crc32(os.fsencode(path)):08x}"
    loader = _SourceOnly(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # as any module while it is imported: attrs looks classes up there
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _own_files() -> Iterator[tuple[Path, bool]]:
    try:
        found = sorted(plugin_folder().glob("*.py"))
    except OSError:
        return
    yield from ((path, False) for path in found if path.stem.isidentifier())


def _read(path: Path) -> bytes:
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"is larger than {_LARGEST:,} bytes")
    return path.read_bytes()


GROUP = "satchel"
_FORM = 1  # format of the file; a file with another number is ignored
_SCHEME = lazily(r"[a-z][a-z0-9+.-]+", re.ASCII)
_METADATA = (".dist-info", ".egg-info")


class EntryPoint(NamedTuple):
    """One entry point of the group `satchel`, not loaded."""

    name: str
    value: str
    """`module` or `module:attribute`; of a plugin file, its absolute path."""
    distribution: str
    version: str
    editable: bool = False
    """Whether its code may change without a new version."""
    hooks: tuple[str, ...] | None = None
    """The hooks that its module is known to implement, None if unknown."""
    trusted: bool = False
    """Whether the person trusts its distribution."""
    named: bool = False
    """Whether it is a file that the person named, so that the run must not go on without it."""

    @property
    def builtin(self) -> bool:
        """Return whether it is satchel's own."""
        return self.name == "builtin" and self.distribution == "satchel"

    def may_have(self, hook: str) -> bool:
        """Return whether its module must be loaded to answer this hook."""
        return self.hooks is None or hook in self.hooks


class EntryTable(NamedTuple):
    """Installed entry points by name, and the metadata that could not be read."""

    entries: tuple[EntryPoint, ...]
    problems: tuple[Problem, ...] = ()


def find_entries(cache_dir: Path | None) -> EntryTable:
    """Return the installed entry points, from the cache if nothing has changed, and plugin files."""
    table = _find_installed(cache_dir)
    files, problems = find_plugin_files()
    named = list_plugin_files()
    entries = (
        EntryPoint(
            path.stem, str(path), _name_of(path), version, editable=True, named=_name_of(path) in named
        )
        for path, version in files
    )
    return EntryTable((*table.entries, *entries), (*table.problems, *problems))


def _find_installed(cache_dir: Path | None) -> EntryTable:
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


def remember_hooks(cache_dir: Path, seen: Sequence[EntryPoint]) -> None:
    """Store in the cached table which hooks these entries' modules implement."""
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
    """Return the import path without the current folder, which `python -m` adds and anyone may own."""
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    try:
        here = os.getcwd()
    except FileNotFoundError:  # the folder was deleted
        here = ""
    return [path for path in dict.fromkeys(sys.path) if path and (path != here or path in named)]


def _fingerprint(path: str) -> list[Any]:
    """Return a fingerprint of the installed packages in a folder or archive of the import path."""
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
            facts = os.stat(f"{path}{os.sep}{name}{os.sep}entry_points.txt")
        except OSError:
            yield [name, 0, 0]
        else:
            yield [name, facts.st_mtime_ns, facts.st_size]


def _scan(paths: Sequence[str]) -> EntryTable:
    from importlib.metadata import distributions

    entries: dict[str, list[EntryPoint]] = {}
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
    return EntryTable(tuple(ordered), tuple(problems))


def _entries_of(distribution: Distribution) -> list[EntryPoint]:
    text = distribution.read_text("entry_points.txt")
    if not text or GROUP not in text:
        return []
    found = [point for point in distribution.entry_points if point.group == GROUP]
    if not found:
        return []
    name, version = distribution.metadata["Name"], distribution.version
    editable = _is_editable(distribution)
    return [EntryPoint(point.name, point.value, str(name), str(version or ""), editable) for point in found]


def _is_editable(distribution: Distribution) -> bool:
    """Return whether the code may change without a new version (PEP 610; always for egg-info)."""
    origin = distribution.read_text("direct_url.json") or ""
    return (
        '"editable": true' in origin
        or '"editable":true' in origin
        or not _place(distribution).endswith(".dist-info")
    )


def _place(distribution: Distribution) -> str:
    return Path(str(getattr(distribution, "_path", "a distribution"))).name


def normal(distribution: str) -> str:
    """Normalize a distribution's name as in PEP 503."""
    return "-".join(
        part for part in distribution.lower().replace("_", "-").replace(".", "-").split("-") if part
    )


def _to_record(table: EntryTable, fingerprint: object) -> dict[str, Any]:
    return {
        "form": _FORM,
        "fingerprint": fingerprint,
        "entries": [[e.name, e.value, e.distribution, e.version, e.editable, e.hooks] for e in table.entries],
        "problems": [[p.plugin, p.stage, p.error, p.distribution] for p in table.problems],
    }


def _from_record(record: dict[str, Any], fingerprint: object) -> EntryTable | None:
    if record.get("form") != _FORM or record.get("fingerprint") != fingerprint:
        return None
    try:
        entries = tuple(_entry(row) for row in record["entries"])
        return EntryTable(entries, tuple(Problem(*map(str, row)) for row in record["problems"]))
    except (KeyError, TypeError, ValueError):
        return None


def _entry(row: Sequence[Any]) -> EntryPoint:
    name, value, distribution, version, editable, hooks = row
    seen = None if hooks is None else tuple(map(str, hooks))
    return EntryPoint(str(name), str(value), str(distribution), str(version), bool(editable), seen)


CLASSES_ALLOWED = 1_000
"""Most classes of one kind that one entry point may return."""

Hook = Callable[[], object]
_MARKS = str.maketrans("", "", "_-.")
"""Removes the characters of a name besides letters and digits."""


def import_entry(entry: EntryPoint) -> object:
    """Import the object that the entry point names: a module or an attribute of one."""
    if os.path.isabs(entry.value):
        return import_file(entry.value)
    module, _, attribute = entry.value.partition(":")
    found: object = importlib.import_module(module.strip())
    for name in filter(None, attribute.split("[")[0].strip().split(".")):
        found = getattr(found, name)
    return found


def hooks_of(module: object, name: str) -> Mapping[str, Hook]:
    """Return the hooks that a module implements; raise if it implements none or an unknown one."""
    import pluggy

    from satchel import hookspecs

    registry = pluggy.PluginManager("satchel")
    registry.add_hookspecs(hookspecs)
    try:
        registry.register(module, name)
        registry.check_pending()
    except pluggy.PluginValidationError as error:
        raise BrokenContractError(_describe_wrong_hook(module) or str(error)) from error
    callers = registry.get_hookcallers(module) or []
    if not callers:
        raise BrokenContractError("implements no hook; mark its functions with @hookimpl")
    return {caller.name: caller.get_hookimpls()[0].function for caller in callers}


def _describe_wrong_hook(module: object) -> str:
    """Return the function of a module that is marked as a hook but can't be one, "" if there is none."""
    known = [kind.hook for kind in PluginKind]
    for name, found in vars(module).items():
        code = getattr(found, "__code__", None)
        if not hasattr(found, "satchel_impl"):
            continue
        place = f" ({place_of(code)})" if code else ""
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near}?" if near else f"hooks are {', '.join(known)}"
            return f"there is no hook {name}, {hint}{place}"
        if code and code.co_argcount > len(found.__defaults__ or ()):
            taken = ", ".join(code.co_varnames[: code.co_argcount])
            return f"{name}({taken}) takes arguments, expected {name}(): a hook is called with none{place}"
    return ""


def call_hook(hook: Hook, kind: PluginKind, entry: EntryPoint) -> list[Loaded | str]:
    """Return a plugin for each well-formed class that the hook returns, and a reason for each other one."""
    answer = hook()
    if not isinstance(answer, Iterable):
        code = getattr(hook, "__code__", None)
        place = f" ({place_of(code)})" if code else ""
        raise BrokenContractError(
            f"{kind.hook} returns {_describe_class(answer)}, expected a list of classes{place}"
        )
    classes = list(islice(answer, CLASSES_ALLOWED + 1))
    checked = [_check_class(cls, kind, entry) for cls in classes[:CLASSES_ALLOWED]]
    if len(classes) > CLASSES_ALLOWED:
        checked.append(f"{kind.hook} returns more than {CLASSES_ALLOWED} classes; the rest is left out")
    return checked


def _check_class(cls: object, kind: PluginKind, entry: EntryPoint) -> Loaded | str:
    try:
        name = _check_later(cls) if isinstance(cls, Later) else _plugin_name(cls, kind)
    except BrokenContractError as error:
        return f"{kind.hook} returns {_describe_class(cls)}: {_with_place(str(error), cls)}"
    return Loaded(kind, name, cls, entry.distribution, entry.version, entry.builtin, entry.trusted)


def _with_place(reason: str, cls: object) -> str:
    """Add where a class begins to a reason that names no place."""
    place = place_of_class(cls) if isinstance(cls, type) and not reason.endswith(")") else ""
    return f"{reason} ({place})" if place else reason


def import_plugins(plugins: Sequence[Loaded]) -> list[Loaded | str]:
    """Return the named plugins with their classes, or a reason for each that can't be loaded."""
    return [_import_plugin(plugin) for plugin in plugins]


def _import_plugin(plugin: Loaded) -> Loaded | str:
    later: Later = plugin.cls
    try:
        cls = later.load()
        _check_matches(cls, _plugin_name(cls, plugin.kind), later, plugin.kind)
    except (GivenUpError, KeyboardInterrupt):
        raise
    except BaseException as error:  # one failure does not affect the others
        return describe_error(error)
    return plugin._replace(cls=cls)


def _check_matches(cls: Any, name: str, later: Later, kind: PluginKind) -> None:
    if name != later.name:
        raise BrokenContractError(f"{later.home} is called {name!r}, its hook calls it {later.name!r}")
    if kind.answers and later.kinds and later.kinds != frozenset(cls.schemes):
        raise BrokenContractError(f"{later.home} has other schemes than its hook says")
    if kind is PluginKind.SCORER and later.kinds and later.kinds != frozenset(cls.kinds):
        raise BrokenContractError(f"{later.home} has other kinds than its hook says")


def _check_later(later: Later) -> str:
    module, colon, cls = str(later.home).partition(":")
    if not (module and colon and cls.isidentifier()):
        raise BrokenContractError(f"its home is {later.home!r:.60}, not `package.module:Class`")
    if not isinstance(later.kinds, frozenset) or not all(isinstance(one, str) for one in later.kinds):
        raise BrokenContractError("its kinds are not a frozenset of texts")
    return _valid_name(later.name)


def _plugin_name(cls: object, kind: PluginKind) -> str:
    return _observer_name(cls) if kind is PluginKind.OBSERVER else _class_name(cls, kind)


def _describe_class(cls: object) -> str:
    if isinstance(cls, Later):
        return f"{cls.home!r:.80} for later"
    return describe(cls)


def _class_name(cls: object, kind: PluginKind) -> str:
    """Return the plugin's name; raise if the class does not fit its kind."""
    if not isinstance(cls, type):
        raise BrokenContractError("it is not a class")
    import attrs  # commands that need no plugin do without it

    if not attrs.has(cls):
        raise BrokenContractError("it is not an attrs class; decorate it with @attrs.frozen")
    fields = attrs.fields_dict(cls)
    name = _valid_name(None if "name" in fields else getattr(cls, "name", None))
    methods = {method: getattr(cls, method, None) for method in kind.methods}
    missing = [
        method
        for method, found in methods.items()
        if not callable(found) or getattr(found, "__isabstractmethod__", False)  # that of the interface
    ]
    missing += [name for name in kind.attributes if name not in fields and not hasattr(cls, name)]
    if missing:
        raise BrokenContractError(f"it has no {', '.join(missing)}, which a {kind.value} must have")
    required = [one.name for one in fields.values() if one.init and one.default is attrs.NOTHING]
    if required:
        raise BrokenContractError(f"its setting {required[0]} has no default")
    _check_attributes(cls, kind)
    check_signatures(cls, kind)
    return name


def _valid_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise BrokenContractError("it has no class variable `name` that is a text")
    letters = name.translate(_MARKS)
    if len(name) > 100 or not (letters.isalnum() or not letters):
        raise BrokenContractError(f"its name {name!r:.60} has more than letters, digits, - _ and .")
    return str(name)


def _check_attributes(cls: Any, kind: PluginKind) -> None:
    if kind is PluginKind.SCORER:
        if cls.grain not in ("item", "part"):
            raise BrokenContractError(f"its grain is {cls.grain!r:.60}, not 'item' or 'part'")
        kinds = cls.kinds
        if not isinstance(kinds, frozenset | set | tuple) or not all(isinstance(one, str) for one in kinds):
            raise BrokenContractError("its kinds are not a frozenset of texts")
    if kind is PluginKind.PROVIDER:
        _check_provider(cls)
    if kind in (PluginKind.SESSION_STORE, PluginKind.BLOB_STORE):
        schemes = cls.schemes
        if not isinstance(schemes, frozenset | set | tuple) or not all(map(_is_scheme, schemes)):
            raise BrokenContractError(
                "its schemes are not a frozenset of texts in small letters, without ://"
            )
    if kind is PluginKind.REPRESENTER and not isinstance(cls.version, str):
        raise BrokenContractError("its version is not text")


def _check_provider(cls: Any) -> None:
    import attrs

    if cls.wave not in (1, 2):
        raise BrokenContractError(f"its wave is {cls.wave!r:.60}, not 1 or 2")
    named = getattr(cls, "read_only_settings", ())
    if not isinstance(named, tuple):
        raise BrokenContractError(f"its read_only_settings are {named!r:.60}, not a tuple of names")
    if unknown := [one for one in named if one not in attrs.fields_dict(cls)]:
        raise BrokenContractError(f"its read_only_settings name {unknown[0]!r:.60}, which is not a setting")


def _is_scheme(text: object) -> bool:
    return isinstance(text, str) and bool(_SCHEME.fullmatch(text))


def _observer_name(observer: object) -> str:
    if not callable(observer):
        raise BrokenContractError("it is not callable")
    check_observer(observer)
    name = getattr(observer, "name", None) or getattr(observer, "__name__", type(observer).__name__)
    return _valid_name(str(name).strip("<>"))
