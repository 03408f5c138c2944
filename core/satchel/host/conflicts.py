"""Decide between plugins of one kind and one name, and switch off what the configuration names."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.errors import Problem
from satchel.host.entries import normal
from satchel.host.kinds import Loaded

DISABLED = "disabled by the configuration"


def is_named(plugin: Loaded, name: str) -> bool:
    """Tell whether `name` or `distribution:name` means this plugin."""
    distribution, colon, plain = name.rpartition(":")
    return plugin.name == plain and (not colon or normal(distribution) == normal(plugin.distribution))


def without(plugins: Sequence[Loaded], disabled: Sequence[str]) -> list[Loaded]:
    """Return the plugins with those switched off that are named."""
    return [
        plugin._replace(off=DISABLED) if any(is_named(plugin, name) for name in disabled) else plugin
        for plugin in plugins
    ]


def settled(plugins: Sequence[Loaded]) -> tuple[list[Loaded], list[Problem]]:
    """Return the plugins, one of each name left on: the built-in, else the first distribution's."""
    order = sorted(plugins, key=lambda plugin: (not plugin.builtin, normal(plugin.distribution)))
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
        reason = f"its name is taken by {_owner(winner)}; ask for it as {plugin.full_name}"
        decided.append(plugin._replace(off=reason))
        problems.append(Problem(plugin.name, "load", reason, plugin.distribution))
    return decided, problems


def _owner(winner: Loaded) -> str:
    return "a built-in" if winner.builtin else f"{winner.distribution} {winner.version}".rstrip()
