"""Pack a small workspace with the built-in plugins and one more, as a plugin's tests want it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from satchel.config import load
from satchel.hookspecs import hookimpl
from satchel.host import Host, PluginKind
from satchel.packing.bundle import PackOptions, pack
from satchel.testing.repository import FILES, make_repository_of

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.packing.bundle import Bundle


def pack_with(
    task: str,
    plugin: Any,
    folder: Path,
    *,
    files: Mapping[str, str] | None = None,
    budget: int = 4_000,
    settings: Mapping[str, object] | None = None,
) -> Bundle:
    """Pack `files` (a small shop by default) for a task, with the built-in plugins and `plugin`.

    Args:
        task: what the window is for.
        plugin: a class of any kind; None for the built-in plugins alone.
        folder: where the workspace is created.
        files: texts by path.
        budget: most tokens of the document.
        settings: of the plugin, by name.

    Raises:
        TypeError: the class does not have the methods of any kind of plugin.
        ConfigError: a setting is wrong.
    """
    place = folder / f"packed-{sum(1 for _ in folder.glob('packed-*')) + 1}"
    root = make_repository_of(FILES if files is None else files, place)
    modules: list[object] = [
        found.load() for found in entry_points(group="satchel") if found.dist and found.dist.name == "satchel"
    ]
    config = load(root, env={})
    if plugin is not None:
        kind = kind_of(plugin)
        modules.append(SimpleNamespace(**{kind.hook: hookimpl(lambda: [plugin])}))
        if settings:
            tables = {**config.plugins.get(kind.value, {}), plugin.name: dict(settings)}
            config = config._replace(plugins={**config.plugins, kind.value: tables})
    return pack(task, root, budget=budget, host=Host.of(*modules), options=PackOptions(config=config))


def kind_of(plugin: Any) -> PluginKind:
    """Return the kind whose methods a class has; every class is callable, so observers come last."""
    for kind in sorted(PluginKind, key=lambda kind: kind is PluginKind.OBSERVER):
        if all(callable(getattr(plugin, method, None)) for method in kind.methods):
            return kind
    raise TypeError(f"{plugin!r} does not have the methods of any kind of plugin")
