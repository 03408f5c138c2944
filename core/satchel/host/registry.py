"""The host: which plugins there are, by kind and name, and what went wrong with the others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from satchel.errors import ConfigError, PluginError, Problem, SatchelError, UnknownNameError
from satchel.host.answers import BrokenContractError
from satchel.host.calling import Calls, described, patient
from satchel.host.catalogue import Catalogue
from satchel.host.conflicts import DISABLED, is_named
from satchel.host.entries import Entry, Table, installed
from satchel.host.history import History
from satchel.host.kinds import Kind, Loaded, Origin
from satchel.later import Later

_NO_ORIGINS: Mapping[str, str] = {}


class Host:
    """Plugins by kind, each kind loaded when it is first asked for; `calls` makes the calls of the run.

    Make one with `Host.installed()`, `Host.of(...)` or `Host.empty()`.
    """

    _witnesses: ClassVar[list[Callable[[str, Origin, str], None]]] = []
    """They are told each call of every host: one in a process that was made to outlive plugins, else none."""

    def __init__(
        self,
        entries: Sequence[Entry],
        *,
        modules: Mapping[str, object] | None = None,
        options: Options | None = None,
    ) -> None:
        self._options = options or Options()
        self.problems: list[Problem] = []
        self.calls = Calls(
            deadline_seconds=self._options.deadline_seconds,
            problems=self.problems,
            started=self._started,
            finished=self._finished,
        )
        self._catalogue = Catalogue(
            entries,
            self.calls,
            modules=modules or {},
            disable=self._options.disable,
            cache_dir=self._options.cache_dir,
        )
        self._history = History(self._options.cache_dir)
        self.lost: Mapping[str, Problem] = {}
        """Plugins that ended the process in an earlier try of this run, by name, with what they did."""

    @classmethod
    def installed(
        cls,
        *,
        disable: Iterable[str] = (),
        strict: bool = False,
        cache_dir: Path | None = None,
        announce: Callable[[str], None] | None = None,
        deadline_seconds: float | None = 10.0,
        table: Table | None = None,
    ) -> Host:
        """Return a host with everything that is installed.

        `disable` names entry points, distributions, plugins, or `distribution:plugin`. `strict`
        makes a plugin that can't be loaded a PluginError. `announce` gets the line that tells of a
        distribution's first use; None writes it to stderr. `deadline_seconds` holds for each call,
        longer where the machine is busy. `table` is what was found installed a moment ago.
        """
        seconds = patient(deadline_seconds)
        options = Options(tuple(disable), strict, cache_dir, announce or _to_stderr, seconds)
        table = table or installed(cache_dir)
        host = cls(table.entries, options=options)
        host.problems.extend(table.problems)
        host._be_strict(0)
        return host

    @classmethod
    def of(cls, *modules: object, deadline_seconds: float | None = 10.0) -> Host:
        """Return a host with just the hooks of these modules (or of other objects that have hooks)."""
        named = {f"{_name_of(module)}:{place}": module for place, module in enumerate(modules)}
        entries = [
            Entry(_name_of(module), key, _name_of(module), "", editable=True) for key, module in named.items()
        ]
        return cls(entries, modules=named, options=Options(deadline_seconds=deadline_seconds))

    @classmethod
    def empty(cls) -> Host:
        """Return a host without plugins."""
        return cls(())

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entry points that take part, loaded or not."""
        return tuple(self._catalogue.entries)

    @property
    def entries_off(self) -> tuple[Entry, ...]:
        """The entry points that the configuration disables; they are never imported."""
        return self._catalogue.off

    def loaded(
        self, kind: Kind, kinds: Collection[str] | None = None, *, always: Collection[str] = ()
    ) -> tuple[Loaded, ...]:
        """Return the plugins of a kind that take part, by name.

        Those that say they have nothing to do with items of these `kinds` are left out and not even
        imported, unless `always` has their name.
        """
        wanted = None if kinds is None else frozenset(kinds)
        return tuple(
            self._arrived(
                [
                    plugin
                    for plugin in self.known(kind)
                    if plugin.enabled and (_serves(plugin, wanted) or not _names(plugin).isdisjoint(always))
                ]
            )
        )

    def registered(self, kind: Kind) -> tuple[Loaded, ...]:
        """Return the plugins of a kind, also those that are off, by name and distribution."""
        return tuple(self._arrived(self.known(kind)))

    def known(self, kind: Kind) -> tuple[Loaded, ...]:
        """Return what `registered` does without importing the classes that are only named."""
        before = len(self.problems)
        plugins = self._catalogue.plugins(kind)
        self._be_strict(before)
        return plugins

    def _arrived(self, plugins: Sequence[Loaded]) -> list[Loaded]:
        before = len(self.problems)
        found = self._catalogue.arrived(plugins)
        self._be_strict(before)
        return found

    def names(self, kind: Kind) -> tuple[str, ...]:
        """Return the names of the plugins of a kind that take part."""
        return tuple(plugin.name for plugin in self.known(kind) if plugin.enabled)

    def find(self, kind: Kind, name: str) -> Loaded:
        """Return the plugin called `name`, or `distribution:name`.

        Raises UnknownNameError where there is none, PluginError where it is disabled or can't be loaded.
        """
        meant = [plugin for plugin in self.known(kind) if is_named(plugin, name)]
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
        """Return a chosen plugin with its class; raise PluginError where that can't be loaded."""
        found = self._arrived([plugin])
        if found:
            return found[0]
        reasons = [one.error for one in self.problems if (one.plugin, one.stage) == (plugin.name, "load")]
        raise PluginError(
            plugin.name, plugin.distribution, f"load: {reasons[-1] if reasons else 'it failed'}"
        )

    def make(self, plugin: Loaded, table: Mapping[str, object], where: str = "configuration") -> Any:
        """Return an instance with the settings of its config table; `where` names their file.

        Raises ConfigError with every bad key, PluginError where the class itself fails.
        """
        if plugin.kind is Kind.OBSERVER and not isinstance(plugin.cls, type):
            return plugin.cls
        if plugin.builtin and not table and not self.calls.off_because(plugin):
            return plugin.cls()  # made of defaults: a thread to guard that costs ten times as much
        place = f"{where}: tool.satchel.{plugin.kind.value}.{plugin.name}"
        made = partial(_made, plugin.cls, table, place)
        if plugin.builtin:
            return self.calls.chosen(plugin, made, stage="make")
        return self.calls.chosen(plugin, self._adapted, plugin, made, stage="make")

    def _adapted(self, plugin: Loaded, made: partial[Any]) -> Any:
        from satchel.host.adapting import adapted  # most runs have built-in plugins alone

        try:
            instance = made()
        except SatchelError as error:
            if made.args[1] and isinstance(error, ConfigError | UnknownNameError):  # the settings are wrong
                raise
            raise BrokenContractError(f"raised {described(error)}") from error
        return adapted(plugin, instance, self.calls)

    def make_all(
        self,
        kind: Kind,
        tables: Mapping[str, Mapping[str, object]],
        origins: Mapping[str, str] = _NO_ORIGINS,
        *,
        kinds: Collection[str] | None = None,
    ) -> list[tuple[Loaded, Any]]:
        """Return each plugin of a kind with its instance; one that fails to be made is a Problem.

        `origins` names the file of each table. Of `kinds` of items, those that say they have nothing to do
        with them are left out, unless they have a table, which may be wrong.

        Raises ConfigError with every bad key of every table.
        """
        made: list[tuple[Loaded, Any]] = []
        errors: list[str] = []
        for plugin in self.loaded(kind, kinds, always=tables):
            table = tables.get(plugin.name) or tables.get(plugin.full_name) or {}
            try:
                where = origins.get(plugin.name) or origins.get(plugin.full_name) or "configuration"
                made.append((plugin, self.make(plugin, table, where)))
            except ConfigError as error:
                errors.extend(error.errors)
            except PluginError as error:
                self.problems.append(Problem(plugin.name, "load", error.reason, plugin.distribution))
        if errors:
            raise ConfigError(errors)
        return made

    def announce(self, plugin: Origin) -> None:
        """Say that a third-party distribution's version is used here for the first time."""
        say = self._options.announce
        if say and not plugin.builtin and self._history.is_first_use(plugin):
            say(f"satchel: first use of {plugin.distribution} {plugin.version}".rstrip())

    @classmethod
    def watch_all(cls, witness: Callable[[str, Origin, str], None]) -> None:
        """Have every host of this process tell `witness("start" | "end", plugin, stage)` of each call.

        Calls are made one by one from now on, so that it is known which one ends the process.
        """
        cls._witnesses.append(witness)
        Calls.serial = True

    def _started(self, plugin: Origin, stage: str) -> None:
        self.announce(plugin)
        for witness in self._witnesses:
            witness("start", plugin, stage)

    def _finished(self, plugin: Origin, stage: str) -> None:
        for witness in self._witnesses:
            witness("end", plugin, stage)

    def _be_strict(self, before: int) -> None:
        """Raise the first new problem of a strict host."""
        if self._options.strict and len(self.problems) > before:
            problem = self.problems[before]
            raise PluginError(problem.plugin, problem.distribution, f"{problem.stage}: {problem.error}")


class Options(NamedTuple):
    """How a host behaves; `announce` None is silent, `deadline_seconds` None calls in the same thread."""

    disable: tuple[str, ...] = ()
    strict: bool = False
    cache_dir: Path | None = None
    announce: Callable[[str], None] | None = None
    deadline_seconds: float | None = 10.0


def _serves(plugin: Loaded, kinds: frozenset[str] | None) -> bool:
    return kinds is None or not isinstance(plugin.cls, Later) or plugin.cls.serves(kinds)


def _names(plugin: Loaded) -> set[str]:
    return {plugin.name, plugin.full_name}


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _name_of(module: object) -> str:
    return str(getattr(module, "__name__", type(module).__name__))


def _made(cls: Any, table: Mapping[str, object], place: str) -> Any:
    if not table:
        return cls()
    from satchel.host.settings import structured

    values = structured(cls, table, place)
    try:
        return cls(**values)
    except (ValueError, TypeError) as error:  # the class's own validators
        raise ConfigError([f"{place}: {error}"]) from error
