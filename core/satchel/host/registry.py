"""The host: finds plugins by kind and name, and records why others failed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from satchel.errors import ConfigError, PluginError, Problem, SatchelError, UnknownNameError
from satchel.host.answers import BrokenContractError
from satchel.host.calling import Named, PluginCalls, describe_error, extend_deadline
from satchel.host.kinds import Loaded, Origin, PluginKind
from satchel.host.loading import (
    EntryPoint,
    Hook,
    call_hook,
    find_entries,
    hooks_of,
    import_entry,
    import_plugins,
    list_plugin_files,
    normal,
    remember_hooks,
)
from satchel.interfaces import Later
from satchel.private_files import read_record, write_record

_KEY = "announced"


class FirstUses:
    """First uses, stored in the cache folder; without one, each process starts empty."""

    def __init__(self, cache_dir: Path | None) -> None:
        self._file = cache_dir / "plugins-used.json" if cache_dir else None
        self._announced: set[str] | None = None

    def is_first_use(self, origin: Origin) -> bool:
        """Return whether this version of its distribution is used for the first time, and record the use."""
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


class CallReports:
    """Reports the calls of plugins: the first use of a distribution to the person, each call to listeners."""

    _listeners: ClassVar[list[Callable[[str, Origin, str], None]]] = []
    """Called for each call of every host: one in a child process that guards against plugins, else none."""

    def __init__(self, announce: Callable[[str], None] | None, cache_dir: Path | None) -> None:
        self._announce = announce
        self._uses = FirstUses(cache_dir)

    @classmethod
    def watch_all(cls, listener: Callable[[str, Origin, str], None]) -> None:
        """Make every host of this process call `listener("start" | "end", plugin, stage)` for each call.

        From now on calls are made one by one, to know which one ends the process.
        """
        cls._listeners.append(listener)
        PluginCalls.serial = True

    def start(self, plugin: Origin, stage: str) -> None:
        """Report that a call begins, and the first use of a version of a third-party distribution."""
        if self._announce and not plugin.builtin and self._uses.is_first_use(plugin):
            self._announce(f"satchel: first use of {plugin.distribution} {plugin.version}".rstrip())
        for listener in self._listeners:
            listener("start", plugin, stage)

    def end(self, plugin: Origin, stage: str) -> None:
        """Report that a call has ended."""
        for listener in self._listeners:
            listener("end", plugin, stage)


DISABLED = "disabled by the configuration"


def matches_name(plugin: Loaded, name: str) -> bool:
    """Return whether a name, plain or as `distribution:name`, is this plugin's."""
    distribution, colon, plain = name.rpartition(":")
    return plugin.name == plain and (not colon or normal(distribution) == normal(plugin.distribution))


def switch_off(plugins: Sequence[Loaded], disabled: Sequence[str]) -> list[Loaded]:
    """Return the plugins, with the named ones switched off."""
    return [
        plugin._replace(off=DISABLED) if any(matches_name(plugin, name) for name in disabled) else plugin
        for plugin in plugins
    ]


def resolve_conflicts(plugins: Sequence[Loaded]) -> tuple[list[Loaded], list[Problem]]:
    """Return the plugins with one of each name left on: a trusted distribution's, else the first's."""
    order = sorted(plugins, key=lambda plugin: (not plugin.trusted, normal(plugin.distribution)))
    winners: dict[str, Loaded] = {}
    for plugin in order:
        if plugin.enabled:
            winners.setdefault(plugin.name, plugin)
    decided, problems = [], []
    for plugin in plugins:
        winner = winners.get(plugin.name, plugin)
        if plugin is winner or not plugin.enabled:
            decided.append(plugin)
            continue
        reason = f"its name is taken by {_owner(winner)}; use its full name, {plugin.full_name}"
        decided.append(plugin._replace(off=reason))
        problems.append(Problem(plugin.name, "load", reason, plugin.distribution))
    return decided, problems


def _owner(winner: Loaded) -> str:
    return "a built-in" if winner.builtin else f"{winner.distribution} {winner.version}".rstrip()


class Catalogue:
    """The plugins of all entry points. `modules` replace imports, by the entry's value.

    A plugin that can't be loaded is a problem of `calls`. If the catalogue is `strict`, or its file was
    named, it raises PluginError.
    """

    def __init__(
        self,
        entries: Sequence[EntryPoint],
        calls: PluginCalls,
        *,
        modules: Mapping[str, object],
        disable: Iterable[str] = (),
        strict: bool = False,
        cache_dir: Path | None = None,
    ) -> None:
        names = tuple(dict.fromkeys(name.strip() for name in disable if name.strip()))
        self.off = tuple(entry for entry in entries if any(_means(name, entry) for name in names))
        self.entries = [entry for entry in entries if entry not in self.off]
        self._calls, self._modules, self._cache_dir = calls, dict(modules), cache_dir
        self._strict = strict
        self._named = frozenset(entry.distribution for entry in self.entries if entry.named)
        self._disabled = [name for name in names if not any(_means(name, entry) for entry in self.off)]
        self._unmatched = list(self._disabled)
        self._hooks: dict[EntryPoint, Mapping[str, Hook]] = {}
        self._plugins: dict[PluginKind, tuple[Loaded, ...]] = {}
        self._classes: dict[tuple[PluginKind, str], Loaded | None] = {}

    def plugins(self, kind: PluginKind) -> tuple[Loaded, ...]:
        """Return the plugins of a kind, also those that are off, by name and distribution.

        Plugins named by a `Later` are not imported here: `import_classes` does that.
        """
        if kind not in self._plugins:
            before = len(self._calls.problems)
            self._load(kind)
            self._report_missing_names()
            self._be_strict(before)
        return self._plugins[kind]

    def import_classes(self, plugins: Sequence[Loaded]) -> list[Loaded]:
        """Return plugins with their classes, importing those only named; drop those that fail."""
        before = len(self._calls.problems)
        named = [one for one in plugins if isinstance(one.cls, Later) and _key(one) not in self._classes]
        for distribution in dict.fromkeys(one.distribution for one in named):
            self._import_distribution([one for one in named if one.distribution == distribution])
        self._be_strict(before)
        found = [self._classes[_key(one)] if isinstance(one.cls, Later) else one for one in plugins]
        return [
            named._replace(off=one.off)
            for named, one in zip(found, plugins, strict=True)
            if named is not None
        ]

    def _be_strict(self, before: int) -> None:
        """Raise the first loading problem, at least those of named plugin files."""
        raise_first(
            problem
            for problem in self._calls.problems[before:]
            if self._strict or (problem.distribution in self._named and problem.stage == "load")
        )

    def _import_distribution(self, plugins: Sequence[Loaded]) -> None:
        """Import the classes of one distribution's plugins in one call."""
        first = plugins[0]
        source = Named(first.name, first.distribution, first.version, first.trusted)
        answer = self._call(source, import_plugins, tuple(plugins))
        if isinstance(answer, Problem):
            if self._calls.problems and self._calls.problems[-1] is answer:
                self._calls.problems.pop()  # it is reported for each plugin instead
            answer = [answer.error] * len(plugins)
        for plugin, one in zip(plugins, answer, strict=True):
            self._classes[_key(plugin)] = one if isinstance(one, Loaded) else None
            if isinstance(one, str):
                self._calls.problems.append(Problem(plugin.name, "load", one, plugin.distribution))

    def _load(self, kind: PluginKind) -> None:
        found = [plugin for entry in self.entries for plugin in self._list_plugins(entry, kind)]
        self._remember()
        decided, problems = resolve_conflicts(switch_off(found, self._disabled))
        self._calls.problems.extend(problems)
        self._plugins[kind] = tuple(sorted(decided, key=lambda plugin: (plugin.name, plugin.distribution)))

    def _list_plugins(self, entry: EntryPoint, kind: PluginKind) -> list[Loaded]:
        """Return one entry point's plugins of a kind; load its module only if it may have any."""
        hook = self._hooks_of(entry).get(kind.hook) if entry.may_have(kind.hook) else None
        if hook is None:
            return []
        answer = self._call(entry, call_hook, hook, kind, entry)
        if isinstance(answer, Problem):
            return []
        wrong = [reason for reason in answer if isinstance(reason, str)]
        self._calls.problems += [Problem(entry.name, "load", text, entry.distribution) for text in wrong]
        return [plugin for plugin in answer if isinstance(plugin, Loaded)]

    def _hooks_of(self, entry: EntryPoint) -> Mapping[str, Hook]:
        """Return the hooks that an entry's module implements, {} if it can't be loaded."""
        key = entry._replace(hooks=None)
        if key not in self._hooks:
            hooks = self._call(entry, self._import_hooks, entry)
            self._hooks[key] = {} if isinstance(hooks, Problem) else hooks
        return self._hooks[key]

    def _call(self, origin: Origin, function: Callable[..., Any], *args: Any) -> Any:
        return self._calls.call(origin, function, *args, stage="load", here=origin.trusted)

    def _import_hooks(self, entry: EntryPoint) -> Mapping[str, Hook]:
        module = self._modules[entry.value] if entry.value in self._modules else import_entry(entry)
        return hooks_of(module, entry.name)

    def _remember(self) -> None:
        """Cache which modules implement which hooks."""
        learned = [e for e in self.entries if e.hooks is None and not e.editable and self._hooks.get(e)]
        for entry in learned:
            known = entry._replace(hooks=tuple(sorted(self._hooks[entry])))
            self.entries[self.entries.index(entry)] = known
        if self._cache_dir is not None and learned:
            remember_hooks(self._cache_dir, [entry for entry in self.entries if entry.hooks is not None])

    def _report_missing_names(self) -> None:
        """Report disabled names that match nothing; load kinds until each name is found."""
        if not self._unmatched:
            return
        for kind in PluginKind:
            self._drop_matches()
            if self._unmatched and kind not in self._plugins:
                self._load(kind)
        self._drop_matches()
        reason = "no plugin or distribution of this name is installed, so it can't be disabled"
        self._calls.problems += [Problem(name, "load", reason) for name in self._unmatched]
        self._unmatched = []

    def _drop_matches(self) -> None:
        known = [plugin for plugins in self._plugins.values() for plugin in plugins]
        self._unmatched = [n for n in self._unmatched if not any(matches_name(p, n) for p in known)]


def raise_first(problems: Iterable[Problem]) -> None:
    """Raise the first problem as a PluginError, if there is one."""
    for problem in problems:
        raise PluginError(problem.plugin, problem.distribution, f"{problem.stage}: {problem.error}")


def _key(plugin: Loaded) -> tuple[PluginKind, str]:
    return plugin.kind, plugin.full_name


def _means(name: str, entry: EntryPoint) -> bool:
    return name == entry.name or normal(name) == normal(entry.distribution)


TRUSTED = ("satchel",)
"""Distributions that are trusted by default."""
_NO_PLACES: Mapping[str, str] = {}
_NO_PLACES_OF_KIND: Mapping[str, Mapping[str, str]] = {}


class Host:
    """Plugins by kind, each kind loaded on first use; `calls` makes the calls of the run.

    Make one with `Host.installed()`, `Host.of(...)` or `Host.empty()`.
    """

    def __init__(
        self,
        entries: Sequence[EntryPoint],
        *,
        modules: Mapping[str, object] | None = None,
        options: HostOptions | None = None,
    ) -> None:
        options = options or HostOptions()
        believed = {normal(name) for name in options.trusted}
        entries = [entry._replace(trusted=normal(entry.distribution) in believed) for entry in entries]
        self.problems: list[Problem] = []
        self.announce = options.announce
        """Shows a line to the person, None if nobody listens."""
        reports = CallReports(options.announce, options.cache_dir)
        self.calls = PluginCalls(
            deadline_seconds=options.deadline_seconds,
            problems=self.problems,
            started=reports.start,
            finished=reports.end,
        )
        self._catalogue = Catalogue(
            entries,
            self.calls,
            modules=modules or {},
            disable=options.disable,
            strict=options.strict,
            cache_dir=options.cache_dir,
        )
        self.lost: Mapping[str, Problem] = {}
        """Plugins that ended the process in an earlier attempt of this run, by name, with the problem."""

    @classmethod
    def installed(
        cls,
        *,
        disable: Iterable[str] = (),
        strict: bool = False,
        cache_dir: Path | None = None,
        announce: Callable[[str], None] | None = None,
        deadline_seconds: float | None = 10.0,
        trusted: Iterable[str] = TRUSTED,
    ) -> Host:
        """Return a host with all installed plugins.

        `disable` names entry points, distributions, plugins, or `distribution:plugin`. With `strict`,
        a plugin that can't be loaded raises PluginError. `announce` gets the line about a
        distribution's first use; None writes it to stderr. `deadline_seconds` applies to each call and is
        extended on a busy machine. Plugins of `trusted` distributions are called directly: without copies,
        wrappers and a child process.
        """
        seconds = extend_deadline(deadline_seconds)
        options = HostOptions(
            tuple(disable), strict, cache_dir, announce or _to_stderr, seconds, tuple(trusted)
        )
        table = find_entries(cache_dir)
        host = cls(table.entries, options=options)
        host.problems.extend(table.problems)
        raise_first(one for one in table.problems if strict or one.distribution in list_plugin_files())
        return host

    @classmethod
    def of(cls, *modules: object, deadline_seconds: float | None = 10.0) -> Host:
        """Return a host with only the hooks of these modules (or other objects with hooks)."""
        named = {f"{_name_of(module)}:{place}": module for place, module in enumerate(modules)}
        entries = [
            EntryPoint(_name_of(module), key, _name_of(module), "", editable=True)
            for key, module in named.items()
        ]
        return cls(entries, modules=named, options=HostOptions(deadline_seconds=deadline_seconds))

    @classmethod
    def empty(cls) -> Host:
        """Return a host without plugins."""
        return cls(())

    @property
    def entries(self) -> tuple[EntryPoint, ...]:
        """Return the active entry points, loaded or not."""
        return tuple(self._catalogue.entries)

    @property
    def entries_off(self) -> tuple[EntryPoint, ...]:
        """Return the entry points that the configuration disables; they are never imported."""
        return self._catalogue.off

    def loaded(
        self, kind: PluginKind, kinds: Collection[str] | None = None, *, always: Collection[str] = ()
    ) -> tuple[Loaded, ...]:
        """Return the plugins of a kind that take part, by name.

        Plugins that declare other `kinds` of items are left out and not imported, unless `always` has
        their name.
        """
        wanted = None if kinds is None else frozenset(kinds)
        return tuple(
            self._catalogue.import_classes(
                [
                    plugin
                    for plugin in self.known(kind)
                    if plugin.enabled
                    and (_serves(plugin, wanted) or not {plugin.name, plugin.full_name}.isdisjoint(always))
                ]
            )
        )

    def registered(self, kind: PluginKind) -> tuple[Loaded, ...]:
        """Return the plugins of a kind, also those that are off, by name and distribution."""
        return tuple(self._catalogue.import_classes(self.known(kind)))

    def known(self, kind: PluginKind) -> tuple[Loaded, ...]:
        """Return the result of `registered`, without importing classes that are only named."""
        return self._catalogue.plugins(kind)

    def names(self, kind: PluginKind) -> tuple[str, ...]:
        """Return the names of the plugins of a kind that take part."""
        return tuple(plugin.name for plugin in self.known(kind) if plugin.enabled)

    def find(self, kind: PluginKind, name: str) -> Loaded:
        """Return the plugin called `name`, or `distribution:name`.

        Raises UnknownNameError if there is none, PluginError if it is disabled or can't be loaded.
        """
        meant = [plugin for plugin in self.known(kind) if matches_name(plugin, name)]
        usable = [plugin for plugin in meant if plugin.enabled or (":" in name and plugin.off != DISABLED)]
        if usable:
            return self._one(min(usable, key=lambda plugin: not plugin.enabled))
        if meant:
            raise PluginError(meant[0].name, meant[0].distribution, meant[0].off)
        lost = self.lost.get(name.rpartition(":")[2])
        if lost is not None:
            raise PluginError(lost.plugin, lost.distribution, lost.error.partition("; left out")[0])
        raise UnknownNameError(kind.replace("_", " "), name, self.names(kind))

    def _one(self, plugin: Loaded) -> Loaded:
        """Return a plugin chosen by name with its class; raise PluginError if it can't be loaded."""
        found = self._catalogue.import_classes([plugin])
        if found:
            return found[0]
        reasons = [one.error for one in self.problems if (one.plugin, one.stage) == (plugin.name, "load")]
        raise PluginError(
            plugin.name, plugin.distribution, f"load: {reasons[-1] if reasons else 'it failed'}"
        )

    def make(
        self, plugin: Loaded, table: Mapping[str, object], places: Mapping[str, str] = _NO_PLACES
    ) -> Any:
        """Return an instance with the settings of its config table; `places` says where each one stands.

        Raises ConfigError with every bad key, PluginError if the class itself fails.
        """
        name = f"{plugin.kind.value}.{plugin.name}"
        places = {"": name, **{key: places.get(key, f"configuration: {name}.{key}") for key in table}}
        if plugin.kind is PluginKind.OBSERVER and not isinstance(plugin.cls, type):
            if table:
                raise ConfigError([f"{places[key]}: unknown key; it has no settings" for key in table])
            return plugin.cls
        is_direct = plugin.trusted and all(hasattr(plugin.cls, name) for name in plugin.kind.optional)
        if is_direct and not table and not self.calls.off_because(plugin):
            return plugin.cls()  # all defaults: a guarded call would take ten times as long
        made = partial(_make_instance, plugin, table, places)
        if is_direct:
            return self.calls.call_or_raise(plugin, made, stage="make")
        return self.calls.call_or_raise(plugin, self._make_adapter, plugin, made, stage="make")

    def _make_adapter(self, plugin: Loaded, made: partial[Any]) -> Any:
        from satchel.host.adapting import adapt  # most runs have only built-in plugins

        try:
            instance = made()
        except SatchelError as error:
            if made.args[1] and isinstance(error, ConfigError | UnknownNameError):  # the settings are wrong
                raise
            raise BrokenContractError(f"raised {describe_error(error)}") from error
        return adapt(plugin, instance, self.calls)

    def make_all(
        self,
        kind: PluginKind,
        tables: Mapping[str, Mapping[str, object]],
        places: Mapping[str, Mapping[str, str]] = _NO_PLACES_OF_KIND,
        *,
        kinds: Collection[str] | None = None,
    ) -> list[tuple[Loaded, Any]]:
        """Return each plugin of a kind with its instance; one that can't be created becomes a Problem.

        `places` says where each setting of each plugin stands. Plugins that declare other `kinds` of items
        are left out, unless they have a table, which must be checked.

        Raises ConfigError with every bad key of every table.
        """
        made: list[tuple[Loaded, Any]] = []
        errors: list[str] = []
        for plugin in self.loaded(kind, kinds, always=tables):
            name = plugin.name if tables.get(plugin.name) else plugin.full_name
            try:
                made.append((plugin, self.make(plugin, tables.get(name, {}), places.get(name, {}))))
            except ConfigError as error:
                errors.extend(error.errors)
            except PluginError as error:
                if not self.calls.off_because(plugin):  # else it is already reported
                    self.problems.append(Problem(plugin.name, "load", error.reason, plugin.distribution))
        if errors:
            raise ConfigError(errors)
        return made


class HostOptions(NamedTuple):
    """Options of a host; `announce` None is silent, `deadline_seconds` None calls in the same thread."""

    disable: tuple[str, ...] = ()
    strict: bool = False
    cache_dir: Path | None = None
    announce: Callable[[str], None] | None = None
    deadline_seconds: float | None = 10.0
    trusted: tuple[str, ...] = TRUSTED
    """Distributions whose plugins are called directly."""


def _serves(plugin: Loaded, kinds: frozenset[str] | None) -> bool:
    return kinds is None or not isinstance(plugin.cls, Later) or plugin.cls.serves(kinds)


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _name_of(module: object) -> str:
    return str(getattr(module, "__name__", type(module).__name__))


def _make_instance(plugin: Loaded, table: Mapping[str, object], places: Mapping[str, str]) -> Any:
    if not table:
        return plugin.cls()
    from satchel.host.settings import structure_settings

    values = structure_settings(plugin.cls, table, places, plugin.kind)
    try:
        return plugin.cls(**values)
    except (ValueError, TypeError) as error:  # the class's own validators
        raise ConfigError([f"{', '.join(places[key] for key in table)}: {error}"]) from error
