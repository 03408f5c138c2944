"""The host: finds plugins, loads each kind on first use, and calls them in isolation."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.host.kinds import Loaded as Loaded
    from satchel.host.kinds import PluginKind as PluginKind
    from satchel.host.registry import Host as Host

_HOME_OF = {"Host": "registry", "PluginKind": "kinds", "Loaded": "kinds"}

__all__ = ["Host", "Loaded", "PluginKind"]


def __getattr__(name: str) -> object:
    """Import a public name from its module on first use."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'satchel.host' has no attribute {name!r}")
    import importlib

    value: object = getattr(importlib.import_module(f"satchel.host.{home}"), name)
    globals()[name] = value
    return value
