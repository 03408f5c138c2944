"""Plugins by kind, loaded from entry points when a kind is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from satchel.errors import Problem
from satchel.host.calling import Calls, Named
from satchel.host.conflicts import is_named, settled, without
from satchel.host.entries import Entry, normal, remember_hooks
from satchel.host.kinds import Kind, Loaded, Origin
from satchel.host.loading import Hook, arrived, hooks_of, import_entry, returned_by
from satchel.later import Later


class Catalogue:
    """What the entry points bring. `modules` stand in for imports, by the entry's value."""

    def __init__(
        self,
        entries: Sequence[Entry],
        calls: Calls,
        *,
        modules: Mapping[str, object],
        disable: Iterable[str] = (),
        cache_dir: Path | None = None,
    ) -> None:
        names = tuple(dict.fromkeys(name.strip() for name in disable if name.strip()))
        self.off = tuple(entry for entry in entries if any(_means(name, entry) for name in names))
        self.entries = [entry for entry in entries if entry not in self.off]
        self._calls, self._modules, self._cache_dir = calls, dict(modules), cache_dir
        self._disabled = [name for name in names if not any(_means(name, entry) for entry in self.off)]
        self._unmatched = list(self._disabled)
        self._hooks: dict[Entry, Mapping[str, Hook]] = {}
        self._plugins: dict[Kind, tuple[Loaded, ...]] = {}
        self._arrived: dict[tuple[Kind, str], Loaded | None] = {}

    def plugins(self, kind: Kind) -> tuple[Loaded, ...]:
        """Return the plugins of a kind, also those that are off, by name and distribution.

        Those that are only named are not imported: `arrived` does that.
        """
        if kind not in self._plugins:
            self._load(kind)
            self._match_disabled()
        return self._plugins[kind]

    def arrived(self, plugins: Sequence[Loaded]) -> list[Loaded]:
        """Return plugins with their classes, importing what was only named; what can't be is left out."""
        named = [one for one in plugins if isinstance(one.cls, Later) and _key(one) not in self._arrived]
        for distribution in dict.fromkeys(one.distribution for one in named):
            self._arrive([one for one in named if one.distribution == distribution])
        found = [self._arrived[_key(one)] if isinstance(one.cls, Later) else one for one in plugins]
        return [
            named._replace(off=one.off)
            for named, one in zip(found, plugins, strict=True)
            if named is not None
        ]

    def _arrive(self, plugins: Sequence[Loaded]) -> None:
        """Import the modules of one distribution's plugins, all in one call."""
        first = plugins[0]
        source = Named(first.name, first.distribution, first.version, first.builtin)
        answer = self._call(source, arrived, tuple(plugins))
        if isinstance(answer, Problem):
            if self._calls.problems and self._calls.problems[-1] is answer:
                self._calls.problems.pop()  # it is told of each plugin
            answer = [answer.error] * len(plugins)
        for plugin, one in zip(plugins, answer, strict=True):
            self._arrived[_key(plugin)] = one if isinstance(one, Loaded) else None
            if isinstance(one, str):
                self._calls.problems.append(Problem(plugin.name, "load", one, plugin.distribution))

    def _load(self, kind: Kind) -> None:
        found = [plugin for entry in self.entries for plugin in self._returned(entry, kind)]
        self._remember()
        decided, problems = settled(without(found, self._disabled))
        self._calls.problems.extend(problems)
        self._plugins[kind] = tuple(sorted(decided, key=lambda plugin: (plugin.name, plugin.distribution)))

    def _returned(self, entry: Entry, kind: Kind) -> list[Loaded]:
        """Return what one entry point has of a kind; its module is loaded only if it may have any."""
        hook = self._hooks_of(entry).get(kind.hook) if entry.may_have(kind.hook) else None
        if hook is None:
            return []
        answer = self._call(entry, returned_by, hook, kind, entry)
        if isinstance(answer, Problem):
            return []
        wrong = [reason for reason in answer if isinstance(reason, str)]
        self._calls.problems += [Problem(entry.name, "load", text, entry.distribution) for text in wrong]
        return [plugin for plugin in answer if isinstance(plugin, Loaded)]

    def _hooks_of(self, entry: Entry) -> Mapping[str, Hook]:
        """Return the hooks that an entry's module implements, none where it can't be loaded."""
        key = entry._replace(hooks=None)
        if key not in self._hooks:
            hooks = self._call(entry, self._imported, entry)
            self._hooks[key] = {} if isinstance(hooks, Problem) else hooks
        return self._hooks[key]

    def _call(self, origin: Origin, function: Callable[..., Any], *args: Any) -> Any:
        return self._calls.call(origin, function, *args, stage="load", here=origin.builtin)

    def _imported(self, entry: Entry) -> Mapping[str, Hook]:
        module = self._modules[entry.value] if entry.value in self._modules else import_entry(entry)
        return hooks_of(module, entry.name)

    def _remember(self) -> None:
        """Keep what was learned about which modules implement which hooks."""
        learned = [e for e in self.entries if e.hooks is None and not e.editable and self._hooks.get(e)]
        for entry in learned:
            known = entry._replace(hooks=tuple(sorted(self._hooks[entry])))
            self.entries[self.entries.index(entry)] = known
        if self._cache_dir is not None and learned:
            remember_hooks(self._cache_dir, [entry for entry in self.entries if entry.hooks is not None])

    def _match_disabled(self) -> None:
        """Report names to disable that nothing has; kinds are loaded until each name is found."""
        for kind in Kind:
            self._forget_matched()
            if self._unmatched and kind not in self._plugins:
                self._load(kind)
        self._forget_matched()
        reason = "nothing of this name is installed, so it can't be disabled"
        self._calls.problems += [Problem(name, "load", reason) for name in self._unmatched]
        self._unmatched = []

    def _forget_matched(self) -> None:
        known = [plugin for plugins in self._plugins.values() for plugin in plugins]
        self._unmatched = [n for n in self._unmatched if not any(is_named(p, n) for p in known)]


def _key(plugin: Loaded) -> tuple[Kind, str]:
    return plugin.kind, plugin.full_name


def _means(name: str, entry: Entry) -> bool:
    return name == entry.name or normal(name) == normal(entry.distribution)
