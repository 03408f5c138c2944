"""The host: finds plugins, loads each kind when it is asked for, and calls them in isolation."""

from __future__ import annotations

TYPE_CHECKING = False
if (
    TYPE_CHECKING
):  # at run time a name is imported when it is first asked for: the table of plugins needs none
    from satchel.host.kinds import Kind as Kind
    from satchel.host.kinds import Loaded as Loaded
    from satchel.host.registry import Host as Host

_HOME_OF = {"Host": "registry", "Kind": "kinds", "Loaded": "kinds"}

__all__ = ["Host", "Kind", "Loaded"]


def __getattr__(name: str) -> object:
    """Import a public name from its home when it is first asked for."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'satchel.host' has no attribute {name!r}")
    import importlib

    value: object = getattr(importlib.import_module(f"satchel.host.{home}"), name)
    globals()[name] = value
    return value
